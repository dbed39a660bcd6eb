// The look of the report: on a screen, light or dark, and on paper.
#pragma once

namespace attune::compare {

constexpr const char* kReportStyle = R"css(
:root { color-scheme: light dark; --page: #f6f5f2; --card: #fff; --text: #23222b; --quiet: #62606c; --line: #e2e0da; --accent: #3b528b;
        --good: #1a7f4b; --off: #fbe3da; --off-line: #d55e00 }
@media (prefers-color-scheme: dark) {
  :root { --page: #16161d; --card: #1f1f29; --text: #e9e7f0; --quiet: #a3a1b1; --line: #34343f; --accent: #8fb0ea; --good: #57c98a;
          --off: #4a2a1c; --off-line: #ff8a3d }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 1180px; padding: 2.6rem 1.5rem 4rem; background: var(--page); color: var(--text);
       font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; letter-spacing: -.015em }
h2 { margin: 0 0 .2rem; font-size: 1.25rem; letter-spacing: -.005em }
h3 { margin: 1.6rem 0 .4rem; font-size: 1rem }
header p { max-width: 48rem; margin: .7rem 0 0 }
.quiet, header small, section > p { color: var(--quiet) }
section > p { max-width: 50rem; margin: .2rem 0 1rem; font-size: .93rem }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin-top: 1.1rem; font-size: .9rem }
a { color: var(--accent); text-decoration: none } a:hover { text-decoration: underline }
section { margin-top: 1.5rem; padding: 1.4rem 1.6rem 1.6rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px }
.wide, .maps figure { overflow-x: auto }
.language { float: right; font-size: .9rem; cursor: pointer }
:root:has(#zh:checked) [lang="en"], :root:not(:has(#zh:checked)) [lang="zh-CN"] { display: none }
table { width: 100%; border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums }
th, td { padding: .38rem .7rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top }
th { font-weight: 600; color: var(--quiet); vertical-align: bottom }
td { white-space: nowrap }
.t { text-align: left }
tbody tr:last-child td { border-bottom: 0 }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1.6rem 2.2rem; margin: 1rem 0 1.2rem }
.one { margin: 1rem 0 1.2rem }
svg { display: block; max-width: 100%; height: auto }
.one svg { width: 100%; max-width: 58rem }
.maps { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1.5rem 2rem; align-items: start }
.maps.large { grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)) }
figure { margin: 0; min-width: 0 }
figcaption { margin-bottom: .5rem; font-size: .9rem; overflow-wrap: anywhere }
figcaption b { display: block }
.none { margin-bottom: 1.3rem; padding: .9rem 1.2rem; border: 1px dashed var(--line); border-radius: 8px; color: var(--quiet); font-size: .9rem }
.none ul { display: flex; flex-wrap: wrap; gap: 0 2.5rem; margin: .3rem 0 0; padding: 0; list-style: none }
.none b { margin-right: .5rem; color: var(--text) }
.said { font-size: 1.02rem }
.reference { color: var(--good) }
.pairs td { white-space: normal; text-align: left; overflow-wrap: anywhere }
.pairs td:first-child { width: 15rem; overflow-wrap: break-word; color: var(--quiet) }
mark { padding: 0 .12em; border-radius: 3px; background: var(--off); color: inherit; box-shadow: inset 0 -2px var(--off-line) }
.right { color: var(--good); font-weight: 600 }
code { font: .85em ui-monospace, Menlo, Consolas, monospace; color: var(--quiet) }
li { margin: .25rem 0; font-size: .92rem; overflow-wrap: anywhere }
@media screen and (max-width: 700px) {
  section { padding: 1.1rem 1rem }
  body { padding: 1.4rem .8rem 3rem } h1 { font-size: 1.5rem }
  .one, .plots { overflow-x: auto } .one svg { min-width: 34rem } .plots svg { min-width: 26rem } .maps svg { max-width: none }
  .pairs td:first-child { width: 6.5rem }
}
@media print {
  @page { margin: 12mm }
  :root { color-scheme: light; --page: #fff; --card: #fff; --text: #000; --quiet: #444; --line: #ccc; --accent: #000; --good: #1a7f4b;
          --off: #f3f3f3; --off-line: #000 }
  body { max-width: none; padding: 0; font-size: 10pt }
  nav, .language { display: none }
  section { padding: 0; border: 0; margin-top: 1.4rem }
  figure, .plots svg, .one svg, tr { break-inside: avoid }
  h2, h3 { break-after: avoid }
  td, th { padding: .25rem .4rem; font-size: 8pt } .wide { overflow: visible } td { white-space: normal }
  .plots { grid-template-columns: 1fr 1fr; gap: 1rem }
  .maps { grid-template-columns: 1fr 1fr 1fr; gap: 1rem } .maps.large { grid-template-columns: 1fr 1fr }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
)css";

}  // namespace attune::compare

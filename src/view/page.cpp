#include "view/page.h"

#include <fmt/core.h>

#include "view/svg.h"

namespace attune::view {
namespace {

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --page: #f6f5f2; --card: #fff; --text: #23222b; --quiet: #6d6b78; --line: #e5e3dd; --good: #1a7f4b; --bad: #c0392b }
@media (prefers-color-scheme: dark) {
  :root { --page: #16161d; --card: #1f1f29; --text: #e9e7f0; --quiet: #9a98a8; --line: #32323f; --good: #57c98a; --bad: #ff7b6b }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 1320px; padding: 2.5rem 1.5rem 4rem; background: var(--page); color: var(--text);
       font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif }
h1 { margin: 0; font-size: 1.7rem; letter-spacing: -.01em }
header p { max-width: 46rem; margin: .5rem 0 1rem; color: var(--quiet) }
.legend { display: flex; gap: .6rem; align-items: center; font-size: .85rem; color: var(--quiet) }
.legend i { width: 9rem; height: .7rem; border-radius: .35rem; background: linear-gradient(90deg, #e4572e0d, #e4572e) }
section { margin-top: 1.5rem; padding: 1.2rem 1.4rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px }
section > h2 { margin: 0; font-size: 1.15rem; font-weight: 600 }
section > h2 small { margin-right: .8rem; padding: .1rem .55rem; border: 1px solid var(--line); border-radius: 1rem;
                     font-size: .75rem; font-weight: 500; color: var(--quiet); vertical-align: .1em }
.panels { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem }
figure { flex: 1 1 34rem; min-width: 0; margin: 1rem 0 0 }
figcaption { margin-bottom: .5rem; font-size: .9rem; color: var(--quiet) }
output { margin-left: .6rem; font: 600 .95rem ui-monospace, Menlo, Consolas, monospace; color: var(--text) }
.good::after { content: " ✓"; color: var(--good) }
.bad::after { content: " ✗"; color: var(--bad) }
svg { max-width: 100%; height: auto }
g rect:hover { stroke: var(--text); stroke-width: 1.5 }
#tip { position: fixed; padding: .25rem .6rem; border-radius: 6px; background: var(--text); color: var(--card);
       font: .85rem ui-monospace, Menlo, Consolas, monospace; white-space: pre; pointer-events: none }
)css";

// Titles become a tip that follows the pointer at once; without scripts the browser shows them by itself.
constexpr const char* kScript = R"js(
const tip = document.getElementById("tip");
for (const title of document.querySelectorAll("g rect title")) {
  title.parentNode.dataset.tip = title.textContent;
  title.remove();
}
document.addEventListener("pointermove", event => {
  const text = event.target.dataset?.tip;
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = event.clientY + 18 + "px";
});
)js";

std::string verdict(const PageSection& section, const Panel& panel) {
  if (section.expected.empty()) return "";
  return panel.output == section.expected ? " class=\"good\"" : " class=\"bad\"";
}

std::string section_html(const PageSection& section) {
  std::string text = fmt::format("<section>\n<h2><small>{}</small>{}</h2>\n<div class=\"panels\">\n",
                                 escape_markup(section.label), escape_markup(section.input));
  for (const Panel& panel : section.panels)
    text += fmt::format("<figure>\n<figcaption>{}<output{}>{}</output></figcaption>\n{}</figure>\n",
                        escape_markup(panel.name), verdict(section, panel), escape_markup(panel.output),
                        svg(panel.matrix));
  return text + "</div>\n</section>\n";
}

}  // namespace

std::string html(const Page& page) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n<p>{2}</p>\n"
      "<div class=\"legend\">0<i></i>1</div>\n</header>\n",
      escape_markup(page.title), kStyle, escape_markup(page.text));
  for (const PageSection& section : page.sections) text += section_html(section);
  return text +
         fmt::format("<div id=\"tip\" hidden></div>\n<script>{}</script>\n</body>\n</html>\n", kScript);
}

}  // namespace attune::view

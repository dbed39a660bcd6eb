#include "view/plot/plot_parts.h"

#include <fmt/core.h>

#include <array>

#include "text/utf8.h"
#include "view/plot/plot.h"
#include "view/svg.h"
#include "view/width.h"

namespace attune::view {
namespace {

// Around (0, 0). Odd rounds are hollow.
constexpr std::array kShapes = {
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",                           // circle
    "M-3.6 -3.6h7.2v7.2h-7.2z",                                      // square
    "M0 -4.8L4.5 3.2H-4.5z",                                         // triangle
    "M0 -5L4.4 0L0 5L-4.4 0z",                                       // diamond
    "M0 4.8L4.5 -3.2H-4.5z",                                         // triangle, downwards
    "M-1.4 -4.6h2.8v3.2h3.2v2.8h-3.2v3.2h-2.8v-3.2h-3.2v-2.8h3.2z",  // plus
};

// Okabe and Ito's colours and four more that are distinct from them; the second of each pair is for dark //
// backgrounds.
constexpr std::array<std::pair<const char*, const char*>, kPlotColours> kColours = {{{"#6b6f76", "#b4b9c2"},
                                                                                     {"#cc79a7", "#ee9fcb"},
                                                                                     {"#8c564b", "#cf9a8c"},
                                                                                     {"#d55e00", "#ff8a3d"},
                                                                                     {"#e69f00", "#f7c04d"},
                                                                                     {"#999933", "#cfcf62"},
                                                                                     {"#009e73", "#35cfa2"},
                                                                                     {"#0072b2", "#4fb3f0"},
                                                                                     {"#56b4e9", "#9fd8ff"},
                                                                                     {"#7b5cd6", "#b3a2ff"}}};

std::string variables(bool dark) {
  std::string css = dark ? "--ink:#e9e7f0;--quiet:#a3a1b1;--grid:#34343f;--ground:#1f1f29"
                         : "--ink:#23222b;--quiet:#62606c;--grid:#e2e0da;--ground:#fff";
  for (size_t i = 0; i < kColours.size(); ++i)
    css += fmt::format(";--s{}:{}", i, dark ? kColours[i].second : kColours[i].first);
  return css;
}

}  // namespace

std::string plot_begin(double width, double height, const std::string& title) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" aria-label=\"{0}\" "
             "viewBox=\"0 0 "
             "{1:.0f} {2:.0f}\" width=\"{1:.0f}\" height=\"{2:.0f}\">\n",
             escape_markup(title), width, height) +
         plot_text(0, 16, title, Anchor::start, "title");
}

std::string plot_text(double x, double y, const std::string& text, Anchor anchor, std::string_view css) {
  const char* const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y,
                     anchors[static_cast<size_t>(anchor)],
                     css.empty() ? "" : fmt::format(" class=\"{}\"", css), escape_markup(text));
}

std::string plot_line(double x1, double y1, double x2, double y2, std::string_view css) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", css,
                     x1, y1, x2, y2);
}

std::string plot_marker(size_t number, double x, double y) {
  const bool hollow = number / kShapes.size() % 2 == 1;
  return fmt::format("<path class=\"m s{}{}\" transform=\"translate({:.1f} {:.1f})\" d=\"{}\"/>\n",
                     number % kPlotColours, hollow ? " hollow" : "", x, y, kShapes[number % kShapes.size()]);
}

double text_width(const std::string& text) { return static_cast<double>(display_width(text)) * kLetter; }

std::string shortened(const std::string& text, double width) {
  if (text_width(text) <= width) return text;
  std::string kept;
  for (Utf8Reader reader(text); const auto c = reader.next();) {
    if (text_width(kept + std::string(c->bytes) + "…") > width) break;
    kept += c->bytes;
  }
  return kept + "…";
}

std::string plot_style() {
  std::string css = fmt::format(
      ".plot{{{0}}}\n@media (prefers-color-scheme:dark){{.plot{{{1}}}}}\n@media print{{.plot{{{0}}}}}\n",
      variables(false), variables(true));
  css +=
      ".plot text{fill:var(--quiet);font:12px system-ui,\"Segoe UI\",Roboto,\"Noto Sans\",\"Noto Sans CJK "
      "SC\",sans-serif;font-variant-numeric:tabular-nums}\n"
      ".plot .title{fill:var(--ink);font-size:15px;font-weight:600}\n"
      ".plot .name{fill:var(--ink)}\n"
      ".plot .grid{stroke:var(--grid)}\n"
      ".plot .axis,.plot .whisker{stroke:var(--quiet)}\n"
      ".plot .whisker{stroke:var(--ink);stroke-width:1.5}\n"
      ".plot .halo{stroke:var(--ground);stroke-width:4}\n"
      ".plot .curve{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}\n"
      ".plot .thin{stroke-width:1;opacity:.6}\n"
      ".plot .lead{stroke:var(--c);stroke-width:1;stroke-dasharray:1 3}\n"
      ".plot .m{fill:var(--c);stroke:var(--ground);stroke-width:.8}\n"
      ".plot .m.hollow{fill:var(--ground);stroke:var(--c);stroke-width:2}\n"
      ".plot .bar{fill:var(--c)}\n"
      ".plot .d1{stroke-dasharray:7 3}\n.plot .d2{stroke-dasharray:2 3}\n";
  for (size_t i = 0; i < kPlotColours; ++i) css += fmt::format(".plot .s{0}{{--c:var(--s{0})}}\n", i);
  return css;
}

std::string standalone(const std::string& svg) {
  const size_t end = svg.find('>') + 1;
  return svg.substr(0, end) +
         fmt::format("\n<style>{}.plot{{background:var(--ground)}}</style>", plot_style()) + svg.substr(end);
}

}  // namespace attune::view

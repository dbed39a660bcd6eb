"""A small sheet to draw on: boxes, arrows and text as SVG, readable in light and in dark mode and on paper."""
import re
import xml.sax.saxutils

INK = {"ink": "#23222b", "quiet": "#62606c", "line": "#8a8894", "box": "#f3f1ec", "ground": "#ffffff", "hot": "#c2410c",
       "cool": "#0b6bb0", "green": "#0a7d57", "violet": "#6a48c8"}
DARK = {"ink": "#e9e7f0", "quiet": "#b1afbe", "line": "#8d8b9b", "box": "#2b2b37", "ground": "#1f1f29", "hot": "#ff8a3d",
        "cool": "#5bb8f5", "green": "#35cfa2", "violet": "#b9a8ff"}
FONT = 'system-ui,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC",sans-serif'


def variables(colours):
    return ";".join(f"--{name}:{value}" for name, value in colours.items())


STYLE = f"""<style>.d{{{variables(INK)};background:var(--ground)}}
@media (prefers-color-scheme:dark){{.d{{{variables(DARK)}}}}}
@media print{{.d{{{variables(INK)}}}}}
.d text{{font:14px {FONT};fill:var(--ink);text-anchor:middle;dominant-baseline:central}}
.d text.left{{text-anchor:start}}
.d .quiet{{fill:var(--quiet)}}
.d .small{{font-size:12px}}
.d .bold{{font-weight:600}}
.d rect.box{{fill:var(--box);stroke:var(--line)}}
.d path{{fill:none;stroke:var(--line);stroke-width:1.5}}
.d .hot{{stroke:var(--hot)}} .d text.hot{{fill:var(--hot);stroke:none}} .d rect.hot{{fill:var(--hot);stroke:none}}
.d .cool{{stroke:var(--cool)}} .d text.cool{{fill:var(--cool);stroke:none}} .d rect.cool{{fill:var(--cool);stroke:none}}
.d .green{{stroke:var(--green)}} .d text.green{{fill:var(--green);stroke:none}} .d rect.green{{fill:var(--green);stroke:none}}
.d .violet{{stroke:var(--violet)}} .d text.violet{{fill:var(--violet);stroke:none}} .d rect.violet{{fill:var(--violet);stroke:none}}
.d path.dashed{{stroke-dasharray:5 4}}
.d path.head{{fill:var(--line);stroke:none}} .d path.head.hot{{fill:var(--hot)}} .d path.head.cool{{fill:var(--cool)}}
.d path.head.green{{fill:var(--green)}} .d path.head.violet{{fill:var(--violet)}}</style>"""


def spans(text):
    """h_j and h_{i-1} with their indices below the line, x^T above it."""
    parts, out = re.split(r"([_^])(\{[^}]*\}|.)", text), []
    out.append(xml.sax.saxutils.escape(parts[0]))
    for mark, index, rest in zip(parts[1::3], parts[2::3], parts[3::3]):
        shift = 4 if mark == "_" else -6
        index = xml.sax.saxutils.escape(index.strip("{}"))
        rest = xml.sax.saxutils.escape(rest)
        out.append(f'<tspan dy="{shift}" font-size="10">{index}</tspan><tspan dy="{-shift}">{rest or "&#8203;"}</tspan>')
    return "".join(out)


class Sheet:
    """`language`: 0 for English, 1 for Chinese; texts are strings, or pairs of them."""

    def __init__(self, width, height, title, language):
        self.language, self.width, self.height, self.parts = language, width, height, []
        self.title = self.say(title)

    def say(self, text):
        return text if isinstance(text, str) else text[self.language]

    def text(self, x, y, text, style=""):
        lines = self.say(text).split("\n")
        for number, line in enumerate(lines):
            at = y + (number - (len(lines) - 1) / 2) * 18
            self.parts.append(f'<text x="{x:g}" y="{at:g}" class="{style}">{spans(line)}</text>')

    def box(self, x, y, width, height, text="", style="", words=""):
        """Around its middle."""
        self.parts.append(f'<rect class="box {style}" x="{x - width / 2:g}" y="{y - height / 2:g}" width="{width:g}" '
                          f'height="{height:g}" rx="5"/>')
        if text:
            self.text(x, y, text, words)

    def cell(self, x, y, size, share, style="cool"):
        """A square of a heat map, from its corner."""
        self.parts.append(f'<rect class="{style}" x="{x:g}" y="{y:g}" width="{size - 1:g}" height="{size - 1:g}" '
                          f'opacity="{max(share, 0.06):.2f}"/>')

    def line(self, points, style="", width=1.5, opacity=1.0, head=True):
        """Through these points, with a head at the last."""
        path = "M" + " L".join(f"{x:g} {y:g}" for x, y in points)
        self.parts.append(f'<path d="{path}" class="{style}" style="stroke-width:{width:g}" opacity="{opacity:g}"/>')
        if head:
            (x0, y0), (x1, y1) = points[-2:]
            length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
            dx, dy = (x1 - x0) / length, (y1 - y0) / length
            wing = 3.2 + width * 0.6
            ends = [(x1 - dx * 2 * wing + dy * wing, y1 - dy * 2 * wing - dx * wing),
                    (x1 - dx * 2 * wing - dy * wing, y1 - dy * 2 * wing + dx * wing)]
            d = f"M{x1:.1f} {y1:.1f} " + " ".join(f"L{x:.1f} {y:.1f}" for x, y in ends) + "Z"
            self.parts.append(f'<path d="{d}" class="head {style.replace("dashed", "")}" opacity="{opacity:g}"/>')

    def curve(self, points, style="", width=2):
        self.line(points, style, width, head=False)

    def svg(self):
        title = xml.sax.saxutils.escape(self.title)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" class="d" role="img" aria-label="{title}" '
                f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}">\n{STYLE}\n'
                f'<title>{title}</title>\n' + "\n".join(self.parts) + "\n</svg>\n")

// The hypotheses of a search as a tree that grows from left to right.
import { hierarchy, tree } from "d3-hierarchy";
import type { App } from "./app";
import type { SearchNode } from "./data";
import { h, s, shown, signed } from "./dom";
import { escaped, type Figure } from "./figure";
import { calm } from "./player";

const ACROSS = 92, DOWN = 38; // pixels between tokens
const MOST_NODES = 4000;

interface Item {
  node: number;
  children: Item[];
}

export interface BeamTree {
  element: HTMLElement;
  // Up to a number of tokens, with one marked.
  show(depth: number, marked: number): void;
  figure(): Figure;
}

// A curve that leaves one place and reaches the other level; trees grow along y.
function link(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const middle = (from.y + to.y) / 2;
  return `M${from.y} ${from.x}C${middle} ${from.x} ${middle} ${to.x} ${to.y} ${to.x}`;
}

export function beamTree(app: App, nodes: SearchNode[], click: (node: number) => void): BeamTree {
  const items: Item[] = nodes.map((_, node) => ({ node, children: [] }));
  nodes.forEach(({ parent, on_result }, i) => {
    if (parent >= 0 && (i < MOST_NODES || on_result)) items[parent]?.children.push(items[i]!);
  });
  const root = tree<Item>().nodeSize([DOWN, ACROSS])(hierarchy(items[0]!));
  const all = root.descendants();
  const top = Math.min(...all.map((d) => d.x)) - DOWN, bottom = Math.max(...all.map((d) => d.x)) + DOWN;
  const drawing = s("svg", { class: "beam", width: (root.height + 1) * ACROSS + 40, height: bottom - top, viewBox: `-24 ${top} ${(root.height + 1) * ACROSS + 40} ${bottom - top}` });
  const shapes: { depth: number; node: number; element: SVGElement }[] = [];
  for (const d of all) {
    const node = nodes[d.data.node]!;
    const classes = `${node.on_result ? "result" : ""} ${node.ended ? "ended" : ""}`;
    if (d.parent) {
      const path = s("path", { class: `link ${classes}`, d: link(d.parent, d) });
      shapes.push({ depth: d.depth, node: -1, element: path });
      drawing.prepend(path);
    }
    const label = d.depth === 0 ? "●" : shown(node.token);
    const width = Math.min(ACROSS - 24, 14 + 8 * [...label].length);
    const group = s(
      "g",
      {
        class: `node ${classes}`,
        transform: `translate(${d.y} ${d.x})`,
        tabindex: 0,
        role: "button",
        "data-node": d.data.node,
        "aria-label": `${label} ${signed(node.score, 2)}`,
        onclick: () => click(d.data.node),
        onkeydown: (event: KeyboardEvent) => {
          if (event.key !== "Enter") return;
          event.stopPropagation();
          click(d.data.node);
        },
      },
      s("rect", { x: -width / 2, y: -10, width, height: 20, rx: 6 }),
      s("text", { "text-anchor": "middle", dy: "0.35em" }, [...label].length > 9 ? `${[...label].slice(0, 8).join("")}…` : label),
      d.depth > 0 && s("text", { class: "small", "text-anchor": "middle", y: 20 }, `${signed(node.score, 2)}${node.ended ? " ■" : ""}`),
      s("title", {}, `${label}  log p ${signed(node.log_p, 4)}  Σ ${signed(node.score, 4)}${node.ended ? `  (${app.t("ended")})` : ""}`),
    );
    shapes.push({ depth: d.depth, node: d.data.node, element: group });
    drawing.append(group);
  }
  const width = (root.height + 1) * ACROSS + 40;
  const figure = (): Figure => ({
    width,
    height: bottom - top,
    body: `<g transform="translate(24 ${-top})">${all.map((d) => (d.parent ? `<path d="${link(d.parent, d)}" fill="none" stroke="${nodes[d.data.node]!.on_result ? "#3b528b" : "#c9c7bf"}" stroke-width="${nodes[d.data.node]!.on_result ? 3 : 1.5}"/>` : "")).join("")}${all
      .map((d) => {
        const node = nodes[d.data.node]!, label = d.depth === 0 ? "●" : shown(node.token), w = Math.min(ACROSS - 24, 14 + 8 * [...label].length);
        return `<g transform="translate(${d.y} ${d.x})"><rect x="${-w / 2}" y="-10" width="${w}" height="20" rx="6" fill="${node.on_result ? "#3b528b" : "#ecebe6"}"/><text text-anchor="middle" dy="0.35em"${node.on_result ? ' style="fill:#fff"' : ""}>${escaped(label)}</text>${d.depth > 0 ? `<text text-anchor="middle" y="20" font-size="9.5">${signed(node.score, 2)}</text>` : ""}</g>`;
      })
      .join("")}</g>`,
  });
  const element = h("div", { class: "beam-frame", tabindex: 0, role: "group", "aria-label": app.t("beam") });
  element.append(drawing);
  return {
    element,
    figure,
    show(depth, marked) {
      for (const shape of shapes) {
        shape.element.classList.toggle("later", shape.depth > depth);
        shape.element.classList.toggle("marked", shape.node === marked && marked >= 0);
      }
      const at = all.find((d) => d.data.node === marked);
      // At first the frame is not on the page yet and has no size.
      if (at)
        requestAnimationFrame(() =>
          element.scrollTo({ left: at.y - element.clientWidth / 2, top: at.x - top - element.clientHeight / 2, behavior: calm() ? "auto" : "smooth" }),
        );
    },
  };
}

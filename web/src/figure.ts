// Pictures to keep: SVG that stands alone, opaque, with caption and legend.
import { heatColour, lineColour, STOPS, textOn } from "./colour";
import type { Matrix } from "./data";
import { rough, shown } from "./dom";
import { LEAST_LOG, type Shading } from "./maths";

// What is inside an <svg> of that size.
export interface Figure {
  width: number;
  height: number;
  body: string;
}

const FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', sans-serif";
export const LETTER = 7.2; // pixels
const GAP = 8, WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

export const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

// About, in pixels: the fonts of the reader are not known.
export const widthOf = (text: string): number => [...text].reduce((sum, c) => sum + (WIDE.test(c) ? 13 : LETTER), 0);

const widest = (labels: string[]): number => labels.reduce((most, label) => Math.max(most, widthOf(shown(label))), 0);

export function textAt(x: number, y: number, text: string, more = ""): string {
  return `<text x="${round(x)}" y="${round(y)}" ${more}>${escaped(text)}</text>`;
}

// W^q with its q raised.
const raisedIn = (body: string): string => body.replace(/(?<=W)\^(\w)/g, '<tspan dy="-0.4em" font-size="0.72em">$1</tspan><tspan dy="0.29em">\u200b</tspan>');

const round = (x: number): number => Math.round(100 * x) / 100;

// Above a column: one or two characters as they are if they fit, Chinese downwards, other words turned.
export type Standing = "upright" | "downwards" | "turned";

export function standing(label: string, fits = true): Standing {
  const characters = [...label];
  return characters.length <= (fits ? 2 : 1) ? "upright" : characters.every((c) => WIDE.test(c)) ? "downwards" : "turned";
}

export const LINE = 15; // pixels from one character to the one below

export function columnLabel(x: number, bottom: number, label: string): string {
  const characters = [...label], how = standing(label);
  if (how === "upright") return textAt(x, bottom, label, 'text-anchor="middle"');
  if (how === "downwards")
    return `<text text-anchor="middle">${characters.map((c, i) => `<tspan x="${round(x)}" y="${round(bottom - LINE * (characters.length - 1 - i))}">${escaped(c)}</tspan>`).join("")}</text>`;
  return textAt(x, bottom, label, `dominant-baseline="central" transform="rotate(-90 ${round(x)} ${round(bottom)})"`);
}

export function heightAbove(labels: string[]): number {
  return labels.reduce((most, label) => {
    const how = standing(label);
    return Math.max(most, how === "upright" ? 14 : how === "downwards" ? LINE * [...label].length : widthOf(label));
  }, 14);
}

export function matrixFigure(matrix: Matrix, rows: string[], columns: string[], shading: Shading): Figure {
  const cell = Math.max(4, Math.min(34, 1400 / Math.max(matrix.keys, matrix.queries, 1)));
  const labelled = cell >= 12;
  const left = labelled ? widest(rows) + GAP + 4 : 0, top = labelled ? heightAbove(columns.map(shown)) + GAP : 0;
  const parts: string[] = [];
  if (labelled) {
    rows.forEach((label, q) => parts.push(textAt(left - GAP, top + (q + 0.5) * cell, shown(label), 'text-anchor="end" dominant-baseline="central"')));
    columns.forEach((label, k) => parts.push(columnLabel(left + (k + 0.5) * cell, top - GAP, shown(label))));
  }
  for (let q = 0; q < matrix.queries; ++q)
    for (let k = 0; k < matrix.keys; ++k) {
      const weight = matrix.weights[q * matrix.keys + k]!, x = left + k * cell, y = top + q * cell;
      const fill = weight === 0 ? "url(#masked)" : heatColour(weight, shading);
      parts.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(cell - 1)}" height="${round(cell - 1)}" fill="${fill}"/>`);
      if (cell >= 28 && weight >= 0.015) parts.push(textAt(x + cell / 2, y + cell / 2, short(weight), `text-anchor="middle" dominant-baseline="central" font-size="10.5" style="fill:${textOn(weight, shading)}"`));
    }
  return { width: left + matrix.keys * cell + 2, height: top + matrix.queries * cell + 2, body: parts.join("") };
}

// Two digits without the 0 in front, as a cell has room for.
export const short = (weight: number): string => (weight >= 0.995 ? "1" : weight.toFixed(2).slice(1));

export function legendFigure(shading: Shading): Figure {
  const stops = STOPS.map((colour, i) => `<stop offset="${i * 10}%" stop-color="${colour}"/>`).join("");
  const low = shading.log ? `≤${LEAST_LOG}` : "0", high = shading.log ? "1" : rough(shading.most);
  const from = widthOf(low) + GAP;
  return {
    width: from + 150 + GAP + widthOf(high),
    height: 18,
    body: `<defs><linearGradient id="heat">${stops}</linearGradient></defs>${textAt(0, 13, low)}<rect x="${from}" y="3" width="150" height="12" rx="3" fill="url(#heat)"/>${textAt(from + 150 + GAP, 13, high)}`,
  };
}

export interface DrawnLine {
  from: number;
  to: number;
  colour: number;
  weight: number;
}

export function linesFigure(rows: string[], columns: string[], lines: DrawnLine[]): Figure {
  const step = 22, left = widest(rows) + 2 * GAP, across = 260, right = widest(columns) + 2 * GAP;
  const y = (i: number) => (i + 0.5) * step;
  const parts = lines.map(
    ({ from, to, colour, weight }) =>
      `<path d="M${left} ${y(from)}C${left + across / 2} ${y(from)} ${left + across / 2} ${y(to)} ${left + across} ${y(to)}" fill="none" stroke="${lineColour(colour)}" stroke-width="${round(0.6 + 4.4 * weight)}" stroke-opacity="${round(Math.min(1, 0.15 + 0.8 * weight))}"/>`,
  );
  rows.forEach((label, i) => parts.push(textAt(left - GAP, y(i), shown(label), 'text-anchor="end" dominant-baseline="central"')));
  columns.forEach((label, i) => parts.push(textAt(left + across + GAP, y(i), shown(label), 'dominant-baseline="central"')));
  return { width: left + across + right, height: step * Math.max(rows.length, columns.length), body: parts.join("") };
}

// A table of texts; a cell may have a colour.
export interface TableCell {
  text: string;
  fill?: string;
  ink?: string;
}

export function tableFigure(rows: TableCell[][]): Figure {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, c) => Math.max(24, ...rows.map((row) => widthOf(row[c]?.text ?? "") + 14)));
  const x = widths.map((_, c) => widths.slice(0, c).reduce((a, b) => a + b, 0));
  const body = rows
    .map((row, r) =>
      row
        .map(({ text, fill, ink }, c) =>
          `${fill ? `<rect x="${round(x[c]!)}" y="${24 * r}" width="${round(widths[c]! - 1)}" height="23" fill="${fill}"/>` : ""}${textAt(x[c]! + widths[c]! - 7, 24 * r + 12, text, `text-anchor="end" dominant-baseline="central"${ink ? ` style="fill:${ink}"` : ""}`)}`,
        )
        .join(""),
    )
    .join("");
  return { width: widths.reduce((a, b) => a + b, 0), height: 24 * rows.length, body };
}

const placed = ({ body }: Figure, x: number, y: number): string => `<g transform="translate(${round(x)} ${round(y)})">${body}</g>`;

export function beside(figures: Figure[], gap = 36): Figure {
  let at = 0;
  const body = figures.map((figure) => {
    const here = placed(figure, at, 0);
    at += figure.width + gap;
    return here;
  });
  return { width: Math.max(0, at - gap), height: Math.max(0, ...figures.map(({ height }) => height)), body: body.join("") };
}

export function below(figures: Figure[], gap = 12): Figure {
  let at = 0;
  const body = figures.map((figure) => {
    const here = placed(figure, 0, at);
    at += figure.height + gap;
    return here;
  });
  return { width: Math.max(0, ...figures.map(({ width }) => width)), height: Math.max(0, at - gap), body: body.join("") };
}

export const caption = (text: string, size = 14): Figure => ({ width: (widthOf(text) * size) / 12.5, height: size + 4, body: raisedIn(textAt(0, size, text, `font-size="${size}" font-weight="600"`)) });
export const remark = (text: string): Figure => ({ width: widthOf(text), height: 16, body: textAt(0, 12, text, 'fill-opacity=".75"') });

// The hatching of cells that a mask hides.
const MASK = '<pattern id="masked" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="#e4e3df"/><rect width="2" height="6" fill="#b9b7b0"/></pattern>';
const MARGIN = 16;

export function svgFile({ width, height, body }: Figure): string {
  const w = Math.ceil(width + 2 * MARGIN), h = Math.ceil(height + 2 * MARGIN);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" font-family="${FONT}" font-size="12.5" fill="#1f1e28"><defs>${MASK}</defs><rect width="${w}" height="${h}" fill="#ffffff"/><g transform="translate(${MARGIN} ${MARGIN})">${body}</g></svg>`;
}

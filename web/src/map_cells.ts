// What is drawn on the cells of a heat map: hatching where a mask hides the key, numbers where there is room, lines between them.
import { textOn } from "./colour";
import type { Matrix } from "./data";
import { short } from "./figure";
import type { Shading } from "./maths";

const LEAST_NUMBER = 0.015; // smaller ones say nothing in two digits
const NUMBERS_FROM = 28; // pixels of a cell
const LEAST_HATCHED = 3; // pixels: stripes are not seen in less
const FONT = "12px system-ui, sans-serif";

// Where the map is on its canvas, in pixels, and the first column and row to be seen.
export interface Seen {
  left: number;
  top: number;
  cell: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

// Stripes, as a fill.
function hatching(context: CanvasRenderingContext2D, ground: string, stroke: string): CanvasPattern {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 7;
  const stripes = tile.getContext("2d")!;
  stripes.fillStyle = ground;
  stripes.fillRect(0, 0, 7, 7);
  stripes.strokeStyle = stroke;
  for (const d of [-7, 0, 7]) {
    stripes.moveTo(d, 7);
    stripes.lineTo(d + 7, 0);
  }
  stripes.stroke();
  return context.createPattern(tile, "repeat")!;
}

export function paintCells(context: CanvasRenderingContext2D, { queries, keys, weights }: Matrix, shading: Shading, seen: Seen, ground: string, stroke: string): void {
  const { cell } = seen;
  const end = (from: number, room: number, most: number) => Math.min(most, Math.ceil(from + room / cell));
  const lastRow = end(seen.y, seen.height - seen.top, queries), lastColumn = end(seen.x, seen.width - seen.left, keys);
  const left = (k: number) => seen.left + (k - seen.x) * cell, top = (q: number) => seen.top + (q - seen.y) * cell;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = FONT;
  const hidden = new Path2D(); // neighbours in a row are one rectangle
  const rows = Math.max(1, Math.floor(1 / cell)); // in a pixel
  for (let q = Math.floor(seen.y); q < lastRow; q += rows)
    for (let k = Math.floor(seen.x); k < lastColumn; ++k) {
      const weight = weights[q * keys + k]!;
      if (weight === 0) {
        const first = k;
        while (k + 1 < lastColumn && weights[q * keys + k + 1] === 0) ++k;
        if ((k + 1 - first) * cell >= LEAST_HATCHED) hidden.rect(left(first), top(q), (k + 1 - first) * cell, rows * cell);
      } else if (cell >= NUMBERS_FROM && weight >= LEAST_NUMBER) {
        context.fillStyle = textOn(weight, shading);
        context.fillText(short(weight), left(k) + cell / 2, top(q) + cell / 2);
      }
    }
  context.fillStyle = hatching(context, ground, stroke);
  context.fill(hidden);
}

// `across` and `down`: pixels that cells take.
export function paintGrid(context: CanvasRenderingContext2D, { left, top, cell, x, y }: Seen, across: number, down: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = -(x % 1) * cell; at <= across; at += cell) {
    context.moveTo(left + at, top);
    context.lineTo(left + at, top + down);
  }
  for (let at = -(y % 1) * cell; at <= down; at += cell) {
    context.moveTo(left, top + at);
    context.lineTo(left + across, top + at);
  }
  context.stroke();
}

// Colours that people with any kind of colour vision tell apart, and that fall in one order of lightness. src/view/palette.cpp has
// the same for SVG, terminals and reports.
import { interpolateViridis } from "d3-scale-chromatic";
import type { Matrix } from "./data";
import { PLAIN, shade, type Shading } from "./maths";

const STEPS = 256;
const table = new Uint8ClampedArray(4 * STEPS);
for (let i = 0; i < STEPS; ++i) {
  const hex = parseInt(interpolateViridis(i / (STEPS - 1)).slice(1), 16);
  table.set([hex >> 16, (hex >> 8) & 255, hex & 255, 255], 4 * i);
}

export function heatColour(weight: number, shading = PLAIN): string {
  const at = 4 * Math.round(shade(weight, shading) * (STEPS - 1));
  return `rgb(${table[at]},${table[at + 1]},${table[at + 2]})`;
}

// How light a colour of the table looks (WCAG's relative luminance).
function luminance(at: number): number {
  const linear = (byte: number) => (byte <= 10 ? byte / 3294.6 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(table[at]!) + 0.7152 * linear(table[at + 1]!) + 0.0722 * linear(table[at + 2]!);
}

// Black where white would contrast less: at least 4.5 to 1 on every colour.
export function textOn(weight: number, shading = PLAIN): string {
  return luminance(4 * Math.round(shade(weight, shading) * (STEPS - 1))) > 0.179 ? "#000000" : "#ffffff";
}

export const STOPS = Array.from({ length: 11 }, (_, i) => interpolateViridis(i / 10));
export const gradient = `linear-gradient(90deg, ${STOPS.join(", ")})`;

// Okabe and Ito's colours for heads and curves.
const lines = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8f7a00", "#7f5fc4"];
export const lineColour = (i: number): string => lines[i % lines.length]!;

// A pixel a cell.
export function picture(matrix: Matrix, shading: Shading): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, matrix.keys);
  canvas.height = Math.max(1, matrix.queries);
  if (matrix.weights.length === 0) return canvas;
  const image = new ImageData(matrix.keys, matrix.queries);
  for (let i = 0; i < matrix.weights.length; ++i) {
    const at = 4 * Math.round(shade(matrix.weights[i]!, shading) * (STEPS - 1));
    for (let c = 0; c < 4; ++c) image.data[4 * i + c] = table[at + c]!;
  }
  canvas.getContext("2d")!.putImageData(image, 0, 0);
  return canvas;
}

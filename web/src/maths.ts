// The sums of the page, without anything of a browser.
import type { Layer, Matrix } from "./data";

export function meanOf(matrices: Matrix[]): Matrix {
  const first = matrices[0];
  if (!first) return { queries: 0, keys: 0, weights: new Float32Array(0) };
  if (matrices.length === 1) return first;
  const weights = new Float32Array(first.weights.length);
  for (const matrix of matrices)
    for (let i = 0; i < weights.length; ++i) weights[i]! += matrix.weights[i]! / matrices.length;
  return { queries: first.queries, keys: first.keys, weights };
}

// A head by its number; null: the mean of all.
export function headOf(layer: Layer, head: number | null): Matrix {
  const at = head === null ? -1 : layer.heads.indexOf(head);
  return at < 0 ? meanOf(layer.matrices) : layer.matrices[at]!;
}

// Mean over the rows of -sum p log2 p, over log2 of the number of keys: 0 looks at one token, 1 at all alike.
export function entropy({ queries, keys, weights }: Matrix): number {
  if (queries === 0 || keys < 2) return 0;
  let total = 0;
  for (const p of weights) if (p > 0) total -= p * Math.log2(p);
  return total / queries / Math.log2(keys);
}

// Mean weight within one place of the diagonal that joins the two ends of the matrix.
export function diagonal({ queries, keys, weights }: Matrix): number {
  if (queries === 0 || keys === 0) return 0;
  const slope = queries > 1 ? (keys - 1) / (queries - 1) : 0;
  let total = 0;
  for (let q = 0; q < queries; ++q) {
    const centre = q * slope;
    for (let k = Math.max(0, Math.ceil(centre - 1)); k <= Math.min(keys - 1, Math.floor(centre + 1)); ++k)
      total += weights[q * keys + k]!;
  }
  return total / queries;
}

// Mean weight of the token before each one.
export function previous({ queries, keys, weights }: Matrix): number {
  const rows = Math.min(queries - 1, keys);
  if (rows < 1) return 0;
  let total = 0;
  for (let q = 1; q <= rows; ++q) total += weights[q * keys + q - 1]!;
  return total / rows;
}

export function softmax(row: number[]): number[] {
  const most = Math.max(...row);
  const powers = row.map((x) => Math.exp(x - most));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((x) => x / sum);
}

// Vaswani et al. 2017, 3.5:  PE(pos, 2i) = sin(pos / 10000^(2i/d)),  PE(pos, 2i + 1) = cos of the same.
export function positionalEncoding(position: number, dimension: number, width: number): number {
  const angle = position / Math.pow(10000, (2 * Math.floor(dimension / 2)) / width);
  return dimension % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
}

// How weights become colours: by themselves up to `most`, or by their logarithm from 1/1000 on.
export interface Shading {
  log: boolean;
  most: number;
}
export const LEAST_LOG = 1e-3;
export const PLAIN: Shading = { log: false, most: 1 };

// From 0 to 1.
export function shade(weight: number, { log, most }: Shading): number {
  if (!log) return Math.min(1, Math.max(0, weight / most));
  return weight <= LEAST_LOG ? 0 : Math.min(1, 1 - Math.log(weight) / Math.log(LEAST_LOG));
}

export function shadingOf(scale: "max" | "one" | "log", matrices: Matrix[]): Shading {
  let most = 0;
  if (scale === "max") for (const { weights } of matrices) for (const weight of weights) most = Math.max(most, weight);
  return { log: scale === "log", most: most > 0 ? most : 1 };
}

// Half the rows and columns, each cell the greatest of its four: what stands out is seen from afar too.
export function halved({ queries, keys, weights }: Matrix): Matrix {
  const rows = Math.ceil(queries / 2), columns = Math.ceil(keys / 2);
  const small = new Float32Array(rows * columns);
  for (let q = 0; q < queries; ++q)
    for (let k = 0; k < keys; ++k) {
      const to = (q >> 1) * columns + (k >> 1);
      const weight = weights[q * keys + k]!;
      if (weight > small[to]!) small[to] = weight;
    }
  return { queries: rows, keys: columns, weights: small };
}

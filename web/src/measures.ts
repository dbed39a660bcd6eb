// What can be computed from attention and states beside the weights themselves.
import type { Layer, Matrix } from "./data";
import { meanOf } from "./maths";

// Abnar and Zuidema 2020: attention through layers 0 .. n of a text to itself, where half of each layer passes by its
// residual connection:  R_n = (A_n + I) / 2 R_{n-1}
export function rollout(layers: Layer[]): Matrix {
  let rolled: Matrix | null = null;
  for (const layer of layers) {
    const { queries, keys, weights } = meanOf(layer.matrices);
    const half = { queries, keys, weights: weights.map((w, i) => (w + (Math.floor(i / keys) === i % keys ? 1 : 0)) / 2) };
    rolled = rolled ? product(half, rolled) : half;
  }
  return rolled ?? { queries: 0, keys: 0, weights: new Float32Array(0) };
}

function product(a: Matrix, b: Matrix): Matrix {
  const weights = new Float32Array(a.queries * b.keys);
  for (let i = 0; i < a.queries; ++i)
    for (let j = 0; j < a.keys; ++j) {
      const x = a.weights[i * a.keys + j]!;
      if (x !== 0) for (let k = 0; k < b.keys; ++k) weights[i * b.keys + k]! += x * b.weights[j * b.keys + k]!;
    }
  return { queries: a.queries, keys: b.keys, weights };
}

// Kobayashi et al. 2020: |a_ij f(v_j)|, how much a key really gives. Of several heads, the mean.
export function weightedNorms(layer: Layer, head: number | null): Matrix | null {
  if (layer.norms.length !== layer.matrices.length) return null;
  const chosen = layer.matrices.map((_, i) => i).filter((i) => head === null || layer.heads[i] === head);
  return meanOf(chosen.map((i) => {
    const { queries, keys, weights } = layer.matrices[i]!;
    return { queries, keys, weights: weights.map((w, at) => w * layer.norms[i]![at % keys]!) };
  }));
}

// The shares of the absolute values of each row; all 0 if they are. (src/view/gradients.cpp has the same.)
export function shares({ queries, keys, weights }: Matrix): Matrix {
  const all = weights.map(Math.abs);
  for (let q = 0; q < queries; ++q) {
    const row = all.subarray(q * keys, (q + 1) * keys), sum = row.reduce((a, b) => a + b, 0);
    if (sum > 0) row.forEach((x, k) => (row[k] = x / sum));
  }
  return { queries, keys, weights: all };
}

const bits = (row: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < row.length; ++i) if (row[i]! > 0) sum -= row[i]! * Math.log2(row[i]!);
  return sum;
};

// Bits that the row tells of the column, over the most that it could: 0 if all rows look alike, 1 if each has a column of
// its own.
export function mutualInformation({ queries, keys, weights }: Matrix): number {
  if (queries < 2 || keys < 2) return 0;
  const mean = new Float32Array(keys);
  for (let i = 0; i < weights.length; ++i) mean[i % keys]! += weights[i]! / queries;
  let rows = 0;
  for (let q = 0; q < queries; ++q) rows += bits(weights.subarray(q * keys, (q + 1) * keys)) / queries;
  return Math.max(0, bits(mean) - rows) / Math.log2(Math.min(queries, keys));
}

const rowsOf = ({ queries, keys, weights }: Matrix): Float32Array[] => Array.from({ length: queries }, (_, q) => weights.subarray(q * keys, (q + 1) * keys));
const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

// From -1 to 1.
export function cosines(vectors: Matrix): Matrix {
  const rows = rowsOf(vectors), lengths = rows.map((row) => Math.sqrt(dot(row, row)) || 1);
  const weights = Float32Array.from({ length: rows.length ** 2 }, (_, i) => {
    const a = Math.floor(i / rows.length), b = i % rows.length;
    return dot(rows[a]!, rows[b]!) / lengths[a]! / lengths[b]!;
  });
  return { queries: rows.length, keys: rows.length, weights };
}

// How many digits of their cosines are true. States are packed with 64 levels: each number is off by about a step over sqrt 12, the
// cosine by that over the length of the shorter vector, for both of them.
const LEVELS = 64;

export function cosinePlaces(vectors: Matrix): number {
  let low = Infinity, high = -Infinity;
  for (const x of vectors.weights) [low, high] = [Math.min(low, x), Math.max(high, x)];
  const shortest = Math.min(...rowsOf(vectors).map((row) => Math.sqrt(dot(row, row))));
  const off = ((high - low) / (LEVELS - 1) / Math.sqrt(12) / shortest) * Math.SQRT2;
  return Math.max(1, Math.min(4, Math.floor(-Math.log10(2 * off)) || 1));
}

export interface Projection {
  points: [number, number][]; // of each row
  share: number; // of the variance that the two directions hold
}

// The two directions in which the rows differ most, by power iteration on the matrix of their products (there are fewer rows than
// dimensions).
export function principalComponents(vectors: Matrix): Projection {
  const rows = rowsOf(vectors), n = rows.length, d = vectors.keys;
  const mean = new Float32Array(d);
  for (const row of rows) for (let i = 0; i < d; ++i) mean[i]! += row[i]! / n;
  const centred = rows.map((row) => row.map((x, i) => x - mean[i]!));
  const gram = centred.map((a) => Float64Array.from(centred, (b) => dot(a, b)));
  const total = gram.reduce((sum, row, i) => sum + row[i]!, 0);
  const found: { value: number; vector: Float64Array }[] = [];
  for (let c = 0; c < Math.min(2, n); ++c) {
    let vector = Float64Array.from({ length: n }, (_, i) => Math.sin(1 + i * (c + 1)));
    let value = 0;
    for (let round = 0; round < 300; ++round) {
      const next = gram.map((row) => row.reduce((sum, x, j) => sum + x * vector[j]!, 0));
      for (const { vector: before } of found) {
        const along = next.reduce((sum, x, i) => sum + x * before[i]!, 0);
        next.forEach((_, i) => (next[i]! -= along * before[i]!));
      }
      value = Math.hypot(...next);
      if (value < 1e-12) break;
      vector = Float64Array.from(next, (x) => x / value);
    }
    found.push({ value, vector });
  }
  const along = (c: number, i: number) => (found[c] ? Math.sqrt(Math.max(0, found[c]!.value)) * found[c]!.vector[i]! : 0);
  return { points: rows.map((_, i) => [along(0, i), along(1, i)]), share: total > 0 ? found.reduce((sum, { value }) => sum + value, 0) / total : 0 };
}

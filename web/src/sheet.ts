// A block of a Transformer small enough to compute by hand: all numbers, from X to the output.
//
//   Q = X W^q,  K = X W^k,  V = X W^v, cut into heads;  E = Q K^T / sqrt(d_k), or v^T tanh(q + k)
//   A = exp(E) / sum exp(E),  H = A V, heads side by side;  O = H W^o
//   Y = norm(X + O),  Z = norm(Y + max(0, Y W_1) W_2)

export type Rows = number[][];

export interface Sheet {
  words: string[];
  x: Rows; // [words, d]
  heads: number;
  wq: Rows; // [d, d_k of all heads]
  wk: Rows;
  wv: Rows; // [d, d_v of all heads]
  wo: Rows; // [d_v, d]
  w1: Rows; // [d, f]
  w2: Rows; // [f, d]
  score: "dot" | "additive";
  v: Rows; // [1, d_k of a head], for additive scores
  causal: boolean;
  block: boolean; // goes on with add & norm and the feed-forward layer
}

export type Given = "x" | "wq" | "wk" | "wv" | "wo" | "w1" | "w2" | "v";

export interface HeadSheet {
  q: Rows;
  k: Rows;
  v: Rows;
  products: Rows; // Q K^T, or v^T tanh(q + k)
  energies: Rows; // scaled, with -Infinity where the mask hides
  powers: Rows; // exp
  sums: Rows; // [words, 1]
  weights: Rows;
  mixed: Rows;
}

export interface Solved {
  q: Rows;
  k: Rows;
  v: Rows;
  heads: HeadSheet[];
  joined: Rows;
  projected: Rows;
  added: Rows;
  normed: Rows;
  hidden: Rows;
  fed: Rows;
  again: Rows; // Y + the feed-forward layer
  output: Rows;
}

export const product = (a: Rows, b: Rows): Rows => a.map((row) => (b[0] ?? []).map((_, j) => row.reduce((sum, x, i) => sum + x * b[i]![j]!, 0)));
const sum = (a: Rows, b: Rows): Rows => a.map((row, i) => row.map((x, j) => x + b[i]![j]!));
const columns = (a: Rows, from: number, to: number): Rows => a.map((row) => row.slice(from, to));

// Each row less its mean, over its standard deviation.
export function norm(a: Rows): Rows {
  return a.map((row) => {
    const mean = row.reduce((x, y) => x + y, 0) / row.length;
    const deviation = Math.sqrt(row.reduce((x, y) => x + (y - mean) ** 2, 0) / row.length + 1e-5);
    return row.map((x) => (x - mean) / deviation);
  });
}

function head(sheet: Sheet, q: Rows, k: Rows, v: Rows): HeadSheet {
  const additive = sheet.score === "additive", d = k[0]!.length;
  const products = q.map((a) => k.map((b) => a.reduce((total, x, i) => total + (additive ? sheet.v[0]![i]! * Math.tanh(x + b[i]!) : x * b[i]!), 0)));
  const energies = products.map((row, i) => row.map((x, j) => (sheet.causal && j > i ? -Infinity : additive ? x : x / Math.sqrt(d))));
  const powers = energies.map((row) => row.map(Math.exp));
  const sums = powers.map((row) => [row.reduce((a, b) => a + b, 0)]);
  const weights = powers.map((row, i) => row.map((x) => x / sums[i]![0]!));
  return { q, k, v, products, energies, powers, sums, weights, mixed: product(weights, v) };
}

export function solve(sheet: Sheet): Solved {
  const q = product(sheet.x, sheet.wq), k = product(sheet.x, sheet.wk), v = product(sheet.x, sheet.wv);
  const dk = sheet.wq[0]!.length / sheet.heads, dv = sheet.wv[0]!.length / sheet.heads;
  const heads = Array.from({ length: sheet.heads }, (_, h) => head(sheet, columns(q, h * dk, (h + 1) * dk), columns(k, h * dk, (h + 1) * dk), columns(v, h * dv, (h + 1) * dv)));
  const joined = sheet.words.map((_, i) => heads.flatMap(({ mixed }) => mixed[i]!));
  const projected = product(joined, sheet.wo);
  const added = sum(sheet.x, projected), normed = norm(added);
  const hidden = product(normed, sheet.w1).map((row) => row.map((x) => Math.max(0, x)));
  const fed = product(hidden, sheet.w2);
  const again = sum(normed, fed);
  return { q, k, v, heads, joined, projected, added, normed, hidden, fed, again, output: norm(again) };
}

// ---- Examples
const identity = (n: number, x = 1): Rows => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (i === j ? x : 0)));

// Small numbers that are the same every time.
const filled = (rows: number, width: number, seed: number): Rows => Array.from({ length: rows }, (_, i) => Array.from({ length: width }, (_, j) => ((i * 7 + j * 5 + seed * 3) % 5) - 2));

export type Preset = "guide" | "one" | "heads" | "causal" | "additive";
export const PRESETS: readonly Preset[] = ["guide", "one", "heads", "causal", "additive"];

// docs/guide/attention-by-hand.md: shares of 0.6, 0.2, 0.2 and the values 1, 2, 3 give 1.6, 2.0, 2.4. Scores of
// sqrt(3) ln 3 on the diagonal make these shares: e^(ln 3) = 3 against 1 and 1.
const SCORE = Math.round(Math.sqrt(3) * Math.log(3) * 1e4) / 1e4;
const ONE_WORD = ["我", "爱", "你"];
const plain = { heads: 1, score: "dot", causal: false, block: false } as const;

export function preset(name: Preset): Sheet {
  if (name === "guide")
    return { ...plain, words: [...ONE_WORD], x: identity(3), wq: identity(3, SCORE), wk: identity(3), wv: [[1], [2], [3]], wo: [[1, 0, 0]], w1: filled(3, 3, 1), w2: filled(3, 3, 2), v: [[1, 1, 1]] };
  if (name === "one")
    return { ...plain, words: [...ONE_WORD], x: [[1], [2], [3]], wq: [[1]], wk: [[1]], wv: [[1]], wo: [[1]], w1: [[1]], w2: [[1]], v: [[1]] };
  const two: Sheet = {
    ...plain,
    words: ["the", "cat", "sat"],
    x: [[1, 0, 1, 0], [0, 2, 0, 1], [1, 1, 0, 2]],
    heads: 2,
    wq: [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1]],
    wk: [[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 0], [0, 0, 1, 1]],
    wv: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    wo: identity(4),
    w1: [[1, 0], [0, 1], [-1, 0], [0, 1]],
    w2: [[1, 0, 1, 0], [0, 1, 0, 1]],
    v: [[1, 1]],
    block: true,
  };
  if (name === "heads") return two;
  if (name === "causal") return { ...two, heads: 1, causal: true, v: [[1, 1, 1, 1]] };
  return { ...two, heads: 1, score: "additive", words: ["the", "cat", "sat"], v: [[1, -1, 1, 1]], block: false };
}

// The same sheet with other words or sizes; what is new is filled.
export function resized(sheet: Sheet, words: string[], d: number, heads: number): Sheet {
  const grown = (rows: Rows, height: number, width: number, seed: number) => filled(height, width, seed).map((row, i) => row.map((x, j) => rows[i]?.[j] ?? x));
  const dk = Math.max(heads, Math.ceil(Math.max(d, 1) / heads) * heads), f = sheet.w1[0]!.length;
  return {
    ...sheet,
    words,
    heads,
    x: grown(sheet.x, words.length, d, 0),
    wq: grown(sheet.wq, d, dk, 1),
    wk: grown(sheet.wk, d, dk, 2),
    wv: grown(sheet.wv, d, dk, 3),
    wo: grown(sheet.wo, dk, d, 4),
    w1: grown(sheet.w1, d, f, 5),
    w2: grown(sheet.w2, f, d, 6),
    v: grown(sheet.v, 1, dk / heads, 7),
  };
}

// ---- In an address: the name of an example, or all numbers.
export function written(sheet: Sheet): string {
  const text = JSON.stringify(sheet);
  return PRESETS.find((name) => JSON.stringify(preset(name)) === text) ?? text;
}

const isRows = (value: unknown, height: number, width?: number): value is Rows =>
  Array.isArray(value) && value.length === height && value.every((row) => Array.isArray(row) && row.length > 0 && row.length <= 12 && row.length === (width ?? row.length) && row.every((x) => typeof x === "number" && Number.isFinite(x)));

// What somebody sent may be anything.
export function readSheet(text: string): Sheet {
  const known = PRESETS.find((name) => name === text);
  if (known) return preset(known);
  try {
    const s = JSON.parse(text) as Sheet;
    const n = s.words.length, d = s.x[0]!.length, dk = s.wq[0]!.length, dv = s.wv[0]!.length, f = s.w1[0]!.length;
    const fits =
      n > 0 && n <= 8 && s.words.every((word) => typeof word === "string") && Number.isInteger(s.heads) && s.heads > 0 && dk % s.heads === 0 && dv % s.heads === 0 &&
      isRows(s.x, n, d) && isRows(s.wq, d, dk) && isRows(s.wk, d, dk) && isRows(s.wv, d, dv) && isRows(s.wo, dv, d) && isRows(s.w1, d, f) && isRows(s.w2, f, d) && isRows(s.v, 1, dk / s.heads);
    if (fits) return { ...s, score: s.score === "additive" ? "additive" : "dot", causal: Boolean(s.causal), block: Boolean(s.block) };
  } catch {
    // not a sheet
  }
  return preset("guide");
}

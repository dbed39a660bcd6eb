// Which layer and head align words best.
import { layersOf, type Attention, type Kind, type Layer, type Matrix } from "./data";

// Where a matrix aligns words, each row has one sharp place, and the places differ: the mean of the rows' greatest weights times the
// share of columns that some row prefers.
export function sharpness({ queries, keys, weights }: Matrix): number {
  if (queries === 0 || keys === 0) return 0;
  const preferred = new Set<number>();
  let total = 0;
  for (let q = 0; q < queries; ++q) {
    let best = 0;
    for (let k = 1; k < keys; ++k) if (weights[q * keys + k]! > weights[q * keys + best]!) best = k;
    preferred.add(best);
    total += weights[q * keys + best]!;
  }
  return ((total / queries) * preferred.size) / Math.min(queries, keys);
}

const sharpest = new WeakMap<Layer, { head: number | null; sharpness: number }>();

function sharpestHead(layer: Layer): { head: number | null; sharpness: number } {
  let found = sharpest.get(layer);
  if (!found) {
    found = { head: null, sharpness: 0 };
    layer.matrices.forEach((matrix, i) => {
      const own = sharpness(matrix);
      if (own > found!.sharpness) found = { head: layer.heads[i] ?? null, sharpness: own };
    });
    sharpest.set(layer, found);
  }
  return found;
}

// A model that was taught to align says where; otherwise it is where attention is sharpest. Attention of a text to itself aligns
// nothing: there the layer before the last, and all heads.
const taught = ({ aligning_layer, aligning_head }: Attention): boolean => aligning_head >= 0 || aligning_layer !== -2;

export function alignedLayer(attention: Attention, kind: Kind): number {
  const layers = layersOf(attention, kind);
  const { aligning_layer } = attention;
  const known = Math.max(0, Math.min(layers.length - 1, aligning_layer < 0 ? layers.length + aligning_layer : aligning_layer));
  if (kind !== "cross" || taught(attention)) return known;
  return layers.reduce((best, layer, i) => (sharpestHead(layer).sharpness > sharpestHead(layers[best]!).sharpness + 1e-9 ? i : best), 0);
}

export function alignedHead(attention: Attention, layer: Layer): number | null {
  if (layer.kind !== "cross") return null;
  if (taught(attention)) return layer.heads.includes(attention.aligning_head) ? attention.aligning_head : null;
  return sharpestHead(layer).head;
}

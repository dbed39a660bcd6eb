// Where the labels of points stand so that they cover each other as little as they can.

export interface LabelPlace {
  x: number;
  y: number; // of the line that letters stand on
  anchor: "start" | "end";
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const HEIGHT = 13, UP = 3; // pixels of a line of text, and of a label above its point
const AROUND: readonly [number, number][] = [[6, -5], [6, 13], [-6, -5], [-6, 13], [6, -19], [-6, -19], [6, 27], [-6, 27]];

function shared(a: Box, b: Box): number {
  const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return across > 0 && down > 0 ? across * down : 0;
}

// The first place around each point that covers least of the labels before.
export function labelPlaces(points: [number, number][], widths: number[]): LabelPlace[] {
  const taken: Box[] = [];
  return points.map(([px, py], i) => {
    const places = AROUND.map(([dx, dy]) => {
      const x = px + dx, y = py + dy, left = dx > 0 ? x : x - widths[i]!;
      const box = { left, right: left + widths[i]!, top: y - HEIGHT + UP, bottom: y + UP };
      return { x, y, anchor: dx > 0 ? ("start" as const) : ("end" as const), box, cost: taken.reduce((sum, other) => sum + shared(box, other), 0) };
    });
    const { box, cost: _, ...place } = places.reduce((a, b) => (b.cost < a.cost ? b : a));
    taken.push(box);
    return place;
  });
}

// Attention that emerges, as one SVG that plays by itself: a README or a slide shows it without this page.
import type { App } from "./app";
import { heatColour } from "./colour";
import type { Matrix } from "./data";
import { digits, shown } from "./dom";
import { below, beside, caption, columnLabel, heightAbove, remark, textAt, widthOf, type Figure } from "./figure";
import { PLAIN } from "./maths";

interface Frame {
  update: number;
  output: string; // of the first sample, with a mark
  seen: { matrix: Matrix; rows: string[]; columns: string[] } | null;
}

export interface Film {
  name: string;
  frames: Frame[];
}

const CELL = 24, GAP = 8, SECONDS_A_FRAME = 0.45, FRAMES_AT_END = 6, LEVELS = 20;

// The same cell in every frame; a row that a model had not written yet is empty.
function film(app: App, { name, frames }: Film): Figure {
  const last = frames[frames.length - 1]!.seen;
  if (!last) return { width: 0, height: 0, body: "" };
  const { rows, columns } = last, { queries, keys } = last.matrix;
  const shownFrames = [...frames, ...Array<Frame>(FRAMES_AT_END).fill(frames[frames.length - 1]!)];
  const seconds = SECONDS_A_FRAME * shownFrames.length;
  // Of equal values in a row the first and the last are enough.
  const animate = (attribute: string, values: string[], mode = "linear") => {
    const kept = values.map((_, i) => i).filter((i) => i === 0 || i === values.length - 1 || values[i] !== values[i - 1] || (mode === "linear" && values[i] !== values[i + 1]));
    const times = kept.map((i) => String(Math.round((1000 * i) / (values.length - (mode === "linear" ? 1 : 0))) / 1000));
    return `<animate attributeName="${attribute}" dur="${seconds.toFixed(1)}s" repeatCount="indefinite" calcMode="${mode}" keyTimes="${times.join(";")}" values="${kept.map((i) => values[i]).join(";")}"/>`;
  };
  const left = Math.max(...rows.map((label) => widthOf(shown(label)))) + GAP + 4, top = heightAbove(columns.map(shown)) + GAP;
  const parts: string[] = [];
  rows.forEach((label, q) => parts.push(textAt(left - GAP, top + (q + 0.5) * CELL, shown(label), 'text-anchor="end" dominant-baseline="central"')));
  columns.forEach((label, k) => parts.push(columnLabel(left + (k + 0.5) * CELL, top - GAP, shown(label))));
  const weightAt = ({ seen }: Frame, q: number, k: number): number => (seen && q < seen.matrix.queries && k < seen.matrix.keys ? seen.matrix.weights[q * seen.matrix.keys + k]! : 0);
  for (let q = 0; q < queries; ++q)
    for (let k = 0; k < keys; ++k) {
      const colours = shownFrames.map((frame) => hexOf(heatColour(Math.round(LEVELS * weightAt(frame, q, k)) / LEVELS, PLAIN)));
      const still = colours.every((colour) => colour === colours[0]);
      parts.push(`<rect x="${left + k * CELL}" y="${top + q * CELL}" width="${CELL - 1}" height="${CELL - 1}" fill="${colours[colours.length - 1]}">${still ? "" : animate("fill", colours)}</rect>`);
    }
  // The update, one text for each frame, of which one is seen.
  const updates = frames.map(({ update, output }, i) => {
    const seen = shownFrames.map((_, j) => (Math.min(j, frames.length - 1) === i ? "1" : "0"));
    return `<g opacity="${i === frames.length - 1 ? 1 : 0}">${animate("opacity", seen, "discrete")}${textAt(0, 12, `${app.t("update")} ${update.toLocaleString("en")}`)}${textAt(110, 12, output, 'font-weight="600"')}</g>`;
  });
  const map: Figure = { width: left + keys * CELL + 2, height: top + queries * CELL + 2, body: parts.join("") };
  return below([caption(name), { width: 110 + widthOf(frames[frames.length - 1]!.output), height: 16, body: updates.join("") }, map], 6);
}

const hexOf = (rgb: string): string => `#${rgb.match(/\d+/g)!.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;

export function animated(app: App, films: Film[]): Figure {
  return below([beside(films.map((each) => film(app, each))), remark(`${app.t("animationNote")} 0 … ${digits(1).replace(/\.?0+$/, "")}`)]);
}

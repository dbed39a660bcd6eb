// A sentence and its translation word by word. Pointing at a word shades those that it looked at, or that
// looked at it.
import type { App } from "./app";
import { digits, h, percent } from "./dom";
import type { Output, TranslatedSentence } from "./server";
import { probability, wordsOf, wordWeights, type Word } from "./words";

type Side = "read" | "written";
const other = (side: Side): Side => (side === "read" ? "written" : "read");

const UNLIKELY = 0.3;
const LEAST_PERCENT = 0.05; // weights below are shaded, but have no number beside them
const LEAST_TOLD = 0.01; // beside the greatest
const MOST_TOLD = 4;

export function wordPair(app: App, { source, source_tokens }: TranslatedSentence, { text, tokens, word_scores, alignment }: Output): HTMLElement {
  const words: Record<Side, Word[]> = { read: wordsOf(source_tokens ?? [source], source), written: wordsOf(tokens, text) };
  // A model may look at the end of the sentence too, which is no word on the page.
  const end: Word[] = source_tokens && (alignment?.[0]?.length ?? 0) > source_tokens.length ? [{ text: "</s>", blank: false, first: source_tokens.length, end: Infinity }] : [];
  const linked: Record<Side, Word[]> = { read: [...words.read, ...end], written: words.written };
  const weights = alignment && source_tokens ? wordWeights(alignment, linked.written, linked.read) : null;
  // Of all words on the other side.
  const linksOf = (side: Side, index: number): number[] => (!weights ? [] : side === "written" ? weights[index]! : weights.map((row) => row[index]!));
  const strongest = (side: Side, index: number) =>
    linksOf(side, index)
      .map((weight, i) => ({ weight, word: linked[other(side)][i]! }))
      .sort((a, b) => b.weight - a.weight)
      .filter(({ weight }, rank) => rank === 0 || (rank < MOST_TOLD && weight >= LEAST_TOLD));
  const chanceOf = (side: Side, index: number): number | null => (side === "written" ? probability(words.written[index]!, word_scores) : null);

  const word = (side: Side, index: number): HTMLElement => {
    const chance = chanceOf(side, index);
    const told = [chance === null ? "" : `p ${percent(chance)}`, ...strongest(side, index).map(({ weight, word }) => `${word.text} ${digits(weight)}`)];
    return h(
      "span",
      { class: chance !== null && chance < UNLIKELY ? "word unlikely" : "word", role: "listitem", tabindex: index === 0 ? 0 : -1, "data-index": index, title: told.filter((line) => line !== "").join("\n") },
      words[side][index]!.text,
    );
  };
  const line = (side: Side): HTMLElement => {
    const element = h("p", { class: `words ${side}`, role: "list", dir: "auto", "data-side": side, "aria-label": app.t(side === "read" ? "sourceWords" : "translatedWords") });
    words[side].forEach(({ blank }, i) => element.append(blank && i > 0 ? " " : "", word(side, i)));
    return element;
  };
  const lines: Record<Side, HTMLElement> = { read: line("read"), written: line("written") };
  const at = (side: Side, index: number) => lines[side].querySelector<HTMLElement>(`[data-index="${index}"]`);
  const readout = h("p", { class: "readout" });

  const clear = () => {
    readout.replaceChildren();
    for (const shaded of element.querySelectorAll<HTMLElement>(".own, [data-weight]")) {
      shaded.classList.remove("own");
      for (const name of ["data-weight", "data-percent", "style"]) shaded.removeAttribute(name);
    }
  };
  const point = (side: Side, index: number) => {
    clear();
    at(side, index)?.classList.add("own");
    linksOf(side, index).forEach((weight, i) => {
      const word = at(other(side), i);
      if (!word) return;
      word.dataset.weight = digits(weight);
      word.style.setProperty("--share", String(weight));
      if (weight >= LEAST_PERCENT) word.dataset.percent = String(Math.round(100 * weight));
    });
    const chance = chanceOf(side, index);
    readout.append(h("bdi", {}, words[side][index]!.text), chance === null ? "" : h("small", {}, `p ${percent(chance)}`));
    if (weights) readout.append(side === "written" ? " → " : " ← ", ...strongest(side, index).map(({ weight, word }) => h("span", { class: "link" }, h("bdi", {}, word.text), h("span", { class: "number" }, digits(weight)))));
  };
  const pointAt = (target: EventTarget | null): boolean => {
    const found = (target as Element | null)?.closest<HTMLElement>(".word");
    if (!found || !element.contains(found)) return false;
    point(found.parentElement!.dataset.side as Side, Number(found.dataset.index));
    return true;
  };

  const element = h("div", {
    class: "word-pair",
    onpointerover: (event: PointerEvent) => pointAt(event.target) || pointAt(document.activeElement) || clear(),
    onpointerleave: () => pointAt(document.activeElement) || clear(),
    onfocusin: (event: FocusEvent) => pointAt(event.target),
    onfocusout: clear,
    onkeydown: (event: KeyboardEvent) => {
      const target = (event.target as Element).closest<HTMLElement>(".word");
      const next = target && nextWord(event.key, target);
      if (!next) return;
      event.preventDefault();
      event.stopPropagation();
      for (const word of next.parentElement!.querySelectorAll<HTMLElement>(".word")) word.tabIndex = word === next ? 0 : -1;
      next.focus();
    },
  });
  // Along the line by left and right; up and down to the strongest on the other one.
  const nextWord = (key: string, from: HTMLElement): HTMLElement | null => {
    const side = from.parentElement!.dataset.side as Side, index = Number(from.dataset.index);
    const forward = getComputedStyle(lines[side]).direction === "rtl" ? -1 : 1;
    if (key === "ArrowRight") return at(side, index + forward);
    if (key === "ArrowLeft") return at(side, index - forward);
    if (key === "Home") return at(side, 0);
    if (key === "End") return at(side, words[side].length - 1);
    if (key !== (side === "read" ? "ArrowDown" : "ArrowUp")) return null;
    const links = linksOf(side, index).slice(0, words[other(side)].length);
    return at(other(side), Math.max(0, links.indexOf(Math.max(...links))));
  };
  element.append(lines.read, lines.written, readout);
  return element;
}

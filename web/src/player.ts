// A row of pictures that plays: buttons, a slider, keys.
import type { App } from "./app";
import { button, h } from "./dom";

export interface Player {
  element: HTMLElement;
  readonly at: number;
  readonly last: number;
  go(to: number): void;
  extend(last: number): void; // there are more of them
  play(): void;
}

export const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Shows `first` .. `last`, beginning with `from`; `label` tells of each which one it is.
export function player(app: App, first: number, last: number, from: number, seconds: number, label: (at: number) => string, show: (at: number) => void): Player {
  let at = Math.max(first, Math.min(last, from)), clock: number | undefined;
  const counter = h("output", { class: "counter" });
  const slider = h("input", { type: "range", min: first, max: last, step: 1, "aria-label": app.t("step"), oninput: () => go(Number(slider.value)) });
  const draw = () => {
    slider.max = String(last);
    slider.value = String(at);
    counter.textContent = label(at);
    slider.setAttribute("aria-valuetext", counter.textContent);
    show(at);
  };
  const go = (to: number) => {
    at = Math.max(first, Math.min(last, to));
    draw();
  };
  const stop = () => {
    clearInterval(clock);
    clock = undefined;
    playing.textContent = app.t("play");
  };
  const play = () => {
    if (at === last) go(first);
    playing.textContent = app.t("pause");
    clearInterval(clock);
    clock = window.setInterval(() => (at < last ? go(at + 1) : stop()), 1000 * seconds);
  };
  const turn = () => (clock === undefined ? play() : stop());
  const playing = button(app.t("play"), turn, { class: "primary", "data-action": "play" });
  app.onLeave(stop);
  app.onKey((event) => {
    const keys: Record<string, () => void> = {
      ArrowRight: () => go(at + 1),
      ArrowLeft: () => go(at - 1),
      Home: () => go(first),
      End: () => go(last),
      " ": turn,
    };
    keys[event.key]?.();
    return event.key in keys;
  });
  draw();
  return {
    element: h(
      "span",
      { class: "player" },
      h("span", { class: "buttons" }, button("◀", () => go(at - 1), { "aria-label": app.t("back") }), playing, button("▶", () => go(at + 1), { "aria-label": app.t("next") })),
      slider,
      counter,
    ),
    get at() {
      return at;
    },
    get last() {
      return last;
    },
    go,
    extend(next) {
      last = next;
      draw();
    },
    play,
  };
}

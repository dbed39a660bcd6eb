// Elements in a line of code each.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, unknown>;

function assign(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || (value === false && !name.startsWith("aria-"))) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  assign(element, attributes);
  for (const child of children) if (child) element.append(child);
  return element;
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  assign(element, attributes);
  for (const child of children) if (child) element.append(child);
  return element;
}

// W^q with its q raised: no letter of Unicode does that.
export const raised = (text: string): Child[] => text.split(/(?<=W)\^(\w)/).map((part, i) => (i % 2 === 0 ? part : h("sup", {}, part)));

// A path through points.
export const pathOf = (points: [number, number][]): string => `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;

export function button(label: string, action: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return h("button", { type: "button", onclick: action, ...attributes }, label);
}

export interface Choice<T> {
  value: T;
  label: string;
}

export function select<T>(label: string, choices: Choice<T>[], chosen: T, change: (value: T) => void, name: string): HTMLLabelElement {
  const element = h("select", {
    "data-name": name,
    onchange: () => change(choices[element.selectedIndex]!.value),
  });
  for (const { value, label } of choices) element.append(h("option", { selected: value === chosen }, label));
  return h("label", {}, h("span", {}, label), element);
}

// A canvas as sharp as the screen, and its context in CSS pixels.
export function sharpen(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

// Blanks are seen, and a token without any mark is not lost.
export function shown(token: string): string {
  return token === "" ? "∅" : token;
}

export function percent(p: number): string {
  return p >= 0.9995 ? "100%" : p >= 0.0995 ? `${(100 * p).toFixed(1)}%` : p >= 0.00095 ? `${(100 * p).toFixed(2)}%` : "<0.1%";
}

export const digits = (weight: number): string => weight.toFixed(4);

// The end of a scale: two digits that say something.
export const rough = (x: number): string => String(Number(x.toPrecision(2)));

// With a true minus, and never -0.
export function signed(x: number, places: number): string {
  const text = x.toFixed(places);
  return Number(text) === 0 ? (0).toFixed(places) : text.replace("-", "−");
}

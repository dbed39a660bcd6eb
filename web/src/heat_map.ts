// A matrix as a heat map on a canvas: tokens on both axes, read-out by pointer, finger and keys, zoom for long sentences.
import { gradient, heatColour, picture } from "./colour";
import type { Matrix } from "./data";
import { button, digits, h, rough, sharpen, shown } from "./dom";
import { LINE, standing, type Standing } from "./figure";
import { paintCells, paintGrid } from "./map_cells";
import { halved, LEAST_LOG, shadingOf, type Shading } from "./maths";
import { onPrint, PAPER } from "./printing";
import type { App } from "./app";

const FONT = '12px system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif';
const LARGEST_CELL = 44, LARGEST_ZOOM = 64, SMALLEST_LABEL = 11, LONGEST_LABEL = 110;

export interface HeatMapOptions {
  matrix: Matrix;
  rows: string[];
  columns: string[];
  height?: number; // at most, in pixels
  shading?: Shading; // if not the reader's choice for this matrix
  cell?: [number, number] | null; // that is marked at first
  choose?: (q: number, k: number) => void; // a cell was clicked, or chosen by Enter
  place?: number; // among the maps of the view; 0 if there is one
  tell?: (q: number, k: number) => string; // the number of a cell, if it is not its weight
}

export class HeatMap {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { tabindex: 0, role: "application" });
  private readonly readout = h("output", { class: "readout", "aria-live": "polite" });
  private readonly frame = h("div", { class: "map-frame" });
  private readonly tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  private readonly thinned = h("small", { class: "thinned" });
  private readonly pictures: HTMLCanvasElement[] = []; // each with half the cells of the one before
  private readonly matrices: Matrix[];
  private readonly shading: Shading;
  private left = 0;
  private top = 0;
  private cell = 1; // pixels
  private fitted = 1;
  private x = 0; // first column and row to be seen, in cells
  private y = 0;
  private width = 0;
  private height = 0;
  private at: { q: number; k: number } | null = null;
  private drawing = false;
  private paper = false; // it is drawn for
  private readonly name: string; // in the address
  private noting: number | undefined;

  constructor(private readonly app: App, private readonly options: HeatMapOptions) {
    const { matrix } = options;
    this.matrices = [matrix];
    this.name = `${app.state.view}${options.place ?? 0}`;
    this.shading = options.shading ?? shadingOf(app.state.scale, [matrix]);
    const { log, most } = this.shading;
    const masked = matrix.weights.some((weight) => weight === 0);
    this.canvas.setAttribute("aria-label", app.t("mapLabel"));
    this.readout.textContent = app.t("mapHelp");
    this.frame.append(this.canvas, this.tip);
    this.element = h(
      "div",
      { class: "map" },
      this.frame,
      h(
        "div",
        { class: "map-bar" },
        this.readout,
        h("span", { class: "legend" }, log ? `≤${LEAST_LOG}` : "0", h("i", { style: `background:${gradient}` }), log ? "1" : rough(most)),
        masked && h("span", { class: "legend" }, h("i", { class: "hatched" }), app.t("masked")),
        h(
          "span",
          { class: "buttons" },
          button("−", () => this.zoom(1 / 1.5), { "aria-label": app.t("zoomOut") }),
          button("+", () => this.zoom(1.5), { "aria-label": app.t("zoomIn") }),
          button(app.t("fit"), () => this.fit()),
        ),
        this.thinned,
      ),
    );
    this.listen();
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.frame);
    app.onLeave(() => observer.disconnect());
    const print = (paper: boolean) => {
      this.paper = paper;
      if (this.element.isConnected) this.paint();
    };
    onPrint(app, () => print(true), () => print(false));
    if (options.cell) this.go(options.cell[0], options.cell[1], false);
  }

  private measure(): void {
    const context = this.canvas.getContext("2d")!;
    context.font = FONT;
    const { rows, columns, matrix } = this.options, across = (label: string) => context.measureText(shown(label)).width;
    const most = (labels: string[], size: (label: string) => number) => Math.ceil(labels.reduce((widest, label) => Math.min(LONGEST_LABEL, Math.max(widest, size(label))), 0)) + 14;
    this.left = most(rows, across);
    const room = Math.max(SMALLEST_LABEL, (this.frame.clientWidth - this.left) / Math.max(1, matrix.keys));
    const above = (label: string) => ({ upright: 0, downwards: LINE * [...label].length, turned: across(label) })[standing(label, across(label) <= room)];
    this.top = Math.max(22, most(columns, above));
  }

  fit(): void {
    this.lay(1, 0, 0);
  }

  // What one looked at stays.
  private resize(): void {
    const kept = this.app.state.zooms[this.name];
    if (this.width > 0) this.lay(this.cell / this.fitted, this.x, this.y);
    else if (kept) this.lay(kept.zoom, kept.x, kept.y);
    else this.fit();
  }

  // For a map that takes the place of another one: without a frame in between that is empty.
  drawAtOnce(): void {
    this.resize();
    if (this.width > 0) this.paint();
  }

  private lay(zoom: number, x: number, y: number): void {
    const { queries, keys } = this.options.matrix;
    this.measure();
    this.width = this.frame.clientWidth;
    if (this.width === 0) return;
    const most = this.options.height ?? Math.max(320, window.innerHeight * 0.72);
    const across = (this.width - this.left - 2) / Math.max(1, keys);
    const down = (most - this.top - 2) / Math.max(1, queries);
    this.fitted = Math.min(LARGEST_CELL, across, Math.max(down, Math.min(across, SMALLEST_LABEL)));
    this.cell = Math.max(this.fitted, Math.min(LARGEST_ZOOM, this.fitted * zoom));
    this.height = Math.min(most, this.top + queries * this.fitted + 2);
    this.x = x;
    this.y = y;
    this.draw();
  }

  private zoom(factor: number, px = this.left, py = this.top): void {
    const cell = Math.min(LARGEST_ZOOM, Math.max(this.fitted, this.cell * factor));
    const q = this.y + (py - this.top) / this.cell, k = this.x + (px - this.left) / this.cell;
    this.cell = cell;
    this.x = k - (px - this.left) / cell;
    this.y = q - (py - this.top) / cell;
    this.draw();
  }

  private clampView(): void {
    const { queries, keys } = this.options.matrix;
    const across = (this.width - this.left) / this.cell, down = (this.height - this.top) / this.cell;
    this.x = Math.max(0, Math.min(this.x, keys - across));
    this.y = Math.max(0, Math.min(this.y, queries - down));
  }

  // What one looks at outlives the map, and stands in the address once nothing moves any longer.
  private keep(): void {
    const { [this.name]: before, ...others } = this.app.state.zooms, zoom = this.cell / this.fitted, { x, y } = this;
    if (zoom <= 1.001 ? !before : before?.zoom === zoom && before.x === x && before.y === y) return;
    this.app.state.zooms = zoom <= 1.001 ? others : { ...others, [this.name]: { zoom, x, y } };
    clearTimeout(this.noting);
    this.noting = window.setTimeout(() => this.app.note({}), 200);
  }

  private draw(): void {
    this.clampView();
    if (this.width > 0) this.keep();
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.paint();
    });
  }

  // The largest picture whose cells are not much below a pixel.
  private pictureFor(cell: number): [HTMLCanvasElement, number] {
    let level = 0;
    while (cell * 2 ** (level + 1) <= 1.01 * (1 / (window.devicePixelRatio || 1)) * 2 && level < 6) ++level;
    for (let i = 0; i <= level; ++i) {
      this.matrices[i] ??= halved(this.matrices[i - 1]!);
      if (i === level) this.pictures[i] ??= picture(this.matrices[i]!, this.shading);
    }
    return [this.pictures[level]!, 2 ** level];
  }

  private paint(): void {
    const { matrix, rows, columns } = this.options;
    const context = sharpen(this.canvas, this.width, this.height);
    this.canvas.dataset.geometry = JSON.stringify({ left: this.left, top: this.top, cell: this.cell, x: this.x, y: this.y }); // for tests
    const style = getComputedStyle(this.element), colour = (name: keyof typeof PAPER) => (this.paper ? PAPER[name] : style.getPropertyValue(`--${name}`));
    const ink = colour("text"), quiet = colour("quiet");
    const across = Math.min(this.width - this.left, (matrix.keys - this.x) * this.cell);
    const down = Math.min(this.height - this.top, (matrix.queries - this.y) * this.cell);
    if (matrix.weights.length > 0) {
      const [image, scale] = this.pictureFor(this.cell);
      context.imageSmoothingEnabled = false;
      context.save();
      context.beginPath();
      context.rect(this.left, this.top, across, down);
      context.clip();
      const side = this.cell * scale;
      context.drawImage(image, this.left - this.x * this.cell, this.top - this.y * this.cell, image.width * side, image.height * side);
      const seen = { left: this.left, top: this.top, cell: this.cell, x: this.x, y: this.y, width: this.width, height: this.height };
      paintCells(context, matrix, this.shading, seen, colour("soft"), quiet);
      if (this.cell >= 7) paintGrid(context, seen, across, down, colour("card"));
      context.restore();
    }
    context.font = FONT;
    this.labels(context, rows, "row", ink, quiet);
    this.labels(context, columns, "column", ink, quiet);
    const stride = Math.ceil(SMALLEST_LABEL / this.cell);
    this.thinned.textContent = stride > 1 ? this.app.t("thinned").replace("#", String(stride)) : "";
    if (this.at) this.mark(context);
  }

  // Where cells are narrower than a line of text, every second, third, .. label; that of the marked cell always.
  private labels(context: CanvasRenderingContext2D, labels: string[], axis: "row" | "column", ink: string, quiet: string): void {
    const row = axis === "row";
    const stride = Math.ceil(SMALLEST_LABEL / this.cell);
    const first = Math.floor(row ? this.y : this.x);
    const room = row ? this.height - this.top : this.width - this.left;
    const marked = this.at ? (row ? this.at.q : this.at.k) : -1;
    context.textBaseline = "middle";
    for (let i = first; i < labels.length; ++i) {
      const centre = (i + 0.5 - (row ? this.y : this.x)) * this.cell;
      if (centre > room) break;
      const near = marked >= 0 && Math.abs(i - marked) * this.cell < SMALLEST_LABEL;
      if (centre < 0 || (i !== marked && (near || i % stride !== 0))) continue;
      context.fillStyle = i === marked ? ink : quiet;
      context.font = i === marked ? `600 ${FONT}` : FONT;
      const how = row ? "upright" : standing(labels[i]!, context.measureText(shown(labels[i]!)).width <= stride * this.cell);
      const label = this.cut(context, shown(labels[i]!), how), characters = [...label];
      context.save();
      if (row) context.translate(this.left - 8, this.top + centre);
      else context.translate(this.left + centre, this.top - 8);
      if (how === "turned") context.rotate(-Math.PI / 2);
      context.textAlign = row ? "right" : how === "turned" ? "left" : "center";
      if (how === "downwards") characters.forEach((c, j) => context.fillText(c, 0, -LINE * (characters.length - 1 - j)));
      else context.fillText(label, 0, 0);
      context.restore();
    }
  }

  private cut(context: CanvasRenderingContext2D, label: string, how: Standing): string {
    const long = (text: string) => (how === "downwards" ? LINE * [...text].length : context.measureText(text).width);
    if (long(label) <= LONGEST_LABEL + 4) return label;
    let end = [...label];
    while (end.length > 1 && long(`${end.join("")}…`) > LONGEST_LABEL) end = end.slice(0, -1);
    return `${end.join("")}…`;
  }

  private mark(context: CanvasRenderingContext2D): void {
    const { q, k } = this.at!;
    const x = this.left + (k - this.x) * this.cell, y = this.top + (q - this.y) * this.cell;
    if (x < this.left - 1 || y < this.top - 1) return;
    const side = Math.max(4, this.cell);
    for (const [colour, width] of [["#000", 5], ["#fff", 2.5]] as const) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.strokeRect(x, y, side, side);
    }
  }

  // Tells a cell, and brings it into sight.
  private go(q: number, k: number, follow = true): void {
    const { matrix, rows, columns } = this.options;
    if (matrix.weights.length === 0) return;
    q = Math.max(0, Math.min(matrix.queries - 1, q));
    k = Math.max(0, Math.min(matrix.keys - 1, k));
    this.at = { q, k };
    const weight = matrix.weights[q * matrix.keys + k]!;
    this.readout.replaceChildren(
      h("i", { class: "swatch", style: `background:${heatColour(weight, this.shading)}` }),
      h("bdi", {}, shown(rows[q]!)),
      " → ",
      h("bdi", {}, shown(columns[k]!)),
      h("b", { class: "number" }, this.told(q, k)),
      h("small", {}, `${this.app.t("row")} ${q}${this.app.t("comma")}${this.app.t("column")} ${k}`),
    );
    if (follow) {
      const across = (this.width - this.left) / this.cell, down = (this.height - this.top) / this.cell;
      if (k < this.x) this.x = k;
      if (k + 1 > this.x + across) this.x = k + 1 - across;
      if (q < this.y) this.y = q;
      if (q + 1 > this.y + down) this.y = q + 1 - down;
    }
    this.draw();
  }

  private told(q: number, k: number): string {
    const { matrix, tell } = this.options, weight = matrix.weights[q * matrix.keys + k]!;
    return tell ? tell(q, k) : weight === 0 ? this.app.t("masked") : digits(weight);
  }

  // Beside the pointer, on the side that has room.
  private tell({ px, py }: { px: number; py: number }): void {
    const { q, k } = this.at!, { rows, columns } = this.options;
    this.tip.hidden = false;
    this.tip.replaceChildren(h("bdi", {}, shown(rows[q]!)), " → ", h("bdi", {}, shown(columns[k]!)), " ", h("b", {}, this.told(q, k)));
    const right = px + 14 + this.tip.offsetWidth <= this.width;
    this.tip.style.left = `${Math.max(0, right ? px + 14 : px - 14 - this.tip.offsetWidth)}px`;
    this.tip.style.top = `${Math.max(0, py - this.tip.offsetHeight - 10)}px`;
  }

  private cellAt(event: PointerEvent | WheelEvent | MouseEvent): { q: number; k: number; px: number; py: number } {
    const box = this.canvas.getBoundingClientRect();
    const px = event.clientX - box.left, py = event.clientY - box.top;
    return {
      px,
      py,
      q: Math.floor(this.y + (py - this.top) / this.cell),
      k: Math.floor(this.x + (px - this.left) / this.cell),
    };
  }

  private listen(): void {
    let dragged: { x: number; y: number; far: boolean } | null = null;
    // The cell under a pointer, if it is one.
    const point = (event: PointerEvent | MouseEvent): boolean => {
      const place = this.cellAt(event), { queries, keys } = this.options.matrix;
      const inside = place.q >= 0 && place.k >= 0 && place.q < queries && place.k < keys && place.px >= this.left && place.py >= this.top;
      if (inside) {
        this.go(place.q, place.k, false);
        this.tell(place);
      }
      return inside;
    };
    this.canvas.addEventListener("pointermove", (event) => {
      if (dragged) {
        this.x -= (event.clientX - dragged.x) / this.cell;
        this.y -= (event.clientY - dragged.y) / this.cell;
        dragged = { x: event.clientX, y: event.clientY, far: true };
        this.tip.hidden = true;
        this.draw();
        return;
      }
      point(event);
    });
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch") point(event);
      if (this.cell <= this.fitted * 1.001) return;
      dragged = { x: event.clientX, y: event.clientY, far: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    let moved = false;
    this.canvas.addEventListener("pointerup", () => {
      moved = dragged?.far ?? false;
      dragged = null;
    });
    this.canvas.addEventListener("pointercancel", () => (dragged = null));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("click", (event) => {
      if (!moved && point(event)) this.options.choose?.(this.at!.q, this.at!.k);
    });
    this.canvas.addEventListener("dblclick", (event) => {
      const { px, py } = this.cellAt(event);
      this.zoom(2, px, py);
    });
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        const zoomed = this.cell > this.fitted * 1.001;
        if (!event.ctrlKey && !event.metaKey && !zoomed) return; // the page scrolls
        event.preventDefault();
        const { px, py } = this.cellAt(event);
        if (event.ctrlKey || event.metaKey) return this.zoom(Math.exp(-event.deltaY / 300), px, py);
        this.x += event.deltaX / this.cell;
        this.y += event.deltaY / this.cell;
        this.draw();
      },
      { passive: false },
    );
    this.canvas.addEventListener("keydown", (event) => {
      const { q, k } = this.at ?? { q: 0, k: 0 };
      const far = event.shiftKey ? 10 : 1;
      const moves: Record<string, () => void> = {
        ArrowLeft: () => this.go(q, k - far),
        ArrowRight: () => this.go(q, this.at ? k + far : k),
        ArrowUp: () => this.go(q - far, k),
        ArrowDown: () => this.go(this.at ? q + far : q, k),
        Home: () => this.go(q, 0),
        End: () => this.go(q, this.options.matrix.keys - 1),
        "+": () => this.zoom(1.5),
        "=": () => this.zoom(1.5),
        "-": () => this.zoom(1 / 1.5),
        "0": () => this.fit(),
        Enter: () => this.at && this.options.choose?.(q, k),
      };
      const move = moves[event.key];
      if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      move();
    });
  }
}

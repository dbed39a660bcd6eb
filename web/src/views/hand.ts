// A sheet of attention by hand: every number can be changed, every result can be hidden and practised.
import type { App } from "../app";
import { heatColour, textOn } from "../colour";
import { button, h, raised, select, signed } from "../dom";
import { beside, below, caption, tableFigure } from "../figure";
import { reachable } from "../reachable";
import { hint, toolbar } from "../toolbar";
import { PRESETS, preset, readSheet, resized, solve, written, type Given, type Preset, type Rows, type Sheet } from "../sheet";

const WORDS = 6, WIDTH = 6, HEADS = 3;

// Three digits, without those that say nothing.
const short = (x: number): string => (x === -Infinity ? "−∞" : signed(x, 3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""));

interface Part {
  name: string; // of the matrix, for readers and tests
  title: string;
  values: Rows;
  rows: string[];
  columns?: string[];
  given?: Given; // it can be changed
  shares?: boolean; // coloured as weights
  sign?: string; // what comes before it
  begins?: boolean; // another product
}

export function handView(app: App): HTMLElement {
  const sheet = readSheet(app.state.sheet), hidden = app.state.hide;
  const results = h("div", { class: "hand" });
  const again = (next: Sheet) => app.set({ sheet: written(next) });

  const cell = (part: Part, i: number, j: number): HTMLElement => {
    const value = part.values[i]![j]!, label = `${part.name} ${part.rows[i] ?? i + 1} ${part.columns?.[j] ?? j + 1}`;
    if (part.given) {
      const rows = sheet[part.given];
      const input = h("input", {
        type: "number", step: "any", value: String(value), "data-cell": `${part.name}${i}${j}`, "aria-label": label,
        oninput: () => {
          const number = Number(input.value), bad = input.value.trim() === "" || !Number.isFinite(number);
          input.classList.toggle("bad", bad);
          if (bad) return;
          rows[i]![j] = number;
          app.note({ sheet: written(sheet) });
          show();
        },
      });
      return h("td", { class: "given" }, input);
    }
    if (!hidden) return h("td", part.shares ? { style: `background:${heatColour(value)};color:${textOn(value)}` } : {}, short(value));
    const input = h("input", {
      type: "text", inputmode: "decimal", "aria-label": label, "data-answer": `${part.name}${i}${j}`,
      oninput: () => {
        const answer = input.value.trim().replace("−", "-");
        const right = value === -Infinity ? /^-(inf.*|∞)$/.test(answer) : answer !== "" && Math.abs(Number(answer) - value) <= Math.max(0.011, 0.011 * Math.abs(value));
        input.classList.toggle("good", right);
        input.classList.toggle("bad", answer !== "" && !right);
      },
    });
    return h("td", {}, input);
  };
  const table = (part: Part): HTMLElement =>
    h(
      "figure",
      { class: part.given ? "given" : "" },
      h("figcaption", {}, h("b", {}, ...raised(part.title))),
      h(
        "table",
        { class: "numbers", "data-table": part.name },
        part.columns && h("tr", {}, h("td", { class: "corner" }), ...part.columns.map((word) => h("th", { scope: "col" }, word))),
        ...part.values.map((row, i) => h("tr", {}, h("th", { scope: "row" }, part.rows[i] ?? ""), ...row.map((_, j) => cell(part, i, j)))),
      ),
    );
  const term = (part: Part): HTMLElement => h("div", { class: "term", role: "group", "aria-label": part.title }, part.sign ? h("span", { class: "sign", "aria-hidden": "true" }, part.sign) : null, table(part));
  const line = (title: string, formula: string, parts: Part[], more?: HTMLElement): HTMLElement =>
    h("div", { class: "card step" }, h("h3", {}, ...raised(title)), h("p", { class: "formula" }, ...raised(formula)), h("div", { class: "equations" }, ...products(parts).map((product) => h("div", { class: "equation" }, ...product.map(term)))), more);

  // Numbers that are given stay where the caret is; results are made anew.
  const show = () => {
    const caret = document.activeElement?.getAttribute("data-cell");
    results.replaceChildren(...steps(app, sheet).map(({ title, formula, parts, sums }) => line(title, formula, parts, sums ? h("p", { class: "sums" }, ...(hidden ? [] : sums.flatMap((text, i) => (i > 0 ? [h("br"), text] : [text])))) : undefined)));
    if (caret) {
      const input = results.querySelector<HTMLInputElement>(`[data-cell="${caret}"]`);
      input?.focus();
    }
  };
  const controls = h("div");
  const fill = () => {
    const number = (name: "dHand" | "headsHand", value: number, most: number, change: (value: number) => void) =>
      select(app.t(name), Array.from({ length: most }, (_, i) => ({ value: i + 1, label: String(i + 1) })), value, change, name);
    const words = h("input", { type: "text", value: sheet.words.join(" "), "data-name": "words", size: 18, onchange: () => {
      const next = words.value.trim().split(/\s+/).filter((word) => word !== "").slice(0, WORDS);
      if (next.length > 0) again(resized(sheet, next, sheet.x[0]!.length, sheet.heads));
    } });
    const box = (key: "causal" | "block" | "hideAnswers", checked: boolean, change: (on: boolean) => void) => {
      const input = h("input", { type: "checkbox", checked, "data-name": key, onchange: () => change(input.checked) });
      return h("label", {}, input, h("span", {}, app.t(key)));
    };
    const name = PRESETS.find((each) => each === written(sheet)) ?? null;
    const choices: { value: Preset | null; label: string }[] = PRESETS.map((value) => ({ value, label: app.t(`${value}Preset`) }));
    if (name === null) choices.push({ value: null, label: app.t("ownPreset") });
    const d = sheet.x[0]!.length;
    controls.replaceChildren(
      toolbar(
        select(app.t("example"), choices, name, (next) => next && again(preset(next)), "preset"),
        h("label", {}, h("span", {}, app.t("wordsHand")), words),
        number("dHand", d, WIDTH, (next) => again(resized(sheet, sheet.words, next, sheet.heads))),
        number("headsHand", sheet.heads, HEADS, (next) => again(resized(sheet, sheet.words, d, next))),
        box("causal", sheet.causal, (causal) => again({ ...sheet, causal })),
        box("block", sheet.block, (block) => again({ ...sheet, block })),
        box("hideAnswers", hidden, (hide) => app.set({ hide })),
        button(app.t("reset"), () => again(preset(name ?? "guide")), { "data-name": "reset" }),
      ),
    );
    show();
  };
  fill();
  reachable(app, results, () => results.querySelectorAll<HTMLElement>(".term"));
  app.offer({
    name: "by-hand",
    table: () => steps(app, sheet).flatMap(({ title, parts }) => [[title], ...parts.flatMap((part) => [[part.title, ...(part.columns ?? [])], ...part.values.map((row, i) => [part.rows[i] ?? "", ...row.map(short)]), []])]),
    figure: () => below(steps(app, sheet).map(({ title, parts }) => below([caption(title), beside(parts.map((part) => below([caption(part.title, 12), tableFigure([...(part.columns ? [[{ text: "" }, ...part.columns.map((text) => ({ text }))]] : []), ...part.values.map((row, i) => [{ text: part.rows[i] ?? "" }, ...row.map((x) => (part.shares ? { text: short(x), fill: heatColour(x), ink: textOn(x) } : { text: short(x), fill: "#f3f2ee" }))])])], 4)), 26)], 6)), 20),
  });
  return h("section", {}, hint(app.t("handHelp")), controls, results, exercise(app));
}

// Where another one begins, a new row.
function products(parts: Part[]): Part[][] {
  const all: Part[][] = [[]];
  for (const part of parts) {
    if (part.begins) all.push([]);
    all[all.length - 1]!.push(part);
  }
  return all;
}

function exercise(app: App): HTMLElement {
  return h("details", { class: "card" }, h("summary", {}, app.t("exercise")), h("p", {}, ...raised(app.t("exerciseAnswer"))));
}

interface Step {
  title: string;
  formula: string;
  parts: Part[];
  sums?: string[];
}

// From X to the output.
function steps(app: App, sheet: Sheet): Step[] {
  const { words, heads } = sheet, n = words.map((_, i) => i);
  const solved = solve(sheet);
  const numbers = (rows: Rows): string[] => rows.map(() => "");
  const given = (name: Given, title: string, rows: string[] = numbers(sheet[name])): Part => ({ name, title, values: sheet[name], rows, given: name });
  const result = (name: string, title: string, values: Rows, sign: string, more: Partial<Part> = {}): Part => ({ name, title, values, rows: words, sign, ...more });
  const list: Step[] = [
    { title: app.t("handInput"), formula: "Q = X W^q    K = X W^k    V = X W^v", parts: [
      given("x", "X", words),
      { ...given("wq", "W^q"), sign: "×" }, result("q", "Q", solved.q, "="),
      { ...given("wk", "W^k"), sign: "X ×", begins: true }, result("k", "K", solved.k, "="),
      { ...given("wv", "W^v"), sign: "X ×", begins: true }, result("v", "V", solved.v, "="),
    ] },
  ];
  solved.heads.forEach((head, number) => {
    const of = heads > 1 ? ` · ${app.t("head")} ${number + 1}` : "", tag = heads > 1 ? String(number + 1) : "";
    const d = head.k[0]!.length, additive = sheet.score === "additive";
    const [a, b] = [head.q[0]!, head.k[0]!];
    const first = additive ? a.map((x, i) => `${short(sheet.v[0]![i]!)}·tanh(${short(x)} + ${short(b[i]!)})`).join(" + ") : a.map((x, i) => `${short(x)}·${short(b[i]!)}`).join(" + ");
    list.push({
      title: app.t("handScores") + of,
      formula: additive ? "sᵢⱼ = vᵀ tanh(qᵢ + kⱼ)" : `S = Q Kᵀ / √d,   √${d} = ${short(Math.sqrt(d))}${sheet.causal ? `,   ${app.t("hiddenInf")}` : ""}`,
      parts: [
        ...(additive ? [given("v", "v")] : []),
        result(`scores${tag}`, additive ? "S" : "Q Kᵀ", head.products, "", { columns: words }),
        ...(additive && !sheet.causal ? [] : [result(`scaled${tag}`, additive ? "S" : "S", head.energies, additive ? "→" : `/ √${d}`, { columns: words })]),
      ],
      sums: [`${words[0]} → ${words[0]}: ${first} = ${short(head.products[0]![0]!)}`],
    });
    list.push({
      title: app.t("handShares") + of,
      formula: "aᵢⱼ = exp(sᵢⱼ) / Σₖ exp(sᵢₖ)",
      parts: [
        result(`powers${tag}`, "exp(S)", head.powers, "", { columns: words }),
        result(`sums${tag}`, "Σ", head.sums, "→"),
        result(`shares${tag}`, "A", head.weights, "→", { columns: words, shares: true }),
      ],
      sums: [`${words[0]}: ${head.weights[0]!.map(short).join(" + ")} = 1`],
    });
    list.push({
      title: app.t("handOutput") + of,
      formula: "oᵢ = Σⱼ aᵢⱼ vⱼ",
      parts: [result(`output${tag}`, "A V", head.mixed, "")],
      sums: n.map((i) => `${words[i]}: ${head.weights[i]!.map((p, j) => `${short(p)}·${short(head.v[j]![0]!)}`).join(" + ")} = ${short(head.mixed[i]![0]!)}`),
    });
  });
  if (!sheet.block) return list;
  list.push(
    { title: app.t("handProject"), formula: "O = [H₁ … Hₙ] W^O", parts: [result("joined", "H", solved.joined, ""), { ...given("wo", "W^O"), sign: "×" }, result("projected", "O", solved.projected, "=")] },
    { title: app.t("handAdd"), formula: "Y = norm(X + O)", parts: [result("added", "X + O", solved.added, ""), result("normed", "Y", solved.normed, "→")] },
    { title: app.t("handFeed"), formula: "F = max(0, Y W₁) W₂", parts: [{ ...given("w1", "W₁"), sign: "Y ×" }, result("hidden", "max(0, Y W₁)", solved.hidden, "→"), { ...given("w2", "W₂"), sign: "×" }, result("fed", "F", solved.fed, "=")] },
    { title: app.t("handAddAgain"), formula: "Z = norm(Y + F)", parts: [result("again", "Y + F", solved.again, ""), result("z", "Z", solved.output, "→")] },
  );
  return list;
}

// Attention with numbers that one can change.
import type { App } from "../app";
import { heatColour, textOn } from "../colour";
import { button, h } from "../dom";
import { byHand } from "../maths";
import { hint, toolbar } from "../toolbar";

interface Example {
  words: string[];
  q: number[][];
  k: number[][];
  v: number[][];
}

// docs/guide/attention-by-hand.md: shares of 0.6, 0.2, 0.2 and the values 1, 2, 3 give 1.6, 2.0, 2.4. Scores of
// sqrt(3) ln 3 on the diagonal make these shares: e^(ln 3) = 3 against 1 and 1.
const SCORE = Math.round(Math.sqrt(3) * Math.log(3) * 1e4) / 1e4;
const diagonal = (x: number) => [0, 1, 2].map((i) => [0, 1, 2].map((j) => (i === j ? x : 0)));
const threeWords = (): Example => ({ words: ["我", "爱", "你"], q: diagonal(SCORE), k: diagonal(1), v: [[1], [2], [3]] });

let example = threeWords();
let causal = false;

export function handView(app: App): HTMLElement {
  const results = h("div", { class: "hand-results" });
  const show = () => results.replaceChildren(...steps(app));
  const cells = (matrix: number[][], name: string) =>
    matrix.map((row, i) =>
      row.map((value, j) => {
        const input = h("input", {
          type: "number",
          step: 0.1,
          value: String(value),
          "data-cell": `${name}${i}${j}`,
          "aria-label": `${name} ${example.words[i]} ${j + 1}`,
          oninput: () => {
            const number = Number(input.value);
            input.classList.toggle("bad", input.value.trim() === "" || !Number.isFinite(number));
            if (input.value.trim() === "" || !Number.isFinite(number)) return;
            row[j] = number;
            show();
          },
        });
        return h("td", {}, input);
      }),
    );
  const tables = h("div", { class: "hand-inputs" });
  const fill = () => {
    const table = (name: "q" | "k" | "v", title: string) =>
      h(
        "figure",
        {},
        h("figcaption", {}, h("b", {}, name.toUpperCase()), ` ${title}`),
        h("table", { class: "numbers" }, ...cells(example[name], name).map((row, i) => h("tr", {}, h("th", {}, example.words[i]!), ...row))),
      );
    tables.replaceChildren(table("q", app.t("query")), table("k", app.t("key")), table("v", app.t("value")));
    show();
  };
  const mask = h("input", { type: "checkbox", checked: causal, onchange: () => {
    causal = mask.checked;
    show();
  } });
  fill();
  return h(
    "section",
    {},
    hint(app.t("handHelp")),
    toolbar(
      h("label", {}, mask, h("span", {}, app.t("causal"))),
      button(app.t("reset"), () => {
        example = threeWords();
        fill();
      }),
    ),
    tables,
    results,
  );
}

const two = (x: number): string => (Object.is(Number(x.toFixed(3)), -0) ? 0 : x).toFixed(3).replace(/0$/, "");

function steps(app: App): HTMLElement[] {
  const { words, q, k, v } = example;
  const { scores, scaled, shares, output } = byHand(q, k, v, causal);
  const table = (matrix: number[][], name: string, columns: string[] | null, coloured = false) =>
    h(
      "table",
      { class: "numbers", "data-table": name },
      columns && h("tr", {}, h("th", {}), ...columns.map((word) => h("th", {}, word))),
      ...matrix.map((row, i) =>
        h(
          "tr",
          {},
          h("th", {}, words[i]!),
          ...row.map((x) => h("td", coloured ? { style: `background:${heatColour(x)};color:${textOn(x)}` } : {}, two(x))),
        ),
      ),
    );
  const card = (title: string, formula: string, body: HTMLElement, sums: string[]) =>
    h("div", { class: "card" }, h("h3", {}, title), h("p", { class: "formula" }, formula), body, h("p", { class: "sums" }, ...sums.flatMap((line, i) => (i > 0 ? [h("br"), line] : [line]))));
  const product = (a: number[], b: number[]) => a.map((x, i) => `${two(x)}×${two(b[i]!)}`).join(" + ");
  const d = k[0]!.length;
  return [
    card(app.t("handScores"), "S = Q Kᵀ,   sᵢⱼ = qᵢ · kⱼ", table(scores, "scores", words), [`${words[0]}→${words[0]}: ${product(q[0]!, k[0]!)} = ${two(scores[0]![0]!)}`]),
    card(app.t("handScaled"), `S / √d,   √${d} = ${two(Math.sqrt(d))}`, table(scaled, "scaled", words), [`${two(scores[0]![0]!)} / ${two(Math.sqrt(d))} = ${two(scaled[0]![0]!)}`]),
    card(app.t("handShares"), "aᵢⱼ = exp(sᵢⱼ) / Σₖ exp(sᵢₖ)", table(shares, "shares", words, true), [
      `${words[0]}: ${shares[0]!.map(two).join(" + ")} = ${two(shares[0]!.reduce((a, b) => a + b, 0))}`,
    ]),
    card(app.t("handOutput"), "oᵢ = Σⱼ aᵢⱼ vⱼ", table(output, "output", null), words.map(
      (word, i) => `${word}: ${shares[i]!.map((p, j) => `${two(p)}×${two(v[j]![0]!)}`).join(" + ")} = ${two(output[i]![0]!)}`,
    )),
  ];
}

// What if a head were off, a token looked elsewhere, the search had taken another candidate? The server computes it again; output and
// attention follow.
import type { App, HeadAt, Look, Moved } from "./app";
import { attentionOf, chosenHead, chosenOf } from "./app";
import { columnLabels, rowLabels } from "./data";
import { button, h, shown } from "./dom";
import { alertBox, type Alert } from "./refusal";
import { fetchAttention, requestOf } from "./server";
import { kindName } from "./toolbar";

const unchanged = { output: null, begin: [], off: [], moved: [] } satisfies Partial<Look>;

// Only a server computes again, and only for one model.
export const canChange = (app: App): boolean => app.document.server !== null && app.state.look?.models.length === 1;

const changed = ({ begin, off, moved }: Look): boolean => begin.length + off.length + moved.length > 0;
const same = (a: HeadAt, b: HeadAt): boolean => a.kind === b.kind && a.layer === b.layer && a.head === b.head;

export const isOff = (app: App, head: HeadAt): boolean => app.state.look?.off.some((each) => same(each, head)) ?? false;

// What was written without any change, by sentence and model.
const outputs = new Map<string, string>();
const keyOf = ({ q, models }: Look): string => JSON.stringify([q, models]);

let alert: Alert | null = null; // of the bar that is shown

export async function change(app: App, wanted: Partial<Look>): Promise<void> {
  const { look, view, cell } = app.state, attention = attentionOf(app);
  if (!look || !attention) return;
  if (!changed(look) && look.output === null) outputs.set(keyOf(look), attention.target);
  // The sharpest head may be another one afterwards; the reader stays with this one.
  const chosen = chosenOf(app, attention);
  if (chosen) app.note({ kind: chosen.kind, layer: chosen.at, head: chosenHead(app, attention, chosen.layer) ?? "mean" });
  const next = { ...look, ...wanted };
  try {
    const seen = await fetchAttention(requestOf(next));
    if (app.state.view === view) app.take(seen, view, next, cell ?? undefined);
  } catch (error) {
    alert?.show(error);
  }
}

export function turnHead(app: App, head: HeadAt): Promise<void> {
  const { off } = app.state.look!;
  return change(app, { off: isOff(app, head) ? off.filter((each) => !same(each, head)) : [...off, head] });
}

export function move(app: App, to: Moved): Promise<void> {
  const rest = app.state.look!.moved.filter((each) => !same(each, to) || each.query !== to.query);
  return change(app, { moved: [...rest, to] });
}

// The search begins with these tokens; what was moved stays moved.
export const beginWith = (app: App, begin: string[]): Promise<void> => change(app, { begin, output: null });

const nameOf = (app: App, { kind, layer, head }: HeadAt): string =>
  `${kindName(app, attentionOf(app)!, kind)}${app.t("comma")}${app.t("layer")} ${layer}${app.t("comma")}${head === null ? app.t("allHeads") : `${app.t("head")} ${head}`}`;

// What is changed, each with a button that takes it back; null if nothing can be.
export function changesBar(app: App): HTMLElement | null {
  const { look } = app.state, attention = attentionOf(app);
  alert = null;
  if (!canChange(app) || !look || !attention) return null;
  alert = alertBox(app);
  if (!changed(look)) return alert.element;
  const item = (text: string, back: Partial<Look>) =>
    h("li", {}, h("bdi", {}, text), button("×", () => void change(app, back), { "aria-label": `${app.t("takeBack")}: ${text}`, title: app.t("takeBack") }));
  const token = (labels: string[], i: number) => shown(labels[i] ?? String(i));
  const before = h("bdi", { "data-part": "unchanged" }, outputs.get(keyOf(look)) ?? "…");
  if (!outputs.has(keyOf(look)))
    fetchAttention(requestOf({ ...look, ...unchanged })).then((seen) => {
      outputs.set(keyOf(look), seen.sentences[0]!.models[0]!.target);
      before.textContent = outputs.get(keyOf(look))!;
    }, () => undefined);
  return h(
    "aside",
    { class: "changes", "aria-label": app.t("changes") },
    h("b", {}, app.t("changes")),
    h(
      "ul",
      {},
      ...look.off.map((head, i) => item(`${nameOf(app, head)}: ${app.t("isOff")}`, { off: look.off.filter((_, j) => j !== i) })),
      ...look.moved.map((each, i) => item(`${nameOf(app, each)}: ${token(rowLabels(attention, each.kind), each.query)} → ${token(columnLabels(attention, each.kind), each.key)}`, { moved: look.moved.filter((_, j) => j !== i) })),
      ...(look.begin.length > 0 ? [item(`${app.t("beginsWith")} ${look.begin.map(shown).join(" ")}`, { begin: [] })] : []),
    ),
    h("p", {}, `${app.t("withoutChanges")} `, before, " ", button(app.t("takeAllBack"), () => void change(app, unchanged), { "data-action": "take-back" })),
    alert.element,
  );
}

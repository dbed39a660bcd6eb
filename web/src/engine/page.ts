// The engine in the page: unpacked while the page tells how far it is, then asked in the place of a server.
import { additions, type Additions } from "../additions";
import type { App } from "../app";
import { h } from "../dom";
import { learnView } from "../learn/view";
import { reword } from "../texts";
import { inBrowser } from "./browser";
import { filesOf, unpackElement } from "./embedded";
import { compiled } from "./fused";
import { beginHere, engineFailure, noteFailure, teamHere } from "./here";
import { REWORDED, say } from "./words";

declare const ENGINE_WORKER: string; // worker.ts, bundled by build.mjs

async function unpackAll(app: App, tell: (text: string, share: number) => void): Promise<void> {
  const unpacking = (share: number) => tell(say(app, "unpacking"), share);
  unpacking(0);
  const program = await unpackElement("attune-engine-js"), binary = await unpackElement("attune-engine-wasm");
  if (!program || !binary) throw new Error(say(app, "noEngine"));
  const [module, models] = await Promise.all([compiled(binary), unpackElement("attune-models", unpacking)]);
  tell(say(app, "starting"), 1);
  const { local, longest } = app.document.server!;
  const launch = inBrowser(`${new TextDecoder().decode(program)}\n${ENGINE_WORKER}`);
  const open = { models: local!.models, runs: [], characters: longest };
  await beginHere({ launch, module, files: models ? filesOf(models) : [], open }, local!.models.length > 0);
}

reword(REWORDED);
Object.assign(additions, {
  fetch: async (path, init) => teamHere().fetch(path, init as object),
  async begin(app, root) {
    if (!app.document.server?.local) return;
    const bar = h("progress", { max: 1 }), said = h("span");
    root.replaceChildren(h("p", { class: "loading", role: "status" }, h("label", {}, said, bar)));
    try {
      await unpackAll(app, (text, share) => {
        said.textContent = text;
        bar.value = share;
      });
    } catch (error) {
      noteFailure(error);
    }
  },
  told: (message) => message,
  notice: () => (engineFailure() ? h("p", { class: "failure", role: "alert" }, engineFailure()) : null),
  views: { learn: learnView },
  shows(app, view) {
    const { server, runs } = app.document;
    return view === "learn" ? server?.local?.training === true : view !== "training" || runs.length > 0;
  },
} satisfies Additions);

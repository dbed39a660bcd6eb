// While the browser prints: colours of a screen are not those of paper, and what one scrolls to is not there.
import type { App } from "./app";

export const PAPER = { text: "#000", quiet: "#444", card: "#fff", soft: "#eee" };

export function onPrint(app: App, begin: () => void, end?: () => void): void {
  const listen = (add: "addEventListener" | "removeEventListener") => {
    window[add]("beforeprint", begin);
    if (end) window[add]("afterprint", end);
  };
  listen("addEventListener");
  app.onLeave(() => listen("removeEventListener"));
}

// What went wrong with the server, in plain words.
import { additions } from "./additions";
import type { App } from "./app";
import { h } from "./dom";
import { apiKey, Refusal } from "./server";

function plain(app: App, { status, secondsToWait }: Refusal): string {
  if (status === 0) return app.t("serverGone");
  if (status === 403) return app.t(apiKey() === "" ? "keyNeeded" : "keyRefused");
  if (status === 429) return app.t("tooManyRequests").replace("#", String(secondsToWait || 60));
  if (status === 503) return app.t("serverBusy");
  return status >= 500 ? app.t("serverFailed") : "";
}

// Other refusals come in the words of the one who was asked.
function told(app: App, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return additions.told?.(message) ?? (error instanceof Refusal ? plain(app, error) || app.t("refused") + message : app.t("cannotRead") + message);
}

export interface Alert {
  element: HTMLElement;
  show(error: unknown): void; // null: all is well
}

export function alertBox(app: App): Alert {
  const element = h("p", { class: "failure", role: "alert", hidden: true });
  return {
    element,
    show(error) {
      element.hidden = error === null;
      element.textContent = error === null ? "" : told(app, error);
    },
  };
}

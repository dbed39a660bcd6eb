// The API key, where the server needs one.
import type { App } from "./app";
import { h } from "./dom";
import { apiKey, keepApiKey } from "./server";
import { forgetModels, loadModels } from "./served_models";

export function keyField(app: App): HTMLElement | null {
  if (!app.document.server?.keys) return null;
  const take = async () => {
    keepApiKey(field.value.trim());
    forgetModels();
    await loadModels().catch(() => undefined); // the next request tells what is wrong
    app.set({});
  };
  const field = h("input", { type: "password", value: apiKey(), autocomplete: "off", "data-name": "key", onchange: () => void take() });
  return h("label", {}, h("span", {}, app.t("apiKey")), field);
}

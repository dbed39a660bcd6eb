// Text to the clipboard.
import { h } from "./dom";

export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // A page that came over plain HTTP from another machine has only the old way.
  const field = h("textarea", { readonly: true, class: "unseen" });
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

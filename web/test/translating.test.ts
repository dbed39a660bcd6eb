import assert from "node:assert/strict";
import { test } from "node:test";
import type { Output, TranslatedSentence } from "../src/server";
import { chosenText } from "../src/translating";

const sentence = (...texts: string[]): TranslatedSentence => ({ source: "", outputs: texts.map((text) => ({ text }) as Output) });

test("outputs that were chosen take the places of the best ones", () => {
  const translation = { text: "  A.  A.\n\nB!", sentences: [sentence("A."), sentence("A.", "Aa."), sentence("B!", "Bb!", "C!")] };
  assert.equal(chosenText(translation, []), translation.text);
  assert.equal(chosenText(translation, [0, 1, 2]), "  A.  Aa.\n\nC!");
  assert.equal(chosenText({ ...translation, text: "something else" }, [0, 1]), "something else");
});

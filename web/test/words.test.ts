import assert from "node:assert/strict";
import { test } from "node:test";
import { probability, wordsOf, wordWeights } from "../src/words";

const texts = (tokens: string[], text: string) => wordsOf(tokens, text).map((word) => (word.blank ? " " : "") + word.text);
const places = (tokens: string[], text: string) => wordsOf(tokens, text).map(({ first, end }) => [first, end]);

test("pieces become words, and punctuation is a word of its own", () => {
  const tokens = ["▁Ein", "▁Hund", "e", "fän", "ger", ",", "▁d", "'", "accord", "."];
  assert.deepEqual(texts(tokens, "Ein Hundefänger, d'accord."), [" Ein", " Hundefänger", ",", " d'accord", "."]);
  assert.deepEqual(places(tokens, "Ein Hundefänger, d'accord."), [[0, 1], [1, 5], [5, 6], [6, 9], [9, 10]]);
});

test("characters become words; a blank belongs to the word after it", () => {
  assert.deepEqual(texts(["1", "2", "▁", "+", "▁", "3"], "12 + 3"), [" 12", " +", " 3"]);
  assert.deepEqual(places(["1", "2", "▁", "+", "▁", "3"], "12 + 3"), [[0, 2], [2, 4], [4, 6]]);
  assert.deepEqual(texts(["1", "5"], "15"), [" 15"]);
});

test("tokens that are whole words stay words", () => {
  assert.deepEqual(texts(["a", "b", "c."], "a b c."), [" a", " b", " c."]);
});

test("scripts without blanks are cut at their tokens", () => {
  assert.deepEqual(texts(["▁我", "喜欢", "Linux", ",", "你呢", "?"], "我喜欢Linux，你呢？"), [" 我", "喜欢", "Linux", "，", "你呢", "？"]);
});

test("bytes become characters, and what was normalised or unknown is shown as it was written", () => {
  assert.deepEqual(texts(["▁", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "▁ok"], "😀 ok"), [" 😀", " ok"]);
  assert.deepEqual(texts(["▁<unk>", "▁ok"], "ﷺ ok"), [" ﷺ", " ok"]);
});

test("no tokens, no words", () => {
  assert.deepEqual(texts([], ""), []);
  assert.deepEqual(texts(["▁"], ""), []);
});

test("weights between words: sums over what is read, means over what is written", () => {
  const read = wordsOf(["▁a", "b", "▁c"], "ab c"), written = wordsOf(["▁x", "▁y", "z"], "x yz");
  const weights = wordWeights([[0.25, 0.25, 0.5], [0.5, 0.25, 0.25], [0, 0.25, 0.75], [1, 0, 0]], written, read);
  assert.deepEqual(weights, [[0.5, 0.5], [0.5, 0.5]]);
  assert.equal(probability(written[1]!, [0, Math.log(0.5), Math.log(0.5), 0]), 0.25);
});

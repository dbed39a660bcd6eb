// Tokens as the words that people read, and attention between words.

export interface Word {
  text: string;
  blank: boolean; // white space comes before it
  first: number; // its tokens
  end: number;
}

const BLANK = "▁";
const BYTE = /^<0x([0-9A-F]{2})>$/;
// Words of these scripts are not separated by blanks; src/text/scripts.h has the same for the terminal.
const UNSPACED_SCRIPTS =
  "Han Hiragana Katakana Bopomofo Thai Lao Khmer Myanmar Yi Tai_Le New_Tai_Lue Tai_Tham Tai_Viet Ahom Tangut Nushu";
const UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS.replace(/\w+/g, "\\p{Script=$&}").replaceAll(" ", "")}]`, "u");
const PUNCTUATION = /^(?!['’‐-]+$)[\p{P}\p{S}]+$/u; // but for what stands inside of words

// Bytes of a character that has no token of its own belong together.
function units(tokens: string[]): Word[] {
  const all: Word[] = [];
  for (let i = 0; i < tokens.length; ) {
    const first = i;
    const bytes: number[] = [];
    for (let byte; (byte = BYTE.exec(tokens[i] ?? "")); ++i) bytes.push(parseInt(byte[1]!, 16));
    const text = bytes.length > 0 ? new TextDecoder().decode(Uint8Array.from(bytes)) : tokens[i++]!;
    all.push({ text: text.replaceAll(BLANK, ""), blank: text.startsWith(BLANK), first, end: i });
  }
  return all;
}

function joined(parts: Word[]): Word {
  const first = parts[0]!;
  return { ...first, text: parts.map((part) => part.text).join(""), end: parts[parts.length - 1]!.end };
}

// Cut before every part that begins something.
function grouped(parts: Word[], begins: (part: Word, before: Word) => boolean): Word[][] {
  const groups: Word[][] = [];
  parts.forEach((part, i) => {
    if (i === 0 || begins(part, parts[i - 1]!)) groups.push([part]);
    else groups[groups.length - 1]!.push(part);
  });
  return groups;
}

const standsAlone = ({ text }: Word): boolean => UNSPACED.test(text) || PUNCTUATION.test(text);

// What stands between two blanks, in words: punctuation is a word of its own.
function split(parts: Word[], written: string | undefined): Word[] {
  const letters = [...(written ?? joined(parts).text)];
  // A vocabulary may write characters in another way ("，" as ","); then the text has the right ones.
  if (letters.length !== [...joined(parts).text].length) return [{ ...joined(parts), text: letters.join("") }];
  let at = 0;
  const exact = parts.map((part) => ({ ...part, text: letters.slice(at, (at += [...part.text].length)).join("") }));
  const filled = grouped(exact, (part, before) => before.text !== "" && part.text !== "" && (standsAlone(part) || standsAlone(before)));
  return filled.map(joined);
}

// The words of a text that was cut into these tokens, in the text's own letters as far as they can be matched.
export function wordsOf(tokens: string[], text: string): Word[] {
  const written = text.split(/\s+/).filter((chunk) => chunk !== "");
  const all = units(tokens);
  const spaced = all.some((unit) => unit.blank) || written.length < 2;
  const chunks = spaced ? grouped(all, (unit) => unit.blank) : all.map((unit) => [{ ...unit, blank: true }]);
  const matched = chunks.length === written.length;
  return chunks
    .flatMap((chunk, i) => split(chunk, matched ? written[i] : undefined).map((word, j) => ({ ...word, blank: j === 0 })))
    .filter((word) => word.text !== "");
}

// A row for each word that was written: the mean of its tokens' weights, summed over the tokens of each source word.
export function wordWeights(alignment: number[][], written: Word[], read: Word[]): number[][] {
  return written.map(({ first, end }) => {
    const rows = alignment.slice(first, end);
    return read.map((word) => {
      const sum = rows.reduce((total, row) => total + row.slice(word.first, word.end).reduce((a, b) => a + b, 0), 0);
      return rows.length > 0 ? sum / rows.length : 0;
    });
  });
}

export function probability({ first, end }: Word, scores: number[]): number {
  return Math.exp(scores.slice(first, end).reduce((a, b) => a + b, 0));
}

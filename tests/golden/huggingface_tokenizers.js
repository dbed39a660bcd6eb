// Small tokenizers as Hugging Face's folders have them, and the ids that the npm package `tokenizers` (their own
// implementation) gives to varied lines.
//
// usage: NODE_PATH=node_modules node huggingface_tokenizers.js huggingface
'use strict';
const fs = require('fs');
const path = require('path');
const {Tokenizer} = require('tokenizers');

const TEXT = 'the cat and the other cats are in the house; they\'re there, there isn\'t another one. ' +
             'Die Straße und die größere Stadt: über 1234 Häuser. Ελλάδα, Россия, 日本語 中文 文字. ' +
             'function main() {\n    return 12 + 3;\n}\n\n    // naïve café, 10 000 €\n';
const LINES = [
  '', ' ', '  ', '\n', '\t', 'a', ' a', 'a ', 'Hello world', ' Hello World!!', 'the cat, the other cats & they\'re there',
  'I\'m you\'re he\'s we\'ll don\'t I\'ve I\'d', 'I\'M YOU\'RE HE\'S WE\'LL DON\'T I\'VE I\'D', '\'ſ it\'ſ \'tis \'\'s',
  'x  y   z', 'tabs\t\tand\tspaces  \t end', 'line\nbreak\n\nand\n\n\nmore \n \n', '\r\n\r\n x\r\n', 'a\u00a0b\u2003c\u3000d\u0085e',
  '0 12 123 1234 12345 3.14159 ½ ² Ⅷ ٣٤٥ 一二三', 'über größere Straße ÄÖÜ ß ẞ', 'naïve café — “quoted” … ‘so’',
  'e\u0301 o\u0308 n\u0303 \u0301x', 'İstanbul ıI ǅ ﬁ ﬀ', 'Ελλάδα ΟΔΥΣΣΕΥΣ σς', 'Россия, Москва — 2024 год', 'שלום עולם 123', 'العربية ١٢٣',
  '日本語と中文、한국어 漢字かな交じり文。', '한국어 텍스트', 'हिन्दी में पाठ', 'ไทยไม่มีช่องว่าง', '😀😃👩‍👩‍👧‍👦🏳️‍🌈 emoji 👍🏽', '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 𠀀 𪜀 𫠝',
  'zero\u200bwidth\u200d\ufeff\u00adsoft', 'control\u0000\u0001\u001f\u007f\u009f end', 'replacement \ufffd char',
  '<|endoftext|>', 'text<|endoftext|>more', '[MASK]', 'the [MASK] cat', '[CLS] the cat [SEP]', '[mask] [ MASK ]', '<|eot_id|>x<|begin_of_text|>',
  '#$%&*+-/<=>@^_`|~ ()[]{}', '!!!???...,,,', 'a_b-c.d/e\\f', 'https://example.org/a?b=c&d=e#f', 'user@mail.example', 'CamelCaseWord snake_case',
  'return 12 + 3;', '    indented\n\tcode {\n}', '   leading', 'trailing   ', 'w'.repeat(101), 'a'.repeat(60) + ' ' + 'ab'.repeat(30),
  '\u2581under \u2581', 'Ġ Ċ Ā bytes', '’s it’s', '１２３ ＡＢＣ', 'ñandú ÑANDÚ', 'a\u0323\u0302', 'Ǆ ĳ ŉ', '\u1e9b\u0323', '\ud7a3\u1100\u1161',
];

function byteAlphabet() {
  const letters = [];
  let next = 256;
  for (let b = 0; b < 256; b++) letters.push(String.fromCodePoint((b >= 33 && b <= 126) || (b >= 161 && b !== 173) ? b : next++));
  return letters;
}

// The most frequent pair of neighbours becomes a token, `count` times.
function merges(words, count) {
  const alphabet = byteAlphabet();
  let split = words.map(word => [...Buffer.from(word)].map(b => alphabet[b]));
  const all = [];
  while (all.length < count) {
    const pairs = new Map();
    for (const word of split)
      for (let i = 0; i + 1 < word.length; i++) {
        const pair = word[i] + ' ' + word[i + 1];
        pairs.set(pair, (pairs.get(pair) || 0) + 1);
      }
    const best = [...pairs].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0][0];
    all.push(best);
    const [left, right] = best.split(' ');
    split = split.map(word => {
      const joined = [];
      for (const part of word)
        if (joined.length && joined[joined.length - 1] === left && part === right) joined[joined.length - 1] = left + right;
        else joined.push(part);
      return joined;
    });
  }
  return all;
}

const added = (content, id) =>
    ({id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true});

function byteBpe(specials, splitter, normalizer, whole) {
  const pairs = merges(TEXT.split(/(?= )/), 40);
  const tokens = [...specials, ...byteAlphabet(), ...pairs.map(pair => pair.replace(' ', ''))];
  if (whole) tokens.push('Ġcats');  // no merges lead there
  return {
    version: '1.0', truncation: null, padding: null, added_tokens: specials.map(added), normalizer, pre_tokenizer: splitter,
    post_processor: null, decoder: {type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true},
    model: {type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null,
            fuse_unk: false, byte_fallback: false, ignore_merges: whole,
            vocab: Object.fromEntries(tokens.map((token, id) => [token, id])), merges: pairs}
  };
}

const byteLevel = use_regex => ({type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex});
const MODERN = '(?i:\'s|\'t|\'re|\'ve|\'m|\'ll|\'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|NUMBERS| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|' +
               '\\s+(?!\\S)|\\s+';
const modern = numbers => ({
  type: 'Sequence',
  pretokenizers: [{type: 'Split', pattern: {Regex: MODERN.replace('NUMBERS', numbers)}, behavior: 'Isolated', invert: false},
                  byteLevel(false)]
});

function wordpiece(lowercase) {
  const specials = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
  const letters = [...new Set(LINES.concat(TEXT).join('').normalize('NFD'))].filter(c => /[\p{L}\p{N}\p{P}\p{S}]/u.test(c));
  const small = letters.filter(c => c < '\u0370' && c !== '#');
  const tokens = [...new Set([...specials, ...small, ...[...'日本語中文字漢Ελλάδσςα'], ...small.map(c => '##' + c), '##ς', '##σ', 'the', 'cat',
                              'there', 'other', '##s', '##re', 'they', '##ey', 'an', '##other', 'Hello', 'hello', 'Straße', 'strasse'])];
  return {
    version: '1.0', truncation: null, padding: null, added_tokens: specials.map(added),
    normalizer: {type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase},
    pre_tokenizer: {type: 'BertPreTokenizer'}, post_processor: null, decoder: {type: 'WordPiece', prefix: '##', cleanup: true},
    model: {type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100,
            vocab: Object.fromEntries(tokens.map((token, id) => [token, id]))}
  };
}

async function main() {
  const folder = process.argv[2];
  const gpt2 = byteBpe(['<|endoftext|>'], byteLevel(true), null, false);
  const llama3 = byteBpe(['<|begin_of_text|>', '<|end_of_text|>', '<|eot_id|>'], modern('\\p{N}{1,3}'), null, true);
  const bert = wordpiece(true);
  // Variants are made by the test from these three.
  const qwen = {...llama3, normalizer: {type: 'NFC'}, pre_tokenizer: modern('\\p{N}')};
  const digits = {...gpt2, pre_tokenizer: {type: 'Sequence', pretokenizers: [{type: 'Digits', individual_digits: true}, byteLevel(true)]}};
  const cased = {...bert, normalizer: {...bert.normalizer, lowercase: false}};
  const accents = {...bert, normalizer: {...bert.normalizer, strip_accents: false}};
  const ids = {};
  for (const [name, tokenizer] of Object.entries({gpt2, llama3, qwen, digits, bert, cased, accents})) {
    const made = Tokenizer.fromString(JSON.stringify(tokenizer));
    ids[name] = [];
    for (const line of LINES) ids[name].push([...(await made.encode(line, null, {addSpecialTokens: false})).getIds()]);
  }
  for (const [name, tokenizer] of Object.entries({gpt2, llama3, bert}))
    fs.writeFileSync(path.join(folder, name + '.json'), JSON.stringify(tokenizer) + '\n');
  const lines = Object.entries(ids).map(([name, all]) => JSON.stringify(name) + ': ' + JSON.stringify(all));
  fs.writeFileSync(path.join(folder, 'ids.json'), '{\n"lines": ' + JSON.stringify(LINES) + ',\n' + lines.join(',\n') + '\n}\n');
}

main();

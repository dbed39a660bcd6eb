"""Golden values of src/metrics/golden_test.cpp, from sacreBLEU 2.6.0 (commit f615c72) with numpy 1.24.

usage: PYTHONPATH=SACREBLEU python3 metrics.py > metrics.json
"""
import itertools
import json
import logging
import sys

import numpy  # noqa: E402
from sacrebleu.metrics import BLEU, CHRF, TER  # noqa: E402
from sacrebleu.metrics.bleu import _get_tokenizer  # noqa: E402
from sacrebleu.significance import PairedTest  # noqa: E402
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer  # noqa: E402

logging.disable(logging.CRITICAL)

LINES = [
    "", " ", "Plain words only", "It costs $1,000.50, not 5%.", "In 1990-2000, 3.5-inch disks (5 each) sold.",
    "A number ends it: 5.", "5. starts it", ".5 and ,5 and 5,", "1.2.3 1,,2 1.,2 a..b ...", "well-known -5 5- 5-5 --",
    "He said: \"Don't!\" - it's Ann's.", "&quot;AT&amp;T&quot; &lt;b&gt; &amp;lt; &apos; &", "a<skipped>b <skipped> c",
    "[x] {y} (z) a/b a\\b a_b a^b a`b a~b a|b a@b.org #1 x=y", "“Curly” ‘quotes’ – dash — long… «fr» ‹a›",
    "€5 £3 ¥7 5° ½ ² № ™ © ≤ → ①", "我有3.5个苹果，你呢？“好”。", "中文and English混排5.", "５，０００．５０元！", "𠀀 is Extension B",
    "日本語のテスト。カタカナ・ひらがな", "한국어 문장입니다.", "tab\tand\u00a0hard\u3000wide\u2028line\u2003em",
    "  leading and trailing  \u00a0", "İSTANBUL ΟΔΟΣ ΑΣ. STRASSE ẞ Ǆ É", "e\u0301 zero\u200bwidth 🙂👍🏽", "IT'S. It's, it's", "x'.s y's",
    "٣,٥ ३.५", "「鉤」『二』【三】（四）：；！", "㍿㊗㌀豈⿰ㄅ☀✓ﾊ",
]

REFERENCES = [[
    "The cat sat on the mat.", "A small dog runs after the red ball in the garden.", "It costs $1,000.50 today.",
    "She said: \"I don't know what to do.\"", "他昨天去了北京。", "In 2019-2020, sales rose by 5.3%.", "Yes.", "",
    "We looked at the old house by the river for a long time before we went home again.", "One two three four five",
    "Nothing is the same", "the end",
], [
    "The cat was sitting on the mat.", "A little dog chases the red ball through the garden.", "Today it costs $1,000.50.",
    "\"I do not know what to do,\" she said.", "他昨天到北京去了。", "Sales rose 5.3% in 2019-2020.", "Yes, indeed.", "",
    "For a long time we looked at the old house by the river, then we went home again.", "1 2 3 4 5", "All is different", "",
]]
SYSTEMS = {
    "a": ["The cat sat on the mat.", "A small dog is running after a red ball in the garden .", "It costs $1,000 today.",
          "She said: \"I don't know.\"", "他昨天去北京了。", "Sales rose by 5.3% in 2019-2020.", "Yes", "An extra sentence",
          "Before we went home again we looked for a long time at the old house by the river.", "five four three two one",
          "", "THE END"],
    "b": ["A cat is on a mat.", "A small dog runs in the garden after the red ball.", "It cost 1,000.50 $ today",
          "\"What to do?\" she said.", "昨天他去了北京", "In 2019, sales rose 5%", "No.", "",
          "We looked at the house for a long time before we went.", "One two three four five", "Nothing is the same", "end"],
}


def metrics():
    for tokenize, lowercase in itertools.product(["none", "13a", "intl", "zh", "char"], [False, True]):
        yield "bleu", {"tokenize": tokenize, "lowercase": lowercase}
    for method, value in [("exp", None), ("floor", None), ("floor", 0.01), ("add-k", None), ("add-k", 0.5), ("none", None)]:
        for effective in (False, True):
            yield "bleu", {"smooth_method": method, "smooth_value": value, "effective_order": effective}
    for char_order, word_order, beta in [(6, 0, 2), (6, 2, 2), (4, 1, 3), (8, 3, 1)]:
        for lowercase, whitespace, eps in [(False, False, False), (True, True, False), (False, False, True)]:
            yield "chrf", {"char_order": char_order, "word_order": word_order, "beta": beta, "lowercase": lowercase,
                           "whitespace": whitespace, "eps_smoothing": eps}
    for flags in itertools.product([False, True], repeat=4):
        yield "ter", dict(zip(["normalized", "no_punct", "asian_support", "case_sensitive"], flags))


def without_version(signature):
    return str(signature).removesuffix("|version:2.6.0")


def score(kind, options, system, count):
    metric = {"bleu": BLEU, "chrf": CHRF, "ter": TER}[kind](**options)
    hypotheses, references = SYSTEMS[system], REFERENCES[:count]
    whole = metric.corpus_score(hypotheses, references)
    lines = [metric.sentence_score(hypothesis, list(refs)) for hypothesis, *refs in zip(hypotheses, *references)]
    return {"metric": kind, "options": options, "system": system, "references": count, "name": whole.name,
            "signature": without_version(metric.get_signature()), "score": whole.score,
            "verbose": whole._verbose, "sentences": [line.score for line in lines]}


def significance(kind, count):
    metric = {"bleu": BLEU, "chrf": CHRF, "ter": TER}[kind](references=REFERENCES[:count])
    entry = {"metric": kind, "references": count}
    for test, samples in (("bs", 1000), ("ar", 2000)):
        signatures, scores = PairedTest(list(SYSTEMS.items()), {kind: metric}, None, test_type=test, n_samples=samples)()
        name = next(key for key in scores if key != "System")
        entry[test] = {"samples": samples, "p_value": scores[name][1].p_value,
                       "signature": without_version(signatures[name])}
        if test == "bs":
            entry["intervals"] = [[result.mean, result.ci] for result in scores[name]]
    return entry


def random(seed):
    draw = lambda n: numpy.random.default_rng(seed).choice(n, size=20).tolist()
    coins = numpy.random.default_rng(seed).integers(2, size=100, dtype=bool).tolist()
    return {"seed": seed, "below": {str(n): draw(n) for n in (1, 2, 3, 12, 3000, 3000000000)},
            "coins": "".join("01"[coin] for coin in coins)}


tokenizers = {name: _get_tokenizer(name)() for name in ("none", "13a", "intl", "zh", "char")}
for flags in itertools.product([False, True], repeat=4):
    tokenizers["ter " + "".join("01"[flag] for flag in flags)] = TercomTokenizer(*flags)
json.dump({
    "lines": LINES, "lower": [line.lower() for line in LINES],
    "tokens": {name: [" ".join(tokenize(line.rstrip()).split()) for line in LINES] for name, tokenize in tokenizers.items()},
    "systems": SYSTEMS, "references": REFERENCES,
    "scores": [score(kind, options, system, count) for kind, options in metrics() for system in SYSTEMS for count in (1, 2)],
    "significance": [significance(kind, count) for kind in ("bleu", "chrf", "ter") for count in (1, 2)],
    "random": [random(seed) for seed in (12345, 0, 1, 2**40 + 7)],
}, sys.stdout, ensure_ascii=False, separators=(",", ":"), default=float)
print()

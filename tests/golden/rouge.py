"""Golden values of src/metrics/rouge_golden_test.cpp: stems by NLTK 3.8 (Debian's python3-nltk), which rouge-score uses,
and scores written here from the definitions of Lin (2004) by slow means: subsequences are found by trying all of them.

usage: python3 rouge.py > rouge.json
"""
import collections
import itertools
import json
import random
import re

from nltk.stem.porter import PorterStemmer

STEMMER = PorterStemmer()
# Porter's own examples, rule by rule, NLTK's exceptions, and words that meet rules in odd ways.
WORDS = """caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned
falling hissing fizzed failing filing happy sky relational conditional rational valenci hesitanci digitizer conformabli radicalli
differentli vileli analogousli vietnamization predication operator feudalism decisiveness hopefulness callousness formaliti
sensitiviti sensibiliti triplicate formative formalize electriciti electrical hopeful goodness revival allowance inference
airliner gyroscopic adjustable defensible irritant replacement adjustment dependent adoption homologou communism activate
angulariti homologous effective bowdlerize probate rate cease controll roll skies dying lying tying news innings inning outings
outing cannings canning howe proceed exceed succeed dies died tied cried flies spied say enjoy by cry shyly apology geology
hopefully generally finally generalizations oscillators possibly abilities national nationally operational institutionalization
happiness running runner runs agreement element cement statement feeling being seeing owed awe use used using owing axing boxes
yes yelling year played player syzygy rhythm 1990s 2nd 4x4 b2b ion lion nation million religion decision dogs houses classes
business businesses argue argued argues arguing argument trouble troubling hoping hoped tees bees fees agrees eed ied ies ing sss
ally logi ous able analyses analysis wolves knives children universities university theoretically musically wholly fully skillfully
ate late create created creator additive sensitive oed aed bing ating izing bling ably""".split()

TEXTS = ["The quick brown fox jumps over the lazy dog.", "A fast brown fox jumped over lazy dogs!\nThe dog was sleeping.",
         "Dogs are lazy.\nFoxes, however, are quick and jump.", "Running runners ran; the runs were running on.", "",
         "The committee agreed on relational databases.\nThey argued about operators.\nIt ended.",
         "Arguments about an operator ended.\n\nThe committees agree on a relational database.", "the the the the", "the",
         "police killed the gunman", "the gunman kills police", "1990s music\nIn 1990, the 4x4 was new."]


def tokens(text, stem):
    words = re.findall("[a-z0-9]+", text.lower())
    return [STEMMER.stem(word) if stem and len(word) > 3 else word for word in words]


def f1(common, hypothesis, reference):
    precision, recall = common / max(hypothesis, 1), common / max(reference, 1)
    return 2 * precision * recall / (precision + recall) if common else 0.0


def ngram_score(hypothesis, reference, n):
    hyp, ref = (collections.Counter(tuple(words[i:i + n]) for i in range(len(words) - n + 1)) for words in (hypothesis, reference))
    return f1(sum((hyp & ref).values()), sum(hyp.values()), sum(ref.values()))


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(word in rest for word in part)


# The places in the reference of all longest common subsequences.
def longest(reference, hypothesis):
    for length in range(min(len(reference), len(hypothesis)), 0, -1):
        found = [places for places in itertools.combinations(range(len(reference)), length)
                 if is_subsequence([reference[i] for i in places], hypothesis)]
        if found:
            return found
    return [()]


def summary_score(hypothesis, reference):
    left = collections.Counter(itertools.chain(*hypothesis))
    common = 0
    for sentence in reference:
        places = set()
        for other in hypothesis:
            found = longest(sentence, other)
            if len(found) > 1:
                return None  # the definition does not say which
            places |= set(found[0])
        for i in sorted(places):
            if left[sentence[i]] > 0:
                left[sentence[i]] -= 1
                common += 1
    return f1(common, sum(map(len, hypothesis)), sum(map(len, reference)))


def main():
    rng = random.Random(7)
    shuffled = ["\n".join(" ".join(rng.sample("walks walking ponies pony relational agree agreed a of".split(), rng.randint(1, 5)))
                          for _ in range(rng.randint(1, 3))) for _ in range(12)]
    pairs = list(itertools.combinations(TEXTS, 2)) + list(itertools.combinations(shuffled, 2))
    scores = []
    for (hypothesis, reference), stem in itertools.product(pairs, [False, True]):
        hyp, ref = tokens(hypothesis, stem), tokens(reference, stem)
        sentences = [[tokens(sentence, stem) for sentence in text.split("\n")] for text in (hypothesis, reference)]
        wanted = {"rouge1": ngram_score(hyp, ref, 1), "rouge2": ngram_score(hyp, ref, 2),
                  "rougeL": f1(len(longest(ref, hyp)[0]), len(hyp), len(ref)), "rougeLsum": summary_score(*sentences)}
        scores.append({"hypothesis": hypothesis, "reference": reference, "stem": stem, "scores": wanted})
    lines = ",\n".join(map(json.dumps, scores))
    print(f'{{"stems": {json.dumps({word: STEMMER.stem(word) for word in WORDS})},\n"scores": [\n{lines}\n]}}')


main()

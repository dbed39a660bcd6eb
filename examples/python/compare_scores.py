"""Which words is a model unsure of? Its output, word by word, beside what it thinks of the reference.

    python3 compare_scores.py MODEL_FOLDER SOURCE REFERENCE
"""
import math
import sys

import attune


def shown(title: str, tokens: "list[str]", scores: "list[float]") -> None:
    words = "  ".join(f"{token} {math.exp(score):.2f}" for token, score in zip([*tokens, "</s>"], scores))
    print(f"{title:<10} {sum(scores):8.3f}   {words}")


def main() -> None:
    model = attune.Model(sys.argv[1])
    source, reference = sys.argv[2:4]
    for output in model.outputs([source], n_best=3, beam_size=4)[0]:
        shown("output", output.tokens, output.word_scores)
    score = model.score([source], [reference])[0]
    shown("reference", score.tokens[:-1], score.word_scores)
    for metric in attune.evaluate([model.translate(source)], [reference], metrics=["chrf", "ter"]):
        print(metric)


main()

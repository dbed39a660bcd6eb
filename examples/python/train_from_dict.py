"""Trains a model from a dict: numbers in words, English to German.

    cd examples/translation && python3 make_data.py    # writes data/
    python3 ../python/train_from_dict.py
"""
import sys

import attune

SETTINGS = {
    "type": "rnn", "attention": "additive", "embedding": 64, "hidden": 96,
    "train_sets": ["data/train.en", "data/train.de"], "valid_sets": ["data/valid.en", "data/valid.de"],
    "vocab_kind": "bpe", "vocab_size": 400, "learning_rate": 0.003, "lr_warmup": "100u", "mini_batch_words": 1000,
    "valid_metrics": ["bleu"], "valid_tokenize": "char", "valid_freq": "5e",
}


def on_progress(progress: attune.Progress) -> None:
    print(f"\r{progress.share:4.0%}  loss {progress.loss:.3f}", end="", file=sys.stderr, flush=True)


def on_validation(validation: attune.Validation) -> None:
    source, reference, output = validation.samples[0]
    print(f"\rafter {validation.progress.updates} updates BLEU is {validation.scores['bleu']:.1f}: {source} -> {output}")


def main() -> None:
    after = sys.argv[1] if len(sys.argv) > 1 else "20e"
    run = attune.train(SETTINGS, model="run", after=after, on_progress=on_progress, on_validation=on_validation)
    print(f"the best model is in {run.path}")
    print(run.model().translate("seven hundred and ninety-nine thousand and one"))


main()

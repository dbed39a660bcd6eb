"""Draws the attention of every head of one layer with matplotlib.

    python3 plot_attention.py MODEL_FOLDER SENTENCE attention.png
"""
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

import attune  # noqa: E402


def main() -> None:
    seen = attune.Model(sys.argv[1]).attend(sys.argv[2])
    weights = seen.layer("cross", -1)
    figure, axes = pyplot.subplots(1, len(weights), figsize=(5 * len(weights), 5), squeeze=False, layout="constrained")
    for head, (axis, matrix) in enumerate(zip(axes[0], weights)):
        axis.imshow(matrix, cmap="Blues", vmin=0, vmax=1)
        axis.set_xticks(range(len(seen.source_tokens)), seen.source_tokens, rotation=90)
        axis.set_yticks(range(len(seen.output_tokens)), seen.output_tokens)
        axis.set_title(f"head {head}")
    figure.savefig(sys.argv[3], dpi=120)


main()

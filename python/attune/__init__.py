"""attune: sequence-to-sequence models with attention, on CPUs.

    import attune

    model = attune.Model("runs/en-de")
    print(model.translate("Good morning."))
    model.attend("A dog runs.").show()

Names of keyword arguments are those of the options of the command line, with `_` for `-`: what
`attune translate --beam-size 4` does, `model.translate(text, beam_size=4)` does. Mistakes raise
`attune.UsageError` with the same sentences.
"""
from attune import ops
from attune._attune import (Answer, Candidate, Error, Label, Labels, MetricScore, Output, Score, UsageError, set_threads,
                            threads)
from attune._attune import version as __version__
from attune.attention import Attention, AttentionLayer
from attune.evaluation import evaluate, metric_names
from attune.formats import convert, quantize
from attune.model import Embedded, Model
from attune.tensor import Adam, Tensor, backward, leaf, tensor
from attune.training import Progress, Run, Validation, compare, train
from attune.vocabulary import Vocabulary

__all__ = [
    "Adam", "Answer", "Attention", "AttentionLayer", "Candidate", "Embedded", "Error", "Label", "Labels", "MetricScore", "Model", "Output",
    "Progress", "Run", "Score", "Tensor", "UsageError", "Validation", "Vocabulary", "__version__", "backward", "compare",
    "convert", "evaluate", "leaf", "metric_names", "ops", "quantize", "set_threads", "tensor", "threads", "train",
]

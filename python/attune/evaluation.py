"""Scores of texts against references."""
from __future__ import annotations

from typing import Any, List, Sequence, Union

from attune import _attune
from attune._attune import MetricScore, UsageError


def evaluate(hypotheses: Sequence[str], references: Union[Sequence[str], Sequence[Sequence[str]]], *,
             metrics: Union[str, Sequence[str]] = ("bleu",), **options: Any) -> List[MetricScore]:
    """The scores of `attune evaluate`, with sacreBLEU's numbers and signatures.

    references: one for each hypothesis, or a list of such lists. options: those of the command line, such as
    tokenize="zh", lowercase=True, chrf_word_order=2, ter_case_sensitive=True.
    """
    if isinstance(hypotheses, str) or isinstance(references, str):
        raise TypeError("evaluate takes lists of texts, not one text")
    one = not references or isinstance(references[0], str)
    sets: List[Any] = [list(references)] if one else [list(each) for each in references]
    wanted = _attune.EvaluationOptions()
    wanted.metrics = [metrics] if isinstance(metrics, str) else list(metrics)
    for name, value in options.items():
        if name.startswith("_") or not hasattr(wanted, name):
            raise UsageError(f"evaluate: there is no option '{name}'")
        setattr(wanted, name, value)
    return _attune.evaluate(list(hypotheses), sets, wanted)


def metric_names() -> List[str]:
    """What `metrics` takes."""
    return _attune.metric_names()

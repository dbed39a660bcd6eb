"""Training and comparing models."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from attune import _attune
from attune._paths import Path
from attune.model import Model


class Progress(NamedTuple):
    """How far a run is."""

    updates: int
    epochs: int
    """Complete ones."""
    tokens: int
    """Target tokens learned from."""
    seconds: float
    share: float
    """Of the run that is done; negative if it has no end."""
    loss: float
    """For each token, over the last updates."""
    learning_rate: float


class Validation(NamedTuple):
    """What a validation found."""

    progress: Progress
    scores: Dict[str, float]
    samples: List[Tuple[str, str, str]]
    """(source, reference, output)"""


class Run(NamedTuple):
    """A finished run."""

    path: str
    """Of its best model; `attune.Model(run.path)` opens it."""
    progress: Progress
    scores: Dict[str, float]
    """Of the last validation."""

    def model(self) -> Model:
        """The best model of the run, ready for use."""
        return Model(self.path)


def train(config: Union[Path, Mapping[str, Any], None] = None, *, overwrite: bool = False,
          on_progress: Optional[Callable[[Progress], Any]] = None,
          on_validation: Optional[Callable[[Validation], Any]] = None, **settings: Any) -> Run:
    """Trains, or resumes training, as `attune train` does.

    config: a YAML file, or a dict of its keys; settings are keys too and override it. `model` names the folder of the
    run. on_progress is called a few times a second, on_validation after each validation; with one of them the log
    goes only to the folder. Ctrl-C, or an exception in a callback, ends the run with everything saved; the same call
    continues it.
    """
    file, keys = "", dict(settings)
    if isinstance(config, (str, os.PathLike)):
        file = os.fspath(config)
    elif config is not None:
        keys = {**config, **settings}

    def progressed(values: Dict[str, Any]) -> None:
        assert on_progress is not None
        on_progress(Progress(**values))

    def validated(values: Dict[str, Any], scores: Dict[str, float], samples: List[Tuple[str, str, str]]) -> None:
        assert on_validation is not None
        on_validation(Validation(Progress(**values), scores, samples))

    path, progress, scores = _attune.train(keys, file, overwrite, progressed if on_progress else None,
                                           validated if on_validation else None)
    return Run(path, Progress(**progress), scores)


def compare(recipe: Path, *, retrain: bool = False) -> Tuple[str, str]:
    """Runs a recipe as `attune compare` does. Returns the folder with the report, and its tables as Markdown.

    It runs in a Python of its own, since it starts processes for each model.
    """
    code = "import json, sys; from attune import _attune; print(json.dumps(_attune.compare(sys.argv[1], sys.argv[2] == 'True')))"
    paths = os.pathsep.join([os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-c", code, os.fspath(recipe), str(retrain)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", env={**os.environ, "PYTHONPATH": paths}, check=False)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
        kind, _, text = last.partition(": ")
        raise (_attune.UsageError if kind.endswith("UsageError") else _attune.Error)(text or last)
    folder, tables = json.loads(done.stdout)
    return folder, tables

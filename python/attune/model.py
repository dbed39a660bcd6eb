"""Model: a model folder ready for use."""
from __future__ import annotations

import os
import queue
import threading
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union, overload

import numpy

from attune import _attune
from attune._attune import Answer, Candidate, Labels, Output, Score
from attune._paths import Path
from attune.attention import Attention

Row = Union[str, Sequence[str]]


class Embedded(NamedTuple):
    """The contextual vectors of a text."""

    tokens: List[str]
    vectors: numpy.ndarray
    """[tokens, size], f32"""

    def __repr__(self) -> str:
        count, size = self.vectors.shape
        return f"<Embedded {' '.join(self.tokens)!r}, {count} vectors of {size}>"


class Model:
    """The folder of a model, or of a training run (its best model); several folders are an ensemble.

    Any number of threads may use one object at the same time. What a model gives for a text does not depend on the
    other texts of a call.
    """

    def __init__(self, folder: Union[Path, Sequence[Path]], *, weights: Sequence[float] = (),
                 target_language: Optional[str] = None) -> None:
        """weights: of the models of an ensemble; equal if none are given.
        target_language: for a multilingual model, the language that it writes.
        """
        folders = [folder] if isinstance(folder, (str, os.PathLike)) else list(folder)
        self._model = _attune.Model([os.fspath(each) for each in folders], list(weights))
        if target_language is not None:
            self._model = self._model.towards(target_language)

    @property
    def path(self) -> str:
        """Of the model itself, even if a run was named."""
        return self._model.path

    @property
    def type(self) -> str:
        """The kind of model: "transformer", "rnn", "gpt", "bert", ..."""
        return self._model.type

    @property
    def target_languages(self) -> List[str]:
        """Those that a multilingual model can write; empty if it has no choice."""
        return self._model.target_languages

    def __repr__(self) -> str:
        return f"attune.Model({self.path!r})"

    @overload  # a str is a sequence of texts too; it is taken as one text
    def translate(self, source: str, *, n_best: None = None, **options: Any) -> str: ...  # type: ignore[misc]

    @overload
    def translate(self, source: Sequence[str], *, n_best: None = None, **options: Any) -> List[str]: ...

    @overload
    def translate(self, source: str, *, n_best: int, **options: Any) -> List[Output]: ...  # type: ignore[misc]

    @overload
    def translate(self, source: Sequence[str], *, n_best: int, **options: Any) -> List[List[Output]]: ...

    def translate(self, source, *, n_best=None, **options):
        """The translation of a sentence, or of each sentence of a list.

        With n_best, the best outputs of each with all details (see `outputs`). options: those of `attune translate`'s
        search, such as beam_size=4, normalize=0.6, max_length=100, no_repeat_ngram=3, sampling=True, temperature=0.8.
        """
        if n_best is not None:
            found = self.outputs([source] if isinstance(source, str) else source, n_best=n_best, **options)
            return found[0] if isinstance(source, str) else found
        if isinstance(source, str):
            return self._model.translate([source], options)[0]
        return self._model.translate(list(source), options)

    def outputs(self, sources: Sequence[str], *, n_best: int = 1, alignment: bool = False,
                **options: Any) -> List[List[Output]]:
        """For each sentence its outputs, best first, with text, score, tokens, word_scores, and alignment if wanted."""
        return self._model.outputs(_texts(sources), {**options, "n_best": n_best, "alignment": alignment})

    def stream(self, source: str) -> Iterator[str]:
        """The translation by greedy search, in parts, while it is written."""
        return _parts(lambda show: self._model.stream(source, show))

    def source_tokens(self, source: str) -> List[str]:
        """The tokens that the model reads for a sentence; the columns of an output's alignment."""
        return self._model.source_tokens(source)

    def generate(self, prompt: str, *, n_best: int = 1, stops: Sequence[str] = (), beam_size: int = 1,
                 **options: Any) -> Union[Output, List[Output]]:
        """A text of a language model that continues the prompt, or answers it if the model was trained on pairs.

        Greedy search, unless temperature, top_k, top_p or sampling=True ask for a draw, or beam_size for a beam.
        stops: the text ends before any of these. With n_best > 1 a list, best first.
        """
        options["beam_size"] = beam_size
        if n_best > 1:
            return self._model.generate(prompt, list(stops), {**options, "n_best": n_best})
        if beam_size > 1:
            return self._model.generate(prompt, list(stops), options)[0]
        return self._model.generate_stream(prompt, list(stops), options, lambda text: True)

    def generate_stream(self, prompt: str, *, stops: Sequence[str] = (), **options: Any) -> Iterator[str]:
        """The same in parts, while it is written; without the prompt."""
        return _parts(lambda show: self._model.generate_stream(prompt, list(stops), {"beam_size": 1, **options}, show))

    def score(self, sources: Sequence[Row], targets: Optional[Sequence[str]] = None) -> List[Score]:
        """The log probabilities of given texts.

        A source and a target each for models that translate; for language models and others the rows of a line of
        training data, and no targets.
        """
        rows = [_row(source) for source in _texts(sources)]
        if targets is not None:
            expected = _texts(targets)
            if len(expected) != len(rows):
                raise _attune.UsageError(f"score: there are {len(rows)} sources, but {len(expected)} targets")
            rows = [row + [target] for row, target in zip(rows, expected)]
        return self._model.score(rows)

    @overload
    def classify(self, texts: str, *, top: int = 1) -> Labels: ...  # type: ignore[misc]

    @overload
    def classify(self, texts: Sequence[Row], *, top: int = 1) -> List[Labels]: ...

    def classify(self, texts, *, top=1):
        """The class of a text, or a tag for each of its tokens, with the `top` likeliest; pairs of texts are tuples."""
        if isinstance(texts, str):
            return self._model.classify([[texts]], top)[0]
        return self._model.classify([_row(text) for text in texts], top)

    def fill(self, text: str, *, top: int = 5) -> List[List[Candidate]]:
        """Candidates for each [MASK] of a text, likeliest first."""
        return self._model.fill(text, top)

    def answer(self, question: str, passage: str) -> Answer:
        """The part of the passage that answers the question."""
        return self._model.answer(question, passage)

    def predict(self, samples: Sequence[str]) -> List[numpy.ndarray]:
        """Numbers for samples of numbers, each named as on a line of training data."""
        return self._model.predict(_texts(samples))

    @overload
    def embed(self, texts: str, *, layer: int = -1) -> Embedded: ...  # type: ignore[misc]

    @overload
    def embed(self, texts: Sequence[str], *, layer: int = -1) -> List[Embedded]: ...

    def embed(self, texts, *, layer=-1):
        """Contextual vectors: for a text, or each text of a list, its tokens and an array [tokens, size].

        They are those of the encoder, or of a language model, after that layer: from 0, or -1, -2, .. from the end.
        """
        found = [Embedded(*each) for each in self._model.embed([texts] if isinstance(texts, str) else list(texts), layer)]
        return found[0] if isinstance(texts, str) else found

    def attend(self, source: str, target: Optional[str] = None, **options: Any) -> Attention:
        """All attention while the model writes the output of its search, or the target that is given."""
        return Attention(self._model.attend(source, target, options))


def _texts(texts: Any) -> List[Any]:
    if isinstance(texts, str):
        raise TypeError("this takes a list of texts, not one text")
    return list(texts)


def _row(row: Row) -> List[str]:
    return [row] if isinstance(row, str) else list(row)


def _parts(write) -> Iterator[str]:
    """What `write` shows, as an iterator: it runs in a thread, which ends when nobody reads on."""
    parts: "queue.Queue[Tuple[str, Any]]" = queue.Queue()
    ended = threading.Event()

    def show(text: str) -> bool:
        parts.put(("text", text))
        return not ended.is_set()

    def run() -> None:
        try:
            write(show)
            parts.put(("end", None))
        except BaseException as error:  # delivered to the reader
            parts.put(("error", error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while True:
            what, value = parts.get()
            if what == "text":
                yield value
            elif what == "error":
                raise value
            else:
                return
    finally:
        ended.set()
        thread.join()

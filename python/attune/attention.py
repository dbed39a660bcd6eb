"""Attention: all that a model looked at for one sentence."""
from __future__ import annotations

import os
import pathlib
import sys
import tempfile
import webbrowser
from html import escape
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy

from attune._attune import UsageError
from attune._paths import Path


class AttentionLayer(NamedTuple):
    """One layer of one kind."""

    kind: str
    """"encoder": the source at itself; "decoder": the output at itself; "cross": the output at the source."""
    number: int
    """From 0."""
    all_heads: bool
    """False for very long texts, of which there is only the mean of the heads."""
    weights: numpy.ndarray
    """[heads, queries, keys], f32; each row sums to 1."""


class Attention:
    """Every attention by layer and kind, with the tokens; draws itself as a page, as SVG or for the terminal."""

    def __init__(self, seen: Any) -> None:
        self._seen = seen

    @property
    def source(self) -> str:
        """What the model read."""
        return self._seen.source

    @property
    def target(self) -> str:
        """What was written, or the target that was given."""
        return self._seen.target

    @property
    def source_tokens(self) -> List[str]:
        """The columns of "encoder" and "cross"."""
        return self._seen.source_tokens

    @property
    def target_tokens(self) -> List[str]:
        """The columns of "decoder": what the model read before each step."""
        return self._seen.target_tokens

    @property
    def output_tokens(self) -> List[str]:
        """The rows of "cross": what the model wrote in each step."""
        return self._seen.output_tokens

    @property
    def layers(self) -> List[AttentionLayer]:
        """Every attention, in the order in which the model computes them."""
        return [AttentionLayer(*layer) for layer in self._seen.layers()]

    def layer(self, kind: str, number: int) -> numpy.ndarray:
        """The weights [heads, queries, keys] of a layer; negative numbers count from the last."""
        found = [layer for layer in self.layers if layer.kind == kind]
        if not found:
            kinds = sorted({layer.kind for layer in self.layers})
            raise UsageError(f"layer: this model has no attention of kind '{kind}', but {', '.join(kinds) or 'none'}")
        try:
            return found[number].weights
        except IndexError:
            raise UsageError(f"layer: there are {len(found)} layers of kind '{kind}', but not {number}") from None

    def words(self) -> Attention:
        """The same with pieces merged into words."""
        return Attention(self._seen.words())

    def svg(self, *, kind: Optional[str] = None, layer: Optional[int] = None, head: Optional[int] = None) -> str:
        """One heat map. By default the layer and head that align best, or the mean of the heads."""
        return self._seen.svg(kind, layer, head)

    def terminal(self, *, kind: Optional[str] = None, layer: Optional[int] = None, head: Optional[int] = None) -> str:
        """One heat map in characters."""
        return self._seen.terminal(kind, layer, head)

    def json(self) -> str:
        """Everything, in BertViz's format."""
        return self._seen.json()

    def html(self, title: str = "") -> str:
        """The interactive page: one file that needs nothing else."""
        return self._seen.html(title)

    def save(self, file: Path, **choice: Any) -> None:
        """Writes look.html (the page), look.svg (one heat map; `choice` as for svg()) or look.json."""
        name = os.fspath(file)
        writers: Dict[str, Callable[[], str]] = {".html": self.html, ".svg": lambda: self.svg(**choice), ".json": self.json}
        ending = os.path.splitext(name)[1].lower()
        if ending not in writers:
            raise UsageError(f"save: '{name}' should end in .html, .svg or .json")
        pathlib.Path(name).write_text(writers[ending](), encoding="utf-8")

    def show(self) -> Any:
        """The interactive page: inside a notebook where there is one, else in a browser."""
        if "IPython" in sys.modules:
            from IPython import display, get_ipython  # type: ignore[import]

            if get_ipython() is not None:
                return display.display(display.HTML(self._repr_html_()))
        file = pathlib.Path(tempfile.mkdtemp(prefix="attune-")) / "attention.html"
        self.save(file)
        webbrowser.open(file.as_uri())
        return None

    def _repr_html_(self, height: int = 640) -> str:
        return (f'<iframe srcdoc="{escape(self.html(), quote=True)}" style="width:100%;height:{height}px;border:0" '
                'title="attention"></iframe>')

    def __repr__(self) -> str:
        return f"<Attention {self.source!r} -> {self.target!r}, {len(self.layers)} layers>"

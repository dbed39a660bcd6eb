"""Model folders in other forms."""
from __future__ import annotations

import os
from typing import List, Sequence

from attune import _attune
from attune._paths import Path


def quantize(model: Path, out: Path) -> None:
    """Makes a model folder with 8-bit weights: a quarter of the size, and faster. `out` must not exist."""
    _attune.quantize(os.fspath(model), os.fspath(out))


def convert(model: Path, out: Path, *, to: str = "", vocabs: Sequence[Path] = ()) -> List[str]:
    """Makes a model folder of another toolkit's model (Marian, Hugging Face, CTranslate2, llama2.c), or the reverse.

    to: the format to write, "ctranslate2" or "huggingface"; "attune" merges an adapter into its base. vocabs: of a Marian
    model whose folder does not name them. Returns the folders that were written: several for an ensemble.
    """
    return _attune.convert(os.fspath(model), os.fspath(out), to, [os.fspath(each) for each in vocabs])

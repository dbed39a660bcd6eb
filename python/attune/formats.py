"""Model folders in other forms."""
from __future__ import annotations

import os

from attune import _attune
from attune._paths import Path


def quantize(model: Path, out: Path) -> None:
    """Makes a model folder with 8-bit weights: a quarter of the size, and faster. `out` must not exist."""
    _attune.quantize(os.fspath(model), os.fspath(out))

"""Vocabulary: text to tokens and back."""
from __future__ import annotations

import os
from typing import Any, List, Optional, Sequence

from attune import _attune
from attune._paths import Path


class Vocabulary:
    """A file that `attune vocab` or `attune train` made, a SentencePiece model, or a Hugging Face tokenizer."""

    def __init__(self, file: Path) -> None:
        self._words: Any = _attune.Vocabulary(os.fspath(file))

    @classmethod
    def learn(cls, lines: Sequence[str], *, kind: str = "unigram", size: int = 8000,
              user_symbols: Sequence[str] = ()) -> Vocabulary:
        """From text. kind: unigram, bpe (SentencePiece), word, char or byte. user_symbols are never split."""
        made = cls.__new__(cls)
        made._words = _attune.Vocabulary.learn(list(lines), kind, size, list(user_symbols))
        return made

    @property
    def kind(self) -> str:
        """unigram, bpe, word, char and so on."""
        return self._words.kind

    def __len__(self) -> int:
        return len(self._words)

    def encode(self, text: str) -> List[int]:
        """Token ids, without <s> and </s>."""
        return self._words.encode(text)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of such ids."""
        return self._words.decode(list(ids))

    def pieces(self, text: str) -> List[str]:
        """The tokens as they are shown: "▁the", where ▁ stands for a space."""
        return self._words.pieces(text)

    def join(self, pieces: Sequence[str]) -> str:
        """The text of such tokens."""
        return self._words.join(list(pieces))

    def piece(self, id: int) -> str:
        """The token with this id."""
        return self._words.piece(id)

    def id(self, piece: str) -> Optional[int]:
        """None if there is no such token."""
        return self._words.id(piece)

    @property
    def unk(self) -> int:
        """The id of what the vocabulary does not know."""
        return self._words.unk

    @property
    def bos(self) -> int:
        """The id of <s>."""
        return self._words.bos

    @property
    def eos(self) -> int:
        """The id of </s>."""
        return self._words.eos

    def save(self, file: Path) -> None:
        """Writes it to a file that Vocabulary() and `vocabs` take."""
        self._words.save(os.fspath(file))

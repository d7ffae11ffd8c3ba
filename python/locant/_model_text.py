"""Texts as tokens of a model: its tokenizer.json, or bytes."""
from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Array
from ._c import Status
from ._library import Error
from ._optional import need

__all__ = ["Score", "encoded"]


@dataclass(frozen=True)
class Score:
    """What a model loses on texts.

    ids     int64 [B, T]; shorter texts are padded at their end
    mask    bool [B, T]: False where ids are padding
    losses  float64 [B, T - 1] in nats: of ids[:, 1:]; NaN at padding
    loss    the mean over tokens
    """

    ids: Array
    mask: Array
    losses: Array
    loss: float


def _from_file(path: str) -> Any:
    tokenizers = need("tokenizers", "models.Model.score", "models")
    try:
        return tokenizers.Tokenizer.from_file(path)
    except Exception as error:  # the wheel raises plain Exception
        raise Error(Status.ERR_FORMAT, f"locant: {path}: {error}, expected a "
                    "tokenizer.json") from None


def _of_model(model: str) -> str:
    """The tokenizer.json in the folder of a model, or beside its file."""
    folder = model if os.path.isdir(model) else os.path.dirname(model)
    path = os.path.join(folder, "tokenizer.json")
    if not os.path.exists(path):
        raise Error(Status.ERR_IO, f"locant: {path} does not exist; expected "
                    "it, or tokenizer=, tokenizer='bytes' or ids=")
    return path


def _bytes(text: str, vocab: int) -> list[int]:
    if not 256 <= vocab <= 512:
        raise Error(Status.ERR_UNSUPPORTED, "locant: the vocabulary is "
                    f"{vocab}, expected bytes, 256 to 512; give its tokenizer "
                    "or ids")
    return list(text.encode())


def _lists(texts: Sequence[str], tokenizer: Any, model: str,
           vocab: int) -> list[list[int]]:
    if isinstance(tokenizer, str) and tokenizer == "bytes":
        return [_bytes(text, vocab) for text in texts]
    if tokenizer is None:
        tokenizer = _from_file(_of_model(model))
    elif isinstance(tokenizer, (str, os.PathLike)):
        tokenizer = _from_file(os.fspath(tokenizer))
    found = [tokenizer.encode(text) for text in texts]
    return [list(getattr(one, "ids", one)) for one in found]


def encoded(text: str | Sequence[str], tokenizer: Any, model: str,
            vocab: int) -> tuple[Array, Array]:
    """ids and mask [B, T] of one text or several.

    Errors: ERR_IO (no tokenizer.json), ERR_FORMAT, ERR_SHAPE (a text of less
    than two tokens), ERR_UNSUPPORTED; ImportError without the wheel.
    """
    texts = [text] if isinstance(text, str) else list(text)
    rows = _lists(texts, tokenizer, model, vocab)
    for text, row in zip(texts, rows):
        if len(row) < 2:
            raise Error(Status.ERR_SHAPE, f"locant: the text {text[:40]!r} has "
                        f"{len(row)} tokens, expected two or more")
    length = max(map(len, rows), default=0)
    ids = np.zeros((len(rows), length), np.int64)
    mask = np.zeros((len(rows), length), bool)
    for b, row in enumerate(rows):
        ids[b, :len(row)] = row
        mask[b, :len(row)] = True
    return ids, mask

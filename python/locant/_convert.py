"""Weights of another pairing or format: see locant.models."""
from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass

from ._c_models import (Conversion as _Conversion, ConvertOptions, ModelFormat,
                        ModelPairing)
from ._library import lab, make

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Conversion:
    """What convert() did.

    source     the pairing that the weights had, "half" or "interleaved"; None:
               the model does not rotate
    target     the one that they have now
    assumed    no metadata and no argument said the first
    tensors    all; moved: those whose rows were moved; lost: those that GGUF
               files of the architecture have no place for
    worst      the largest difference of two scores, relative to the largest of
               its layer, or of two states of a model that does not rotate;
               None if it was not verified
    tokenizer  of a GGUF: "gpt2", "llama", "t5", "bert", or "none" without a
               tokenizer.json; else None
    pre        the name that llama.cpp splits texts by; None: none
    differs    where a model in another format has other positions, which no
               key says; None: nowhere
    """

    source: str | None
    target: str | None
    assumed: bool
    tensors: int
    moved: int
    lost: int
    worst: float | None
    tokenizer: str | None
    pre: str | None
    differs: str | None


def _word(pairing: int) -> str | None:
    return ModelPairing(pairing).name.lower() if pairing else None


def _text(value: bytes | None) -> str | None:
    return value.decode() if value else None


def _pairing(value: str | None) -> int:
    names = {p.name.lower(): int(p) for p in ModelPairing if p}
    if value is not None and value not in names:
        raise ValueError(f"pairing: {value!r}, half or interleaved expected")
    return names[value] if value else int(ModelPairing.UNSAID)


def _format(value: str) -> int:
    names = {f.name.lower(): int(f) for f in ModelFormat}
    if value not in names:
        raise ValueError(f"format: {value!r}, one of {', '.join(names)} "
                         "expected")
    return names[value]


def convert(model: Path, folder: Path, pairing: str | None = None, *,
            source: str | None = None, format: str = "same",
            type: str | None = None, base: Path | None = None,
            one_file: bool = False, verify: bool = False) -> Conversion:
    """Write a model whose weights of q and k have another pairing, or another
    format, into a new folder, as `locant model convert` does.

    pairing   "half" or "interleaved"; of a GGUF that of its architecture
    source    the pairing of the input, if its metadata is silent or wrong
    format    "same", "safetensors" or "gguf"
    type      numbers of matrices from or to a GGUF: "F32", "F16", "BF16",
              "Q8_0"
    base      the model that an adapter is for
    one_file  put shards into one file
    verify    prove that the scores are the same, before the folder appears
    """
    options = make(ConvertOptions, pairing=_pairing(pairing),
                   format=_format(format), one_file=int(one_file),
                   verify=int(verify),
                   type=None if type is None else type.encode(),
                   base=None if base is None else os.fsencode(base),
                   **{"from": _pairing(source)})
    done = _Conversion()
    lab().locant_model_convert(ctypes.byref(done), os.fsencode(model),
                               os.fsencode(folder), ctypes.byref(options))
    return Conversion(_word(getattr(done, "from")), _word(done.to),
                      bool(done.assumed), done.tensors, done.moved, done.lost,
                      None if done.worst < 0 else done.worst,
                      _text(done.tokenizer), _text(done.pre),
                      _text(done.differs))

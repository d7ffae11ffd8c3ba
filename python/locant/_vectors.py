"""Golden vectors, and extensions of rotary models: see locant.models."""
from __future__ import annotations

import ctypes
import json
import os
from dataclasses import dataclass
from typing import Any

from ._c import Status
from ._c_models import (ExtendOptions, VectorsCounts, VectorsFn,
                        VectorsVerdict)
from ._library import Callback, lab, lib, make, text

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class VectorCase:
    """How a case of a dump ended.

    name        "rope/half/none/f32/q"
    verdict     "pass", "fail", "missing" or "unknown"
    where       the first entry that fails
    looks_like  the convention that the values match, or ""
    error       the largest |got - want|
    share       of the tolerance, at most; above 1 fails
    """

    name: str
    verdict: str
    where: str
    looks_like: str
    error: float
    share: float


@dataclass(frozen=True)
class VectorReport:
    """The verdicts of a dump; true if no case fails, at least one passes, and
    every tensor is a case."""

    cases: tuple[VectorCase, ...]

    def __bool__(self) -> bool:
        verdicts = {case.verdict for case in self.cases}
        return "pass" in verdicts and not verdicts & {"fail", "unknown"}

    def those(self, verdict: str) -> tuple[VectorCase, ...]:
        """The cases with this verdict."""
        return tuple(c for c in self.cases if c.verdict == verdict)


def vectors(folder: Path, only: str | None = None) -> None:
    """Write vectors.safetensors and vectors.json into a folder: true values
    for other implementations to be tested with.

    only    names of cases, a pattern or their beginning: "rope/half"
    """
    lab().locant_vectors_write(os.fsencode(folder), _bytes(only))


def verify_vectors(path: Path, only: str | None = None,
                   rounded: bool = False) -> VectorReport:
    """Judge a dump: a safetensors file, or a folder of them and of .npy files.

    rounded     angles may be rounded to float32 (float64: to double)
    """
    cases: list[VectorCase] = []
    counts = VectorsCounts()

    def each(result: Any, _: Any) -> None:
        r = result.contents
        cases.append(VectorCase(
            text(r.name), VectorsVerdict(r.verdict).name.lower(),
            text(r.where), text(r.looks_like), r.error, r.share))

    with Callback(VectorsFn, each, Status.ERR_INTERRUPTED) as callback:
        lab().locant_vectors_verify(
            ctypes.byref(counts), os.fsencode(path), _bytes(only),
            int(rounded), callback, None)
    return VectorReport(tuple(cases))


def extend(model: Path | None = None, *, to: int, trained: int = 0,
           base: float = 10000.0, dim: int = 0, method: str | None = None,
           output: Path | None = None) -> dict[str, Any]:
    """Settings that let a rotary model read more than it was trained on, as
    `locant model extend --json` prints them.

    model   a folder, a config.json or a .gguf; None: a rope of base and dim
    to      positions that it should read
    trained that it was trained on; 0: as the model says
    method  "pi", "ntk", "dynamic", "yarn", "longrope", "llama3", "selfextend";
            None: all
    output  write the extended config.json here; needs model and method
    """
    options = make(ExtendOptions, to=to, trained=trained, base=base, dim=dim,
                   model=None if model is None else os.fsencode(model),
                   method=_bytes(method),
                   config_out=None if output is None else os.fsencode(output))
    made, size = ctypes.c_void_p(), ctypes.c_size_t()
    lab().locant_model_extend(ctypes.byref(made), ctypes.byref(size),
                              ctypes.byref(options))
    try:
        found: dict[str, Any] = json.loads(ctypes.string_at(made, size.value))
    finally:
        lib.locant_release(made)
    return found


def _bytes(value: str | None) -> bytes | None:
    return None if value is None else value.encode()

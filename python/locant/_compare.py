"""Do two models have the same positions?  `locant.models.compare`."""
from __future__ import annotations

import ctypes
import json
import os
from dataclasses import dataclass
from typing import Any

from ._c import Status
from ._c_models import Comparison as _Comparison
from ._c_models import ModelDifference, Stack
from ._library import Error, lab, text
from ._values import whole

__all__ = ["Comparison", "Difference", "compare"]

_VERDICTS = ("same", "different", "undecided")
_STACKS = {"hf4": Stack.HF4, "hf5": Stack.HF5, "vllm": Stack.VLLM,
           "llama.cpp": Stack.LLAMACPP, "mlx": Stack.MLX}


@dataclass(frozen=True)
class Difference:
    """Where two models part.

    field     "frequency", "window", "softcap", ..
    tower     "text", "encoder", "decoder" or "vision"
    layer     the first layer; -1: of the whole tower
    layers    how many layers differ in this field
    pair      of channels; -1: none
    position  the first that differs, for frequencies by more than 1e-3
              radians; -1: none is the first
    amount    of frequencies: the largest difference times the length, in
              radians; else b - a, or 0
    a, b      the values, as text
    """

    field: str
    tower: str
    layer: int
    layers: int
    pair: int
    position: int
    amount: float
    a: str
    b: str


@dataclass(frozen=True)
class Comparison:
    """The answer of `compare`; true if the two are the same.

    verdict      "same" (at all positions), "different", or "undecided":
                 frequencies differ as float32 rounds them, but by more than
                 1e-3 radians within the length
    exact        every schedule is equal, not nearly
    length       positions over which frequencies were judged
    layers       that were compared
    apart        the largest difference of frequencies times the length
    carries      the first position at which an angle differs by more than 1e-3
                 radians; -1: there is none
    differences  a tuple of `Difference`
    note         what was assumed
    """

    verdict: str
    exact: bool
    length: int
    layers: int
    apart: float
    carries: int
    differences: tuple[Difference, ...]
    note: str

    def __bool__(self) -> bool:
        return self.verdict == "same"


def operand(model: Any, name: str) -> bytes:
    """A path, a spec, a configuration as dict, or an object of transformers'
    with to_dict(), as the C functions take it."""
    if hasattr(model, "to_dict"):
        model = model.to_dict()
    if isinstance(model, dict):
        return json.dumps(model, default=str).encode()
    if isinstance(model, (str, os.PathLike)):
        return os.fsencode(model)
    if hasattr(model, "spec"):  # a locant.Encoding
        return str(model.spec).encode()
    raise Error(Status.ERR_PARAM, f"locant: {name} is a "
                f"{type(model).__name__}, expected a path, a spec, or a "
                "configuration")


def _difference(d: ModelDifference) -> Difference:
    return Difference(text(d.field), text(d.tower), d.layer, d.layers, d.pair,
                      d.position, d.amount, text(d.a), text(d.b))


def compare(a: Any, b: Any = None, *, stack: str | None = None,
            length: int = 0) -> Comparison:
    """Whether two models compute the same function of positions, whatever the
    order of the channels that their weights carry.

    a, b    each a path (a folder, config.json, params.json or .gguf), a spec,
            an `Encoding`, a configuration as dict, or an object of transformers
            with to_dict(); b may be left out with 'stack'
    stack   the program that reads b: "hf4", "hf5", "vllm", "llama.cpp", "mlx";
            None: what the files mean
    length  positions over which differences of frequencies are judged; 0: the
            longer of the models', or 131072

    >>> import locant.models
    >>> locant.models.compare("rope", "rope(base=500000)").verdict
    'different'

    Errors: ERR_PARAM, ERR_IO, ERR_FORMAT, ERR_UNSUPPORTED (an unknown family;
    this build has no lab).
    """
    if stack is not None and stack not in _STACKS:
        raise Error(Status.ERR_PARAM, f"locant: stack is {stack!r}, expected "
                    + ", ".join(_STACKS))
    if b is None and stack is None:
        raise Error(Status.ERR_PARAM, "locant: b is None, expected a model, or "
                    "a stack")
    c = _Comparison()
    lab().locant_models_compare(
        ctypes.byref(c), operand(a, "a"),
        None if b is None else operand(b, "b"),
        _STACKS[stack] if stack else Stack.TRUE, whole(length, "length", 0))
    return Comparison(_VERDICTS[c.verdict], bool(c.exact), c.length, c.layers,
                      c.apart, c.carries,
                      tuple(_difference(c.differences[i]) for i in range(c.n)),
                      text(c.note))

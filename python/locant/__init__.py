"""Positional encodings of Transformers, exact at any position and fused into
attention: liblocant for NumPy.

A spec names an encoding: "rope(base=500000)", "t5", "alibi+rope".
`locant.encodings()` lists what a spec can name.  Arrays are used in place; an
array that would have to be copied is an error unless copy=True.  Every error is
a `locant.Error`.  Calls have no length limit of their own.  The interpreter
runs other threads during a call.

`locant.positions` numbers tokens as models do.  `locant.torch`, `locant.hf`,
`locant.plot`, `locant.graph` and `locant.models` are imported when first used,
and need PyTorch, transformers, matplotlib and (the last two) a build with the
lab.
"""
from __future__ import annotations

import importlib
from typing import Any

from . import positions
from ._attention import (Gradients, attention, attention_backward,
                         attention_state)
from ._c import Status
from ._caches import (cache_append, cached_attention, dequantize, quantize,
                      quant_rerotate, ragged_attention,
                      ragged_attention_backward)
from ._doors import add, angles, bias, rotate, rotate_qk, similarity, table
from ._encoding import (Encoding, EncodingInfo, Key, Parameter, Variant,
                        encodings)
from ._frequencies import Frequencies, frequencies
from ._gradients import (bias_backward, coordinates_backward, rotate_backward,
                         table_backward)
from ._library import Error, lib, text
from ._parts import (Part, PartGradients, attention_part,
                     attention_part_backward)
from ._tables import (rerotate, resize_1d, resize_1d_backward, resize_2d,
                      resize_2d_backward)
from ._values import string, whole

__version__: str = text(lib.locant_version())

__all__ = [
    "Encoding", "EncodingInfo", "Error", "Frequencies", "Gradients", "Key",
    "Parameter", "Part", "PartGradients", "Status", "Variant", "add", "angles",
    "attention", "attention_backward", "attention_part",
    "attention_part_backward", "attention_state", "bias", "bias_backward",
    "cache_append", "cached_attention", "coordinates_backward", "dequantize",
    "encodings", "frequencies", "isa", "positions", "quant_rerotate", "quantize",
    "ragged_attention", "ragged_attention_backward", "rerotate", "resize_1d",
    "resize_1d_backward", "resize_2d", "resize_2d_backward", "rotate",
    "rotate_backward", "rotate_qk", "set_isa", "set_threads", "similarity",
    "table", "table_backward", "threads"]


_LAZY = ("graph", "hf", "models", "plot", "torch")  # imported when first used


def set_threads(n: int) -> None:
    """Set how many threads one call may use, 1 to 1024; 0: one for each
    processor that the process may run on.  Process-wide.  Errors:
    ERR_PARAM."""
    lib.locant_set_threads(whole(n, "threads", -2**31, 2**31 - 1))


def threads() -> int:
    """How many threads a call uses."""
    return int(lib.locant_threads())


def isa() -> str:
    """Name of the kernels in use: "base", "avx2", "avx512", .."""
    return text(lib.locant_isa())


def set_isa(name: str | None) -> None:
    """Use the kernels of one instruction set; None: the best here.
    Process-wide, for tests.  Errors: ERR_PARAM, ERR_UNSUPPORTED."""
    lib.locant_set_isa(None if name is None else string(name, "isa"))


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'locant' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_LAZY]

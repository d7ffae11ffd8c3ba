"""Which convention made an array?  `locant.models.identify`."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from ._arrays import accept, positions_of, view
from ._c import Status
from ._c_models import Identity as _Identity
from ._library import Error, lab, text
from ._values import whole

__all__ = ["Identity", "identify"]

_VERDICTS = ("none of these", "identified", "undecided")


@dataclass(frozen=True)
class Identity:
    """The answer of `identify`; true if one convention was identified.

    verdict    "identified", "undecided" (see 'remaining'), "none of these" (see
               'closest')
    spec       what fits; for frequencies of no rule, a list of them
    beside     what fits but no spec says: "cosines first"
    sign       -1: rotates by minus the angle
    offset     added to the given positions
    factor     multiplies all scores
    residual   rms of what is left, in units of the rounding of 'dtype'
    dtype      whose rounding the values have: "bfloat16", ..
    remaining  specs that fit as well
    closest    the nearest spec, if none fits
    note       sentences
    """

    verdict: str
    spec: str
    beside: str
    sign: int
    offset: float
    factor: float
    residual: float
    dtype: str
    remaining: tuple[str, ...]
    closest: str
    note: str

    def __bool__(self) -> bool:
        return self.verdict == "identified"


def _identity(r: _Identity) -> Identity:
    # A row of 'remaining' is an array of characters: cut at its zero.
    remaining = tuple(text(bytes(r.remaining[i]).split(b"\0")[0])
                      for i in range(r.n_remaining))
    return Identity(_VERDICTS[r.verdict], text(r.spec), text(r.beside), r.sign,
                    r.offset, r.factor, r.residual, text(r.dtype), remaining,
                    text(r.closest), text(r.note))


def _pairs(given: dict[str, Any], *names: str) -> bool:
    """Are exactly these arrays given?"""
    return {n for n, x in given.items() if x is not None} == set(names)


def identify(x: Any = None, y: Any = None, *, positions: Any = None,
             q: Any = None, k: Any = None, scores: Any = None,
             table: Any = None, bias: Any = None, weights: Any = None,
             head_dim: int = 0, dtype: str | None = None,
             copy: bool = False) -> Identity:
    """Which convention made an array.  One of:

    x, y          rows before and after a rotation, [.., T, D]
    q, k, scores  [B, H, T, D], [B, H, S, D], [B, H, T, S] before the softmax
    table         [L, D], added to embeddings
    bias          [H, T, S], added to scores
    weights       (a, b), q or k weights of one model in two files, [rows, ..];
                  head_dim as there, 0: every divisor of the rows is tried

    positions  of the rows of x, or of q and k: int64 or float64 [T]
    dtype      "bfloat16" for arrays of uint16
    copy       convert what the library cannot read

    >>> import numpy as np, locant, locant.models
    >>> x = np.random.default_rng(0).normal(size=(512, 64))
    >>> y = locant.rotate(x, "rope(base=500)")
    >>> locant.models.identify(x, y).spec
    'rope(base=500)'

    Errors: ERR_PARAM, ERR_SHAPE, ERR_DTYPE, ERR_LAYOUT, ERR_UNSUPPORTED (this
    build has no lab).
    """
    given = {"x": x, "y": y, "q": q, "k": k, "scores": scores, "table": table,
             "bias": bias, "weights": weights}
    out = _Identity()
    at = ctypes.byref(out)
    keep = []  # arrays live until the call returns

    def tensor(value: Any, name: str) -> Any:
        array, code = accept(value, name, copy, dtype, strided=True)
        keep.append(array)
        return ctypes.byref(view(array, name, code))

    places = None
    if positions is not None:
        keep.append(positions_of(positions, "positions", copy))
        places = ctypes.byref(view(keep[-1], "positions"))
    if _pairs(given, "x", "y"):
        lab().locant_identify_rotation(at, tensor(x, "x"), tensor(y, "y"),
                                       places)
    elif _pairs(given, "q", "k", "scores"):
        lab().locant_identify_scores(at, tensor(q, "q"), tensor(k, "k"),
                                     tensor(scores, "scores"), places)
    elif _pairs(given, "table"):
        lab().locant_identify_table(at, tensor(table, "table"))
    elif _pairs(given, "bias"):
        lab().locant_identify_bias(at, tensor(bias, "bias"))
    elif _pairs(given, "weights") and len(weights) == 2:
        lab().locant_identify_weights(at, tensor(weights[0], "weights[0]"),
                                      tensor(weights[1], "weights[1]"),
                                      whole(head_dim, "head_dim", 0))
    else:
        found = ", ".join(n for n, value in given.items() if value is not None)
        raise Error(Status.ERR_PARAM, f"locant: identify has {found or 'no'} "
                    "arrays, expected x and y, or q, k and scores, or table, "
                    "or bias, or two weights")
    return _identity(out)

"""Checks of numbers and strings that callers pass."""
from __future__ import annotations

from operator import index
from typing import Any, Mapping

import numpy as np
import numpy.typing as npt

from ._c import Status
from ._library import Error

_LEAST, _MOST = -2**63, 2**63 - 1


def whole(x: Any, name: str, least: int = 0, most: int = _MOST) -> int:
    """A whole number from 'least' to 'most'."""
    try:
        n = index(x)
    except TypeError:
        raise Error(Status.ERR_PARAM, f"locant: {name} is {x!r}, expected a "
                    "whole number") from None
    if least <= n <= most:
        return n
    raise Error(Status.ERR_PARAM, f"locant: {name} is {n}, expected " +
                (f"at least {least}" if n < least else f"at most {most}"))


def whole64(x: Any, name: str) -> int:
    """A signed integer of 64 bits, such as an offset or a window."""
    return whole(x, name, _LEAST)


def seed64(x: Any) -> int:
    """A seed: a signed or unsigned integer of 64 bits."""
    return whole(x, "seed", _LEAST, 2**64 - 1)


def real(x: Any, name: str) -> float:
    """A number."""
    try:
        if isinstance(x, (str, bytes)):
            raise TypeError
        return float(x)
    except (TypeError, OverflowError):
        raise Error(Status.ERR_PARAM, f"locant: {name} is {x!r}, expected a "
                    "number") from None


def mapping(x: Any, name: str) -> Mapping[str, Any]:
    """Values by name; None becomes an empty mapping."""
    if x is None:
        return {}
    if not isinstance(x, Mapping):
        raise Error(Status.ERR_PARAM, f"locant: {name} is a "
                    f"{type(x).__name__}, expected values by name")
    return x


def string(x: Any, name: str) -> bytes:
    """A string as bytes for C."""
    if not isinstance(x, str):
        raise Error(Status.ERR_PARAM, f"locant: {name} is {x!r}, expected a "
                    "string")
    return x.encode("utf-8", "replace")


def new(shape: tuple[int, ...], dtype: Any,
        name: str = "out") -> npt.NDArray[Any]:
    """Memory for a result."""
    try:
        kind = np.dtype(dtype)
    except TypeError:
        raise Error(Status.ERR_DTYPE, f"locant: dtype is {dtype!r}, expected "
                    "float32 or float64") from None
    try:
        return np.empty(shape, kind)
    except (ValueError, MemoryError):
        raise Error(Status.ERR_NOMEM, f"locant: no memory for {name}, {kind} "
                    f"{list(shape)}") from None

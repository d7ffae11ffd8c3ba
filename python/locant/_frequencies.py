"""The channels and frequencies of a rotation, as numbers."""
from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from . import _c
from ._arrays import Array, view
from ._encoding import Encoding, encoding_of
from ._library import lib, make
from ._values import whole64


class Frequencies(NamedTuple):
    """What a plain rotation does to the channels of a head."""

    frequencies: Array  # float64 [axes, pairs], radians per unit of position
    channels: Array     # int64 [pairs, 2]: the two channels of each pair
    interleaved: bool   # pairs are neighbours, else halves
    magnitude: float    # multiplies cosines and sines
    by_length: bool     # frequencies depend on the length


def frequencies(spec: str | Encoding, head_dim: int,
                length: int = 1) -> Frequencies:
    """Frequencies of a rotation, for programs that rotate themselves.

    spec      a plain rotation, or a sum with one
    head_dim  channels of a head
    length    of the call; only some scalings depend on it

    Pair c of channels (a, b) is rotated by sum_k positions[k] frequencies[k, c].
    An encoding that rotates nothing has no pairs.
    Errors: ERR_UNSUPPORTED (pope, xpos, rerope, ..), ERR_PARAM, ERR_SHAPE.
    """
    e = encoding_of(spec)
    head_dim, length = whole64(head_dim, "head_dim"), whole64(length, "length")
    found = make(_c.Rotated)
    lib.locant_encoding_rotated(ctypes.byref(found), e.handle, head_dim,
                                length)
    f = np.empty((found.axes, found.pairs), np.float64)
    channels = np.empty((found.pairs, 2), np.int64)
    lib.locant_encoding_frequencies(view(f, "frequencies"),
                                    view(channels, "channels"), e.handle,
                                    head_dim, length)
    return Frequencies(f, channels, bool(found.interleaved),
                       float(found.magnitude), bool(found.by_length))

"""Attention with linear biases (arXiv:2108.12409) as four models write it.

Each gives a bias of keys alone, [B, H, 1, T]: softmax does not see what all
keys of a query share.
"""
import math

import numpy as np


def slopes(heads):
    """2^(-8 k / H) for a power of two, then odd ones of the next one."""
    power = 2 ** int(math.log2(heads))
    first = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    more = 2.0 ** (-4 * np.arange(1, 2 * (heads - power), 2) / power)
    return np.concatenate([first, more])


def places(t, mask):
    """[B, T]: the number of a key among those that the mask shows."""
    if mask is None:
        return np.arange(t)[None].astype(np.float64)
    return ((np.cumsum(mask, -1) - 1) * mask).astype(np.float64)


def bloom(heads, t, mask):
    return slopes(heads)[None, :, None, None] * places(t, mask)[:, None, None]


def mpt(heads, t, most):
    """Every second slope of the next power of two first.

    most: alibi_bias_max, as in the code that trained the models; transformers
    takes 8 whatever the file says.
    """
    power = 2 ** math.ceil(math.log2(heads))
    m = 2.0 ** (-most * np.arange(1, power + 1) / power)
    m = np.concatenate([m[1::2], m[::2]])[:heads] if power != heads else m
    return m[None, :, None, None] * np.arange(1.0 - t, 1)


def bfloat16(x):
    """The nearest bfloat16, ties to even."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


def falcon(heads, t, mask):
    """Slopes and products in bfloat16, which is what the model is."""
    m = bfloat16(slopes(heads))[None, :, None, None]
    return bfloat16(m * bfloat16(places(t, mask))[:, None, None])

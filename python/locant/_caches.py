"""Attention on paged caches and on packed sequences."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _c
from ._arrays import FLOATS, Array, accept, address, result, view
from ._attention import Problem, workspace
from ._c import Status
from ._encoding import Encoding, Params
from ._library import Error, lib, make
from ._values import new, real, whole64

_INTEGERS = (4, 5)  # I32, I64


def _integers(x: Any, name: str, copy: bool) -> Array:
    if isinstance(x, (list, tuple)):
        x = np.asarray(x, np.int64)
    return accept(x, name, copy, codes=_INTEGERS)[0]


def _set_options(p: Problem, causal: bool, scale: float | None, window: int,
                 softcap: float, sinks: Any, keys_rotated: bool) -> None:
    if sinks is not None:
        p.set_floats("sinks", sinks)
    p.struct.mask = _c.Mask.CAUSAL if causal else _c.Mask.NONE
    p.struct.window = whole64(window, "window")
    p.struct.softcap = real(softcap, "softcap")
    if scale is not None:
        p.struct.scale = real(scale, "scale")
    p.struct.flags = _c.ATTENTION_KEYS_ROTATED if keys_rotated else 0


def paged_attention(
        q: Any, k: Any, v: Any, block_table: Any, lengths: Any,
        encoding: str | Encoding | None = None, causal: bool = True,
        params: Params | None = None, *, scale: float | None = None,
        q_positions: Any = None, k_positions: Any = None, window: int = 0,
        softcap: float = 0.0, sinks: Any = None, keys_rotated: bool = False,
        out: Array | None = None, dtype: str | None = None,
        copy: bool = False) -> Array:
    """attention() on a paged cache: a step costs the keys of its sequences,
    whatever the size of the pool.

    q            [B, H, T, D]
    k, v         pools of blocks [N, Hkv, P, D]; .transpose(0, 2, 1, 3) of a
                 pool [N, P, Hkv, D] is taken as it is
    block_table  int64 or int32 [B, M]: key j of sequence b is row j % P of
                 block block_table[b, j // P]
    lengths      int64 or int32 [B]: keys of each sequence
    k_positions  int64 [M P] or [B, M P]; j if left out
    q_positions  int64 [T] or [B, T]; query i sits at lengths[b] - T + i if left
                 out, and is padding, 0 in the result, where that is negative
    the rest     as in attention(); causal is true if left out

    Returns out [B, H, T, D].
    Errors: as attention(); ERR_PARAM for a block number or a length out of
    range.
    Source: Kwon et al. 2023, arXiv:2309.06180v1, section 4.1.
    """
    p = Problem(q, k, v, copy, dtype)
    table = _integers(block_table, "block_table", copy)
    p.set_encoding(encoding, params, None,
                   p.k.shape[2] * (table.shape[-1] if table.ndim else 0))
    p.set_positions(q_pos=q_positions, k_pos=k_positions)
    p.point("block_table", table)
    p.point("lengths", _integers(lengths, "lengths", copy))
    _set_options(p, causal, scale, window, softcap, sinks, keys_rotated)
    out = result(out, p.q.shape, p.q.dtype)
    lse = np.empty(p.q.shape[:3], p.wide_dtype)
    scratch = workspace(p.struct)
    lib.locant_attention_forward(view(out, "out", p.code), view(lse, "lse"),
                                 p.struct, address(scratch), scratch.size)
    return out


def ragged_attention(
        q: Any, k: Any, v: Any, cu_q: Any, cu_k: Any,
        encoding: str | Encoding | None = None, causal: bool = False,
        params: Params | None = None, *, scale: float | None = None,
        window: int = 0, softcap: float = 0.0, sinks: Any = None,
        keys_rotated: bool = False, out: Array | None = None,
        dtype: str | None = None, copy: bool = False) -> Array:
    """attention() of packed sequences of different lengths, without padding:
    the bits of a call for each of them.

    q     [H, tokens, D] of all sequences; .transpose(1, 0, 2) of
          [tokens, H, D] is taken as it is
    k, v  [Hkv, tokens, D]
    cu_q  int64 or int32 [n + 1]: sequence s has the queries cu_q[s] ..
          cu_q[s + 1] - 1
    cu_k  the same for keys
    the rest as in attention()

    Returns out [H, tokens, D].
    Errors: as attention(); ERR_PARAM for lengths that do not add up.
    """
    for name, x in (("q", q), ("k", k), ("v", v)):
        if getattr(x, "ndim", 3) != 3:
            raise Error(Status.ERR_SHAPE, f"locant: {name} has rank {x.ndim}, "
                        "expected [heads, tokens, D]")
    p = Problem(*(accept(x, name, copy, dtype, FLOATS)[0][None]
                  for name, x in (("q", q), ("k", k), ("v", v))), copy, dtype)
    p.set_encoding(encoding, params, None)
    _set_options(p, causal, scale, window, softcap, sinks, keys_rotated)
    cuts = [_integers(x, name, copy)
            for name, x in (("cu_q", cu_q), ("cu_k", cu_k))]
    lengths = make(_c.Ragged)
    lengths.cu_q = ctypes.pointer(view(cuts[0], "cu_q"))
    lengths.cu_k = ctypes.pointer(view(cuts[1], "cu_k"))
    out = result(out, p.q.shape[1:], p.q.dtype)
    lse = np.empty(p.q.shape[:3], p.wide_dtype)
    size = ctypes.c_size_t()
    lib.locant_attention_ragged_workspace(size, p.struct, lengths)
    scratch = new((size.value,), np.uint8, "scratch")
    lib.locant_attention_ragged_forward(
        view(out[None], "out", p.code), view(lse, "lse"), p.struct, lengths,
        address(scratch), scratch.size)
    return out

"""Caches of keys and values, paged or quantised, and packed sequences."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _c
from ._arrays import (FLOATS, Array, accept, address, positions_of, result,
                      view)
from ._attention import Problem, workspace
from ._c import Status
from ._encoding import Encoding, Params, bind
from ._library import Error, lib, make
from ._values import new, real, whole64

_INTEGERS = (4, 5)  # I32, I64
_U8 = 6
_HALVES = (0, 1, 2)  # F32, F16, BF16
_KINDS = {None: _c.Quant.NONE, "int8": _c.Quant.INT8, "q8_0": _c.Quant.Q8_0,
          "e4m3": _c.Quant.E4M3, "e5m2": _c.Quant.E5M2}


def _kind(quant: str | None) -> int:
    if quant not in _KINDS:
        raise Error(Status.ERR_PARAM, f"locant: quant is {quant!r}, expected "
                    "None, 'int8', 'q8_0', 'e4m3' or 'e5m2'")
    return _KINDS[quant]


class _Cached(Problem):
    """A Problem whose keys and values may be quantised rows."""

    def __init__(self, q: Any, k: Any, v: Any, copy: bool, dtype: str | None,
                 quant: str | None, group: int) -> None:
        self.kind = _kind(quant)
        super().__init__(q, k, v, copy, dtype)
        self.struct.quant = self.kind
        self.struct.quant_group = whole64(group, "quant_group")

    def set_floats(self, name: str, x: Any,
                   dtype: str | None = None) -> tuple[Array, int]:
        if name not in ("k", "v") or self.kind == _c.Quant.NONE:
            return super().set_floats(name, x, dtype)
        array, code = accept(x, name, self.copy, None, (_U8,))
        self.point(name, array, code)
        return array, code


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


def cached_attention(
        q: Any, k: Any, v: Any, block_table: Any = None, lengths: Any = None,
        encoding: str | Encoding | None = None, causal: bool = True,
        params: Params | None = None, *, scale: float | None = None,
        q_positions: Any = None, k_positions: Any = None, window: int = 0,
        softcap: float = 0.0, sinks: Any = None, keys_rotated: bool = False,
        quant: str | None = None, quant_group: int = 0,
        out: Array | None = None, dtype: str | None = None,
        copy: bool = False) -> Array:
    """attention() on a cache that is paged, quantised or both: a step costs the
    keys of its sequences, whatever the size of the pool.

    q            [B, H, T, D]
    k, v         pools of blocks [N, Hkv, P, D]; .transpose(0, 2, 1, 3) of a
                 pool [N, P, Hkv, D] is taken as it is.  Without a block table
                 [B, Hkv, S, D].  With quant uint8, the last dimension being the
                 bytes of a row
    block_table  int64 or int32 [B, M]: key j of sequence b is row j % P of
                 block block_table[b, j // P]
    lengths      int64 or int32 [B]: keys of each sequence; as block_table, both
                 or neither
    k_positions  int64 [M P] or [B, M P]; j if left out
    q_positions  int64 [T] or [B, T]; query i sits at lengths[b] - T + i if left
                 out, and is padding, 0 in the result, where that is negative
    quant        "int8", "q8_0", "e4m3", "e5m2": how k and v are quantised
    quant_group  channels that share a scale of int8; 0: all of a row
    the rest     as in attention(); causal is true if left out

    Returns out [B, H, T, D].
    Errors: as attention(); ERR_PARAM for a block number or a length out of
    range.
    Source: Kwon et al. 2023, arXiv:2309.06180v1, section 4.1.
    """
    p = _Cached(q, k, v, copy, dtype, quant, quant_group)
    count = p.k.shape[2]
    if block_table is not None:
        table = _integers(block_table, "block_table", copy)
        count *= table.shape[-1] if table.ndim else 0
        p.point("block_table", table)
    if lengths is not None:
        p.point("lengths", _integers(lengths, "lengths", copy))
    p.set_encoding(encoding, params, None, count)
    p.set_positions(q_pos=q_positions, k_pos=k_positions)
    _set_options(p, causal, scale, window, softcap, sinks, keys_rotated)
    out = result(out, p.q.shape, p.q.dtype)
    lse = np.empty(p.q.shape[:3], p.wide_dtype)
    scratch = workspace(p.struct)
    lib.locant_attention_forward(view(out, "out", p.code), view(lse, "lse"),
                                 p.struct, address(scratch), scratch.size)
    return out


def quantize(x: Any, quant: str, quant_group: int = 0, *,
             dtype: str | None = None, copy: bool = False) -> Array:
    """Rows of x [.., D], float32, float16 or bfloat16, as uint8 [.., bytes].

    quant        "int8": D bytes and a float32 scale for each group; "q8_0":
                 ggml's blocks of 32 channels in 34 bytes; "e4m3", "e5m2": a
                 byte a channel.  Errors of each: include/locant/cache.h
    quant_group  channels that share a scale of int8; 0: all of a row
    Errors: ERR_SHAPE, ERR_DTYPE, ERR_LAYOUT, ERR_PARAM.
    """
    array, code = accept(x, "x", copy, dtype, _HALVES)
    group = whole64(quant_group, "quant_group")
    rows = new(array.shape[:-1] + (_row_bytes(quant, group, array),), np.uint8,
               "rows")
    lib.locant_quantize(view(rows, "rows"), view(array, "x", code),
                        _kind(quant), group)
    return rows


def _row_bytes(quant: str, group: int, x: Array) -> int:
    size = ctypes.c_int64()
    lib.locant_quant_row_bytes(size, _kind(quant), group,
                               x.shape[-1] if x.ndim else 0)
    return size.value


def dequantize(rows: Any, dim: int, quant: str, quant_group: int = 0, *,
               copy: bool = False) -> Array:
    """float32 [.., dim] of what quantize() returned for 'dim' channels.
    Errors: as quantize()."""
    array, code = accept(rows, "rows", copy, None, (_U8,))
    out = new(array.shape[:-1] + (whole64(dim, "dim"),), np.float32, "out")
    lib.locant_dequantize(view(out, "out"), view(array, "rows", code),
                          _kind(quant), whole64(quant_group, "quant_group"))
    return out


def quant_rerotate(rows: Array, dim: int, quant: str, from_encoding: Any,
                   from_positions: Any, to_encoding: Any, to_positions: Any,
                   quant_group: int = 0) -> None:
    """Move quantised keys [.., T, bytes] of 'dim' channels, in place, from
    positions [T] under one rotation to positions [T] under another.  Each call
    adds one error of the quantisation.  Errors: ERR_SHAPE, ERR_DTYPE,
    ERR_PARAM, ERR_UNSUPPORTED."""
    array = result(rows, np.shape(rows), np.uint8, "rows")
    sizes = {"width": dim, "heads": 1, "kv_heads": 1, "head_dim": dim}
    ends = [bind(e, None, array.shape[-2] if array.ndim > 1 else 0, sizes,
                 copy=False) for e in (from_encoding, to_encoding)]
    at = [positions_of(x, name, False)
          for x, name in ((from_positions, "from_positions"),
                          (to_positions, "to_positions"))]
    lib.locant_quant_rerotate(
        view(array, "rows"), _kind(quant), whole64(quant_group, "quant_group"),
        whole64(dim, "dim"), ends[0].encoding.handle, view(at[0], "from"),
        ends[1].encoding.handle, view(at[1], "to"))


def cache_append(
        k_cache: Array, v_cache: Array, k: Any, v: Any, lengths: Any,
        counts: Any = None, block_table: Any = None,
        encoding: str | Encoding | None = None, params: Params | None = None,
        *, positions: Any = None, ring: bool = False, quant: str | None = None,
        quant_group: int = 0, dtype: str | None = None,
        copy: bool = False) -> None:
    """Write the keys, rotated, and values of new tokens to a cache.

    k_cache,     written: [B, Hkv, S, D] or, with a block table, pools
    v_cache      [N, Hkv, P, D], float32, float16 or bfloat16; with quant uint8
                 rows
    k, v         [B, Hkv, T, D], float32, float16 or bfloat16
    lengths      int64 or int32 [B]: tokens in the cache before
    counts       int64 or int32 [B]: new tokens of each sequence, the last of
                 its T; T if left out
    encoding     rotates the keys; None: they are stored as they are
    positions    of the new tokens, int64 [T] or [B, T]; token n of a sequence
                 sits at n if left out
    ring         token n is in row n % S
    dtype        "bfloat16" where arrays of uint16 hold its bits
    Errors: ERR_SHAPE, ERR_DTYPE, ERR_LAYOUT, ERR_PARAM, ERR_ALIAS,
    ERR_UNSUPPORTED, before anything is written.
    """
    a = make(_c.Append)
    kept: list[Any] = []

    def point(name: str, x: Array, code: int | None = None) -> None:
        kept.append(x)
        setattr(a, name, ctypes.pointer(view(x, name, code)))

    for name, cache in (("k_cache", k_cache), ("v_cache", v_cache)):
        codes = _HALVES if quant is None else (_U8,)
        array, code = accept(result(cache, np.shape(cache), cache.dtype, name),
                             name, False, dtype, codes)
        point(name, array, code)
    for name, x in (("k", k), ("v", v)):
        point(name, *accept(x, name, copy, dtype, _HALVES))
    for name, x in (("lengths", lengths), ("counts", counts),
                    ("block_table", block_table)):
        if x is not None:
            point(name, _integers(x, name, copy))
    if positions is not None:
        point("positions", positions_of(positions, "positions", copy))
    if encoding is not None:
        heads, dim = np.shape(k)[1], np.shape(k)[3]
        bound = bind(encoding, params, np.shape(k_cache)[2], {
            "width": heads * dim, "heads": heads, "kv_heads": heads,
            "head_dim": dim}, copy=copy)
        kept.append(bound)
        a.encoding = bound.encoding.handle
        if bound.views is not None:
            a.params = ctypes.cast(bound.views, ctypes.POINTER(_c.Tensor))
    a.ring = bool(ring)
    a.quant = _kind(quant)
    a.quant_group = whole64(quant_group, "quant_group")
    lib.locant_cache_append(a)


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
    rows = [accept(x, name, copy, dtype, FLOATS)[0][None]
            for name, x in (("q", q), ("k", k), ("v", v))]
    p = Problem(rows[0], rows[1], rows[2], copy, dtype)
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

"""Caches of keys and values, paged or quantised, and packed sequences."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _c
from ._arrays import (BYTES, FLOATS, PARAMS, Array, accept, positions_of,
                      result, view)
from ._attention import Gradients, Problem, backward, fill, forward
from ._c import Status
from ._encoding import Encoding, Params, bind
from ._library import Error, lib, make
from ._values import new, whole64

_INTEGERS = (4, 5)  # I32, I64
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

    @property
    def out_shape(self) -> tuple[int, ...]:
        """Rows of quantised values have as many channels as queries."""
        return super().out_shape if self.kind == _c.Quant.NONE \
            else self.q.shape

    def set_floats(self, name: str, x: Any,
                   dtype: str | None = None) -> tuple[Array, int]:
        if name not in ("k", "v") or self.kind == _c.Quant.NONE:
            return super().set_floats(name, x, dtype)
        array, code = accept(x, name, self.copy, None, (BYTES,))
        self.point(name, array, code)
        return array, code


def _integers(x: Any, name: str, copy: bool) -> Array:
    if isinstance(x, (list, tuple)):
        x = np.asarray(x, np.int64)
    return accept(x, name, copy, codes=_INTEGERS)[0]


def _set_blocks(p: _Cached, block_table: Any, lengths: Any) -> None:
    if block_table is not None:
        table = _integers(block_table, "block_table", p.copy)
        p.keys *= table.shape[-1] if table.ndim else 0
        p.point("block_table", table)
    if lengths is not None:
        p.point("lengths", _integers(lengths, "lengths", p.copy))


def cached_attention(
        q: Any, k: Any, v: Any, block_table: Any = None, lengths: Any = None,
        encoding: str | Encoding | None = None, causal: bool = True,
        params: Params | None = None, return_lse: bool = False, *,
        quant: str | None = None, quant_group: int = 0,
        out: Array | None = None, dtype: str | None = None, copy: bool = False,
        **options: Any) -> Any:
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
                 or neither.  Query i sits at lengths[b] - T + i if its position
                 is left out, and is padding, 0 in the result, where that is
                 negative
    quant        "int8", "q8_0", "e4m3", "e5m2": how k and v are quantised
    quant_group  channels that share a scale of int8; 0: all of a row
    options      as of attention(), where S is M P; causal is true if left out

    Returns out [B, H, T, Dv] and, with return_lse, the log-sum-exp.
    Errors: as attention(); ERR_PARAM for a block number or a length out of
    range.
    Source: Kwon et al. 2023, arXiv:2309.06180v1, section 4.1.
    """
    p = _Cached(q, k, v, copy, dtype, quant, quant_group)
    _set_blocks(p, block_table, lengths)
    fill(p, encoding, causal, params, options)
    out, lse = forward(p, out)
    return (out, lse) if return_lse else out


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
    array, code = accept(rows, "rows", copy, None, (BYTES,))
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
        codes = _HALVES if quant is None else (BYTES,)
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


def _packed(q: Any, k: Any, v: Any, cu_q: Any, cu_k: Any, copy: bool,
            dtype: str | None, blocks: dict[str, Any]) -> tuple[_Cached, Any]:
    """The problem of packed sequences, and their lengths."""
    table = blocks.pop("block_table", None)
    ends = blocks.pop("lengths", None)
    quant, group = blocks.pop("quant", None), blocks.pop("quant_group", 0)
    rows: list[Any] = []
    for name, x in (("q", q), ("k", k), ("v", v)):
        rank = 3 if name == "q" or table is None else 4
        if getattr(x, "ndim", rank) != rank:
            raise Error(Status.ERR_SHAPE, f"locant: {name} has rank {x.ndim}, "
                        "expected [heads, tokens, D]" if rank == 3 else
                        f"locant: {name} has rank {x.ndim}, expected blocks "
                        "[N, heads, rows, D]")
        if rank == 3 and not isinstance(x, (int, np.integer)):
            codes = FLOATS if name == "q" or quant is None else (BYTES,)
            x = accept(x, name, copy, None if codes == (BYTES,) else dtype,
                       codes)[0][None]
        rows.append(x)
    q, k, v = rows
    p = _Cached(q, k, v, copy, dtype, quant, group)
    _set_blocks(p, table, ends)
    lengths = make(_c.Ragged)
    for name, x in (("cu_q", cu_q), ("cu_k", cu_k)):
        if x is not None:
            cuts = _integers(x, name, copy)
            p.arrays[name] = cuts
            setattr(lengths, name, ctypes.pointer(view(cuts, name)))
    return p, lengths


def ragged_attention(
        q: Any, k: Any, v: Any, cu_q: Any, cu_k: Any,
        encoding: str | Encoding | None = None, causal: bool = False,
        params: Params | None = None, return_lse: bool = False, *,
        out: Array | None = None, dtype: str | None = None, copy: bool = False,
        **options: Any) -> Any:
    """attention() of packed sequences of different lengths, without padding:
    the bits of a call for each of them.

    q        [H, tokens, D] of all sequences; .transpose(1, 0, 2) of
             [tokens, H, D] is taken as it is
    k, v     [Hkv, tokens, D]; v [Hkv, tokens, Dv] or a number, as in
             attention()
    cu_q     int64 or int32 [n + 1]: sequence s has the queries cu_q[s] ..
             cu_q[s + 1] - 1
    cu_k     the same for keys; None with a block table
    options  as of attention(), where T and S are tokens of all sequences and B
             is 1; x is [1, tokens, W].  block_table, lengths, quant and
             quant_group as of cached_attention(), with k and v in blocks

    Returns out [H, tokens, Dv] and, with return_lse, the log-sum-exp
    [H, tokens].
    Errors: as attention(); ERR_PARAM for lengths that do not add up.
    """
    p, lengths = _packed(q, k, v, cu_q, cu_k, copy, dtype, options)
    fill(p, encoding, causal, params, options)
    if out is not None:
        out = result(out, p.out_shape[1:], p.q.dtype)[None]
    out, lse = forward(p, out, lengths)
    return (out[0], lse[0]) if return_lse else out[0]


def ragged_attention_backward(
        dout: Any, q: Any, k: Any, v: Any, out: Any, lse: Any, cu_q: Any,
        cu_k: Any, encoding: str | Encoding | None = None, causal: bool = False,
        params: Params | None = None, *, leaves: int = 0,
        dtype: str | None = None, copy: bool = False,
        **options: Any) -> Gradients:
    """Gradients of ragged_attention(), as attention_backward() gives them.

    dout, out  [H, tokens, Dv]
    lse        [H, tokens], of ragged_attention(.., return_lse=True)
    the rest   as ragged_attention() was given it

    Returns Gradients of the shapes of what they belong to; those of params,
    sinks and bias are sums over the sequences.
    Errors: as ragged_attention().
    """
    p, lengths = _packed(q, k, v, cu_q, cu_k, copy, dtype, options)
    fill(p, encoding, causal, params, options)
    p.struct.leaves = whole64(leaves, "leaves")
    dout, out = (accept(x, name, copy, dtype, FLOATS)[0][None]
                 for name, x in (("dout", dout), ("out", out)))
    g = backward(p, dout, out, accept(lse, "lse", copy, None, PARAMS)[0][None],
                 lengths)
    return g._replace(q=g.q[0], k=g.k[0], v=None if g.v is None else g.v[0])

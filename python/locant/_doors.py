"""The doors of an encoding on NumPy arrays: table, rotate, bias; angles."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _c
from ._arrays import (FLOATS, Array, accept, consecutive, consecutive_view,
                      positions_of, raw, result, view)
from ._c import Status
from ._encoding import Encoding, Params, bind, encoding_of
from ._library import Error, lib, make, quick, refusal
from ._values import real, whole

_table = quick("locant_encoding_table")
_rotate = quick("locant_encoding_rotate")
_bias = quick("locant_encoding_bias")


def table(spec: str | Encoding, length: int, dim: int, *,
          positions: Any = None, params: Params | None = None,
          dtype: Any = np.float32, copy: bool = False) -> Array:
    """The rows that an encoding of the input door adds to embeddings.

    spec       e.g. "sinusoidal", "learned(length=512)"
    length     positions 0 .. length - 1
    dim        channels D
    positions  int64 [N], or float64 [N] or [N, axes] if the encoding is defined
               at real positions, instead of 0 .. length - 1
    params     its learned parameters by name, float32 or float64
    dtype      of the result, float32 or float64
    copy       True: positions and params of other types are converted

    Returns P [length, D], or [N, D].
    Errors: ERR_PARAM (a position beyond a learned table), ERR_UNSUPPORTED (not
    of this door), ERR_SHAPE, ERR_DTYPE.  Source: each encoding names its own
    (`locant.encodings()`).
    """
    length, dim = whole(length, "length"), whole(dim, "dim")
    at, at_view = positions_view(positions, "positions", 0, length, copy)
    rows = length if positions is None else len(at) if at.ndim else 0
    bound = bind(spec, params, length, {"width": dim}, copy=copy)
    out = result(None, (rows, dim), dtype)
    status = _table(raw(out, "out"), bound.encoding.handle, at_view,
                    bound.views)
    if status:
        raise refusal(status)
    return out


def rotate(x: Any, spec: str | Encoding, positions: Any = None,
           offset: int = 0, inverse: bool = False, *, key: bool = False,
           limits: Any = None, params: Params | None = None,
           out: Array | None = None, dtype: str | None = None,
           copy: bool = False) -> Array:
    """Queries or keys rotated by their positions, which may be any integers.

    Pair c of the rotated channels, (a, b), at position p becomes
    (a cos - b sin, a sin + b cos) of p f_c.

    x          [.., T, D] of float32, float64, float16 or bfloat16, any strides
               with the last one dense
    spec       e.g. "rope", "rope(base=500000,pairing=interleaved)"
    positions  int64 [T], or [B, T] for each row of x [B, .., T, D]; float64
               [T], [T, axes] or [B, T, axes] for real coordinates; of each head
               of x [B, H, T, D] also [B, H, T, axes]
    offset     without positions: row t sits at offset + t
    inverse    rotate back
    key        x holds keys; xpos and pope rotate them unlike queries
    limits     int64 [B] or [B, T]: 1 + the longest position of the document of
               each row, or of each position; used if frequencies depend on the
               length (trait "length").  Left out: from the positions of a row
    params     learned parameters by name
    out        where to write, may be x itself; new memory if left out
    dtype      "bfloat16" where x is uint16 holding its bits
    copy       False: an array that would have to be copied is an error

    Returns [.., T, D] of x's dtype (pope: 2 D channels).
    Errors: ERR_SHAPE (odd channels), ERR_UNSUPPORTED (not of this door; no
    inverse), ERR_PARAM, ERR_LAYOUT, ERR_ALIAS, ERR_DTYPE.
    Source: Su et al. 2021, arXiv:2104.09864v5, section 3.4.2.
    """
    x, code = accept(x, "x", copy, dtype, FLOATS)
    shape = x.shape
    if len(shape) < 2:
        raise Error(Status.ERR_SHAPE, f"locant: x has rank {len(shape)}, "
                    "expected [.., T, D]")
    tokens, dim = shape[-2:]
    at, at_view = positions_view(positions, "positions", offset, tokens, copy)
    e, views = encoding_of(spec), None
    if params or not e.plain:
        heads = shape[-3] if len(shape) > 2 else 1
        bound = bind(e, params, tokens, {"width": heads * dim, "heads": heads,
                                         "head_dim": dim}, copy=copy)
        e, views = bound.encoding, bound.views
    width = e.rotated_width(dim)
    out = result(out, shape if width == dim else shape[:-1] + (width,),
                 x.dtype)
    flags = (_c.ROTATE_INVERSE if inverse else 0) | \
        (_c.ROTATE_KEY if key else 0)
    by_row = ragged(e, positions, at, limits, views, flags, (offset, tokens),
                    copy)
    if by_row is not None:
        lib.locant_encoding_rotate_ragged(view(out, "out", code),
                                          view(x, "x", code), by_row[0])
        return out
    source = raw(x, "x", code)
    status = _rotate(source if out is x else raw(out, "out", code), source,
                     e.handle, at_view, views, flags)
    if status:
        raise refusal(status)
    return out


def rotate_qk(q: Any, k: Any, spec: str | Encoding, positions: Any = None,
              offset: int = 0, inverse: bool = False, *,
              params: Params | None = None, dtype: str | None = None,
              copy: bool = False) -> tuple[Array, Array]:
    """Queries and keys of one layer rotated in one call, which computes the
    angles once: the bits of rotate(q) and rotate(k, key=True).

    q, k  [.., T, D] with the same T and D; heads, strides and dtype may differ
    the rest as in rotate(), positions for all rows alike

    Errors: as rotate().
    """
    q, q_code = accept(q, "q", copy, dtype, FLOATS)
    k, k_code = accept(k, "k", copy, dtype, FLOATS)
    if q.ndim < 2 or k.ndim < 2:
        raise Error(Status.ERR_SHAPE, f"locant: q has rank {q.ndim} and k has "
                    f"rank {k.ndim}, expected [.., T, D]")
    tokens, dim = q.shape[-2:]
    at, at_view = positions_view(positions, "positions", offset, tokens, copy)
    heads = q.shape[-3] if q.ndim > 2 else 1
    bound = bind(spec, params, tokens, {"width": heads * dim, "heads": heads,
                                        "head_dim": dim}, copy=copy)
    width = bound.encoding.rotated_width(dim)
    outs = [result(None, x.shape[:-1] + (width,), x.dtype) for x in (q, k)]
    lib.locant_encoding_rotate_qk(
        view(outs[0], "q_out", q_code), view(outs[1], "k_out", k_code),
        view(q, "q", q_code), view(k, "k", k_code), bound.encoding.handle,
        _c.Tensor.from_buffer_copy(at_view), bound.views,
        _c.ROTATE_INVERSE if inverse else 0)
    del at  # alive until here
    return outs[0], outs[1]


def add(x: Any, spec: str | Encoding, positions: Any = None, offset: int = 0, *,
        params: Params | None = None, out: Array | None = None,
        dtype: str | None = None, copy: bool = False) -> Array:
    """Embeddings plus the rows of an encoding of the input door.

    x          [.., T, D] of float32, float64, float16 or bfloat16
    spec       e.g. "sinusoidal", "learned(length=512)"
    positions  int64 [T], or float64 [T] or [T, axes] if it is defined at real
               positions
    offset     without positions: row t is that of position offset + t
    out        where to write, may be x itself
    dtype      "bfloat16" where x is uint16 holding its bits

    Returns [.., T, D] of x's dtype.  Errors: as table().
    """
    x, code = accept(x, "x", copy, dtype, FLOATS)
    if x.ndim < 2:
        raise Error(Status.ERR_SHAPE, f"locant: x has rank {x.ndim}, expected "
                    "[.., T, D]")
    tokens, dim = x.shape[-2:]
    at, at_view = positions_view(positions, "positions", offset, tokens, copy)
    bound = bind(spec, params, tokens, {"width": dim}, copy=copy)
    out = result(out, x.shape, x.dtype)
    lib.locant_encoding_add(view(out, "out", code), view(x, "x", code),
                            bound.encoding.handle,
                            _c.Tensor.from_buffer_copy(at_view), bound.views)
    del at  # alive until here
    return out


def ragged(e: Encoding, positions: Any, at: Array, limits: Any, views: Any,
           flags: int, default: tuple[int, int],
           copy: bool) -> tuple[_c.Rotation, Any] | None:
    """The locant_rotation if rows have positions or limits of their own, and
    arrays to keep alive for the call; None: all rows are alike.  'default' is
    (offset, tokens), for calls without positions."""
    by_row = at.ndim >= (2 if at.dtype == np.int64 else 3)
    if limits is None and (positions is None or not by_row):
        return None
    if positions is None:
        at = consecutive(*default)
    if limits is not None:
        limits = positions_of(limits, "limits", copy)
    return rotation(e, view(at, "positions"),
                    None if limits is None else view(limits, "limits"), views,
                    flags), (at, limits)


def rotation(e: Encoding, positions: _c.Tensor, limits: _c.Tensor | None,
             views: Any, flags: int) -> _c.Rotation:
    """A locant_rotation of these members."""
    made = make(_c.Rotation, encoding=e.handle, flags=flags,
                positions=ctypes.pointer(positions))
    if limits is not None:
        made.limits = ctypes.pointer(limits)
    if views is not None:
        made.params = ctypes.cast(views, ctypes.POINTER(_c.Tensor))
    return made


def positions_view(given: Any, name: str, first: int, n: int,
                   copy: bool) -> tuple[Array, bytes]:
    """The given positions or first .. first + n - 1, an array to be kept alive
    for the call, and a view of it."""
    if given is None:
        return consecutive_view(first, n)
    at = positions_of(given, name, copy)
    return at, raw(at, name)


def bias(spec: str | Encoding, heads: int, queries: int, keys: int,
         offset: int = 0, params: Params | None = None, *,
         q_positions: Any = None, k_positions: Any = None,
         dtype: Any = np.float32, copy: bool = False) -> Array:
    """The bias b(h, i, j) that an encoding of the score door adds to scores.

    spec         e.g. "alibi", "t5(buckets=32,distance=128)"
    heads        H
    queries      T; query i sits at offset + i
    keys         S; key j sits at j
    params       learned parameters by name, e.g. {"table": [buckets, H]}
    q_positions  int64 [T] instead
    k_positions  int64 [S] instead
    dtype        of the result, float32 or float64

    Returns [H, T, S], in the unit of scores (nats), without any mask.
    Errors: ERR_UNSUPPORTED (not of this door), ERR_PARAM, ERR_SHAPE, ERR_DTYPE.
    """
    heads, queries, keys = (whole(heads, "heads"), whole(queries, "queries"),
                            whole(keys, "keys"))
    q, q_view = positions_view(q_positions, "q_positions", offset, queries,
                               copy)
    k, k_view = positions_view(k_positions, "k_positions", 0, keys, copy)
    bound = bind(spec, params, keys, {"heads": heads}, copy=copy)
    out = result(None, (heads, queries if q_positions is None else q.size,
                        keys if k_positions is None else k.size), dtype)
    status = _bias(raw(out, "out"), bound.encoding.handle, q_view, k_view,
                   bound.views)
    if status:
        raise refusal(status)
    return out


def angles(positions: Any, dim: int, base: float = 10000.0,
           mode: str = "exact", *, copy: bool = False) -> Array:
    """Cosine and sine of position x base^(-2i/D), exact at any position.

    positions  int64 [T], or float64 [T] (fractional)
    dim        channels D, even
    mode       "exact": the nearest float32, for positions below 2^31; "hf", "ggml":
               the float32 operations of those stacks one by one, with this C
               library's powf, cosf and sinf. PyTorch's own differ in the last
               place: on AVX2 and AVX-512 in one frequency of 75, everywhere in
               one cosine or sine of 20

    Returns float32 [T, D/2, 2]: cos, sin.
    Source: Su et al. 2021, arXiv:2104.09864v5, section 3.2.2.
    Errors: ERR_PARAM (base, mode, a position that is not finite), ERR_DTYPE.
    """
    at = positions_of(positions, "positions", copy)
    if whole(dim, "dim") % 2:
        raise Error(Status.ERR_PARAM, f"locant: dim is {dim}, expected an even "
                    "number, two channels for each pair")
    out = result(None, (at.size, dim // 2, 2), np.float32)
    modes = {m.name.lower(): m for m in _c.AngleMode}
    if mode not in modes:
        raise Error(Status.ERR_PARAM, f"locant: mode is {mode!r}, expected "
                    + ", ".join(modes))
    lib.locant_angles(view(out, "out"), view(at, "positions"),
                      real(base, "base"), modes[mode])
    return out


def similarity(spec: str | Encoding, length: int, dim: int, *,
               params: Params | None = None, copy: bool = False) -> Array:
    """Cosine between positions 0 .. length - 1.

    Input door: of rows of its table [length, dim].  Rotate door: of vectors of
    ones rotated by each position; for a plain rotation that is the mean of
    cos((i - j) f_c) over the pairs.

    Returns float32 [length, length].
    Errors: ERR_UNSUPPORTED (of neither door), as table() and rotate().
    """
    length, dim = whole(length, "length"), whole(dim, "dim")
    bound = bind(spec, params, length, {"width": dim, "heads": 1,
                                        "head_dim": dim}, copy=copy)
    at = consecutive(0, length)
    out = result(None, (length, length), np.float32)
    lib.locant_encoding_similarity(view(out, "out"), bound.encoding.handle,
                                   view(at, "positions"), dim, bound.views)
    return out

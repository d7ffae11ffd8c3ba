"""Gradients of the doors on NumPy arrays: of table, rotate and bias."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _c
from ._arrays import FLOATS, PARAMS, Array, raw, accept, result, view
from ._c import Status, Tensor
from ._doors import positions_view, ragged
from ._encoding import Bound, Encoding, Params, bind, encoding_of
from ._library import Error, lib, quick, refusal

_table = quick("locant_encoding_table_backward")
_rotate = quick("locant_encoding_rotate_backward")
_bias = quick("locant_encoding_bias_backward")


def table_backward(dout: Any, spec: str | Encoding, *, positions: Any = None,
                   params: Params | None = None,
                   copy: bool = False) -> dict[str, Array]:
    """Gradients of the parameters that table() read.

    dout       [N, D] of float32, float64, float16 or bfloat16: the gradient of
               a loss with respect to what table() returned; of embeddings in a
               batch, its sum over the batch
    positions  as table() was given them; 0 .. N - 1 if left out
    params     as table() was given them

    Returns an array for each parameter by name; rows of a position that occurs
    twice are added.
    Errors: as table().
    """
    dout, code = _given(dout, 2, "[N, D]", copy, FLOATS)
    rows, dim = dout.shape
    at, at_view = positions_view(positions, "positions", 0, rows, copy)
    bound = bind(spec, params, rows, {"width": dim}, copy=copy)
    made, views = zeros(bound)
    status = _table(views, raw(dout, "dout", code), bound.encoding.handle,
                    at_view, bound.views)
    if status:
        raise refusal(status)
    return made


def rotate_backward(dout: Any, spec: str | Encoding, positions: Any = None,
                    offset: int = 0, inverse: bool = False, *,
                    key: bool = False, limits: Any = None,
                    params: Params | None = None, x: Any = None,
                    dtype: str | None = None,
                    copy: bool = False) -> tuple[Array, dict[str, Array]]:
    """Gradients of what rotate() read.

    dout      [.., T, D], shape and dtype of what rotate() returned
    x         as rotate() was given it, for maps other than plain rotations
              (pope, xpos); the gradient of a plain one is dout rotated back
    the rest  as rotate() was given it

    Returns the gradient of x, of its shape and dtype, and an array for each
    parameter by name.
    Errors: as rotate(); ERR_NULL where x is needed, ERR_UNSUPPORTED of the
    inverse of such a map.
    """
    dout, dout_code = accept(dout, "dout", copy, dtype, FLOATS)
    like, code, x_view = dout, dout_code, None
    if x is not None:
        like, code = accept(x, "x", copy, dtype, FLOATS)
        x_view = raw(like, "x", code)
    if like.ndim < 2:
        raise Error(Status.ERR_SHAPE, f"locant: {'dout' if x is None else 'x'} "
                    f"has rank {like.ndim}, expected [.., T, D]")
    tokens, dim = like.shape[-2:]
    heads = like.shape[-3] if like.ndim > 2 else 1
    at, at_view = positions_view(positions, "positions", offset, tokens, copy)
    bound = bind(spec, params, tokens, {"width": heads * dim, "heads": heads,
                                        "head_dim": dim}, copy=copy)
    dx = np.empty(like.shape, like.dtype)
    made, views = zeros(bound)
    flags = (_c.ROTATE_INVERSE if inverse else 0) | \
        (_c.ROTATE_KEY if key else 0)
    rotation = ragged(bound.encoding, positions, at, limits, bound.views,
                      flags, (offset, tokens), copy)
    if rotation is not None:
        lib.locant_encoding_rotate_ragged_backward(
            view(dx, "dx", code), views, view(dout, "dout", dout_code),
            None if x is None else view(like, "x", code), rotation[0])
        return dx, made
    status = _rotate(raw(dx, "dx", code), views,
                     raw(dout, "dout", dout_code), x_view,
                     bound.encoding.handle, at_view, bound.views, flags)
    if status:
        raise refusal(status)
    return dx, made


def coordinates_backward(dx: Any, x: Any, spec: str | Encoding, *,
                         inverse: bool = False, by_row: bool = False,
                         by_head: bool = False, out: Array | None = None, dtype: str | None = None,
                         copy: bool = False) -> Array:
    """Gradient of the coordinates at which a plain rotation rotated x.

    dx      gradient of x: of rotate_backward(), or dq or dk of
            attention_backward()
    x       the same [.., T, D] before the rotation
    by_row  rows of x [B, .., T, D] had coordinates of their own
    by_head so had the heads of x [B, H, T, D]
    out     float64, added to: of keys, what the call for queries returned
    dtype   "bfloat16" where x and dx are uint16 holding its bits

    Returns float64 [T, axes], [B, T, axes] by row or [B, H, T, axes] by head.
    Errors: ERR_UNSUPPORTED (not a plain rotation; frequencies that depend on
    the length), ERR_SHAPE, ERR_DTYPE.
    """
    x, code = accept(x, "x", copy, dtype, FLOATS)
    dx, dx_code = accept(dx, "dx", copy, dtype, FLOATS)
    if x.ndim < 2 + by_row or (by_head and x.ndim != 4):
        raise Error(Status.ERR_SHAPE, f"locant: x has rank {x.ndim}, expected "
                    + ("[B, H, T, D]" if by_head else "[B, .., T, D]" if by_row
                       else "[.., T, D]"))
    e = encoding_of(spec)
    shape = x.shape[-2:-1] + (e.axes,)
    if by_head:
        shape = x.shape[:2] + shape
    elif by_row:
        shape = x.shape[:1] + shape
    if out is None:
        out = np.zeros(shape, np.float64)
    out = result(out, shape, np.float64)
    lib.locant_coordinates_backward(view(out, "dcoords"),
                                    view(dx, "dx", dx_code),
                                    view(x, "x", code), e.handle,
                                    _c.ROTATE_INVERSE if inverse else 0)
    return out


def bias_backward(dout: Any, spec: str | Encoding, offset: int = 0,
                  params: Params | None = None, *, q_positions: Any = None,
                  k_positions: Any = None,
                  copy: bool = False) -> dict[str, Array]:
    """Gradients of the parameters that bias() read.

    dout      float32 or float64 [H, T, S]: the gradient of a loss with respect
              to what bias() returned; of scores in a batch, its sum
    the rest  as bias() was given it

    Returns an array for each parameter by name.  attention_backward() gives the
    same without an array of T x S.
    Errors: as bias().
    """
    dout, code = _given(dout, 3, "[H, T, S]", copy, PARAMS)
    heads, queries, keys = dout.shape
    q, q_view = positions_view(q_positions, "q_positions", offset, queries,
                               copy)
    k, k_view = positions_view(k_positions, "k_positions", 0, keys, copy)
    bound = bind(spec, params, keys, {"heads": heads}, copy=copy)
    made, views = zeros(bound)
    status = _bias(views, raw(dout, "dout", code), bound.encoding.handle,
                   q_view, k_view, bound.views)
    if status:
        raise refusal(status)
    return made


def _given(dout: Any, rank: int, shape: str, copy: bool,
           codes: tuple[int, ...]) -> tuple[Array, int]:
    dout, code = accept(dout, "dout", copy, None, codes)
    if dout.ndim != rank:
        raise Error(Status.ERR_SHAPE, f"locant: dout has rank {dout.ndim}, "
                    f"expected {shape}")
    return dout, code


def zeros(bound: Bound) -> tuple[dict[str, Array], Any]:
    """Zeros for each parameter, for the library to add to, and their views."""
    if bound.views is None:
        return {}, None
    made = {p.name: np.zeros(value.shape, value.dtype)
            for p, value in zip(bound.encoding.known, bound.values)}
    return made, (Tensor * len(made))(*(view(x, n) for n, x in made.items()))

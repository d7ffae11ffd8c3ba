"""Attention over some of the keys, with the state of each query carried."""
from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from . import _c
from ._arrays import FLOATS, PARAMS, Array, accept, address, view
from ._attention import Outputs, Problem, problem_of
from ._encoding import Encoding, Params
from ._library import lib, make
from ._values import new, whole64


class Part(NamedTuple):
    """What attention_part() returns: out and lse are None but for the last."""

    state: Array
    out: Array | None
    lse: Array | None


class PartGradients(NamedTuple):
    """What attention_part_backward() returns.

    q        None but for the last part
    k, v     of the keys that were given; v is None if values are part of k
    params   the share of these keys, by name
    sinks    None if attention had none, and but for the last part
    """

    state: Array
    q: Array | None
    k: Array
    v: Array | None
    params: dict[str, Array]
    sinks: Array | None


class _Call:
    """One locant_attention_part of a problem, and its workspace."""

    def __init__(self, p: Problem, first: Any, keys: Any, last: bool) -> None:
        self.struct = make(_c.AttentionPart)
        self.struct.first = whole64(first, "first")
        self.struct.keys = whole64(keys, "keys")
        self.struct.last = bool(last)
        size, width = ctypes.c_size_t(), ctypes.c_int64()
        lib.locant_attention_part_workspace(size, width, p.struct, self.struct)
        self.scratch = new((size.value,), np.uint8, "scratch")
        self.dq_width = width.value
        self.rows: tuple[int, ...] = p.q.shape[:3]

    def carry(self, state: Array | None, width: int) -> Array:
        """Set the state, which is made of zeros if it is None."""
        if state is None:
            state = np.zeros((*self.rows, width), np.float32)
        self.struct.state = ctypes.pointer(view(state, "state"))
        return state


def attention_part(q: Any, k: Any, v: Any,
                   encoding: str | Encoding | None = None,
                   causal: bool = False, params: Params | None = None, *,
                   first: int, keys: int, last: bool,
                   state: Array | None = None, scale: float | None = None,
                   q_positions: Any = None, k_positions: Any = None,
                   q_coords: Any = None, k_coords: Any = None,
                   q_documents: Any = None, k_documents: Any = None,
                   window: int = 0, softcap: float = 0.0, sinks: Any = None,
                   bias: Any = None, mask: Any = None, x: Any = None,
                   keys_rotated: bool = False, rotate_values: bool = False,
                   dtype: str | None = None, copy: bool = False) -> Part:
    """Attention over keys first, first + 1, .. of a call with 'keys' keys.

    k, v    [B, Hkv, n, D or Dv], n a multiple of 1024 unless they end the keys;
            v may be a number as in attention()
    first   a multiple of 1024; parts follow each other in rising order
    last    True: out and lse are computed
    state   float32 [B, H, T, Dv + 2] that the part before returned, written;
            None at the first part.  Rows of queries may be cut from it
    k_positions, k_documents, k_coords, x, bias, mask  of all keys
    the rest  as in attention(); queries sit at keys - T + i if q_positions is
            left out

    Returns Part(state, out, lse).  After the last part out and lse have the
    bits of attention(.., return_lse=True) with all keys; parts that no query
    sees may be left out.
    Errors: as attention(); ERR_UNSUPPORTED for encodings that do not take keys
    in parts, float64 and what include/locant/attention.h lists.
    Source: Milakov and Gimelshein 2018, arXiv:1805.02867v2, section 3.1.
    """
    p = problem_of(q, k, v, encoding, causal, params, copy, dtype, dict(
        scale=scale, q_positions=q_positions, k_positions=k_positions,
        q_coords=q_coords, k_coords=k_coords, q_documents=q_documents,
        k_documents=k_documents, window=window, softcap=softcap, sinks=sinks,
        bias=bias, mask=mask, x=x, keys_rotated=keys_rotated,
        rotate_values=rotate_values), whole64(keys, "keys"))
    call = _Call(p, first, keys, last)
    state = call.carry(state, p.out_shape[3] + 2)
    out = lse = None
    if last:
        out = np.empty(p.out_shape, p.q.dtype)
        lse = np.empty(p.q.shape[:3], np.float32)
    lib.locant_attention_forward_part(
        None if out is None else view(out, "out", p.code),
        None if lse is None else view(lse, "lse"), p.struct, call.struct,
        address(call.scratch), call.scratch.size)
    return Part(state, out, lse)


def attention_part_backward(
        dout: Any, q: Any, k: Any, v: Any, out: Any, lse: Any,
        encoding: str | Encoding | None = None, causal: bool = False,
        params: Params | None = None, *, first: int, keys: int, last: bool,
        state: Array | None = None, scale: float | None = None,
        q_positions: Any = None, k_positions: Any = None, q_coords: Any = None,
        k_coords: Any = None, q_documents: Any = None, k_documents: Any = None,
        window: int = 0, softcap: float = 0.0, sinks: Any = None,
        bias: Any = None, mask: Any = None, x: Any = None,
        keys_rotated: bool = False, rotate_values: bool = False,
        leaves: int = 0, dtype: str | None = None,
        copy: bool = False) -> PartGradients:
    """Gradients of keys first, first + 1, .. and, at the last part, of queries.

    dout, out, lse  of the queries, as in attention_backward()
    state    what the part before returned, written; None at the first part
    the rest as attention_part() was given it, and leaves as in
             attention_backward()

    Returns PartGradients(state, q, k, v, params, sinks).  Gradients of q, k and
    v have the bits of one call; those of parameters are summed by the caller,
    and equal one call's up to rounding.
    Errors: as attention_part(); ERR_UNSUPPORTED also for encodings with the
    content door.
    """
    p = problem_of(q, k, v, encoding, causal, params, copy, dtype, dict(
        scale=scale, q_positions=q_positions, k_positions=k_positions,
        q_coords=q_coords, k_coords=k_coords, q_documents=q_documents,
        k_documents=k_documents, window=window, softcap=softcap, sinks=sinks,
        bias=bias, mask=mask, x=x, keys_rotated=keys_rotated,
        rotate_values=rotate_values), whole64(keys, "keys"))
    p.struct.leaves = whole64(leaves, "leaves")
    dout, dout_code = accept(dout, "dout", copy, dtype, FLOATS)
    out, out_code = accept(out, "out", copy, dtype, FLOATS)
    lse, lse_code = accept(lse, "lse", copy, None, PARAMS)
    call = _Call(p, first, keys, last)
    state = call.carry(state, call.dq_width)
    g = Outputs(p, queries=last)
    if sinks is not None and last:
        g.add("dsinks", np.zeros(p.q.shape[1], np.float32))
    dparams = g.add_params(p.bound)
    lib.locant_attention_backward_part(
        g.struct, view(dout, "dout", dout_code), view(out, "out", out_code),
        view(lse, "lse", lse_code), p.struct, call.struct,
        address(call.scratch), call.scratch.size)
    made = g.arrays
    return PartGradients(state, made.get("dq"), made["dk"], made.get("dv"),
                         dparams, made.get("dsinks"))

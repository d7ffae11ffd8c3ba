"""Fused attention on NumPy arrays, forward and backward."""
from __future__ import annotations

import ctypes
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from . import _c
from ._arrays import (BYTES, FLOATS, PARAMS, Array, address, positions_of,
                      result, accept, view)
from ._c import Status, Tensor
from ._encoding import Bound, Encoding, Params, bind
from ._gradients import zeros
from ._library import Error, lib, make
from ._values import new, real, whole64


class Gradients(NamedTuple):
    """What attention_backward() returns.

    q, k, v  as the arrays they belong to; v is None if values are part of k,
             whose gradient is then that of both
    params   by name, one for each parameter of the encoding
    x, sinks None if attention had none
    bias     None if attention had none
    q_coords, k_coords  the part that flows through biases; None if attention
             had no coordinates
    """

    q: Array
    k: Array
    v: Array | None
    params: dict[str, Array]
    x: Array | None
    sinks: Array | None
    bias: Array | None = None
    q_coords: Array | None = None
    k_coords: Array | None = None


def workspace(problem: _c.Attention, lengths: Any = None) -> Array:
    """Scratch memory for one call of forward or backward; 'lengths' are those
    of packed sequences."""
    size = ctypes.c_size_t()
    if lengths is None:
        lib.locant_attention_workspace(size, problem)
    else:
        lib.locant_attention_ragged_workspace(size, problem, lengths)
    return new((size.value,), np.uint8, "scratch")


class Problem:
    """One locant_attention and the arrays that it points to."""

    def __init__(self, q: Any, k: Any, v: Any, copy: bool,
                 dtype: str | None) -> None:
        self.copy = copy
        self.dtype = dtype
        self.arrays: dict[str, Array] = {}
        self.struct = make(_c.Attention)
        self.q, self.code = self.set_floats("q", q, dtype)
        self.k, _ = self.set_floats("k", k, dtype)
        for name, x in (("q", self.q), ("k", self.k)):
            self.check_rank(name, x)
        self.of_keys = isinstance(v, (int, np.integer))
        self.v = self.values_of_keys(int(v)) if self.of_keys else \
            self.set_floats("v", v, dtype)[0]
        self.check_rank("v", self.v)
        self.keys = self.k.shape[2]  # of a sequence

    @staticmethod
    def check_rank(name: str, x: Array) -> None:
        if x.ndim != 4:
            raise Error(Status.ERR_SHAPE, f"locant: {name} has rank {x.ndim}, "
                        "expected [B, heads, tokens, D]")

    def values_of_keys(self, channels: int) -> Array:
        """The first channels of the keys, as values."""
        if not 1 <= channels <= self.k.shape[3]:
            raise Error(Status.ERR_PARAM, f"locant: v is {channels}, expected "
                        f"an array, or 1 to {self.k.shape[3]} channels of k")
        v: Array = self.k[..., :channels]
        self.point("v", v, self.code)
        return v

    @property
    def out_shape(self) -> tuple[int, ...]:
        return (*self.q.shape[:3], self.v.shape[3])

    def set_floats(self, name: str, x: Any,
                   dtype: str | None = None) -> tuple[Array, int]:
        array, code = accept(x, name, self.copy, dtype, FLOATS)
        self.point(name, array, code)
        return array, code

    def point(self, name: str, x: Array, code: int | None = None) -> None:
        """Point member 'name' of the struct to a view of 'x'."""
        self.arrays[name] = x
        setattr(self.struct, name, ctypes.pointer(view(x, name, code)))

    def set_positions(self, **given: Any) -> None:
        for name, x in given.items():
            if x is not None:
                self.point(name, positions_of(x, name, self.copy))

    def set_documents(self, q: Any, k: Any, key_mask: Any) -> None:
        """Set documents of queries and keys; keys outside 'key_mask' become
        padding."""
        if (q is None) != (k is None):
            raise Error(Status.ERR_NULL, "locant: q_documents and k_documents "
                        "are given both or neither")
        if key_mask is not None:
            mask = np.asarray(key_mask).astype(bool, copy=False)
            expected = (self.q.shape[0], self.keys)
            if mask.shape not in (expected[1:], expected):
                raise Error(Status.ERR_SHAPE, "locant: key_mask has shape "
                            f"{list(mask.shape)}, expected [B, S] = "
                            f"{list(expected)}")
            if q is None:
                q = np.zeros(mask.shape[:-1] + (self.q.shape[2],), np.int64)
            k = np.where(mask, np.int64(0) if k is None else k, np.int64(-1))
        self.set_positions(q_docs=q, k_docs=k)

    def set_dense(self, bias: Any, mask: Any) -> None:
        """Set the bias and the mask for each query and key; missing leading
        axes have size 1."""
        self.bias: Array | None = None
        if bias is not None:
            self.bias, self.bias_code = accept(bias, "bias", self.copy,
                                               self.dtype, FLOATS, True)
            self.point("bias", _four_axes(self.bias, "bias"), self.bias_code)
        if mask is not None:
            x = np.asarray(mask)
            if x.dtype not in (np.bool_, np.uint8):
                raise Error(Status.ERR_DTYPE, f"locant: mask has dtype "
                            f"{x.dtype}, expected bool or uint8")
            self.point("visible", _four_axes(x.view(np.uint8), "mask"), BYTES)

    def set_encoding(self, spec: str | Encoding | None,
                     params: Params | None, x: Any) -> None:
        heads, kv_heads = self.q.shape[1], self.k.shape[1]
        width = heads * self.q.shape[3]
        if x is not None:
            array, _ = self.set_floats("x", x, self.dtype)
            width = array.shape[-1]
        self.bound = bind(spec, params, self.keys, {
            "width": width, "heads": heads, "kv_heads": kv_heads,
            "head_dim": self.q.shape[3]}, copy=self.copy)
        self.struct.encoding = self.bound.encoding.handle
        if self.bound.views is not None:
            self.struct.params = ctypes.cast(self.bound.views,
                                             ctypes.POINTER(Tensor))

    @property
    def wide_dtype(self) -> Any:
        """The dtype of log-sum-exp and sinks."""
        return np.float64 if self.q.dtype == np.float64 else np.float32


def _four_axes(x: Array, name: str) -> Array:
    if x.ndim > 4:
        raise Error(Status.ERR_SHAPE, f"locant: {name} has rank {x.ndim}, "
                    "expected at most 4: [B or 1, H or 1, T or 1, S or 1]")
    return x[(None,) * (4 - x.ndim)]


# What attention() takes besides, and what left out means.
_OPTIONS: dict[str, Any] = dict(
    scale=None, q_positions=None, k_positions=None, q_coords=None,
    k_coords=None, q_documents=None, k_documents=None, key_mask=None, window=0,
    softcap=0.0, sinks=None, bias=None, mask=None, x=None, keys_rotated=False,
    rotate_values=False)


def fill(p: Problem, encoding: str | Encoding | None, causal: bool,
         params: Params | None, given: dict[str, Any]) -> None:
    """Set what attention() takes besides q, k and v."""
    unknown = sorted(given.keys() - _OPTIONS.keys())
    if unknown:
        raise TypeError(f"unexpected keyword argument '{unknown[0]}'")
    o = {**_OPTIONS, **given}
    p.set_encoding(encoding, params, o["x"])
    p.set_positions(q_pos=o["q_positions"], k_pos=o["k_positions"],
                    q_coords=o["q_coords"], k_coords=o["k_coords"])
    p.set_documents(o["q_documents"], o["k_documents"], o["key_mask"])
    p.set_dense(o["bias"], o["mask"])
    if o["sinks"] is not None:
        p.set_floats("sinks", o["sinks"])
    p.struct.mask = _c.Mask.CAUSAL if causal else _c.Mask.NONE
    p.struct.window = whole64(o["window"], "window")
    p.struct.softcap = real(o["softcap"], "softcap")
    if o["scale"] is not None:
        p.struct.scale = real(o["scale"], "scale")
    p.struct.flags = (
        (_c.ATTENTION_KEYS_ROTATED if o["keys_rotated"] else 0) |
        (_c.ATTENTION_VALUES_OF_KEYS if p.of_keys else 0) |
        (_c.ATTENTION_ROTATE_VALUES if o["rotate_values"] else 0))


def problem_of(q: Any, k: Any, v: Any, encoding: str | Encoding | None,
               causal: bool, params: Params | None, copy: bool,
               dtype: str | None, options: dict[str, Any],
               keys: int | None = None) -> Problem:
    """The problem with these options; 'keys' is the length of encodings whose
    spec leaves it out, S if it is missing."""
    p = Problem(q, k, v, copy, dtype)
    if keys is not None:
        p.keys = keys
    fill(p, encoding, causal, params, options)
    return p


def forward(p: Problem, out: Array | None, lengths: Any = None
            ) -> tuple[Array, Array]:
    """out and lse; 'lengths' are those of packed sequences."""
    out = result(out, p.out_shape, p.q.dtype)
    lse = np.empty(p.q.shape[:3], p.wide_dtype)
    scratch = workspace(p.struct, lengths)
    tensors = view(out, "out", p.code), view(lse, "lse")
    if lengths is None:
        lib.locant_attention_forward(*tensors, p.struct, address(scratch),
                                     scratch.size)
    else:
        lib.locant_attention_ragged_forward(*tensors, p.struct, lengths,
                                            address(scratch), scratch.size)
    return out, lse


@overload
def attention(q: Any, k: Any, v: Any, encoding: str | Encoding | None = None,
              causal: bool = False, params: Params | None = None,
              return_lse: Literal[False] = False, *, scale: float | None = None,
              q_positions: Any = None, k_positions: Any = None,
              q_coords: Any = None, k_coords: Any = None,
              q_documents: Any = None, k_documents: Any = None,
              key_mask: Any = None, window: int = 0, softcap: float = 0.0,
              sinks: Any = None, bias: Any = None, mask: Any = None,
              x: Any = None, keys_rotated: bool = False,
              rotate_values: bool = False, state: Array | None = None,
              out: Array | None = None, dtype: str | None = None,
              copy: bool = False) -> Array: ...


@overload
def attention(q: Any, k: Any, v: Any, encoding: str | Encoding | None = None,
              causal: bool = False, params: Params | None = None,
              *, return_lse: Literal[True], scale: float | None = None,
              q_positions: Any = None, k_positions: Any = None,
              q_coords: Any = None, k_coords: Any = None,
              q_documents: Any = None, k_documents: Any = None,
              key_mask: Any = None, window: int = 0, softcap: float = 0.0,
              sinks: Any = None, bias: Any = None, mask: Any = None,
              x: Any = None, keys_rotated: bool = False,
              rotate_values: bool = False, state: Array | None = None,
              out: Array | None = None, dtype: str | None = None,
              copy: bool = False) -> tuple[Array, Array]: ...


def attention(q: Any, k: Any, v: Any, encoding: str | Encoding | None = None,
              causal: bool = False, params: Params | None = None,
              return_lse: bool = False, *, scale: float | None = None,
              q_positions: Any = None, k_positions: Any = None,
              q_coords: Any = None, k_coords: Any = None,
              q_documents: Any = None, k_documents: Any = None,
              key_mask: Any = None, window: int = 0, softcap: float = 0.0,
              sinks: Any = None, bias: Any = None, mask: Any = None,
              x: Any = None, keys_rotated: bool = False,
              rotate_values: bool = False, state: Array | None = None,
              out: Array | None = None, dtype: str | None = None,
              copy: bool = False) -> Any:
    """softmax(scale <R q, R k> + b) v, without an array of T x S.

    q            [B, H, T, D] of float32, float64, float16 or bfloat16, any
                 strides with the last one dense: x.transpose(0, 2, 1, 3) of
                 [B, T, H, D] is taken as it is
    k            [B, Hkv, S, D], Hkv divides H
    v            [B, Hkv, S, Dv], any Dv; or the number Dv: values are the first
                 Dv channels of k as given, as in latent attention with
                 absorbed weights
    encoding     a spec or an Encoding; None: none.  Encodings of the input door
                 act before attention and do nothing here
    causal       a query sees keys at positions up to its own
    params       learned parameters by name, float32 or float64; shapes that
                 depend on the width take it from x
    return_lse   also the log-sum-exp of each row, for attention_backward()
    scale        of the products; D^(-1/2) if left out
    q_positions  int64 [T] or [B, T]; query i sits at S - T + i if left out
    k_positions  int64 [S] or [B, S]; j if left out
    q_coords     float64 [T, axes] or [B, T, axes]: real coordinates, for
    k_coords     rotations by several axes or by fractional positions and, with
                 one axis, for biases of real positions (alibi, kerple, fire,
                 dpb, sandwich, scale-invariant, formula(..)); both or neither.
                 Of each head: [B, H, T, axes], [B, Hkv, S, axes]
    q_documents  int64 [T] or [B, T]: a query sees only keys of its own
    k_documents  document; negative: padding, which sees nothing and is never
                 seen
    key_mask     bool [S] or [B, S]: True where a key is, False where padding
    window       0: none; else only keys with |q_pos - k_pos| < window
    softcap      0: none; else scores become softcap tanh(s / softcap)
    sinks        [H] float32 (float64 if q is): a logit of each head that takes
                 part in the softmax and has no value
    bias         [B or 1, H or 1, T or 1, S or 1] of float32, float16 or
                 bfloat16 (float64 if q is), any strides; leading axes may be
                 left out.  Added after scale, encoding and softcap; -infinity
                 hides a key
    mask         bool or uint8 of such a shape: a query sees a key only where it
                 is true
    x            [B, S, W], input of the layer, for encodings that read it (fox)
    keys_rotated  k is already rotated, by rotate(.., key=True)
    rotate_values  values rotate like keys (with keys_rotated v is given
                 rotated), and outputs rotate back: values too depend on
                 relative positions
    state        what decoding keeps: attention_state(); written
    out          where to write; new memory if left out
    dtype        "bfloat16" where q, k, v are uint16 holding its bits
    copy         False: an array that would have to be copied is an error

    Returns out [B, H, T, Dv] of q's dtype, and with return_lse the log-sum-exp
    [B, H, T], float32 (float64 if q is), in nats.  A row that sees no key is
    0.  The same bits for any number of threads.
    Errors: ERR_SHAPE, ERR_DTYPE, ERR_LAYOUT, ERR_PARAM, ERR_ALIAS, ERR_NOMEM,
    ERR_UNSUPPORTED.
    Source: Vaswani et al. 2017, arXiv:1706.03762v7, eq. (1); options as in
    include/locant/attention.h.
    """
    p = problem_of(q, k, v, encoding, causal, params, copy, dtype, dict(
        scale=scale, q_positions=q_positions, k_positions=k_positions,
        q_coords=q_coords, k_coords=k_coords, q_documents=q_documents,
        k_documents=k_documents, key_mask=key_mask, window=window,
        softcap=softcap, sinks=sinks, bias=bias, mask=mask, x=x,
        keys_rotated=keys_rotated, rotate_values=rotate_values))
    if state is not None:
        p.point("state", state, BYTES)
    out, lse = forward(p, out)
    return (out, lse) if return_lse else out


def attention_state(q: Any, k: Any, v: Any,
                    encoding: str | Encoding | None = None,
                    params: Params | None = None, *, capacity: int,
                    x: Any = None, dtype: str | None = None,
                    copy: bool = False) -> Array | None:
    """What causal attention can keep between steps of decoding.

    q, k, v, x   of the first call; only shapes and dtypes count
    encoding     path without forget, repo, carope, selective-rope, fox without
                 both or a formula of tokens, alone or in a sum
    params       its learned parameters
    capacity     the most keys that a call will have

    Returns uint8 memory for attention(.., state=), which knows no token yet;
    None if there is nothing to keep.  The queries of a call are the newest
    tokens; of those before them k must be as in earlier calls, and x is read of
    the last 128 only.  A call with fewer keys goes back.  Results have the bits
    of calls without it.
    Errors: as attention(); ERR_PARAM (capacity).
    """
    p = problem_of(q, k, v, encoding, True, params, copy, dtype, dict(x=x))
    size = ctypes.c_size_t()
    count = whole64(capacity, "capacity")
    lib.locant_attention_state_bytes(size, p.struct, count)
    if size.value == 0:
        return None
    made = new((size.value,), np.uint8, "state")
    lib.locant_attention_state_begin(view(made, "state", BYTES), p.struct,
                                     count)
    return made


def attention_backward(
        dout: Any, q: Any, k: Any, v: Any, out: Any, lse: Any,
        encoding: str | Encoding | None = None, causal: bool = False,
        params: Params | None = None, *, scale: float | None = None,
        q_positions: Any = None, k_positions: Any = None, q_coords: Any = None,
        k_coords: Any = None, q_documents: Any = None, k_documents: Any = None,
        key_mask: Any = None, window: int = 0, softcap: float = 0.0,
        sinks: Any = None, bias: Any = None, mask: Any = None, x: Any = None,
        keys_rotated: bool = False, rotate_values: bool = False,
        leaves: int = 0, dtype: str | None = None,
        copy: bool = False) -> Gradients:
    """Gradients of a loss whose gradient with respect to 'out' is 'dout'.

    dout, out  [B, H, T, Dv], dtype of q; out as attention() returned it
    lse        [B, H, T], as attention(.., return_lse=True) returned it
    leaves     0: what is summed over queries is one chain; L, a power of two up
               to 256: it is the sum of L parts by a fixed binary tree, which
               has the same bits whoever computes which parts
    the rest   as attention() was given it

    Returns Gradients(q, k, v, params, x, sinks, bias, q_coords, k_coords):
    arrays of the shapes and dtypes of what they belong to; params by name, of
    every learned parameter; of bias summed over the axes along which it was
    broadcast; of coordinates what flows through biases, to which
    coordinates_backward(.., out=) adds what flows through a rotation.
    Errors: as attention().
    Source: Dao et al. 2022, arXiv:2205.14135v2, appendix B.2.
    """
    p = problem_of(q, k, v, encoding, causal, params, copy, dtype, dict(
        scale=scale, q_positions=q_positions, k_positions=k_positions,
        q_coords=q_coords, k_coords=k_coords, q_documents=q_documents,
        k_documents=k_documents, key_mask=key_mask, window=window,
        softcap=softcap, sinks=sinks, bias=bias, mask=mask, x=x,
        keys_rotated=keys_rotated, rotate_values=rotate_values))
    p.struct.leaves = whole64(leaves, "leaves")
    return backward(p, dout, out, lse)


def backward(p: Problem, dout: Any, out: Any, lse: Any, lengths: Any = None
             ) -> Gradients:
    """Gradients of what forward() computed."""
    dout, dout_code = accept(dout, "dout", p.copy, p.dtype, FLOATS)
    out, out_code = accept(out, "out", p.copy, p.dtype, FLOATS)
    lse, lse_code = accept(lse, "lse", p.copy, None, PARAMS)
    g = Outputs(p)
    if "x" in p.arrays:
        g.add("dx", np.empty(p.arrays["x"].shape, p.q.dtype), p.code)
    if "sinks" in p.arrays:
        g.add("dsinks", np.zeros(p.q.shape[1], p.wide_dtype))
    if p.bias is not None:
        dbias = np.empty(p.bias.shape, p.bias.dtype)
        g.add("dbias", _four_axes(dbias, "dbias"), p.bias_code)
    for name in ("q_coords", "k_coords"):
        if name in p.arrays:
            g.add("d" + name, np.empty(p.arrays[name].shape, np.float64))
    dparams = g.add_params(p.bound)
    scratch = workspace(p.struct, lengths)
    tensors = (view(dout, "dout", dout_code), view(out, "out", out_code),
               view(lse, "lse", lse_code))
    if lengths is None:
        lib.locant_attention_backward(g.struct, *tensors, p.struct,
                                      address(scratch), scratch.size)
    else:
        lib.locant_attention_ragged_backward(g.struct, *tensors, p.struct,
                                             lengths, address(scratch),
                                             scratch.size)
    made = g.arrays
    return Gradients(made["dq"], made["dk"], made.get("dv"), dparams,
                     made.get("dx"), made.get("dsinks"),
                     None if p.bias is None else dbias,
                     made.get("dq_coords"), made.get("dk_coords"))


class Outputs:
    """One locant_attention_gradients and the arrays that it points to."""

    def __init__(self, p: Problem, queries: bool = True) -> None:
        self.struct = make(_c.AttentionGradients)
        self.arrays: dict[str, Array] = {}
        for name, x in (("dq", p.q), ("dk", p.k), ("dv", p.v)):
            if name == "dk" or (queries if name == "dq" else not p.of_keys):
                self.add(name, np.empty(x.shape, x.dtype), p.code)

    def add(self, name: str, x: Array, code: int | None = None) -> None:
        self.arrays[name] = x
        setattr(self.struct, name, ctypes.pointer(view(x, name, code)))

    def add_params(self, bound: Bound) -> dict[str, Array]:
        """Zeros for each parameter, for the library to add to."""
        made, views = zeros(bound)
        if views is not None:
            self.struct.dparams = ctypes.cast(views, ctypes.POINTER(Tensor))
        return made

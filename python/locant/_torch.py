"""PyTorch tensors as views for the library, and attention as an operator.

An operator can be traced, unlike a function: torch.compile, torch.export and
autograd use its schema and its fake kernel.
"""
from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _c
from ._arrays import address, tensor, view
from ._attention import workspace
from ._c import Dtype, Status
from ._encoding import Bound, bind
from ._library import Error, lib, make
from ._values import whole64

try:
    import torch
    from torch.library import custom_op
except ImportError as error:
    raise ImportError("locant.torch needs torch, which cannot be imported "
                      f"({error}); pip install 'locant[torch]'") from None

Tensor = torch.Tensor
_CODES = {torch.float32: Dtype.F32, torch.float16: Dtype.F16,
          torch.bfloat16: Dtype.BF16, torch.float64: Dtype.F64,
          torch.int32: Dtype.I32, torch.int64: Dtype.I64,
          torch.bool: Dtype.U8, torch.uint8: Dtype.U8}


def check_on_cpu(**given: Any) -> None:
    """Refuse what is neither a tensor on the CPU nor None."""
    for name, x in given.items():
        if x is None:
            continue
        if not isinstance(x, Tensor):
            raise Error(Status.ERR_PARAM, f"locant: {name} is a "
                        f"{type(x).__name__}, expected a torch.Tensor")
        if x.device.type != "cpu":
            raise Error(Status.ERR_UNSUPPORTED, f"locant: {name} is on device "
                        f"{x.device}, expected cpu; locant computes on the CPU "
                        f"alone: pass {name}.cpu()")


def view_of(x: Tensor, name: str) -> _c.Tensor:
    """A locant_tensor that views 'x'; keep 'x' alive for the call."""
    code = _CODES.get(x.dtype)
    if code is None:
        raise Error(Status.ERR_DTYPE, f"locant: {name} has dtype {x.dtype}, "
                    "expected float32, float64, float16, bfloat16, int32 or "
                    "int64")
    return tensor(x.data_ptr(), int(code), tuple(x.shape), x.stride())


def viewer(x: Tensor, name: str, _: bool) -> tuple[Tensor, _c.Tensor]:
    """For bind(): parameters are used in place."""
    return x, view_of(x, f"params[{name!r}]")


def dense(x: Tensor) -> Tensor:
    """A gradient from autograd with a dense last stride; that of a sum has
    stride 0."""
    return x if x.stride(-1) == 1 else x.contiguous()


def like(x: Tensor) -> Tensor:
    """New memory of the shape of 'x'; [B, T, H, D] in memory if 'x' is."""
    if x.ndim == 4 and x.stride(1) < x.stride(2):
        b, h, t, d = x.shape
        return x.new_empty((b, t, h, d)).transpose(1, 2)
    return x.new_empty(x.shape)


def like_out(q: Tensor, v: Tensor) -> Tensor:
    """New memory for a row of 'v' for each query; [B, T, H, D] in memory if 'q'
    is."""
    b, h, t, _ = q.shape
    if q.stride(1) < q.stride(2):
        return q.new_empty((b, t, h, v.shape[3])).transpose(1, 2)
    return q.new_empty((b, h, t, v.shape[3]))


def wide_dtype(x: Tensor) -> torch.dtype:
    """The dtype of log-sum-exp and sinks."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def gradients(bound: Bound) -> tuple[list[Any], Any]:
    """Zeros for each parameter, for the library to add to, and their views."""
    made = [like(v).zero_() if isinstance(v, Tensor) else np.zeros_like(v)
            for v in bound.values]
    views = [view_of(v, "dparams") if isinstance(v, Tensor) else
             view(v, "dparams") for v in made]
    return made, (_c.Tensor * len(views))(*views)


def chosen(bound: Bound, names: str, made: list[Any]) -> list[Tensor]:
    """Gradients of the parameters 'names', in that order, out of all."""
    order = [p.name for p in bound.encoding.known]
    return [made[order.index(n)] for n in names.split(",") if n]


def coordinates_gradient(made: Tensor, dx: Tensor, x: Tensor, bound: Bound,
                         flags: int) -> None:
    """Add to 'made' the gradient of the coordinates of rows 'x', whose gradient before
    the rotation is 'dx'."""
    lib.locant_coordinates_backward(view_of(made, "dcoords"),
                                    view_of(dx, "dx"), view_of(x, "x"),
                                    bound.encoding.handle, flags)


class Call(NamedTuple):
    """The arguments of the operator attention, in order."""

    q: Tensor
    k: Tensor
    v: Tensor
    x: Tensor | None
    sinks: Tensor | None
    bias: Tensor | None
    q_pos: Tensor | None
    k_pos: Tensor | None
    q_coords: Tensor | None
    k_coords: Tensor | None
    q_docs: Tensor | None
    k_docs: Tensor | None
    visible: Tensor | None
    params: Sequence[Tensor]
    spec: str
    names: str  # of params, with commas
    causal: bool
    keys_rotated: bool
    window: int
    scale: float | None
    softcap: float
    rotate_values: bool
    leaves: int


_TENSORS = Call._fields[:13]
_LEARNED = 6  # the first of them have gradients, and so have the coordinates
_COORDS = {"q": 8, "k": 9}
_SCHEMA = (
    "Tensor q, Tensor k, Tensor v, Tensor? x, Tensor? sinks, Tensor? bias, "
    "Tensor? q_pos, Tensor? k_pos, Tensor? q_coords, Tensor? k_coords, "
    "Tensor? q_docs, Tensor? k_docs, Tensor? visible, Tensor[] params, "
    "str spec, str names, bool causal, "
    "bool keys_rotated, SymInt window, float? scale, float softcap, "
    "bool rotate_values, SymInt leaves")


def _ranks(c: Call) -> None:
    for name, x in (("q", c.q), ("k", c.k), ("v", c.v)):
        if x.ndim != 4:
            raise Error(Status.ERR_SHAPE, f"locant: {name} has rank {x.ndim}, "
                        "expected [B, heads, tokens, D]")


def _problem(c: Call) -> tuple[_c.Attention, Bound]:
    _ranks(c)
    s = make(_c.Attention, window=c.window, softcap=c.softcap,
             leaves=c.leaves)
    for name in _TENSORS:
        x = getattr(c, name)
        if x is not None:
            setattr(s, name, ctypes.pointer(view_of(x, name)))
    s.mask = _c.Mask.CAUSAL if c.causal else _c.Mask.NONE
    s.flags = ((_c.ATTENTION_KEYS_ROTATED if c.keys_rotated else 0) |
               (_c.ATTENTION_ROTATE_VALUES if c.rotate_values else 0))
    if c.scale is not None:
        s.scale = c.scale
    heads, dim = c.q.shape[1], c.q.shape[3]
    bound = bind(c.spec, dict(zip(c.names.split(","), c.params)), c.k.shape[2],
                 {"width": heads * dim if c.x is None else c.x.shape[-1],
                  "heads": heads, "kv_heads": c.k.shape[1], "head_dim": dim},
                 viewer=viewer)
    s.encoding = bound.encoding.handle
    if bound.views is not None:
        s.params = ctypes.cast(bound.views, ctypes.POINTER(_c.Tensor))
    return s, bound


def _attend(c: Call, state: Tensor | None) -> tuple[Tensor, Tensor]:
    problem, _bound = _problem(c)  # _bound keeps the parameters' views alive
    if state is not None:
        problem.state = ctypes.pointer(view_of(state, "state"))
    out = like_out(c.q, c.v)
    lse = c.q.new_empty(c.q.shape[:3], dtype=wide_dtype(c.q))
    scratch = workspace(problem)
    lib.locant_attention_forward(view_of(out, "out"), view_of(lse, "lse"),
                                 problem, address(scratch), scratch.size)
    return out, lse


def _forward(*given: Any) -> tuple[Tensor, Tensor]:
    return _attend(Call(*given), None)


def _forward_with_state(state: Tensor, *given: Any) -> tuple[Tensor, Tensor]:
    return _attend(Call(*given), state)


def _forward_fake(*given: Any) -> tuple[Tensor, Tensor]:
    c = Call(*given)
    _ranks(c)
    return (like_out(c.q, c.v),
            c.q.new_empty(c.q.shape[:3], dtype=wide_dtype(c.q)))


def _forward_with_state_fake(_: Tensor, *given: Any) -> tuple[Tensor, Tensor]:
    return _forward_fake(*given)


def begin_state(c: Call, capacity: int) -> Tensor | None:
    """Memory for the operator attention_with_state, which knows no token yet;
    None if calls like 'c' keep nothing."""
    problem, _bound = _problem(c)
    size = ctypes.c_size_t()
    capacity = whole64(capacity, "capacity")
    lib.locant_attention_state_bytes(size, problem, capacity)
    if size.value == 0:
        return None
    state = torch.empty(size.value, dtype=torch.uint8)
    lib.locant_attention_state_begin(view_of(state, "state"), problem, capacity)
    return state


def _backward(wanted: Sequence[bool], dout: Tensor, out: Tensor, lse: Tensor,
              *given: Any) -> list[Tensor]:
    c = Call(*given)
    problem, bound = _problem(c)
    g = make(_c.AttentionGradients)
    moved = dict(zip(_COORDS, wanted[-2:]))  # whose coordinates have gradients
    rotates = "rotate" in bound.encoding.doors
    if any(moved.values()) and (c.rotate_values or c.keys_rotated):
        raise Error(Status.ERR_UNSUPPORTED, "locant: coordinates have no "
                    "gradient with rotate_values or keys_rotated")
    made, rows = [], {}
    for name, want in zip(_TENSORS[:_LEARNED], wanted):
        if want or (rotates and moved.get(name)):
            x = getattr(c, name)
            rows[name] = like(x).zero_() if name == "sinks" else like(x)
            setattr(g, f"d{name}",
                    ctypes.pointer(view_of(rows[name], f"d{name}")))
        if want:
            made.append(rows[name])
    if any(wanted[_LEARNED:-2]):
        values, views = gradients(bound)
        g.dparams = ctypes.cast(views, ctypes.POINTER(_c.Tensor))
        made += [x for x, want in zip(chosen(bound, c.names, values),
                                      wanted[_LEARNED:-2]) if want]
    places = {name: like(at) for name, at in (("q", c.q_coords),
                                              ("k", c.k_coords))
              if at is not None and moved[name]}
    for name, at in places.items():  # what flows through biases
        setattr(g, f"d{name}_coords",
                ctypes.pointer(view_of(at, f"d{name}_coords")))
    dout = dense(dout)
    scratch = workspace(problem)
    lib.locant_attention_backward(
        g, view_of(dout, "dout"), view_of(out, "out"), view_of(lse, "lse"),
        problem, address(scratch), scratch.size)
    if rotates:
        for name, at in places.items():
            coordinates_gradient(at, rows[name], getattr(c, name), bound, 0)
    return made + list(places.values())


def _backward_fake(wanted: Sequence[bool], dout: Tensor, out: Tensor,
                   lse: Tensor, *given: Any) -> list[Tensor]:
    c = Call(*given)
    return [like(x) for x, want in
            zip((c.q, c.k, c.v, c.x, c.sinks, c.bias, *c.params, c.q_coords,
                 c.k_coords), wanted)
            if want and x is not None]


attention = custom_op(
    "locant::attention", _forward, mutates_args=(), device_types="cpu",
    schema=f"({_SCHEMA}) -> (Tensor, Tensor)")
attention_with_state = custom_op(
    "locant::attention_with_state", _forward_with_state,
    mutates_args=("state",), device_types="cpu",
    schema=f"(Tensor(a!) state, {_SCHEMA}) -> (Tensor, Tensor)")
attention_backward = custom_op(
    "locant::attention_backward", _backward, mutates_args=(),
    device_types="cpu", schema="(bool[] wanted, Tensor dout, Tensor out, "
    f"Tensor lse, {_SCHEMA}) -> Tensor[]")
attention.register_fake(_forward_fake)
attention_with_state.register_fake(_forward_with_state_fake)
attention_backward.register_fake(_backward_fake)


def _keep(ctx: Any, inputs: tuple[Any, ...],
          output: tuple[Tensor, Tensor]) -> None:
    c = Call(*inputs)
    ctx.save_for_backward(*output, *c[:len(_TENSORS)], *c.params)
    ctx.mark_non_differentiable(output[1])
    ctx.options = c[len(_TENSORS) + 1:]


def _differentiate(ctx: Any, dout: Tensor, _: Any) -> tuple[Any, ...]:
    out, lse, *saved = ctx.saved_tensors
    n = len(_TENSORS)
    needs = ctx.needs_input_grad
    wanted = [*needs[:_LEARNED], *needs[n],
              *(needs[at] for at in _COORDS.values())]
    made = iter(attention_backward(wanted, dout, out, lse, *saved[:n],
                                   saved[n:], *ctx.options))
    grads = [next(made) if want else None for want in wanted]
    others = [None] * (n - _LEARNED)
    for at, grad in zip(_COORDS.values(), grads[-2:]):
        others[at - _LEARNED] = grad
    return (*grads[:_LEARNED], *others, grads[_LEARNED:-2],
            *[None] * len(ctx.options))


def refuse_twice(ctx: Any, *_: Any) -> Any:
    """The gradient of a gradient."""
    raise Error(Status.ERR_UNSUPPORTED, "locant: the gradient of a gradient "
                "was asked for; locant's functions have first derivatives only")


attention.register_autograd(_differentiate, setup_context=_keep)
attention_backward.register_autograd(refuse_twice)

"""The doors rotate and input of an encoding as operators of PyTorch."""
from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import torch
from torch.library import custom_op

from . import _c
from ._arrays import Array, counted
from ._encoding import Bound, bind, encoding_of
from ._library import lib
from ._torch import Tensor, chosen, dense, gradients, refuse_twice, seen, viewer


class Turn(NamedTuple):
    """The arguments of both operators, in order; 'flags' is 0 of add."""

    x: Tensor
    params: Sequence[Tensor]
    positions: Tensor | None
    spec: str
    names: str  # of params, with commas
    offset: int
    flags: int


_SCHEMA = ("Tensor x, Tensor[] params, Tensor? positions, str spec, "
           "str names, SymInt offset, int flags")


def _bound(t: Turn) -> tuple[Bound, _c.Tensor, Tensor | Array]:
    """The encoding for this call, its positions, and what holds them."""
    tokens, dim = t.x.shape[-2:]
    heads = t.x.shape[-3] if t.x.ndim > 2 else 1
    turns = "rotate" in encoding_of(t.spec).doors
    bound = bind(t.spec, dict(zip(t.names.split(","), t.params)), tokens,
                 {"width": heads * dim if turns else dim, "heads": heads,
                  "head_dim": dim}, viewer=viewer)
    if t.positions is not None:
        return bound, seen(t.positions, "positions"), t.positions
    held, found = counted(t.offset, tokens)
    return bound, _c.Tensor.from_buffer_copy(found), held


def _turned(x: Tensor, spec: str) -> Tensor:
    width = encoding_of(spec).rotated_width(int(x.shape[-1]))
    return x.new_empty((*x.shape[:-1], width))


def _rotate(*given: Any) -> Tensor:
    t = Turn(*given)
    bound, at, _held = _bound(t)
    out = _turned(t.x, t.spec)
    lib.locant_encoding_rotate(seen(out, "out"), seen(t.x, "x"),
                               bound.encoding.handle, at, bound.views, t.flags)
    return out


def _rotate_backward(wanted: Sequence[bool], dout: Tensor,
                     *given: Any) -> list[Tensor]:
    t = Turn(*given)
    bound, at, _held = _bound(t)
    dx = t.x.new_empty(t.x.shape)
    values, views = gradients(bound) if any(wanted[1:]) else ([], None)
    dout = dense(dout)
    lib.locant_encoding_rotate_backward(
        seen(dx, "dx"), views, seen(dout, "dout"), seen(t.x, "x"),
        bound.encoding.handle, at, bound.views, t.flags)
    found = [dx, *(chosen(bound, t.names, values) if values else [])]
    return [x for x, want in zip(found, wanted) if want]


def _add(*given: Any) -> Tensor:
    t = Turn(*given)
    bound, at, _held = _bound(t)
    out = t.x.new_empty(t.x.shape)
    lib.locant_encoding_add(seen(out, "out"), seen(t.x, "x"),
                            bound.encoding.handle, at, bound.views)
    return out


def _add_backward(wanted: Sequence[bool], dout: Tensor,
                  *given: Any) -> list[Tensor]:
    t = Turn(*given)
    bound, at, _held = _bound(t)
    values, views = gradients(bound)
    # Batches share positions; the table's gradient adds up, row by row.
    rows = dense(dout).to(torch.promote_types(dout.dtype, torch.float32))
    for part in rows.reshape(-1, *rows.shape[-2:]):
        lib.locant_encoding_table_backward(
            views, seen(part, "dout"), bound.encoding.handle, at, bound.views)
    return [x for x, want in zip(chosen(bound, t.names, values), wanted[1:])
            if want]


def _wanted_fake(wanted: Sequence[bool], dout: Tensor,
                 *given: Any) -> list[Tensor]:
    t = Turn(*given)
    return [x.new_empty(x.shape) for x, want in zip([t.x, *t.params], wanted)
            if want]


def _operators(name: str, forward: Any, fake: Any, backward: Any) -> Any:
    """locant::name and locant::name_backward, which knows no gradient."""
    op = custom_op(f"locant::{name}", forward, mutates_args=(),
                   device_types="cpu", schema=f"({_SCHEMA}) -> Tensor")
    back = custom_op(
        f"locant::{name}_backward", backward, mutates_args=(),
        device_types="cpu",
        schema=f"(bool[] wanted, Tensor dout, {_SCHEMA}) -> Tensor[]")
    op.register_fake(fake)
    back.register_fake(_wanted_fake)
    back.register_autograd(refuse_twice)
    return op, back


rotate, rotate_backward = _operators(
    "rotate", _rotate, lambda x, *given: _turned(x, given[2]),
    _rotate_backward)
add, add_backward = _operators(
    "add", _add, lambda x, *given: x.new_empty(x.shape), _add_backward)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    t = Turn(*inputs)
    ctx.save_for_backward(t.x, t.positions, *t.params)
    ctx.options = t[3:]


def _wanted(ctx: Any) -> list[bool]:
    return [ctx.needs_input_grad[0], *ctx.needs_input_grad[1]]


def _call(ctx: Any, op: Any, wanted: list[bool], dout: Tensor) -> list[Any]:
    """A gradient for each that is wanted, else None."""
    x, positions, *params = ctx.saved_tensors
    made = iter(op(wanted, dout, x, params, positions, *ctx.options))
    return [next(made) if want else None for want in wanted]


def _rotate_gradient(ctx: Any, dout: Tensor) -> tuple[Any, ...]:
    dx, *dparams = _call(ctx, rotate_backward, _wanted(ctx), dout)
    return dx, dparams, None, None, None, None, None


def _add_gradient(ctx: Any, dout: Tensor) -> tuple[Any, ...]:
    wanted = _wanted(ctx)
    dparams = [None] * (len(wanted) - 1)
    if any(wanted[1:]):
        dparams = _call(ctx, add_backward, [False, *wanted[1:]], dout)[1:]
    return (dout if wanted[0] else None, dparams, None, None, None, None,
            None)


rotate.register_autograd(_rotate_gradient, setup_context=_keep)
add.register_autograd(_add_gradient, setup_context=_keep)

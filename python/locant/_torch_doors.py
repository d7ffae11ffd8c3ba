"""The doors rotate and input of an encoding as operators of PyTorch."""
from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import torch
from torch.library import custom_op

from . import _c
from ._arrays import Array, consecutive_view
from ._c import ROTATE_INVERSE, Status
from ._doors import rotation
from ._encoding import Bound, bind, encoding_of
from ._library import Error, lib
from ._torch import (Tensor, chosen, coordinates_gradient, dense, gradients,
                     refuse_twice, view_of, viewer)


class Call(NamedTuple):
    """The arguments of both operators, in order; add has neither 'limits' nor
    'flags'."""

    x: Tensor
    params: Sequence[Tensor]
    positions: Tensor | None
    limits: Tensor | None
    spec: str
    names: str  # of params, with commas
    offset: int
    flags: int


_SCHEMA = ("Tensor x, Tensor[] params, Tensor? positions, Tensor? limits, "
           "str spec, str names, SymInt offset, int flags")


def _bound(c: Call) -> tuple[Bound, _c.Tensor, Tensor | Array]:
    """The encoding for this call, a view of the positions, and their array."""
    tokens, dim = c.x.shape[-2:]
    heads = c.x.shape[-3] if c.x.ndim > 2 else 1
    rotates = "rotate" in encoding_of(c.spec).doors
    bound = bind(c.spec, dict(zip(c.names.split(","), c.params)), tokens,
                 {"width": heads * dim if rotates else dim, "heads": heads,
                  "head_dim": dim}, viewer=viewer)
    if c.positions is not None:
        return bound, view_of(c.positions, "positions"), c.positions
    held, found = consecutive_view(c.offset, tokens)
    return bound, _c.Tensor.from_buffer_copy(found), held


def _ragged(c: Call, bound: Bound, at: _c.Tensor) -> _c.Rotation | None:
    """The locant_rotation if rows have positions or limits of their own; None:
    all rows are alike."""
    by_row = at.rank >= (2 if at.dtype == _c.Dtype.I64 else 3)
    if c.limits is None and not by_row:
        return None
    limits = None if c.limits is None else view_of(c.limits, "limits")
    return rotation(bound.encoding, at, limits, bound.views, c.flags)


def _rotated(x: Tensor, spec: str) -> Tensor:
    width = encoding_of(spec).rotated_width(int(x.shape[-1]))
    return x.new_empty((*x.shape[:-1], width))


def _rotate(*given: Any) -> Tensor:
    c = Call(*given)
    bound, at, _held = _bound(c)
    out = _rotated(c.x, c.spec)
    ragged = _ragged(c, bound, at)
    if ragged is not None:
        lib.locant_encoding_rotate_ragged(view_of(out, "out"),
                                          view_of(c.x, "x"), ragged)
        return out
    lib.locant_encoding_rotate(view_of(out, "out"), view_of(c.x, "x"),
                               bound.encoding.handle, at, bound.views, c.flags)
    return out


def _rotate_backward(wanted: Sequence[bool], dout: Tensor,
                     *given: Any) -> list[Tensor]:
    c = Call(*given)
    bound, at, _held = _bound(c)
    dx = c.x.new_empty(c.x.shape)
    values, views = gradients(bound) if any(wanted[1:-1]) else ([], None)
    dout = dense(dout)
    tensors = (view_of(dx, "dx"), views, view_of(dout, "dout"),
               view_of(c.x, "x"))
    ragged = _ragged(c, bound, at)
    if ragged is not None:
        lib.locant_encoding_rotate_ragged_backward(*tensors, ragged)
    else:
        lib.locant_encoding_rotate_backward(
            *tensors, bound.encoding.handle, at, bound.views, c.flags)
    found = [dx, *(chosen(bound, c.names, values) if values else [])]
    found = [x for x, want in zip(found, wanted) if want]
    if wanted[-1] and c.positions is not None:
        moved = torch.zeros_like(c.positions,
                                 memory_format=torch.contiguous_format)
        coordinates_gradient(moved, dx, c.x, bound, c.flags & ROTATE_INVERSE)
        found.append(moved)
    return found


def _add(*given: Any) -> Tensor:
    c = Call(*given)
    bound, at, _held = _bound(c)
    out = c.x.new_empty(c.x.shape)
    lib.locant_encoding_add(view_of(out, "out"), view_of(c.x, "x"),
                            bound.encoding.handle, at, bound.views)
    return out


def _add_backward(wanted: Sequence[bool], dout: Tensor,
                  *given: Any) -> list[Tensor]:
    c = Call(*given)
    bound, at, _held = _bound(c)
    values, views = gradients(bound)
    # Rows of a batch share positions; their gradients add up, row by row.
    rows = dense(dout).to(torch.promote_types(dout.dtype, torch.float32))
    for part in rows.reshape(-1, *rows.shape[-2:]):
        lib.locant_encoding_table_backward(
            views, view_of(part, "dout"), bound.encoding.handle, at,
            bound.views)
    return [x for x, want in zip(chosen(bound, c.names, values), wanted[1:-1])
            if want]


def _wanted_fake(wanted: Sequence[bool], dout: Tensor,
                 *given: Any) -> list[Tensor]:
    c = Call(*given)
    return [x.new_empty(x.shape) for x, want in
            zip([c.x, *c.params, c.positions], wanted)
            if want and x is not None]


def _operators(name: str, forward: Any, fake: Any, backward: Any) -> Any:
    """locant::name and locant::name_backward, which has no gradient."""
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
    "rotate", _rotate, lambda x, *given: _rotated(x, given[3]),
    _rotate_backward)
add, add_backward = _operators(
    "add", _add, lambda x, *given: x.new_empty(x.shape), _add_backward)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    c = Call(*inputs)
    ctx.save_for_backward(c.x, c.positions, c.limits, *c.params)
    ctx.options = c[4:]


def _wanted(ctx: Any) -> list[bool]:
    """Of x, of each parameter, of the positions."""
    needs = ctx.needs_input_grad
    return [needs[0], *needs[1], needs[2]]


def _call(ctx: Any, op: Any, wanted: list[bool], dout: Tensor) -> list[Any]:
    """A gradient for each wanted input, None for the others."""
    x, positions, limits, *params = ctx.saved_tensors
    made = iter(op(wanted, dout, x, params, positions, limits, *ctx.options))
    return [next(made) if want else None for want in wanted]


def _rotate_gradient(ctx: Any, dout: Tensor) -> tuple[Any, ...]:
    dx, *dparams, at = _call(ctx, rotate_backward, _wanted(ctx), dout)
    return dx, dparams, at, *[None] * (1 + len(ctx.options))


def _add_gradient(ctx: Any, dout: Tensor) -> tuple[Any, ...]:
    wanted = _wanted(ctx)
    if wanted[-1]:
        raise Error(Status.ERR_UNSUPPORTED, "locant: the positions of add() "
                    "need a gradient, which it does not have; detach() them")
    dparams = [None] * (len(wanted) - 2)
    if any(wanted[1:]):
        dparams = _call(ctx, add_backward, [False, *wanted[1:]], dout)[1:-1]
    return (dout if wanted[0] else None, dparams,
            *[None] * (2 + len(ctx.options)))


rotate.register_autograd(_rotate_gradient, setup_context=_keep)
add.register_autograd(_add_gradient, setup_context=_keep)

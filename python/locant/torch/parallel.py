"""Attention over one long sequence that several processes share.

from torch.distributed.device_mesh import init_device_mesh
from locant.torch import parallel
mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("cp",))
x, positions = parallel.shard(x, 1, mesh["cp"])
out = parallel.attention(q, k, v, "rope", causal=True, mesh=mesh["cp"])

Each process has the queries of its part of the sequence.  Keys and values are
gathered for every call, so each process computes its rows of one ordinary call.

The sequence of T tokens is cut into L leaves of T / L consecutive tokens.  With
a causal mask a later leaf has more to do, so leaf i and leaf L - 1 - i are a
pair: pairs cost the same.  Of P processes process r has the pairs L/2 r/P to
before L/2 (r + 1)/P, the two leaves of a pair one after the other.  This order
of leaves, 0, L - 1, 1, L - 2, .., is that of the fixed binary tree that adds
the leaves' gradients of k, v and x.  So the bits depend on L, and not on the
number of processes.

leaves  of every function: L, a power of two up to 256 that 2 P divides (or 1 if
        P is 1), where 64 L divides T (but for L = 1).  Left out: the largest up
        to 16 that fits T, whatever P is
mesh    of every function: a DeviceMesh of one axis, of device "cpu"

All processes of the mesh call the functions with tensors of the same shapes and
dtypes, and differentiate them together.  Errors of all functions: ERR_SHAPE for
lengths that cannot be shared out, ERR_PARAM for 'leaves' and 'mesh',
ERR_UNSUPPORTED for another device than the CPU; those of torch.distributed if a
process is lost.
Source: of gathered keys and the balance Llama team 2024, arXiv:2407.21783,
section 3.3.2.
"""
from __future__ import annotations

from typing import Any, Mapping, NamedTuple

import torch
import torch.distributed as dist
from torch.autograd.function import once_differentiable
from torch.distributed.device_mesh import DeviceMesh

from . import Spec, Tensor, attention as _attention
from .._c import Status
from .._library import Error
from .._torch import check_on_cpu

__all__ = ["attention", "shard", "unshard"]

_TILE = 64  # queries of a tile, of which leaves are made
_MOST = 256  # leaves
_USUAL = 16  # leaves if the caller names none
# PyTorch 2.13 warns of the older name.
_gather_parts = getattr(dist, "all_gather_single", None) or \
    dist.all_gather_into_tensor


class _Layout(NamedTuple):
    """Which tokens each process has."""

    group: Any
    rank: int
    ranks: int
    tokens: int  # of all processes
    leaves: int

    def order(self) -> Tensor:
        """The tokens of process 0, of process 1, and so on."""
        n = self.leaves
        leaf = torch.arange(n)
        half = leaf // 2
        leaf = torch.where(leaf % 2 == 0, half, n - 1 - half)
        tokens = torch.arange(self.tokens).reshape(n, -1)
        return tokens[leaf].flatten()

    def own(self) -> Tensor:
        """The tokens of this process."""
        return self.order().reshape(self.ranks, -1)[self.rank]


def _check_mesh(mesh: Any) -> None:
    if not isinstance(mesh, DeviceMesh):
        raise Error(Status.ERR_PARAM, f"locant: mesh is a "
                    f"{type(mesh).__name__}, expected a DeviceMesh")
    if mesh.ndim != 1:
        names = mesh.mesh_dim_names
        example = f': pass mesh["{names[-1]}"]' if names else ""
        raise Error(Status.ERR_PARAM, f"locant: mesh has {mesh.ndim} axes, "
                    f"expected one{example}")
    if mesh.device_type != "cpu":
        raise Error(Status.ERR_UNSUPPORTED, "locant: mesh has the device "
                    f"{mesh.device_type}, expected cpu; locant computes on the "
                    "CPU alone")
    if mesh.get_coordinate() is None:
        raise Error(Status.ERR_PARAM, "locant: this process is not in the "
                    f"mesh, expected one of {mesh.mesh.tolist()}")


def _fit(tokens: int, leaves: int) -> bool:
    return leaves == 1 or tokens % (_TILE * leaves) == 0


def _usual_leaves(tokens: int) -> int:
    n = _USUAL
    while not _fit(tokens, n):
        n //= 2
    return n


def _layout(mesh: Any, tokens: int, leaves: int | None) -> _Layout:
    _check_mesh(mesh)
    ranks = mesh.size()
    if ranks & (ranks - 1) or 2 * ranks > _MOST:
        raise Error(Status.ERR_PARAM, f"locant: mesh has {ranks} processes, "
                    f"expected a power of two up to {_MOST // 2}")
    fewest = 2 * ranks if ranks > 1 else 1
    if leaves is None:
        if not _fit(tokens, min(fewest, _USUAL)):
            raise Error(Status.ERR_SHAPE, "locant: the sequence has "
                        f"{tokens} tokens, expected a multiple of "
                        f"{_TILE * fewest}: {fewest} leaves of {_TILE} tokens "
                        f"or more for {ranks} processes")
        leaves = _usual_leaves(tokens)
    if type(leaves) is not int or leaves & (leaves - 1) or \
            not fewest <= leaves <= _MOST:
        raise Error(Status.ERR_PARAM, f"locant: leaves is {leaves!r}, expected "
                    f"a power of two, {fewest} to {_MOST} for {ranks} "
                    "processes")
    if not _fit(tokens, leaves):
        raise Error(Status.ERR_SHAPE, f"locant: the sequence has {tokens} "
                    f"tokens, expected a multiple of {_TILE * leaves}: {leaves} "
                    f"leaves of {_TILE} tokens or more")
    return _Layout(mesh.get_group(), mesh.get_local_rank(), ranks, tokens,
                   leaves)


def _whole(part: Tensor, axis: int, layout: _Layout) -> Tensor:
    """The parts of all processes, in the order of tokens; no gradient."""
    part = part.movedim(axis, 0).contiguous()
    parts = part.new_empty((layout.tokens, *part.shape[1:]))
    _gather_parts(parts, part, group=layout.group)
    return parts[layout.order().argsort()].movedim(0, axis)


def _total(sums: Tensor, axis: int, layout: _Layout) -> Tensor:
    """Of every process a sum over its queries, for all tokens: the sum over
    all processes, for the tokens of this one."""
    sums = sums.movedim(axis, 0)[layout.order()].contiguous()
    nodes = torch.empty_like(sums)
    dist.all_to_all_single(nodes, sums, group=layout.group)
    nodes = nodes.reshape(layout.ranks, -1, *sums.shape[1:])
    while len(nodes) > 1:  # a process has a full subtree: the levels above
        nodes = nodes[0::2] + nodes[1::2]
    return nodes[0].movedim(0, axis)


class _Gather(torch.autograd.Function):
    """Tensors [.., T / P, n] of every process -> [.., T, n]."""

    @staticmethod
    def forward(ctx: Any, layout: _Layout, *parts: Tensor) -> Any:
        ctx.layout = layout
        return tuple(_whole(x, -2, layout) for x in parts)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *sums: Tensor) -> Any:
        return (None, *(_total(x, -2, ctx.layout) if want else None
                        for x, want in zip(sums, ctx.needs_input_grad[1:])))


def _axis(x: Tensor, dim: int) -> int:
    """The length of an axis."""
    if not -x.ndim <= dim < x.ndim:
        raise Error(Status.ERR_PARAM, f"locant: dim is {dim}, expected an axis "
                    f"of x, which has {x.ndim}")
    return x.shape[dim]


def shard(x: Tensor, dim: int, mesh: DeviceMesh, balance: str = "head-tail", *,
          leaves: int | None = None) -> tuple[Tensor, Tensor]:
    """The part of this process of a sequence that every process has.

    x        any shape and dtype, T tokens along axis 'dim'
    balance  "head-tail": a leaf from the head of the sequence goes with one
             from its tail; there is no other

    Returns new memory of the shape of x with T / P tokens along 'dim', and
    their positions, int64 [T / P], for rotate(), add() and the like.
    Differentiable in x: the gradient is 0 where other processes have the token.
    """
    check_on_cpu(x=x)
    if balance != "head-tail":
        raise Error(Status.ERR_PARAM, f"locant: balance is {balance!r}, "
                    "expected 'head-tail'")
    own = _layout(mesh, _axis(x, dim), leaves).own()
    return x.index_select(dim, own), own


def unshard(x: Tensor, dim: int, mesh: DeviceMesh, *,
            leaves: int | None = None) -> Tensor:
    """The whole of what shard() cut, on every process.

    x  the part of this process, T / P tokens along axis 'dim'

    Returns x of T tokens in their order.  It has no gradient: compute losses
    of parts.
    """
    check_on_cpu(x=x)
    _check_mesh(mesh)
    layout = _layout(mesh, _axis(x, dim) * mesh.size(), leaves)
    return _whole(x.detach(), dim, layout)


def _check_parts(q: Tensor, half: bool, **given: tuple[Tensor | None, int]
                 ) -> None:
    """Each has the tokens of q along its axis."""
    if q.ndim != 4:
        raise Error(Status.ERR_SHAPE, f"locant: q has rank {q.ndim}, expected "
                    "[B, heads, tokens, D]")
    for name, (x, axis) in given.items():
        if x is None:
            continue
        if x.ndim < -axis or x.shape[axis] != q.shape[2]:
            raise Error(Status.ERR_SHAPE, f"locant: {name} has shape "
                        f"{list(x.shape)}, expected {q.shape[2]} tokens along "
                        f"axis {axis}, like q")
        if half and x.requires_grad and torch.is_grad_enabled():
            raise Error(Status.ERR_UNSUPPORTED, f"locant: {name} has dtype "
                        f"{x.dtype}, expected float32 or float64 where a "
                        "gradient is needed: sums of other processes would be "
                        "rounded before they are added")


def attention(q: Tensor, k: Tensor, v: Tensor, encoding: Spec = None,
              causal: bool = False, params: Mapping[str, Tensor] | None = None,
              return_lse: bool = False, *, mesh: DeviceMesh,
              leaves: int | None = None, scale: float | None = None,
              documents: Tensor | None = None, window: int = 0,
              softcap: float = 0.0, sinks: Tensor | None = None,
              x: Tensor | None = None, keys_rotated: bool = False,
              rotate_values: bool = False) -> Any:
    """locant.torch.attention() of a whole sequence, for the queries of this
    process.

    q          [B, H, T / P, D], the tokens that shard() gives this process
    k          [B, Hkv, T / P, D] of the same tokens
    v          [B, Hkv, T / P, Dv] of the same tokens
    documents  int64 [T / P] or [B, T / P] of the same tokens: a query sees only
               keys of its own document; negative: padding
    x          [B, T / P, W] of the same tokens, for encodings that read it
    the rest   as in locant.torch.attention()

    Tokens sit at their places in the whole sequence, 0 to T - 1.  dtypes are
    float32 and float64; without gradients of k, v and x also half precision.
    torch.autocast does not act here.

    Returns out [B, H, T / P, Dv] and with return_lse the log-sum-exp
    [B, H, T / P].  Both and the gradient of q have the bits of one call for the
    whole sequence.  Gradients of k, v and x are sums over the queries of all
    processes, with the bits of one call with the same 'leaves' for the queries
    of all tokens in the order of shard().  Gradients of params and sinks are
    sums over the queries of this process: add them over processes as those of
    other weights.
    Memory: keys, values and their gradients of the whole sequence on every
    process.
    Errors: as above, and those of locant.torch.attention().
    """
    check_on_cpu(q=q, k=k, v=v, x=x, documents=documents)
    half = q.dtype in (torch.float16, torch.bfloat16)
    _check_parts(q, half, k=(k, -2), v=(v, -2), x=(x, -2),
                 documents=(documents, -1))
    _check_mesh(mesh)
    layout = _layout(mesh, q.shape[2] * mesh.size(), leaves)
    k, v, *rest = _Gather.apply(  # type: ignore[no-untyped-call]
        layout, k, v, *([] if x is None else [x]))
    all_documents = None if documents is None else \
        _whole(documents, -1, layout).contiguous()
    with torch.autocast("cpu", enabled=False):
        out, lse = _attention(
            q, k, v, encoding, causal, params, return_lse=True, scale=scale,
            q_positions=layout.own(), k_positions=torch.arange(layout.tokens),
            q_documents=documents, k_documents=all_documents, window=window,
            softcap=softcap, sinks=sinks, x=rest[0] if rest else None,
            keys_rotated=keys_rotated, rotate_values=rotate_values,
            leaves=layout.leaves // layout.ranks)
    return (out, lse) if return_lse else out

"""liblocant for PyTorch: attention, rotation and encodings with gradients.

CPU tensors of float32, float64, float16 and bfloat16 are used in place,
whatever their strides.  Every function is an operator with a fake kernel:
torch.compile(fullgraph=True) and torch.export trace through it.  There are
first derivatives only: the gradient of a gradient is an error.

Under torch.autocast("cpu") q, k, v and x are cast to its dtype, except float64,
as PyTorch does for scaled_dot_product_attention; parameters, sinks and sums
stay float32.  The number of threads is that of locant.set_threads(), not of
torch.set_num_threads().

`locant.torch.parallel`, imported when first used, shares one sequence out among
processes.
"""
from __future__ import annotations

import importlib
from typing import Any, Literal, Mapping, TypeAlias, overload

from .. import _encoding
from .._c import ROTATE_INVERSE, ROTATE_KEY, Status
from .._library import Error
from .. import _torch as ops  # its error names a missing PyTorch
from .. import _torch_doors as doors
import torch

Tensor = torch.Tensor
Spec: TypeAlias = "str | _encoding.Encoding | Encoding | None"

__all__ = ["Encoding", "add", "attention", "attention_state", "rotate"]


def _cast(*given: Tensor | None) -> list[Any]:
    """Cast the arguments of an attention as autocast does."""
    if not torch.is_autocast_enabled("cpu"):
        return list(given)
    dtype = torch.get_autocast_dtype("cpu")
    return [x if x is None or x.dtype == torch.float64 else x.to(dtype)
            for x in given]


def _widened(x: Tensor) -> Tensor:
    """A parameter in half precision becomes float32."""
    half = x.dtype in (torch.float16, torch.bfloat16)
    return x.to(torch.float32) if half else x


def _named(encoding: Spec, params: Mapping[str, Tensor] | None
           ) -> tuple[str, str, list[Tensor]]:
    """The spec of an encoding, and names and values of its parameters."""
    if isinstance(encoding, Encoding):
        params = {**encoding.params(), **(params or {})}
    spec = "none" if encoding is None else \
        encoding if isinstance(encoding, str) else encoding.spec
    given = params or {}
    for name, value in given.items():
        ops.check_on_cpu(**{f"params[{name!r}]": value})
    return spec, ",".join(given), [_widened(x) for x in given.values()]


def _four_axes(name: str, x: Tensor | None) -> Tensor | None:
    """With leading axes of size 1."""
    if x is None:
        return None
    if x.ndim > 4:
        raise Error(Status.ERR_SHAPE, f"locant: {name} has rank {x.ndim}, "
                    "expected at most 4: [B or 1, H or 1, T or 1, S or 1]")
    return x[(None,) * (4 - x.ndim)]


def _documents(q: Tensor, k: Tensor, q_docs: Tensor | None,
               k_docs: Tensor | None, key_mask: Tensor | None) -> list[Any]:
    """Documents of queries and keys; keys outside 'key_mask' become padding."""
    if (q_docs is None) != (k_docs is None):
        raise Error(Status.ERR_NULL, "locant: q_documents and k_documents are "
                    "given both or neither")
    if key_mask is None:
        return [q_docs, k_docs]
    if key_mask.shape not in ((k.shape[2],), (k.shape[0], k.shape[2])):
        raise Error(Status.ERR_SHAPE, "locant: key_mask has shape "
                    f"{list(key_mask.shape)}, expected [B, S] = "
                    f"{[k.shape[0], k.shape[2]]}")
    documents = torch.zeros((), dtype=torch.int64) if k_docs is None else k_docs
    if q_docs is None:
        q_docs = torch.zeros((*key_mask.shape[:-1], q.shape[2]),
                             dtype=torch.int64)
    return [q_docs, torch.where(key_mask.to(torch.bool), documents, -1)]


def _refuse_gradients(given: list[Tensor | None]) -> None:
    """A state is written in place: backward could not read what was there."""
    if torch.is_grad_enabled() and any(x is not None and x.requires_grad
                                       for x in given):
        raise Error(Status.ERR_UNSUPPORTED, "locant: attention with a state "
                    "has no gradient, and one is asked for; call it under "
                    "torch.no_grad()")


@overload
def attention(q: Tensor, k: Tensor, v: Tensor, encoding: Spec = None,
              causal: bool = False, params: Mapping[str, Tensor] | None = None,
              return_lse: Literal[False] = False,
              **options: Any) -> Tensor: ...


@overload
def attention(q: Tensor, k: Tensor, v: Tensor, encoding: Spec = None,
              causal: bool = False,
              params: Mapping[str, Tensor] | None = None, *,
              return_lse: Literal[True],
              **options: Any) -> tuple[Tensor, Tensor]: ...


# The overloads leave out the names of the options.
def attention(  # type: ignore[misc]
              q: Tensor, k: Tensor, v: Tensor, encoding: Spec = None,
              causal: bool = False, params: Mapping[str, Tensor] | None = None,
              return_lse: bool = False, *, scale: float | None = None,
              q_positions: Tensor | None = None,
              k_positions: Tensor | None = None,
              q_coords: Tensor | None = None, k_coords: Tensor | None = None,
              q_documents: Tensor | None = None,
              k_documents: Tensor | None = None,
              key_mask: Tensor | None = None, window: int = 0,
              softcap: float = 0.0, sinks: Tensor | None = None,
              bias: Tensor | None = None, mask: Tensor | None = None,
              x: Tensor | None = None, keys_rotated: bool = False,
              rotate_values: bool = False, leaves: int = 0,
              state: Tensor | None = None) -> Any:
    """softmax(scale <R q, R k> + b) v, without a tensor of T x S.

    Differentiable in q, k, v, x, sinks, bias, params, q_coords and k_coords
    (plain rotations, and biases that read coordinates).

    q            [B, H, T, D] of float32, float64, float16 or bfloat16, any
                 strides with the last one dense
    k            [B, Hkv, S, D], Hkv divides H
    v            [B, Hkv, S, Dv], any Dv.  May be a view of k, such as
                 k[..., :512] of latent attention with absorbed weights
    encoding     a spec, a locant.Encoding, or a locant.torch.Encoding with its
                 parameters; None: none.  Encodings of the input door act before
                 attention and do nothing here
    params       learned parameters by name, float32 or float64; half precision
                 is widened, also of sinks
    return_lse   also the log-sum-exp of each row, which has no gradient
    q_positions  int64 [T] or [B, T]; query i sits at S - T + i if left out
    k_positions  int64 [S] or [B, S]; j if left out
    q_coords     float64 [T, axes], [B, T, axes] or, of each head, [B, H, T,
    k_coords     axes] and [B, Hkv, S, axes]: real coordinates, as a model
                 predicts them, of a rotation or (with one axis) of alibi,
                 kerple, fire, dpb, sandwich, scale-invariant, formula(..) and
                 their sums; both or neither
    key_mask     bool [S] or [B, S]: True where a key is, False where padding
    bias         [B or 1, H or 1, T or 1, S or 1], leading axes may be left out:
                 added to the scores, like a float attn_mask of PyTorch's
                 scaled_dot_product_attention; -infinity hides a key
    mask         bool of such a shape: True where a query sees a key, like a
                 bool attn_mask
    leaves       0: gradients that are summed over queries, of k, v, x, sinks
                 and params, are one chain; L, a power of two up to 256: each is
                 the sum of L parts by a fixed binary tree
                 (locant.attention_backward())
    state        what decoding keeps: attention_state(); written in place.
                 There is no gradient: call it under torch.no_grad()
    the rest     as in locant.attention(), with tensors for arrays

    Returns out [B, H, T, Dv], in memory as q is ([B, T, H, D] if q is), and with
    return_lse the log-sum-exp [B, H, T], float32 (float64 if q is), in nats.  A
    row that sees no key is 0.
    Errors: as locant.attention(); ERR_UNSUPPORTED for tensors not on the CPU.
    Source: Vaswani et al. 2017, arXiv:1706.03762v7, eq. (1); of the gradients
    Dao et al. 2022, arXiv:2205.14135v2, appendix B.2.
    """
    ops.check_on_cpu(
        q=q, k=k, v=v, x=x, sinks=sinks, q_positions=q_positions,
        k_positions=k_positions, q_coords=q_coords, k_coords=k_coords,
        q_documents=q_documents, k_documents=k_documents, key_mask=key_mask,
        bias=bias, mask=mask, state=state)
    spec, names, values = _named(encoding, params)
    q, k, v, x = _cast(q, k, v, x)
    given = (
        q, k, v, x, None if sinks is None else sinks.to(ops.wide_dtype(q)),
        _four_axes("bias", bias), q_positions, k_positions, q_coords, k_coords,
        *_documents(q, k, q_documents, k_documents, key_mask),
        _four_axes("mask", mask), values, spec, names, causal, keys_rotated,
        window, scale, float(softcap), rotate_values, leaves)
    if state is None:
        out, lse = ops.attention(*given)
    else:
        _refuse_gradients([q, k, v, x, sinks, bias, q_coords, k_coords,
                           *values])
        out, lse = ops.attention_with_state(state, *given)
    return (out, lse) if return_lse else out


def attention_state(q: Tensor, k: Tensor, v: Tensor, encoding: Spec = None,
                    params: Mapping[str, Tensor] | None = None, *,
                    capacity: int, x: Tensor | None = None) -> Tensor | None:
    """What causal attention can keep between steps of decoding.

    q, k, v, x   of the first call; only shapes and dtypes count
    encoding     path without forget, repo, carope, selective-rope, fox without
                 both or a formula of tokens, alone or in a sum
    params       its learned parameters
    capacity     the most keys that a call will have

    Returns uint8 memory for attention(.., state=), which knows no token yet;
    None if there is nothing to keep.  A step gives the bits of one call for all
    tokens; what steps may do is in locant.attention_state().
    Errors: as attention(); ERR_PARAM (capacity).
    """
    ops.check_on_cpu(q=q, k=k, v=v, x=x)
    spec, names, values = _named(encoding, params)
    q, k, v, x = _cast(q, k, v, x)
    return ops.begin_state(ops.Call(
        q, k, v, x, None, None, None, None, None, None, None, None, None,
        values, spec, names, True, False, 0, None, 0.0, False, 0), capacity)


def rotate(x: Tensor, encoding: Spec, positions: Tensor | None = None,
           offset: int = 0, inverse: bool = False, *, key: bool = False,
           limits: Tensor | None = None,
           params: Mapping[str, Tensor] | None = None) -> Tensor:
    """Queries or keys rotated by their positions.

    x          [.., T, D], any strides with the last one dense
    encoding   a spec, a locant.Encoding or a locant.torch.Encoding
    positions  int64 [T], or [B, T] for the rows of x [B, .., T, D]; float64 [T]
               or [T, axes] for real coordinates, [B, T, axes] or, of each
               head of x [B, H, T, D], [B, H, T, axes]
    offset     without positions: row t sits at offset + t
    inverse    rotate back
    key        x holds keys; xpos and pope rotate them unlike queries
    limits     int64 [B] or [B, T], as locant.rotate() takes them

    Returns [.., T, D] of x's dtype (pope: 2 D channels).  Differentiable in x,
    params and, for a plain rotation, real positions.
    Errors and source: as locant.rotate().
    """
    ops.check_on_cpu(x=x, positions=positions, limits=limits)
    spec, names, values = _named(encoding, params)
    flags = (ROTATE_INVERSE if inverse else 0) | (ROTATE_KEY if key else 0)
    made: Tensor = doors.rotate(x, values, positions, limits, spec, names,
                                offset, flags)
    return made


def add(x: Tensor, encoding: Spec, positions: Tensor | None = None,
        offset: int = 0, *,
        params: Mapping[str, Tensor] | None = None) -> Tensor:
    """x plus the rows of an encoding of the input door.

    x          [.., T, D], any strides with the last one dense
    encoding   e.g. "sinusoidal", or a locant.torch.Encoding("learned", ..)
    positions  int64 [T]; float64 [T] or [T, axes] if it is defined at real ones
    offset     without positions: row t sits at offset + t

    Returns x + P[positions] of x's dtype.  Differentiable in x and params.
    Errors and source: as locant.table().
    """
    ops.check_on_cpu(x=x, positions=positions)
    spec, names, values = _named(encoding, params)
    made: Tensor = doors.add(x, values, positions, None, spec, names, offset,
                             0)
    return made


class Encoding(torch.nn.Module):
    """A module with an encoding and its learned parameters.

    encoding = locant.torch.Encoding("t5", heads=8)
    out = encoding(q, k, v, causal=True)

    spec      e.g. "rope", "t5(bidirectional=yes)", "alibi+rope"
    length    replaces a length that the spec leaves out
    width, heads, kv_heads, head_dim   sizes of the model that shapes of
              parameters depend on; ERR_PARAM names a missing one
    seed      of the initial parameters
    dtype     of parameters, torch.float32 or torch.float64

    A parameter "part.name" of a sum is the attribute part_name.  Data of the
    task (hops of a graph) are buffers.  Call project() after each step of an
    optimiser; rates() are for its groups.
    """

    spec: str

    def __init__(self, spec: str | _encoding.Encoding, *,
                 length: int | None = None, width: int = 0, heads: int = 0,
                 kv_heads: int = 0, head_dim: int = 0, seed: int = 0,
                 dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        encoding = _encoding.encoding_of(spec)
        if length is not None:
            encoding = encoding.resolved(length)
        self.spec = encoding.spec
        drawn = encoding.init(
            seed, "float64" if dtype == torch.float64 else "float32",
            width=width, heads=heads, kv_heads=kv_heads, head_dim=head_dim)
        self._names: dict[str, str] = {}
        self._rates: dict[str, float] = {}
        for p in encoding.known:
            name = self._names[p.name] = p.name.replace(".", "_")
            value = torch.from_numpy(drawn[p.name]).to(dtype)
            if p.rate == 0:
                self.register_buffer(name, value)
            else:
                self._rates[name] = p.rate
                self.register_parameter(name, torch.nn.Parameter(value))

    def params(self) -> dict[str, Tensor]:
        """Parameters by their names in the library."""
        return {known: getattr(self, own)
                for known, own in self._names.items()}

    def rates(self) -> dict[str, float]:
        """Learning rates relative to that of weight matrices: logits change in
        units of 1, weights in units of width^(-1/2)."""
        return dict(self._rates)

    def project(self) -> None:
        """Set every entry to the nearest allowed value, in place.  Call it
        after each step of an optimiser."""
        with torch.no_grad():
            values = {name: x.numpy() for name, x in self.params().items()}
            _encoding.Encoding(self.spec).project(values)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = False,
                **options: Any) -> Any:
        """attention() with this encoding."""
        return attention(q, k, v, self, causal, **options)

    def rotate(self, x: Tensor, positions: Tensor | None = None,
               offset: int = 0, inverse: bool = False, *, key: bool = False,
               limits: Tensor | None = None) -> Tensor:
        """rotate() with this encoding."""
        return rotate(x, self, positions, offset, inverse, key=key,
                      limits=limits)

    def add(self, x: Tensor, positions: Tensor | None = None,
            offset: int = 0) -> Tensor:
        """add() with this encoding."""
        return add(x, self, positions, offset)

    def extra_repr(self) -> str:
        return repr(self.spec)


def __getattr__(name: str) -> Any:
    if name == "parallel":
        return importlib.import_module(f"{__name__}.parallel")
    raise AttributeError(f"module 'locant.torch' has no attribute {name!r}")

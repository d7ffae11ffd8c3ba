"""Masks of transformers for locant.hf: positions and documents, not arrays."""
from __future__ import annotations

import functools
from typing import Any, Callable, NamedTuple

try:
    import transformers.masking_utils as masks
except ImportError as error:
    raise ImportError("locant.hf needs transformers, which cannot be imported "
                      f"({error}); pip install 'locant[hf]'") from None
from . import _hf_patch as patch
from . import torch as _torch  # says so where PyTorch is missing
from ._c import Status
from ._library import Error
import torch

Tensor = torch.Tensor


class Mask(NamedTuple):
    """Which keys a query sees, as locant.torch.attention() takes it."""

    q_positions: Tensor         # int64 [T] or [B, T]
    k_positions: Tensor         # int64 [S] or [B, S]
    q_documents: Tensor | None  # int64 [B, T]
    k_documents: Tensor | None  # int64 [B, S]; -1 is padding
    causal: bool
    window: int
    weights: bool = False       # MPT's block asks for the weights, too
    first: Tensor | None = None  # int64 [B, 1]: padding before the first token
    rank: int = 4

    @property
    def ndim(self) -> int:
        """Not 2: generate() makes the masks of a static cache, and a model must
        not take one for padding."""
        return self.rank

    def to(self, *_: Any, **__: Any) -> Mask:
        """Itself; MPT converts its mask to bool."""
        return self

    def counted(self) -> Mask:
        """The mask with positions that start at the first token of each row."""
        if self.first is None:
            return self
        return self._replace(
            q_positions=(self.q_positions - self.first).clamp(min=0),
            k_positions=(self.k_positions - self.first).clamp(min=0))

    def without_padding(self) -> Mask:
        """The mask with positions as BLOOM and Falcon count them for ALiBi."""
        if self.k_documents is None:
            return self
        at = (self.k_documents + 1).cumsum(-1) - 1
        return self._replace(q_positions=at[:, self.q_positions].contiguous(),
                             k_positions=at, first=None)

    def options(self) -> dict[str, Any]:
        """Options of attention()."""
        return {name: x for name, x in self._asdict().items()
                if name not in ("weights", "first", "rank")}

    def contiguous(self) -> Mask:
        """Itself; generate() calls it."""
        return self


def refuse(what: str) -> Error:
    return Error(Status.ERR_UNSUPPORTED, f"locant.hf: {what}; use "
                 "attn_implementation=\"eager\" for this model")


def _remembering(name: str, original: Any) -> Any:
    """A factory of mask functions that stores its arguments on each of them:
    torch.compile can read these, but not a closure."""
    @functools.wraps(original)
    def make(*given: Any) -> Any:
        made = original(*given)
        made._locant_made = name, given
        return made
    return make


def register() -> None:
    for name in ("and_masks", "chunked_overlay", "sliding_window_overlay",
                 "sliding_window_bidirectional_overlay",
                 "packed_sequence_mask_function",
                 "remap_positions_for_packed_sequence"):
        patch.method(masks, name, functools.partial(_remembering, name))


def _read(function: Callable[..., Any], found: dict[str, Any]) -> None:
    """Collect the arguments that a mask function of transformers was made
    from."""
    if function is masks.causal_mask_function:
        found["causal"] = True
        return
    if function is masks.bidirectional_mask_function:
        return
    kept: Any = getattr(function, "_locant_made", ("", ()))
    made_by, given = kept
    if made_by == "and_masks":
        for part in given:
            _read(part, found)
    elif made_by == "sliding_window_overlay":
        found["window"], found["one_sided"] = given[0], True
    elif made_by == "sliding_window_bidirectional_overlay":
        found["window"] = given[0] + 1
    elif made_by == "chunked_overlay":
        found["chunk"], found["padding"] = given
    elif made_by == "packed_sequence_mask_function":
        found["documents"] = given[0]
    elif made_by == "remap_positions_for_packed_sequence":
        found["positions"] = given[1]
        _read(given[0], found)
    else:
        raise refuse(f"the mask has a part {function.__qualname__}, expected "
                      "causal, sliding window, padding or packed sequences")


def mask(batch_size: int, q_length: int, kv_length: int, q_offset: Any = 0,
         kv_offset: Any = 0,
         mask_function: Callable[..., Any] = masks.causal_mask_function,
         attention_mask: Any = None, **_: Any) -> Mask:
    """The mask interface: arguments as transformers' sdpa_mask has them."""
    if isinstance(attention_mask, Mask):
        return attention_mask
    found: dict[str, Any] = {"causal": False, "window": 0}
    _read(mask_function, found)
    if found.get("one_sided") and not found["causal"]:
        raise refuse("the mask is a window without being causal")
    q_docs = k_docs = found.get("documents")
    first = None
    if "chunk" in found:
        q_docs, k_docs = (
            (torch.arange(n) + offset - found["padding"][:, None]) //
            found["chunk"]  for n, offset in ((q_length, q_offset),
                                              (kv_length, kv_offset)))
    padding = masks.prepare_padding_mask(attention_mask, kv_length, kv_offset)
    if padding is not None:
        # Keys of a cache that slides begin at kv_offset.
        real = padding[:, kv_offset:kv_offset + kv_length].to(torch.int64)
        if k_docs is None:
            q_docs = torch.zeros((batch_size, q_length), dtype=torch.int64)
            k_docs = real - 1
        else:
            k_docs = k_docs.masked_fill(real == 0, -1)
        first = padding.to(torch.int64).argmax(-1, keepdim=True)
    at = found.get("positions")
    return Mask(torch.arange(q_length) + q_offset if at is None else at,
                torch.arange(kv_length) + kv_offset if at is None else at,
                q_docs, k_docs, found["causal"], found["window"], first=first)

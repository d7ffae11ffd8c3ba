"""Fused attention of locant in models of transformers.

    import locant.hf
    locant.hf.register()
    model = AutoModelForCausalLM.from_pretrained(.., attn_implementation="locant")

or model.set_attn_implementation("locant").  Masks are not made as arrays of
T x S: what transformers says of a mask (causal, sliding window, padding, packed
sequences, offsets of a cache) reaches the kernels as positions and documents.
Soft-caps, sinks, grouped heads and the bias table of T5 are the kernels' own,
and output_attentions gives the weights.  What is not covered raises locant.Error, never a wrong
number: masks of other kinds, masks given as 4-D tensors, dropout.
"""
from __future__ import annotations

from typing import Any, Callable, NamedTuple

try:
    import transformers.masking_utils as masks
    from transformers import AttentionInterface, AttentionMaskInterface
except ImportError as error:
    raise ImportError("locant.hf needs transformers, which cannot be imported "
                      f"({error}); pip install 'locant[hf]'") from None
from . import _hf_t5 as t5
from . import torch as lt
from ._c import Status
from ._library import Error
import torch

Tensor = torch.Tensor

__all__ = ["Mask", "attend", "mask", "register"]


class Mask(NamedTuple):
    """Which keys a query sees, as locant.torch.attention() takes it."""

    q_positions: Tensor         # int64 [T] or [B, T]
    k_positions: Tensor         # int64 [S] or [B, S]
    q_documents: Tensor | None  # int64 [B, T]
    k_documents: Tensor | None  # int64 [B, S]; -1 is padding
    causal: bool
    window: int


def _refuse(what: str) -> Error:
    return Error(Status.ERR_UNSUPPORTED, f"locant.hf: {what}; use "
                 "attn_implementation=\"eager\" for this model")


def _read(function: Callable[..., Any], found: dict[str, Any]) -> None:
    """What a mask function of transformers is made of."""
    if function is masks.causal_mask_function:
        found["causal"] = True
        return
    if function is masks.bidirectional_mask_function:
        return
    made_by = function.__qualname__.split(".")[0]
    kept = dict(zip(function.__code__.co_freevars,
                    (c.cell_contents for c in function.__closure__ or ())))
    if made_by == "and_masks":
        for part in kept["mask_functions"]:
            _read(part, found)
    elif made_by == "sliding_window_overlay":
        found["window"], found["one_sided"] = kept["sliding_window"], True
    elif made_by == "sliding_window_bidirectional_overlay":
        found["window"] = kept["sliding_window"] + 1
    elif made_by == "packed_sequence_mask_function":
        found["documents"] = kept["packed_sequence_mask"]
    elif made_by == "remap_positions_for_packed_sequence":
        found["positions"] = kept["position_ids"]
        _read(kept["mask_function"], found)
    else:
        raise _refuse(f"the mask has a part {function.__qualname__}, expected "
                      "causal, sliding window, padding or packed sequences")


def mask(batch_size: int, q_length: int, kv_length: int, q_offset: Any = 0,
         kv_offset: Any = 0,
         mask_function: Callable[..., Any] = masks.causal_mask_function,
         attention_mask: Tensor | None = None, **_: Any) -> Mask:
    """The mask interface: arguments as transformers' sdpa_mask has them."""
    found: dict[str, Any] = {"causal": False, "window": 0}
    _read(mask_function, found)
    if found.get("one_sided") and not found["causal"]:
        raise _refuse("the mask is a window without being causal")
    q_docs = k_docs = found.get("documents")
    padding = masks.prepare_padding_mask(attention_mask, kv_length, kv_offset)
    if padding is not None:
        # Keys of a cache that slides begin at kv_offset.
        real = padding[:, kv_offset:kv_offset + kv_length].to(torch.int64)
        q_docs = torch.zeros((batch_size, q_length), dtype=torch.int64)
        k_docs = real - 1
    at = found.get("positions")
    return Mask(torch.arange(q_length) + q_offset if at is None else at,
                torch.arange(kv_length) + kv_offset if at is None else at,
                q_docs, k_docs, found["causal"], found["window"])


def _seen(module: Any, given: Any, q: Tensor, k: Tensor,
          is_causal: bool | None) -> dict[str, Any]:
    """Options of attention() that a mask amounts to."""
    if isinstance(given, Mask):
        return given._asdict()
    if given is not None:
        raise _refuse(f"the mask is a {type(given).__name__} "
                      f"{list(getattr(given, 'shape', []))}, expected one "
                      "that transformers makes of a 2-D attention_mask")
    causal = getattr(module, "is_causal", True) if is_causal is None \
        else is_causal
    if not causal or q.shape[2] == 1:
        return {}
    return {"causal": True, "q_positions": torch.arange(q.shape[2])}


def _weights(q: Tensor, k: Tensor, options: dict[str, Any]) -> Tensor:
    """The weights [B, H, T, S], as attention to columns of the identity."""
    b, heads, s, d = k.shape
    parts = []
    for first in range(0, s, d):
        column = torch.zeros((1, 1, s, d), dtype=k.dtype)
        column[0, 0, first:first + d].fill_diagonal_(1)
        parts.append(lt.attention(q, k, column.expand(b, heads, s, d),
                                  **options))
    return torch.cat(parts, -1)[..., :s]


def attend(module: Any, query: Tensor, key: Tensor, value: Tensor,
           attention_mask: Any, dropout: float = 0.0,
           scaling: float | None = None, is_causal: bool | None = None,
           softcap: float | None = None, s_aux: Tensor | None = None,
           position_bias: Any = None, output_attentions: bool = False,
           **_: Any) -> tuple[Tensor, Tensor | None]:
    """The attention interface: query [B, H, T, D], key and value
    [B, Hkv, S, D]; returns [B, T, H, D] and the weights if asked for."""
    if dropout:
        raise _refuse(f"attention has dropout {dropout}, expected 0")
    bias = t5.options_of(module, position_bias)
    if bias is None:
        raise _refuse("the model gives its position_bias as a tensor")
    options = _seen(module, attention_mask, query, key, is_causal)
    options.update(bias, scale=scaling, softcap=softcap or 0.0, sinks=s_aux)
    out = lt.attention(query, key, value, **options)
    weights = _weights(query, key, options) if output_attentions else None
    return out.transpose(1, 2).contiguous(), weights


def register() -> None:
    """Make attn_implementation="locant" known to transformers."""
    AttentionInterface.register("locant", attend)
    AttentionMaskInterface.register("locant", mask)
    t5.families()

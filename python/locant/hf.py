"""Fused attention of locant in models of transformers.

    import locant.hf
    locant.hf.register()
    model = AutoModelForCausalLM.from_pretrained(
        .., attn_implementation="locant")

or model.set_attn_implementation("locant").  Masks are not arrays of T x S: the
properties of a mask in transformers (causal, sliding window, padding, packed
sequences, offsets of a cache) reach the kernels as positions and documents.
Soft-caps, sinks, grouped heads, chunks, the bias table of T5, the slopes of
BLOOM, MPT and Falcon, and DeBERTa's terms are computed in the kernels, and output_attentions gives the weights.
What is not supported raises locant.Error: masks of other kinds, masks given as
4-D tensors, dropout.

    encodings = locant.hf.swap(model, "t5")

replaces the encoding of a model by another.
"""
from __future__ import annotations

from typing import Any

from ._hf_mask import Mask, mask, refuse  # says so without transformers
from . import _hf_alibi as alibi
from . import _hf_classes as classes
from . import _hf_cover as cover
from . import _hf_deberta as deberta
from . import _hf_mask as masks
from . import _hf_patch as patch
from . import _hf_t5 as t5
from . import torch as lt
from ._hf_swap import Swapped, encoding_of, swap
import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.utils.output_capturing import _active_collector

Tensor = torch.Tensor

__all__ = ["Mask", "Swapped", "attend", "mask", "register", "swap",
           "unregister"]


def _mask_options(module: Any, given: Any, q: Tensor, k: Tensor,
                  is_causal: bool | None) -> dict[str, Any]:
    """Options of attention() for the mask that transformers gives."""
    if isinstance(given, Mask):
        return given.options()
    if given is not None:
        raise refuse(f"the mask is a {type(given).__name__} "
                      f"{list(getattr(given, 'shape', []))}, expected one "
                      "that transformers makes of a 2-D attention_mask")
    causal = getattr(module, "is_causal", True) if is_causal is None \
        else is_causal
    if not causal or q.shape[2] == 1:
        return {}
    return {"causal": True, "q_positions": torch.arange(q.shape[2])}


def _weights(q: Tensor, k: Tensor, options: dict[str, Any]) -> Tensor:
    """The weights [B, H, T, S]: attention with columns of the identity as v."""
    b, heads, s, d = k.shape
    parts = []
    for first in range(0, s, d):
        column = torch.zeros((1, 1, s, d), dtype=k.dtype)
        column[0, 0, first:first + d].fill_diagonal_(1)
        parts.append(lt.attention(q, k, column.expand(b, heads, s, d),
                                  **options))
    return torch.cat(parts, -1)[..., :s]


def _recorded() -> bool:
    """Whether transformers records the weights of layers, which also GPT-2 asks
    for so: it does not pass output_attentions to its layers."""
    active: Any = _active_collector
    if torch.compiler.is_compiling() and not active.compiling:
        return False  # get() cannot be traced before set(), which sets it
    kept = active.get() or {}
    return "attentions" in kept or "cross_attentions" in kept


def attend(module: Any, query: Tensor, key: Tensor, value: Tensor,
           attention_mask: Any, dropout: float = 0.0,
           scaling: float | None = None, is_causal: bool | None = None,
           softcap: float | None = None, s_aux: Tensor | None = None,
           position_bias: Any = None, output_attentions: bool = False,
           encoding: str | None = None, params: Any = None,
           **_: Any) -> tuple[Tensor, Tensor | None]:
    """The attention interface: query [B, H, T, D], key and value
    [B, Hkv, S, D]; returns [B, T, H, D] and, if wanted, the weights.
    'encoding' is the model's own, of 'params', unless swap() has replaced
    it."""
    if dropout:
        raise refuse(f"attention has dropout {dropout}, expected 0")
    bias = t5.options_of(module, position_bias)
    if bias is None:
        raise refuse("the model gives its position_bias as a tensor")
    swapped = encoding_of(module)
    if swapped is not None and isinstance(attention_mask, Mask):
        attention_mask = attention_mask.counted()
    options = _mask_options(module, attention_mask, query, key, is_causal)
    options.update(bias, scale=scaling, softcap=softcap or 0.0, sinks=s_aux)
    if swapped is not None or encoding is not None:
        options["encoding"] = encoding if swapped is None else swapped
    if swapped is None and params is not None:
        options["params"] = params
    out = lt.attention(query, key, value, **options)
    weights = _weights(query, key, options) \
        if output_attentions or _recorded() else None
    return out.transpose(1, 2).contiguous(), weights


def register() -> None:
    """Make attn_implementation="locant" known to transformers."""
    AttentionInterface.register("locant", attend)
    AttentionMaskInterface.register("locant", mask)
    masks.register()
    cover.register()
    t5.register()
    for family in (alibi, classes, deberta):
        family.register(attend)


def unregister() -> None:
    """Undo register().

    Errors: ERR_UNSUPPORTED while a model runs with locant: undo() its swap(),
    or give it another attn_implementation.
    """
    cover.check_unused()
    for known in (AttentionInterface, AttentionMaskInterface):
        known._global_mapping.pop("locant", None)
    patch.undo()

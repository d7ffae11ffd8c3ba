"""Falcon and GPT-J for locant.hf: they choose a class of attention by name, and
use no attention interface.

Their own class serves "locant", too; what computes the scores is replaced if
the mask is one of locant's.
"""
from __future__ import annotations

import functools
from typing import Any

import torch
from transformers.models.falcon import modeling_falcon as falcon
from transformers.models.gptj import modeling_gptj as gptj

from . import _hf_patch as patch
from ._hf_mask import Mask

Tensor = torch.Tensor


def _rotated(given: Any, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    rotate: Any = falcon.apply_rotary_pos_emb
    rotated: tuple[Tensor, Tensor] = rotate(q, k, *given)
    return rotated


def _falcon(attend: Any, original: Any) -> Any:
    @functools.wraps(original)
    def forward(self: Any, hidden_states: Tensor, alibi: Any,
                attention_mask: Any, position_ids: Any = None,
                layer_past: Any = None, use_cache: bool = False,
                output_attentions: bool = False,
                position_embeddings: Any = None,
                **more: Any) -> tuple[Tensor, Tensor | None]:
        if not isinstance(attention_mask, Mask):
            made: tuple[Tensor, Tensor | None] = original(
                self, hidden_states, alibi, attention_mask, position_ids,
                layer_past, use_cache, output_attentions, position_embeddings,
                **more)
            return made
        q, k, v = (x.transpose(1, 2) for x in self._split_heads(
            self.query_key_value(hidden_states)))
        if alibi is None:
            q, k = _rotated(position_embeddings, q, k)
        else:
            attention_mask = attention_mask.without_padding()
        if layer_past is not None:
            k, v = layer_past.update(k, v, self.layer_idx)
        out, weights = attend(
            self, q, k, v, attention_mask,
            dropout=self.attention_dropout.p if self.training else 0.0,
            scaling=self.inv_norm_factor,
            encoding=None if alibi is None else "alibi(dialect=falcon)",
            output_attentions=output_attentions)
        return self.dense(out.flatten(2)), weights
    return forward


def _of_three_dimensions(original: Any) -> Any:
    """Masks of Falcon: of one with four it computes ALiBi into the elements."""
    @functools.wraps(original)
    def create(*given: Any, **more: Any) -> Any:
        made = original(*given, **more)
        return made._replace(rank=3) if isinstance(made, Mask) else made
    return create


def _gptj(attend: Any, original: Any) -> Any:
    @functools.wraps(original)
    def attention(self: Any, query: Tensor, key: Tensor, value: Tensor,
                  attention_mask: Any = None) -> tuple[Tensor, Tensor | None]:
        if not isinstance(attention_mask, Mask):
            made: tuple[Tensor, Tensor | None] = original(
                self, query, key, value, attention_mask)
            return made
        out, weights = attend(
            self, query, key, value, attention_mask,
            dropout=self.attn_dropout.p if self.training else 0.0,
            scaling=1 / self.scale_attn,
            output_attentions=attention_mask.weights)
        return out.transpose(1, 2), weights
    return attention


def _gptj_forward(original: Any) -> Any:
    """Passes output_attentions on to _attn()."""
    @functools.wraps(original)
    def forward(self: Any, hidden_states: Tensor, layer_past: Any = None,
                attention_mask: Any = None, position_ids: Any = None,
                use_cache: Any = False, output_attentions: Any = False,
                **more: Any) -> Any:
        if isinstance(attention_mask, Mask):
            attention_mask = attention_mask._replace(
                weights=bool(output_attentions))
        return original(self, hidden_states, layer_past, attention_mask,
                        position_ids, use_cache, output_attentions, **more)
    return forward


def register(attend: Any) -> None:
    patch.method(falcon.FalconAttention, "forward",
                 functools.partial(_falcon, attend))
    patch.method(falcon, "create_causal_mask", _of_three_dimensions)
    patch.method(gptj.GPTJAttention, "_attn",
                 functools.partial(_gptj, attend))
    patch.method(gptj.GPTJAttention, "forward", _gptj_forward)
    patch.entry(falcon.FALCON_ATTENTION_CLASSES, "locant",
                falcon.FalconAttention)
    patch.entry(gptj.GPTJ_ATTENTION_CLASSES, "locant", gptj.GPTJAttention)
    for model in (falcon.FalconPreTrainedModel, gptj.GPTJPreTrainedModel):
        patch.interface(model)

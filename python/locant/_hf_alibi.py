"""BLOOM and MPT for locant.hf: their attention uses no attention interface.

Their forward() is replaced if the mask is one of locant's, and is their own in
every other case.
"""
from __future__ import annotations

import functools
from typing import Any

import torch
from transformers.models.bloom import modeling_bloom as bloom
from transformers.models.mpt import modeling_mpt as mpt

from . import _hf_patch as patch
from ._hf_mask import Mask, refuse

Tensor = torch.Tensor

ATTENTION = (bloom.BloomAttention, mpt.MptAttention)


def _bloom(attend: Any, original: Any) -> Any:
    @functools.wraps(original)
    def forward(self: Any, hidden_states: Tensor, residual: Tensor,
                alibi: Any, attention_mask: Any, layer_past: Any = None,
                use_cache: bool = False, output_attentions: bool = False,
                **more: Any) -> tuple[Tensor, Tensor | None]:
        if not isinstance(attention_mask, Mask):
            made: tuple[Tensor, Tensor | None] = original(
                self, hidden_states, residual, alibi, attention_mask,
                layer_past, use_cache, output_attentions, **more)
            return made
        if self.pretraining_tp > 1 and self.slow_but_exact:
            raise refuse("BLOOM is asked for slow_but_exact sums")
        q, k, v = self._reshape(self.query_key_value(hidden_states))
        if layer_past is not None:
            k, v = layer_past.update(k, v, self.layer_idx)
        out, weights = attend(
            self, q, k, v, attention_mask.without_padding(),
            dropout=self.attention_dropout.p if self.training else 0.0,
            scaling=self.inv_norm_factor, encoding="alibi(dialect=bloom)",
            output_attentions=output_attentions)
        return bloom.dropout_add(self.dense(out.flatten(2)), residual,
                                 self.hidden_dropout, self.training), weights
    return forward


def _mpt(attend: Any, original: Any) -> Any:
    @functools.wraps(original)
    def forward(self: Any, hidden_states: Tensor, position_bias: Any,
                past_key_values: Any = None, attention_mask: Any = None,
                **more: Any) -> tuple[Tensor, Tensor | None]:
        if not isinstance(attention_mask, Mask):
            made: tuple[Tensor, Tensor | None] = original(
                self, hidden_states, position_bias, past_key_values,
                attention_mask, **more)
            return made
        qkv = self.Wqkv(hidden_states)
        if self.clip_qkv:
            qkv = qkv.clamp(min=-self.clip_qkv, max=self.clip_qkv)
        q, k, v = (x.unflatten(2, (self.n_heads, -1)).transpose(1, 2)
                   for x in qkv.chunk(3, 2))
        if past_key_values is not None:
            k, v = past_key_values.update(k, v, self.layer_idx)
        out, weights = attend(
            self, q, k, v, attention_mask,
            dropout=self.attn_dropout_p if self.training else 0.0,
            scaling=self.softmax_scale, encoding="alibi(dialect=mpt)",
            output_attentions=attention_mask.weights)
        return self.out_proj(out.flatten(2)), weights
    return forward


def _mpt_block(original: Any) -> Any:
    """Passes output_attentions on, which its own block does not."""
    @functools.wraps(original)
    def forward(self: Any, hidden_states: Tensor, position_bias: Any,
                attention_mask: Any, layer_past: Any = None,
                use_cache: bool = False, output_attentions: bool = False,
                **more: Any) -> Any:
        if isinstance(attention_mask, Mask):
            attention_mask = attention_mask._replace(weights=output_attentions)
        return original(self, hidden_states, position_bias, attention_mask,
                        layer_past, use_cache, output_attentions, **more)
    return forward


def register(attend: Any) -> None:
    patch.method(bloom.BloomAttention, "forward",
                 functools.partial(_bloom, attend))
    patch.method(mpt.MptAttention, "forward", functools.partial(_mpt, attend))
    patch.method(mpt.MptBlock, "forward", _mpt_block)
    for model in (bloom.BloomPreTrainedModel, mpt.MptPreTrainedModel):
        patch.interface(model)

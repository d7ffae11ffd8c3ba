"""DeBERTa v2 and v3 for locant.hf: disentangled attention by its table.

Neither the mask nor the relative positions are made as arrays of T x T: the
kernels read documents and the table, with the projections of the layer.
"""
from __future__ import annotations

import functools
from typing import Any

import torch
from transformers.models.deberta_v2 import modeling_deberta_v2 as deberta

from . import _hf_patch as patch
from ._hf_mask import Mask, refuse

Tensor = torch.Tensor

ATTENTION = (deberta.DisentangledSelfAttention,)


def _has_locant(encoder: Any) -> bool:
    config = encoder.layer[0].attention.config
    return bool(config._attn_implementation == "locant")


def _mask(original: Any) -> Any:
    @functools.wraps(original)
    def get_attention_mask(self: Any, attention_mask: Tensor) -> Any:
        if not _has_locant(self):
            return original(self, attention_mask)
        if attention_mask.ndim != 2:
            raise refuse(f"the mask has shape {list(attention_mask.shape)}, "
                         "expected [batch, tokens]")
        at = torch.arange(attention_mask.shape[1])
        documents = (attention_mask != 0).to(torch.int64) - 1
        return Mask(at, at, documents, documents, False, 0)
    return get_attention_mask


def _no_positions(original: Any) -> Any:
    @functools.wraps(original)
    def get_rel_pos(self: Any, hidden_states: Tensor, query_states: Any = None,
                    relative_pos: Any = None) -> Any:
        if not _has_locant(self):
            return original(self, hidden_states, query_states, relative_pos)
        if relative_pos is not None:
            raise refuse("DeBERTa is given relative_pos")
        return None
    return get_rel_pos


def _heads(self: Any, x: Tensor) -> Tensor:
    """[B, T, H * D] as [B, H, T, D]."""
    b, t, width = x.shape
    heads = self.num_attention_heads
    return x.reshape(b, t, heads, width // heads).transpose(1, 2)


def _encoding(self: Any, table: Tensor) -> dict[str, Any]:
    """The encoding of a layer: both terms, or none."""
    kinds = set(self.pos_att_type)
    if not self.relative_attention:
        if kinds:
            raise refuse("DeBERTa has pos_att_type without relative_attention")
        return {}
    if kinds != {"c2p", "p2c"}:
        raise refuse(f"DeBERTa has the terms {sorted(kinds)}, expected c2p and "
                     "p2c")
    shared = self.share_att_key
    key = self.key_proj if shared else self.pos_key_proj
    query = self.query_proj if shared else self.pos_query_proj
    shape = (self.num_attention_heads, -1)
    params = {"table": table[:2 * self.pos_ebd_size],
              "key": key.weight.unflatten(0, shape),
              "query": query.weight.unflatten(0, shape),
              "query_bias": query.bias.unflatten(0, shape)}
    spec = f"deberta(span={self.pos_ebd_size})"
    if self.position_buckets > 0:
        spec = (f"deberta(version=2,span={self.pos_ebd_size},"
                f"distance={self.max_relative_positions})")
        params["key_bias"] = key.bias.unflatten(0, shape)
    # Version 1 has no bias of keys, which adds the same to all scores of a
    # query and changes no weight.
    return {"encoding": spec, "params": params}


def _forward(attend: Any, original: Any) -> Any:
    @functools.wraps(original)
    def forward(self: Any, hidden_states: Tensor, attention_mask: Any,
                output_attentions: bool = False, query_states: Any = None,
                relative_pos: Any = None,
                rel_embeddings: Any = None) -> tuple[Tensor, Tensor | None]:
        if not isinstance(attention_mask, Mask):
            made: tuple[Tensor, Tensor | None] = original(
                self, hidden_states, attention_mask, output_attentions,
                query_states, relative_pos, rel_embeddings)
            return made
        if self.training and self.pos_dropout.p and self.relative_attention:
            raise refuse(f"DeBERTa drops positions, {self.pos_dropout.p} of "
                         "them, expected 0")
        asks = hidden_states if query_states is None else query_states
        out, weights = attend(
            self, _heads(self, self.query_proj(asks)),
            _heads(self, self.key_proj(hidden_states)),
            _heads(self, self.value_proj(hidden_states)), attention_mask,
            dropout=self.dropout.p if self.training else 0.0,
            output_attentions=output_attentions,
            **_encoding(self, rel_embeddings))
        return out.flatten(2), weights
    return forward


def register(attend: Any) -> None:
    patch.method(deberta.DebertaV2Encoder, "get_attention_mask", _mask)
    patch.method(deberta.DebertaV2Encoder, "get_rel_pos", _no_positions)
    patch.method(deberta.DisentangledSelfAttention, "forward",
                 functools.partial(_forward, attend))
    patch.interface(deberta.DebertaV2PreTrainedModel)

"""Encoders: BERT, RoBERTa, DeBERTa v2 and v3, ModernBERT."""
import math

import numpy as np

from . import rotary
from .attention import attend, sees
from .buckets import deberta_distances
from .functions import ACTIVATIONS, layer_norm, merge_heads, split_heads


class Bert:
    """Post-norm blocks on word, position and type embeddings."""
    projections = ("self.query", "self.key", "self.value")

    def __init__(self, m, given):
        self.m, self.c, self.ids = m, m.c, given["ids"]
        self.mask, self.types = given.get("mask"), given.get("types")
        self.given_positions = given.get("positions")
        self.t = self.ids.shape[1]
        self.heads = self.c["num_attention_heads"]
        self.act = ACTIVATIONS[self.c.get("hidden_act", "gelu")]

    def norm(self, name, x):
        return layer_norm(x, self.m(name + ".weight"), self.m(name + ".bias"),
                          self.c["layer_norm_eps"])

    def positions(self):
        if self.given_positions is not None:
            return self.given_positions
        return np.arange(self.t)[None]

    def begin(self):
        types = np.zeros_like(self.ids) if self.types is None else self.types
        x = self.m("embeddings.word_embeddings.weight")[self.ids]
        x = x + self.m("embeddings.token_type_embeddings.weight")[types]
        x = x + self.m("embeddings.position_embeddings.weight")[
            self.positions()]
        return self.norm("embeddings.LayerNorm", x)

    def attention(self, at, x):
        q, k, v = (split_heads(self.m.linear(at + n, x), self.heads)
                   for n in self.projections)
        return merge_heads(attend(q, k, v, q.shape[-1] ** -0.5,
                                  sees(self.t, self.mask, causal=False)))

    def layer(self, i, x):
        at = f"encoder.layer.{i}."
        y = self.m.linear(at + "attention.output.dense",
                          self.attention(at + "attention.", x))
        x = self.norm(at + "attention.output.LayerNorm", x + y)
        y = self.act(self.m.linear(at + "intermediate.dense", x))
        y = self.m.linear(at + "output.dense", y)
        return self.norm(at + "output.LayerNorm", x + y)

    def hidden(self):
        x = self.begin()
        for i in range(self.c["num_hidden_layers"]):
            x = self.layer(i, x)
        return x

    def logits(self):
        at = "cls.predictions."
        x = self.act(self.m.linear(at + "transform.dense", self.hidden()))
        x = self.norm(at + "transform.LayerNorm", x)
        return self.to_words(x) + self.m(at + "bias")

    def to_words(self, x):
        return x @ self.m("embeddings.word_embeddings.weight").T


class Roberta(Bert):
    """Positions count the tokens that are no padding, from pad + 1."""

    def positions(self):
        if self.given_positions is not None:
            return self.given_positions
        pad = self.c["pad_token_id"]
        real = self.ids != pad
        return np.cumsum(real, -1) * real + pad

    def logits(self):
        x = self.m.linear("lm_head.dense", self.hidden())
        x = self.norm("lm_head.layer_norm", ACTIVATIONS["gelu"](x))
        return self.to_words(x) + self.m("lm_head.bias")


class Deberta(Bert):
    """Content and relative positions share one scale."""
    projections = ("self.query_proj", "self.key_proj", "self.value_proj")

    def begin(self):
        m = self.m
        x = m("embeddings.word_embeddings.weight")[self.ids]
        if self.c.get("position_biased_input", True):
            x = x + m("embeddings.position_embeddings.weight")[
                self.positions()]
        if "embeddings.token_type_embeddings.weight" in m:
            types = (np.zeros_like(self.ids) if self.types is None
                     else self.types)
            x = x + m("embeddings.token_type_embeddings.weight")[types]
        if "embeddings.embed_proj.weight" in m:
            x = m.linear("embeddings.embed_proj", x)
        x = self.norm("embeddings.LayerNorm", x)
        return x if self.mask is None else x * self.mask[..., None]

    def seen(self):
        both = sees(self.t, self.mask, causal=False)
        if self.mask is None:
            return both
        return both & (self.mask[:, None, :, None] != 0)

    def kinds(self):
        kinds = self.c.get("pos_att_type") or []
        return kinds.split("|") if isinstance(kinds, str) else kinds

    def limits(self):
        c = self.c
        limit = c.get("max_relative_positions", -1)
        limit = c["max_position_embeddings"] if limit < 1 else limit
        buckets = c.get("position_buckets", -1)
        return buckets, limit, buckets if buckets > 0 else limit

    def table(self):
        x = self.m("encoder.rel_embeddings.weight")
        if "layer_norm" in str(self.c.get("norm_rel_ebd", "none")).lower():
            x = self.norm("encoder.LayerNorm", x)
        return x

    def position_rows(self, at, name):
        """[H, 2 span, d]: the table as queries or keys."""
        shared = self.c.get("share_att_key", False)
        x = self.m.linear(f"{at}self.{'' if shared else 'pos_'}{name}_proj",
                          self.table()[None])
        return split_heads(x, self.heads)[0]

    def relative(self, at, q, k):
        buckets, limit, span = self.limits()
        far = deberta_distances(self.t, buckets, limit)
        rows = np.clip(far + span, 0, 2 * span - 1)
        i, j = np.arange(self.t)[:, None], np.arange(self.t)[None]
        total = 0
        if "c2p" in self.kinds():
            scores = q @ self.position_rows(at, "key").swapaxes(-1, -2)
            total = total + scores[:, :, i, rows]
        if "p2c" in self.kinds():
            scores = k @ self.position_rows(at, "query").swapaxes(-1, -2)
            total = total + scores[:, :, j, rows]
        return total

    def attention(self, at, x):
        q, k, v = (split_heads(self.m.linear(at + n, x), self.heads)
                   for n in self.projections)
        terms = 1 + sum(kind in self.kinds() for kind in ("c2p", "p2c"))
        scale = 1 / math.sqrt(q.shape[-1] * terms)
        bias = None
        if self.c.get("relative_attention", False):
            bias = self.relative(at, q, k) * scale
        return merge_heads(attend(q, k, v, scale, self.seen(), bias=bias))

    def layer(self, i, x):
        y = super().layer(i, x)
        size = self.c.get("conv_kernel_size", 0) or 0
        if i or size <= 0:
            return y
        w = self.m("encoder.conv.conv.weight")  # [out, in, size]
        half = (size - 1) // 2
        padded = np.pad(x, ((0, 0), (half, half), (0, 0)))
        out = self.m("encoder.conv.conv.bias") + sum(
            padded[:, s:s + self.t] @ w[:, :, s].T for s in range(size))
        shown = (np.ones(self.ids.shape) if self.mask is None
                 else self.mask)[..., None]
        act = ACTIVATIONS[self.c.get("conv_act", "tanh")]
        return self.norm("encoder.conv.LayerNorm",
                         y + act(out * shown)) * shown


class ModernBert:
    """Rotary, windows of local_attention / 2 keys on each side."""

    def __init__(self, m, given):
        self.m, self.c, self.ids = m, m.c, given["ids"]
        self.mask, self.t = given.get("mask"), self.ids.shape[1]
        self.positions = given.get("positions", np.arange(self.t)[None])

    def norm(self, name, x):
        return layer_norm(x, self.m(name + ".weight"),
                          self.m.find(name + ".bias"), self.c["norm_eps"])

    def seen(self, i):
        seen = sees(self.t, self.mask, causal=False)
        if self.c["layer_types"][i] == "full_attention":
            return seen
        far = np.abs(np.arange(self.t)[:, None] - np.arange(self.t)[None])
        return seen & (far <= self.c["local_attention"] // 2)

    def layer(self, i, x):
        m, c, at = self.m, self.c, f"layers.{i}."
        n = self.norm(at + "attn_norm", x) if i else x
        q, k, v = (split_heads(y, c["num_attention_heads"]) for y in np.split(
            m.linear(at + "attn.Wqkv", n), 3, -1))
        f, a = rotary.frequencies(
            c["rope_parameters"][c["layer_types"][i]], q.shape[-1],
            self.positions.max() + 1, c["max_position_embeddings"])
        q, k = (rotary.rotate(y, rotary.angles(self.positions, f), a)
                for y in (q, k))
        y = attend(q, k, v, q.shape[-1] ** -0.5, self.seen(i))
        x = x + m.linear(at + "attn.Wo", merge_heads(y))
        up, gate = np.split(m.linear(at + "mlp.Wi",
                                     self.norm(at + "mlp_norm", x)), 2, -1)
        act = ACTIVATIONS[c.get("hidden_activation", "gelu")]
        return x + m.linear(at + "mlp.Wo", act(up) * gate)

    def hidden(self):
        x = self.norm("embeddings.norm",
                      self.m("embeddings.tok_embeddings.weight")[self.ids])
        for i in range(self.c["num_hidden_layers"]):
            x = self.layer(i, x)
        return self.norm("final_norm", x)

    def logits(self):
        act = ACTIVATIONS[self.c.get("classifier_activation", "gelu")]
        x = self.norm("head.norm",
                      act(self.m.linear("head.dense", self.hidden())))
        return (x @ self.m("embeddings.tok_embeddings.weight").T +
                self.m("decoder.bias"))


MODELS = {"bert": Bert, "roberta": Roberta, "xlm-roberta": Roberta,
          "deberta-v2": Deberta, "modernbert": ModernBert}

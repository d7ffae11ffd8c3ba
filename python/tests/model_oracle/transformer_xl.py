"""Transformer-XL (arXiv:1901.02860) as transformers 4 ran it.

The memory before the first segment is mem_len states of zeros, which take part
in the softmax: their keys and values are zero, their distances are not.  Logits
are logarithms of the adaptive softmax (arXiv:1609.04309).
"""
import math

import numpy as np

from .functions import layer_norm, relu, softmax, split_heads


def log_softmax(z):
    z = z - z.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


class TransformerXl:
    def __init__(self, m, given):
        self.m, self.c, self.ids = m, m.c, given["ids"]
        self.t = self.ids.shape[1]
        self.memory = max(self.c["mem_len"], 0)
        self.ends = [0] + self.c["cutoffs"] + [self.c["vocab_size"]]

    def norm(self, at, x):
        return layer_norm(x, self.m(at + "layer_norm.weight"),
                          self.m(at + "layer_norm.bias"),
                          self.c["layer_norm_epsilon"])

    def begin(self):
        c, m, at = self.c, self.m, "word_emb.emb_"
        if c["div_val"] == 1:
            x = m(at + "layers.0.weight")[self.ids]
            if c["d_embed"] != c["d_model"]:
                x = x @ m(at + "projs.0").T
        else:
            x = np.zeros(self.ids.shape + (c["d_model"],))
            for i, (first, end) in enumerate(zip(self.ends, self.ends[1:])):
                here = (self.ids >= first) & (self.ids < end)
                rows = m(f"{at}layers.{i}.weight")[self.ids[here] - first]
                x[here] = rows @ m(f"{at}projs.{i}").T
        return x * math.sqrt(c["d_model"])

    def seen(self):
        """[T, memory + T]."""
        i = np.arange(self.t)[:, None]
        j = np.arange(self.memory + self.t)[None]
        seen = j <= i + self.memory
        if self.c["same_length"]:  # every query sees mem_len keys
            seen = seen & (j > i)
        return seen

    def distances(self):
        """Sinusoids [T, memory + T, D] of the distance of query and key."""
        i = np.arange(self.t)[:, None]
        far = i + self.memory - np.arange(self.memory + self.t)[None]
        far = np.maximum(far, 0)  # those of later keys are not seen
        if self.c["clamp_len"] > 0:
            far = np.minimum(far, self.c["clamp_len"])
        d = self.c["d_model"]
        turn = far[..., None] * 10000.0 ** (-np.arange(0, d, 2) / d)
        return np.concatenate([np.sin(turn), np.cos(turn)], -1)

    def bias(self, at, name):
        """u and v: [heads, d], one for all layers or each its own."""
        own = self.m.find(at + name)
        return self.m(name) if own is None else own

    def attention(self, at, x):
        c, m = self.c, self.m
        old = np.zeros((len(x), self.memory, x.shape[-1]))
        source = np.concatenate([old, x], 1)
        if c["pre_lnorm"]:
            source = self.norm(at, source)
        q, k, v = (split_heads(y, c["n_head"]) for y in np.split(
            source @ m(at + "qkv_net.weight").T, 3, -1))
        q = q[:, :, self.memory:]
        r = self.distances() @ m(at + "r_net.weight").T
        r = r.reshape(r.shape[:2] + (c["n_head"], c["d_head"]))
        u, w = self.bias(at, "r_w_bias"), self.bias(at, "r_r_bias")
        scores = (np.einsum("bhid,bhjd->bhij", q + u[None, :, None], k) +
                  np.einsum("bhid,ijhd->bhij", q + w[None, :, None], r))
        scores = np.where(self.seen(), scores * c["d_head"] ** -0.5, -np.inf)
        y = (softmax(scores) @ v).transpose(0, 2, 1, 3)
        y = y.reshape(x.shape[:2] + (-1,)) @ m(at + "o_net.weight").T
        return x + y if c["pre_lnorm"] else self.norm(at, x + y)

    def feed(self, at, x):
        first = self.c["pre_lnorm"]
        n = self.norm(at, x) if first else x
        y = relu(self.m.linear(at + "CoreNet.0", n))
        x = x + self.m.linear(at + "CoreNet.3", y)
        return x if first else self.norm(at, x)

    def hidden(self):
        x = self.begin()
        for i in range(self.c["n_layer"]):
            x = self.attention(f"layers.{i}.dec_attn.", x)
            x = self.feed(f"layers.{i}.pos_ff.", x)
        return x

    def projection(self, i):
        """Of the head of cluster i: its own, or that of the embedding."""
        c, own = self.c, self.m.find(f"crit.out_projs.{i}")
        tied = c.get("tie_projs") or [False] * len(self.ends)
        if tied[i] and c["div_val"] == 1 and c["d_model"] != c["d_embed"]:
            return self.m("word_emb.emb_projs.0")
        if tied[i] and c["div_val"] != 1:
            return self.m(f"word_emb.emb_projs.{i}")
        return own

    def cluster(self, i, x):
        """Logits of the tokens of a cluster; the first has those of the
        others behind its own."""
        if self.c["div_val"] == 1:
            rows = slice(self.ends[i], self.ends[i + 1])
            w = self.m("word_emb.emb_layers.0.weight")[rows]
            b = self.m("crit.out_layers.0.bias")[rows]
        else:
            w = self.m(f"word_emb.emb_layers.{i}.weight")
            b = self.m(f"crit.out_layers.{i}.bias")
        if i == 0 and len(self.ends) > 2:
            w = np.concatenate([w, self.m("crit.cluster_weight")])
            b = np.concatenate([b, self.m("crit.cluster_bias")])
        p = self.projection(i)
        return (x if p is None else x @ p) @ w.T + b

    def logits(self):
        x = self.hidden()
        head = log_softmax(self.cluster(0, x))
        first = self.ends[1]
        parts = [head[..., :first]]
        for i in range(1, len(self.ends) - 1):
            parts.append(head[..., first + i - 1:first + i] +
                         log_softmax(self.cluster(i, x)))
        return np.concatenate(parts, -1)


MODELS = {"transfo-xl": TransformerXl}

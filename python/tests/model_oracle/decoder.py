"""Decoders of the kind of Llama, described by a row of a table each."""
import dataclasses
import math
from typing import Callable, Optional

import numpy as np

from . import rotary
from .attention import attend, sees
from .functions import (ACTIVATIONS, layer_norm, merge_heads, rms_norm,
                        split_heads)


def gated(m, at, x, act):
    """down(act(gate x) * up x)."""
    return m.linear(at + "down_proj", act(m.linear(at + "gate_proj", x)) *
                    m.linear(at + "up_proj", x))


def fused_gated(m, at, x, act):
    """The same with rows of the gate first in one matrix."""
    gate, up = np.split(m.linear(at + "gate_up_proj", x), 2, -1)
    return m.linear(at + "down_proj", act(gate) * up)


def plain_mlp(first, second):
    return lambda m, at, x, act: m.linear(
        at + second, act(m.linear(at + first, x)))


def own_type(c, i):
    return c["layer_types"][i] if c.get("layer_types") else "full_attention"


def sliding_by_type(c, i):
    """Window of layers that layer_types calls sliding."""
    slides = own_type(c, i) == "sliding_attention"
    return c["sliding_window"] if slides else None


@dataclasses.dataclass
class Family:
    """What differs from Llama."""
    norm: str = "rms"               # rms, layer; rms1, layer1: times 1 + weight
    eps: str = "rms_norm_eps"
    act: Optional[str] = "hidden_act"  # None: the tanh form of GELU
    before: Optional[str] = "input_layernorm"
    after: Optional[str] = None
    before_mlp: Optional[str] = "post_attention_layernorm"
    after_mlp: Optional[str] = None
    parallel: bool = False          # x + attention(n x) + mlp(n x)
    final: str = "norm"
    embedding: str = "embed_tokens"
    output: str = "o_proj"
    interleaved: bool = False
    every_third: bool = False       # M-RoPE: h and w at every third pair
    partial: Optional[float] = None  # the default; None: all channels rotate
    qk_norm: Optional[str] = None   # head, all, l2, or a family's own
    mlp: Callable = gated
    mlp_name: str = "mlp."
    attention: Optional[Callable] = None
    rotates: Callable = lambda c, i: True
    window: Callable = lambda c, i: None
    chunk: Callable = lambda c, i: None
    rope: Optional[Callable] = None  # parameters of layer i
    scale: Callable = lambda c, d: d ** -0.5
    softcap: Optional[str] = None
    query_factor: Optional[Callable] = None  # of positions
    embedding_scale: Callable = lambda c: 1.0
    branch_scale: Callable = lambda c: 1.0
    head: Callable = lambda c, z: z


def head_width(c):
    return c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]


def rope_parameters(c, i):
    p = c.get("rope_parameters") or {"rope_theta": c.get("rope_theta", 1e4)}
    kind = own_type(c, i)
    return p[kind] if kind in p else p


class Decoder:
    def __init__(self, m, family, ids, mask=None, positions=None):
        self.m, self.c, self.family, self.mask = m, m.c, family, mask
        b, t = ids.shape
        self.ids, self.t = ids, t
        self.positions = (np.broadcast_to(np.arange(t), (b, t))
                          if positions is None else positions)

    def norm(self, name, x, kind=None):
        kind = kind or self.family.norm
        eps = self.c[self.family.eps]
        weight = self.m(name + ".weight") + (1 if kind[-1] == "1" else 0)
        if kind.startswith("layer"):
            return layer_norm(x, weight, self.m.find(name + ".bias"), eps)
        return rms_norm(x, weight, eps)

    def optional_norm(self, at, name, x):
        return x if name is None else self.norm(at + name, x)

    def rotated(self, i, *arrays):
        if not self.family.rotates(self.c, i):
            return arrays
        c = self.c
        p = (self.family.rope or rope_parameters)(c, i)
        dim = arrays[0].shape[-1]
        if self.family.partial is not None:
            share = p.get("partial_rotary_factor",
                          c.get("partial_rotary_factor"))
            dim = int(dim * (self.family.partial if share is None else share))
        f, factor = rotary.frequencies(p, dim, self.positions.max() + 1,
                                       c.get("max_position_embeddings"))
        return [rotary.rotate(x, self.angles(f, p), factor,
                              self.family.interleaved) for x in arrays]

    def angles(self, f, p):
        if self.positions.ndim == 3:
            return rotary.mrope_angles(self.positions, f, p["mrope_section"],
                                       self.family.every_third)
        return rotary.angles(self.positions, f)

    def qkv(self, at, x):
        m, c = self.m, self.c
        heads = c["num_attention_heads"]
        kv = c.get("num_key_value_heads") or heads
        if at + "qkv_proj.weight" in m:
            d = head_width(c)
            cuts = [heads * d, (heads + kv) * d]
            q, k, v = np.split(m.linear(at + "qkv_proj", x), cuts, -1)
        else:
            q, k, v = (m.linear(at + n + "_proj", x) for n in "qkv")
        if self.family.qk_norm == "all":
            q, k = self.norm(at + "q_norm", q), self.norm(at + "k_norm", k)
        q, k, v = (split_heads(q, heads), split_heads(k, kv),
                   split_heads(v, kv))
        return self.normed_heads(at, q, "q"), self.normed_heads(at, k, "k"), v

    def normed_heads(self, at, x, name):
        kind, eps = self.family.qk_norm, self.c[self.family.eps]
        if kind == "head":
            return self.norm(at + name + "_norm", x)
        if kind == "phi":
            return self.norm(at + name + "_layernorm", x)
        if kind == "cohere":  # weights [heads, d]
            w = self.m(at + name + "_norm.weight")
            return layer_norm(x, w[None, :, None], None, eps)
        if kind == "stablelm":
            w = np.stack([self.m(f"{at}{name}_layernorm.norms.{h}.weight")
                          for h in range(x.shape[1])])
            return layer_norm(x, w[None, :, None], None, eps)
        return x

    def seen(self, i):
        return sees(self.t, self.mask, window=self.family.window(self.c, i),
                    chunk=self.family.chunk(self.c, i))

    def attention(self, i, x):
        family, c, at = self.family, self.c, f"layers.{i}.self_attn."
        if family.attention:
            return family.attention(self, i, x)
        q, k, v = self.qkv(at, x)
        q, k = self.rotated(i, q, k)
        if family.qk_norm == "l2" and family.rotates(c, i):
            q, k = (rms_norm(x, None, c[family.eps]) for x in (q, k))
        if family.query_factor:
            factor = family.query_factor(c, i, self.positions)
            q = q * factor[:, None, :, None]
        y = attend(q, k, v, family.scale(c, q.shape[-1]), self.seen(i),
                   softcap=family.softcap and c.get(family.softcap),
                   sinks=self.m.find(at + "sinks"))
        return self.m.linear(at + family.output, merge_heads(y))

    def mlp(self, i, x):
        act = ACTIVATIONS[self.c.get(self.family.act, "silu")
                          if self.family.act else "gelu_pytorch_tanh"]
        at = f"layers.{i}.{self.family.mlp_name}"
        return self.family.mlp(self.m, at, x, act)

    def layer(self, i, x):
        family, at = self.family, f"layers.{i}."
        scale = family.branch_scale(self.c)
        n = self.optional_norm(at, family.before, x)
        a = self.optional_norm(at, family.after, self.attention(i, n)) * scale
        if family.parallel:
            return x + a + self.mlp(i, n)
        x = x + a
        y = self.mlp(i, self.optional_norm(at, family.before_mlp, x))
        return x + self.optional_norm(at, family.after_mlp, y) * scale

    def begin(self):
        x = self.m(self.family.embedding + ".weight")[self.ids]
        return x * self.family.embedding_scale(self.c)

    def hidden(self):
        """[B, T, D] after the final norm."""
        x = self.begin()
        for i in range(self.c["num_hidden_layers"]):
            x = self.layer(i, x)
        return self.norm(self.family.final, x)

    def logits(self):
        x = self.hidden()
        if "lm_head.weight" in self.m:
            z = self.m.linear("lm_head", x)
        else:
            z = x @ self.m(self.family.embedding + ".weight").T
        return self.family.head(self.c, z)


def soft(z, cap):
    return cap * np.tanh(z / cap) if cap else z


def root_of_width(c):
    return math.sqrt(c["hidden_size"])

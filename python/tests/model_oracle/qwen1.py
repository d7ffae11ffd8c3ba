"""Qwen 1, after the code that its files bring along (modeling_qwen.py of
Qwen-7B); transformers has no class of it."""
import math

import numpy as np

from . import rotary
from .attention import attend, sees
from .functions import merge_heads, rms_norm, silu, split_heads


class Qwen1:
    def __init__(self, m, given):
        self.m, self.c, self.ids = m, m.c, given["ids"]
        self.b, self.t = self.ids.shape
        self.mask = given.get("mask")
        self.heads = self.c["num_attention_heads"]

    def norm(self, name, x):
        return rms_norm(x, self.m(name + ".weight"),
                        self.c["layer_norm_epsilon"])

    def lengths(self):
        """Of each row; those of the mask count beyond seq_length alone."""
        if self.mask is None or self.t <= self.c["seq_length"]:
            return np.full(self.b, self.t)
        return np.asarray(self.mask).sum(-1)

    def angles(self, n):
        """[B, T, n / 2]: the base grows by steps of doubled lengths."""
        rows = []
        for length in self.lengths():
            alpha = 1
            if self.c["use_dynamic_ntk"]:
                steps = math.log2(length / self.c["seq_length"]) + 1
                alpha = max(2 ** math.ceil(steps) - 1, 1)
            base = self.c["rotary_emb_base"] * alpha ** (n / (n - 2))
            rows.append(rotary.angles(np.arange(self.t),
                                      rotary.plain(base, n)))
        return np.stack(rows)

    def query_factor(self):
        """log n / log seq_length for the n-th token beyond seq_length."""
        n = np.arange(1, self.t + 1)
        length = self.c["seq_length"]
        if not self.c["use_logn_attn"]:
            return np.ones(self.t)
        return np.where(n > length, np.log(n) / math.log(length), 1)

    def attention(self, at, x):
        q, k, v = (split_heads(y, self.heads) for y in np.split(
            self.m.linear(at + "c_attn", x), 3, -1))
        turning = int(q.shape[-1] * self.c["rotary_pct"])
        turn = self.angles(turning)
        q, k = rotary.rotate(q, turn), rotary.rotate(k, turn)
        q = q * self.query_factor()[:, None]
        y = attend(q, k, v, q.shape[-1] ** -0.5, sees(self.t, self.mask))
        return self.m.linear(at + "c_proj", merge_heads(y))

    def layer(self, i, x):
        m, at = self.m, f"h.{i}."
        x = x + self.attention(at + "attn.", self.norm(at + "ln_1", x))
        n = self.norm(at + "ln_2", x)
        y = m.linear(at + "mlp.w1", n) * silu(m.linear(at + "mlp.w2", n))
        return x + m.linear(at + "mlp.c_proj", y)

    def hidden(self):
        x = self.m("wte.weight")[self.ids]
        for i in range(self.c["num_hidden_layers"]):
            x = self.layer(i, x)
        return self.norm("ln_f", x)

    def logits(self):
        return self.m.linear("lm_head", self.hidden())


MODELS = {"qwen": Qwen1}

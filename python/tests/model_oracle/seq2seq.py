"""Encoders with decoders: the original Transformer as Marian, and T5."""
import math

import numpy as np

from .attention import attend, sees
from .buckets import t5_bias
from .functions import (ACTIVATIONS, layer_norm, merge_heads, rms_norm,
                        split_heads, tanh_gelu)


class Pair:
    """What both share: ids of the encoder, its mask, ids of the decoder."""

    def __init__(self, m, given):
        self.m, self.c = m, m.c
        self.ids, self.mask = given["ids"], given.get("mask")
        self.decoder_ids = given["decoder_ids"]

    def cross_seen(self):
        if self.mask is None:
            return np.ones((1, 1, 1, 1), bool)
        return self.mask[:, None, None] != 0


def sinusoids(t, dim):
    """arXiv:1706.03762: sines of all frequencies, then cosines."""
    f = 10000.0 ** (-2 * np.arange((dim + 1) // 2) / dim)
    turn = np.arange(t)[:, None] * f
    return np.concatenate([np.sin(turn), np.cos(turn)[:, :dim // 2]], -1)


class Marian(Pair):
    def norm(self, name, x):
        return layer_norm(x, self.m(name + ".weight"), self.m(name + ".bias"),
                          1e-5)

    def attention(self, at, heads, x, source, seen):
        q = split_heads(self.m.linear(at + "q_proj", x), heads)
        k = split_heads(self.m.linear(at + "k_proj", source), heads)
        v = split_heads(self.m.linear(at + "v_proj", source), heads)
        y = attend(q, k, v, q.shape[-1] ** -0.5, seen)
        return self.m.linear(at + "out_proj", merge_heads(y))

    def begin(self, stack, ids):
        for name in (f"model.{stack}.embed_tokens.weight",
                     "model.shared.weight"):
            if name in self.m.tensors:
                x = self.m(name)[ids]
                break
        if self.c.get("scale_embedding", False):
            x = x * math.sqrt(self.c["d_model"])
        return x + sinusoids(ids.shape[1], self.c["d_model"])

    def feed(self, at, x):
        act = ACTIVATIONS[self.c["activation_function"]]
        y = self.m.linear(at + "fc2", act(self.m.linear(at + "fc1", x)))
        return self.norm(at + "final_layer_norm", x + y)

    def encoder(self):
        x = self.begin("encoder", self.ids)
        seen = sees(self.ids.shape[1], self.mask, causal=False)
        for i in range(self.c["encoder_layers"]):
            at = f"model.encoder.layers.{i}."
            y = self.attention(at + "self_attn.",
                               self.c["encoder_attention_heads"], x, x, seen)
            x = self.norm(at + "self_attn_layer_norm", x + y)
            x = self.feed(at, x)
        return x

    def hidden(self):
        source = self.encoder()
        x = self.begin("decoder", self.decoder_ids)
        heads, seen = self.c["decoder_attention_heads"], sees(x.shape[1])
        for i in range(self.c["decoder_layers"]):
            at = f"model.decoder.layers.{i}."
            y = self.attention(at + "self_attn.", heads, x, x, seen)
            x = self.norm(at + "self_attn_layer_norm", x + y)
            y = self.attention(at + "encoder_attn.", heads, x, source,
                               self.cross_seen())
            x = self.norm(at + "encoder_attn_layer_norm", x + y)
            x = self.feed(at, x)
        return x

    def logits(self):
        names = ("lm_head.weight", "model.decoder.embed_tokens.weight",
                 "model.shared.weight")
        head = next(self.m(n) for n in names if n in self.m.tensors)
        return self.hidden() @ head.T + self.m("final_logits_bias")


class T5(Pair):
    """T5, mT5 and UMT5: no scale of scores, biases by buckets of distance."""

    def norm(self, name, x):
        return rms_norm(x, self.m(name + ".weight"),
                        self.c.get("layer_norm_epsilon", 1e-6))

    def attention(self, at, x, source, seen, bias=None):
        heads = self.c["num_heads"]
        q = split_heads(self.m.linear(at + "q", x), heads)
        k = split_heads(self.m.linear(at + "k", source), heads)
        v = split_heads(self.m.linear(at + "v", source), heads)
        y = attend(q, k, v, 1.0, seen, bias=bias)
        return self.m.linear(at + "o", merge_heads(y))

    def bias(self, stack, i, t):
        """Of the layer's own table, or of the first layer's."""
        own = (f"{stack}.block.{i}.layer.0.SelfAttention."
               "relative_attention_bias.weight")
        first = own.replace(f"block.{i}.", "block.0.")
        return t5_bias(self.m(own if own in self.m else first), t, t,
                       stack == "encoder",
                       self.c.get("relative_attention_max_distance", 128))

    def feed(self, at, x):
        kind = self.c.get("feed_forward_proj", "relu")
        name = kind.removeprefix("gated-")
        act = tanh_gelu if kind == "gated-gelu" else ACTIVATIONS[name]
        at += "DenseReluDense."
        if kind.startswith("gated-"):
            y = act(self.m.linear(at + "wi_0", x)) * self.m.linear(
                at + "wi_1", x)
        else:
            y = act(self.m.linear(at + "wi", x))
        return self.m.linear(at + "wo", y)

    def stack(self, name, ids, seen, source=None):
        x = self.m("shared.weight")[ids]
        layers = self.c["num_layers" if source is None
                        else "num_decoder_layers"]
        for i in range(layers):
            at = f"{name}.block.{i}.layer."
            n = self.norm(at + "0.layer_norm", x)
            x = x + self.attention(at + "0.SelfAttention.", n, n, seen,
                                   self.bias(name, i, ids.shape[1]))
            if source is not None:
                n = self.norm(at + "1.layer_norm", x)
                x = x + self.attention(at + "1.EncDecAttention.", n, source,
                                       self.cross_seen())
            at += "1." if source is None else "2."
            x = x + self.feed(at, self.norm(at + "layer_norm", x))
        return self.norm(f"{name}.final_layer_norm", x)

    def hidden(self):
        source = self.stack("encoder", self.ids,
                            sees(self.ids.shape[1], self.mask, causal=False))
        return self.stack("decoder", self.decoder_ids,
                          sees(self.decoder_ids.shape[1]), source)

    def scale(self):
        """T5 asks the file, whose key was tie_word_embeddings before
        transformers 5; mT5 never scales, UMT5 always does."""
        root = self.c["d_model"] ** -0.5
        asked = self.c.get("scale_decoder_outputs",
                           self.c.get("tie_word_embeddings", True))
        return {"mt5": 1.0, "umt5": root}.get(self.m.kind,
                                              root if asked else 1.0)

    def logits(self):
        head = self.m.find("lm_head.weight")
        head = self.m("shared.weight") if head is None else head
        return self.hidden() * self.scale() @ head.T


MODELS = {"marian": Marian, "t5": T5, "mt5": T5, "umt5": T5}

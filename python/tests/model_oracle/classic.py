"""Decoders before Llama: GPT-2, OPT, GPT-J, GPT-NeoX, BLOOM, MPT, Falcon."""
import numpy as np

from . import alibi, rotary
from .attention import attend, sees
from .functions import (ACTIVATIONS, gelu, layer_norm, merge_heads,
                        split_heads, tanh_gelu)


class Classic:
    """What these share; a model gives begin, layer and the final norm."""
    final, embedding, layers = "ln_f", "wte", "n_layer"

    def __init__(self, m, given):
        self.m, self.c, self.mask = m, m.c, given.get("mask")
        self.ids = given["ids"]
        b, self.t = self.ids.shape
        self.given_positions = given.get("positions")
        self.positions = (np.broadcast_to(np.arange(self.t), (b, self.t))
                          if self.given_positions is None
                          else self.given_positions)
        self.seen = sees(self.t, self.mask)

    def norm(self, name, x):
        return layer_norm(x, self.m(name + ".weight"),
                          self.m.find(name + ".bias"), self.eps())

    def eps(self):
        return self.c["layer_norm_epsilon"]

    def begin(self):
        return self.m(self.embedding + ".weight")[self.ids]

    def hidden(self):
        x = self.begin()
        for i in range(self.c[self.layers]):
            x = self.layer(i, x)
        return self.end(x)

    def end(self, x):
        return self.norm(self.final, x)

    def logits(self):
        x = self.hidden()
        for head in ("lm_head", "embed_out"):
            if head + ".weight" in self.m:
                return self.m.linear(head, x)
        return x @ self.m(self.embedding + ".weight").T

    def perceptron(self, at, x, first, second, act):
        return self.m.linear(at + second, act(self.m.linear(at + first, x)))

    def rotated(self, x, n, base, interleaved=False):
        f = rotary.plain(base, n)
        return rotary.rotate(x, rotary.angles(self.positions, f),
                             interleaved=interleaved)

    def rotated_by(self, x, p, n):
        f, a = rotary.frequencies(p, n, self.positions.max() + 1,
                                  self.c["max_position_embeddings"])
        return rotary.rotate(x, rotary.angles(self.positions, f), a)


class Gpt2(Classic):
    """Matrices are stored [in, out]."""

    def matrix(self, name, x):
        return x @ self.m(name + ".weight") + self.m(name + ".bias")

    def begin(self):
        return super().begin() + self.m("wpe.weight")[self.positions]

    def layer(self, i, x):
        c, at = self.c, f"h.{i}."
        q, k, v = (split_heads(y, c["n_head"]) for y in np.split(
            self.matrix(at + "attn.c_attn", self.norm(at + "ln_1", x)), 3, -1))
        scale = q.shape[-1] ** -0.5 if c.get("scale_attn_weights", True) else 1
        if c.get("scale_attn_by_inverse_layer_idx"):
            scale /= i + 1
        y = attend(q, k, v, scale, self.seen)
        x = x + self.matrix(at + "attn.c_proj", merge_heads(y))
        act = ACTIVATIONS[c.get("activation_function", "gelu_new")]
        y = act(self.matrix(at + "mlp.c_fc", self.norm(at + "ln_2", x)))
        return x + self.matrix(at + "mlp.c_proj", y)


class Opt(Classic):
    """Positions count the mask; row 2 of the table is position 0."""
    final, embedding = "final_layer_norm", "embed_tokens"
    layers = "num_hidden_layers"

    def eps(self):
        return 1e-5

    def begin(self):
        mask = (np.ones_like(self.ids) if self.mask is None
                else np.asarray(self.mask))
        rows = (np.cumsum(mask, -1) * mask - 1
                if self.given_positions is None else self.positions) + 2
        x = super().begin()
        if "project_in.weight" in self.m:
            x = self.m.linear("project_in", x)
        return x + self.m("embed_positions.weight")[rows]

    def layer(self, i, x):
        c, at = self.c, f"layers.{i}."
        first = c.get("do_layer_norm_before", True)

        def branch(x, norm, f):
            if first:
                return x + f(self.norm(at + norm, x))
            return self.norm(at + norm, x + f(x))
        x = branch(x, "self_attn_layer_norm",
                   lambda n: self.attention(at + "self_attn.", n))
        act = ACTIVATIONS[c.get("activation_function", "relu")]
        return branch(x, "final_layer_norm", lambda n: self.perceptron(
            at, n, "fc1", "fc2", act))

    def attention(self, at, x):
        q, k, v = (split_heads(self.m.linear(at + n + "_proj", x),
                               self.c["num_attention_heads"]) for n in "qkv")
        y = attend(q, k, v, q.shape[-1] ** -0.5, self.seen)
        return self.m.linear(at + "out_proj", merge_heads(y))

    def end(self, x):
        if "final_layer_norm.weight" in self.m:
            x = super().end(x)
        if "project_out.weight" in self.m:
            x = self.m.linear("project_out", x)
        return x


class GptJ(Classic):
    def layer(self, i, x):
        c, at = self.c, f"h.{i}."
        n = self.norm(at + "ln_1", x)
        q, k, v = (split_heads(self.m.linear(f"{at}attn.{name}_proj", n),
                               c["n_head"]) for name in "qkv")
        q, k = (self.rotated(y, c["rotary_dim"] or q.shape[-1], 1e4, True)
                for y in (q, k))
        y = attend(q, k, v, q.shape[-1] ** -0.5, self.seen)
        act = ACTIVATIONS[c.get("activation_function", "gelu_new")]
        return (x + self.m.linear(at + "attn.out_proj", merge_heads(y)) +
                self.perceptron(at + "mlp.", n, "fc_in", "fc_out", act))


class GptNeoX(Classic):
    """Rows of the fused matrix are query, key, value of each head."""
    final, embedding = "final_layer_norm", "embed_in"
    layers = "num_hidden_layers"

    def eps(self):
        return self.c["layer_norm_eps"]

    def attention(self, at, x):
        c = self.c
        qkv = split_heads(self.m.linear(at + "query_key_value", x),
                          c["num_attention_heads"])
        q, k, v = np.split(qkv, 3, -1)
        p = c["rope_parameters"]
        n = int(q.shape[-1] * p.get("partial_rotary_factor", 0.25))
        q, k = (self.rotated_by(y, p, n) for y in (q, k))
        y = attend(q, k, v, q.shape[-1] ** -0.5, self.seen)
        return self.m.linear(at + "dense", merge_heads(y))

    def layer(self, i, x):
        at, act = f"layers.{i}.", ACTIVATIONS[self.c.get("hidden_act", "gelu")]
        a = self.attention(at + "attention.",
                           self.norm(at + "input_layernorm", x))
        parallel = self.c.get("use_parallel_residual", True)
        n = self.norm(at + "post_attention_layernorm",
                      x if parallel else x + a)
        return x + a + self.perceptron(at + "mlp.", n, "dense_h_to_4h",
                                       "dense_4h_to_h", act)


def bloom_gelu(x):
    return tanh_gelu(x, 0.79788456)  # as many digits as the model has


class Bloom(Classic):
    embedding = "word_embeddings"

    def begin(self):
        return self.norm("word_embeddings_layernorm", super().begin())

    def layer(self, i, x):
        at, heads = f"h.{i}.", self.c["n_head"]
        n = self.norm(at + "input_layernorm", x)
        qkv = self.m.linear(at + "self_attention.query_key_value", n)
        q, k, v = np.split(split_heads(qkv, heads), 3, -1)
        y = attend(q, k, v, q.shape[-1] ** -0.5, self.seen,
                   bias=alibi.bloom(heads, self.t, self.mask))
        late = self.c.get("apply_residual_connection_post_layernorm")
        x = (n if late else x) + self.m.linear(
            at + "self_attention.dense", merge_heads(y))
        n = self.norm(at + "post_attention_layernorm", x)
        return (n if late else x) + self.perceptron(
            at + "mlp.", n, "dense_h_to_4h", "dense_4h_to_h", bloom_gelu)


class Mpt(Classic):
    final, layers = "norm_f", "n_layers"

    def layer(self, i, x):
        at, heads = f"blocks.{i}.", self.c["n_heads"]
        rules = self.c["attn_config"]
        qkv = self.m.linear(at + "attn.Wqkv", self.norm(at + "norm_1", x))
        if rules.get("clip_qkv"):
            qkv = np.clip(qkv, -rules["clip_qkv"], rules["clip_qkv"])
        q, k, v = (split_heads(y, heads) for y in np.split(qkv, 3, -1))
        scale = rules.get("softmax_scale") or q.shape[-1] ** -0.5
        y = attend(q, k, v, scale, self.seen, bias=alibi.mpt(
            heads, self.t, rules.get("alibi_bias_max", 8)))
        x = x + self.m.linear(at + "attn.out_proj", merge_heads(y))
        return x + self.perceptron(at + "ffn.", self.norm(at + "norm_2", x),
                                   "up_proj", "down_proj", gelu)


class Falcon(Classic):
    """7B: one group; 40B: groups of queries with a key and a value each;
    RW: query, key, value of each head, and ALiBi inside the scale."""
    embedding, layers = "word_embeddings", "num_hidden_layers"

    def qkv(self, at, x):
        c, heads = self.c, self.c["num_attention_heads"]
        fused = self.m.linear(at + "query_key_value", x)
        d = c["hidden_size"] // heads
        if c["new_decoder_architecture"]:
            groups = c.get("num_kv_heads") or heads
        else:
            groups = 1 if c["multi_query"] else heads
        per = heads // groups
        parts = split_heads(fused, groups)
        b, _, t, _ = parts.shape
        q = parts[..., :per * d].reshape(b, groups, t, per, d)
        q = q.transpose(0, 1, 3, 2, 4).reshape(b, heads, t, d)
        return q, parts[..., per * d:per * d + d], parts[..., per * d + d:]

    def attention(self, at, x):
        c = self.c
        q, k, v = self.qkv(at, x)
        heads, d = q.shape[1], q.shape[-1]
        bias = None
        if c["alibi"]:
            bias = alibi.falcon(heads, self.t, self.mask) * d ** -0.5
        else:
            q, k = (self.rotated_by(y, c["rope_parameters"], d)
                    for y in (q, k))
        y = attend(q, k, v, d ** -0.5, self.seen, bias=bias)
        return self.m.linear(at + "dense", merge_heads(y))

    def layer(self, i, x):
        c, at = self.c, f"h.{i}."
        act = ACTIVATIONS[c.get("activation", "gelu")]
        two = at + "ln_mlp.weight" in self.m
        n = self.norm(at + ("ln_attn" if two else "input_layernorm"), x)
        a = self.attention(at + "self_attention.", n)
        if two:
            n = self.norm(at + "ln_mlp", x)
        elif not c["new_decoder_architecture"] and not c["parallel_attn"]:
            x, a = x + a, 0
            n = self.norm(at + "post_attention_layernorm", x)
        return x + a + self.perceptron(at + "mlp.", n, "dense_h_to_4h",
                                       "dense_4h_to_h", act)


MODELS = {"gpt2": Gpt2, "opt": Opt, "gptj": GptJ, "gpt_neox": GptNeoX,
          "bloom": Bloom, "mpt": Mpt, "falcon": Falcon}

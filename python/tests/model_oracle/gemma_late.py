"""Gemma 3n and Gemma 4: layers that read the keys and values of an earlier
one, inputs of their own for each layer, and (3n) four streams of states."""
import math
import statistics

import numpy as np

from . import rotary
from .attention import attend, sees
from .experts import best, normalized
from .functions import (merge_heads, relu, rms_norm, softmax, split_heads,
                        tanh_gelu)


class Late:
    """What both share."""

    def __init__(self, m, given):
        self.m, self.c, self.ids = m, m.c, given["ids"]
        b, self.t = self.ids.shape
        self.mask = given.get("mask")
        self.positions = given.get("positions")
        if self.positions is None:
            self.positions = np.broadcast_to(np.arange(self.t), (b, self.t))
        self.kept = {}  # keys and values of the last layer of each type

    def norm(self, name, x):
        return rms_norm(x, self.m(name + ".weight"), self.c["rms_norm_eps"])

    def first_shared(self):
        return (self.c["num_hidden_layers"] -
                (self.c.get("num_kv_shared_layers") or 0))

    def width(self, i):
        return self.c["head_dim"]

    def groups(self, i):
        return self.c["num_key_value_heads"]

    def rotated(self, i, x):
        p = self.c["rope_parameters"][self.c["layer_types"][i]]
        f, a = rotary.frequencies(p, x.shape[-1], self.positions.max() + 1,
                                  self.c["max_position_embeddings"])
        return rotary.rotate(x, rotary.angles(self.positions, f), a)

    def keys_and_values(self, i, at, x):
        kind = self.c["layer_types"][i]
        if i >= self.first_shared():
            return self.kept[kind]
        k = split_heads(self.m.linear(at + "k_proj", x), self.groups(i))
        v = k
        if at + "v_proj.weight" in self.m:
            v = split_heads(self.m.linear(at + "v_proj", x), self.groups(i))
        k = self.rotated(i, self.norm(at + "k_norm", k))
        self.kept[kind] = k, rms_norm(v, None, self.c["rms_norm_eps"])
        return self.kept[kind]

    def attention(self, i, x):
        at, c = f"layers.{i}.self_attn.", self.c
        q = split_heads(self.m.linear(at + "q_proj", x),
                        c["num_attention_heads"])
        q = self.rotated(i, self.norm(at + "q_norm", q))
        k, v = self.keys_and_values(i, at, x)
        slides = c["layer_types"][i] == "sliding_attention"
        seen = sees(self.t, self.mask,
                    window=c["sliding_window"] if slides else None)
        return self.m.linear(at + "o_proj",
                             merge_heads(attend(q, k, v, 1.0, seen)))

    def embedded(self):
        x = self.m("embed_tokens.weight")[self.ids]
        return x * math.sqrt(self.c["hidden_size"])

    def inputs_of_layers(self, x):
        """[B, T, layers, P]: from the token and from its embedding."""
        c, p = self.c, self.c.get("hidden_size_per_layer_input")
        if not p:
            return None
        shape = x.shape[:2] + (c["num_hidden_layers"], p)
        table = self.m("embed_tokens_per_layer.weight")
        ids = np.where(self.ids < len(table), self.ids, 0)
        token = (table[ids] * math.sqrt(p)).reshape(shape)
        state = self.m.linear("per_layer_model_projection", x) * x.shape[
            -1] ** -0.5
        state = self.norm("per_layer_projection_norm", state.reshape(shape))
        return (token + state) / math.sqrt(2)

    def from_input(self, at, x, given):
        """What the input of a layer adds to the state."""
        y = tanh_gelu(self.m.linear(at + "per_layer_input_gate", x)) * given
        return self.norm(at + "post_per_layer_input_norm",
                         self.m.linear(at + "per_layer_projection", y))

    def logits(self):
        x = self.hidden()
        head = self.m.find("lm_head.weight")
        head = self.m("embed_tokens.weight") if head is None else head
        z, cap = x @ head.T, self.c.get("final_logit_softcapping")
        return cap * np.tanh(z / cap) if cap else z


def magnitude(x):
    return np.mean(x * x, -1, keepdims=True)


class Gemma3n(Late):
    def mlp(self, i, at, x):
        gate = self.m.linear(at + "mlp.gate_proj", x)
        share = self.c["activation_sparsity_pattern"][i]
        if share > 0:
            far = statistics.NormalDist().inv_cdf(share)
            gate = relu(gate - gate.mean(-1, keepdims=True) -
                        far * gate.std(-1, keepdims=True))
        return self.m.linear(at + "mlp.down_proj", tanh_gelu(gate) *
                             self.m.linear(at + "mlp.up_proj", x))

    def modalities(self, at, x):
        x = self.norm(at + "altup.router_norm", x) / x.shape[-1]
        return np.tanh(self.m.linear(at + "altup.modality_router", x))

    def predicted(self, at, streams):
        n = len(streams)
        mode = self.modalities(at, streams[self.c["altup_active_idx"]])
        w = self.m.linear(at + "altup.prediction_coefs", mode)
        w = w.reshape(mode.shape[:-1] + (n, n))  # [B, T, to, from]
        return streams + np.einsum("btij,jbtd->ibtd", w, streams)

    def corrected(self, at, predicted, x):
        mode = self.modalities(at, x)
        w = self.m.linear(at + "altup.correction_coefs", mode) + 1
        change = x - predicted[self.c["altup_active_idx"]]
        return predicted + np.moveaxis(w, -1, 0)[..., None] * change

    def layer(self, i, streams, given):
        at, active = f"layers.{i}.", self.c["altup_active_idx"]
        streams = self.predicted(at, streams)
        x = streams[active]
        n = self.norm(at + "input_layernorm", x)
        low = self.m.linear(at + "laurel.linear_right", self.m.linear(
            at + "laurel.linear_left", n))
        low = n + self.norm(at + "laurel.post_laurel_norm", low)
        x = x + self.norm(at + "post_attention_layernorm",
                          self.attention(i, n))
        x = (x + low) / math.sqrt(2)
        y = self.mlp(i, at, self.norm(at + "pre_feedforward_layernorm", x))
        x = x + self.norm(at + "post_feedforward_layernorm", y)
        streams = self.corrected(at, streams, x)
        first = streams[active]
        if self.c["altup_correct_scale"]:
            first = first * self.m(at + "altup.correct_output_scale")
        streams[1:] += self.from_input(at, first, given)
        return streams

    def projected(self, name, i, x, size):
        """A stream with the size of the first one."""
        y = self.m.linear(f"{name}.{i - 1}", x)
        return y * np.sqrt(size / np.maximum(magnitude(y), 1e-5))

    def hidden(self):
        x = self.embedded()
        given, n = self.inputs_of_layers(x), self.c["altup_num_inputs"]
        size = magnitude(x)
        streams = np.stack([x] + [self.projected(
            "altup_projections", i, x, size) for i in range(1, n)])
        for i in range(self.c["num_hidden_layers"]):
            streams = self.layer(i, streams, given[:, :, i])
        size = magnitude(streams[0])
        out = [streams[0]] + [self.projected(
            "altup_unembed_projections", i, streams[i], size)
            for i in range(1, n)]
        return self.norm("norm", np.mean(out, 0))


class Gemma4(Late):
    def full(self, i):
        return self.c["layer_types"][i] == "full_attention"

    def groups(self, i):
        c = self.c
        own = (c.get("per_layer_config") or {}).get(str(i), {})
        if "num_key_value_heads" in own:
            return own["num_key_value_heads"]
        if self.full(i) and c.get("attention_k_eq_v"):
            return c.get("num_global_key_value_heads") or c[
                "num_key_value_heads"]
        return c["num_key_value_heads"]

    def experts(self, at, x):
        """Beside the dense branch, of the state before its norm."""
        m, eps = self.m, self.c["rms_norm_eps"]
        n = rms_norm(x, None, eps) * m(at + "router.scale") * x.shape[
            -1] ** -0.5
        p = softmax(m.linear(at + "router.proj", n))
        w = normalized(p * best(p, self.c["top_k_experts"]))
        w = w * m(at + "router.per_expert_scale")
        n, y = self.norm(at + "pre_feedforward_layernorm_2", x), 0
        for e in range(w.shape[-1]):
            gate, up = np.split(n @ m(at + "experts.gate_up_proj")[e].T, 2, -1)
            y = y + w[..., e:e + 1] * (
                (tanh_gelu(gate) * up) @ m(at + "experts.down_proj")[e].T)
        return self.norm(at + "post_feedforward_layernorm_2", y)

    def layer(self, i, x, given):
        m, at = self.m, f"layers.{i}."
        y = self.attention(i, self.norm(at + "input_layernorm", x))
        x = x + self.norm(at + "post_attention_layernorm", y)
        n = self.norm(at + "pre_feedforward_layernorm", x)
        y = m.linear(at + "mlp.down_proj",
                     tanh_gelu(m.linear(at + "mlp.gate_proj", n)) *
                     m.linear(at + "mlp.up_proj", n))
        if at + "router.proj.weight" in m:
            y = (self.norm(at + "post_feedforward_layernorm_1", y) +
                 self.experts(at, x))
        x = x + self.norm(at + "post_feedforward_layernorm", y)
        if given is not None:
            x = x + self.from_input(at, x, given)
        return x * m(at + "layer_scalar")

    def hidden(self):
        x = self.embedded()
        given = self.inputs_of_layers(x)
        for i in range(self.c["num_hidden_layers"]):
            x = self.layer(i, x, None if given is None else given[:, :, i])
        return self.norm("norm", x)


MODELS = {"gemma3n_text": Gemma3n, "gemma4_text": Gemma4}

"""Kimi Delta Attention (arXiv:2510.26692): a state that each token decays by
channels and corrects towards its value; Gated DeltaNet (arXiv:2412.06464), in
which all channels of a head decay alike, and the gated attention beside it."""
import numpy as np

from .attention import attend
from .functions import merge_heads, rms_norm, sigmoid, silu, split_heads


def convolved(x, w):
    """Causal, each channel by itself: x [B, T, C], w [C, 1, size]."""
    size = w.shape[-1]
    padded = np.pad(x, ((0, 0), (size - 1, 0), (0, 0)))
    return silu(sum(padded[:, s:s + x.shape[1]] * w[:, 0, s]
                    for s in range(size)))


def unit(x):
    return x / np.sqrt((x * x).sum(-1, keepdims=True) + 1e-6)


def forgotten(m, at, x, heads):
    """[B, T, heads, d]: logarithms of what is kept."""
    y = m.linear(at + "f_b_proj", m.linear(at + "f_a_proj", x))
    y = y + m(at + "dt_bias")
    y = y.reshape(x.shape[:2] + (heads, -1))
    return -np.exp(m(at + "A_log").reshape(heads, 1)) * np.log1p(np.exp(y))


def recurrence(q, k, v, decay, beta):
    b, t, h, d = q.shape
    state, out = np.zeros((b, h, d, v.shape[-1])), np.empty_like(v)
    for i in range(t):
        state = state * np.exp(decay[:, i])[..., None]
        seen = np.einsum("bhkv,bhk->bhv", state, k[:, i])
        change = (v[:, i] - seen) * beta[:, i][..., None]
        state = state + k[:, i][..., None] * change[..., None, :]
        out[:, i] = np.einsum("bhkv,bhk->bhv", state, q[:, i])
    return out


def has_softmax(c, i):
    """Numbers of layers begin at 1 in the keys of published files."""
    numbers = c.get("linear_attn_config", {}).get("full_attn_layers")
    if numbers is None:
        return c["layer_types"][i] == "full_attention"
    return i + 1 in numbers


def without_padding(d, x):
    if d.mask is None:
        return x
    return x * (np.asarray(d.mask) != 0)[..., None]


def attention(d, i, x):
    m, c, at = d.m, d.c, f"layers.{i}.self_attn."
    sizes = c.get("linear_attn_config", {})
    heads = sizes.get("num_heads") or c["linear_num_heads"]
    width = sizes.get("head_dim") or c["linear_head_dim"]
    x = without_padding(d, x)
    shape = x.shape[:2] + (heads, width)
    q, k, v = (convolved(m.linear(f"{at}{n}_proj", x),
                         m(f"{at}{n}_conv1d.weight")).reshape(shape)
               for n in "qkv")
    beta = sigmoid(m.linear(at + "b_proj", x))
    y = recurrence(unit(q) * width ** -0.5, unit(k), v,
                   forgotten(m, at, x, heads), beta)
    gate = m.linear(at + "g_b_proj", m.linear(at + "g_a_proj", x))
    y = rms_norm(y, m(at + "o_norm.weight"), c["rms_norm_eps"]) * sigmoid(
        gate.reshape(shape))
    return m.linear(at + "o_proj", y.reshape(x.shape[:2] + (-1,)))


def gated_delta(d, i, x):
    """Rows of both maps are grouped by heads of keys."""
    m, c, at = d.m, d.c, f"layers.{i}.linear_attn."
    heads, values = c["linear_num_key_heads"], c["linear_num_value_heads"]
    dk, dv = c["linear_key_head_dim"], c["linear_value_head_dim"]
    x, each = without_padding(d, x), values // heads
    b, t, _ = x.shape
    parts = np.split(m.linear(at + "in_proj_qkvz", x).reshape(b, t, heads, -1),
                     [dk, 2 * dk, 2 * dk + each * dv], -1)
    *parts, gate = (p.reshape(b, t, -1) for p in parts)
    q, k, v = np.split(convolved(np.concatenate(parts, -1),
                                 m(at + "conv1d.weight")),
                       [heads * dk, 2 * heads * dk], -1)
    q, k = (np.repeat(unit(y.reshape(b, t, heads, dk)), each, 2)
            for y in (q, k))
    beta, a = (y.reshape(b, t, values) for y in np.split(
        m.linear(at + "in_proj_ba", x).reshape(b, t, heads, -1), 2, -1))
    decay = -np.exp(m(at + "A_log")) * np.log1p(np.exp(a + m(at + "dt_bias")))
    y = recurrence(q * dk ** -0.5, k, v.reshape(b, t, values, dv),
                   decay[..., None], sigmoid(beta))
    y = rms_norm(y, m(at + "norm.weight"), c["rms_norm_eps"])
    return m.linear(at + "out_proj", y.reshape(b, t, -1) * silu(gate))


def gated_attention(d, i, x):
    """Behind the queries of each head stands a gate of its output."""
    m, c, at = d.m, d.c, f"layers.{i}.self_attn."
    heads, kv = c["num_attention_heads"], c["num_key_value_heads"]
    both = split_heads(m.linear(at + "q_proj", x), heads)
    q, gate = np.split(both, 2, -1)
    k, v = (split_heads(m.linear(f"{at}{n}_proj", x), kv) for n in "kv")
    q, k = d.rotated(i, d.norm(at + "q_norm", q), d.norm(at + "k_norm", k))
    y = attend(q, k, v, q.shape[-1] ** -0.5, d.seen(i)) * sigmoid(gate)
    return m.linear(at + "o_proj", merge_heads(y))

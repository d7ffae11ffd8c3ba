"""Kimi Delta Attention (arXiv:2510.26692): a state that each token decays by
channels and corrects towards its value."""
import numpy as np

from .functions import rms_norm, sigmoid, silu


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
    state, out = np.zeros((b, h, d, d)), np.empty_like(v)
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


def attention(d, i, x):
    m, c, at = d.m, d.c, f"layers.{i}.self_attn."
    sizes = c.get("linear_attn_config", {})
    heads = sizes.get("num_heads") or c["linear_num_heads"]
    width = sizes.get("head_dim") or c["linear_head_dim"]
    if d.mask is not None:
        x = x * (np.asarray(d.mask) != 0)[..., None]
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

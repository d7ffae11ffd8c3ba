"""Multi-head latent attention of DeepSeek V2 and V3 (arXiv:2405.04434)."""
import numpy as np

from . import rotary
from .attention import attend
from .functions import merge_heads, rms_norm, split_heads

LATENT_EPS = 1e-6  # of the norms of latents, whatever the config says


def queries(d, at, x):
    m = d.m
    if at + "q_proj.weight" in m:
        return m.linear(at + "q_proj", x)
    latent = rms_norm(m.linear(at + "q_a_proj", x),
                      m(at + "q_a_layernorm.weight"), LATENT_EPS)
    return m.linear(at + "q_b_proj", latent)


def score_scale(c, p, width):
    m_all = p.get("mscale_all_dim")
    if p.get("rope_type", "default") == "default" or not m_all:
        return width ** -0.5
    return width ** -0.5 * rotary.m_scale(p["factor"], m_all) ** 2


def attention(d, i, x):
    m, c, at = d.m, d.c, f"layers.{i}.self_attn."
    heads, nope = c["num_attention_heads"], c["qk_nope_head_dim"]
    width = nope + c["qk_rope_head_dim"]
    q = split_heads(queries(d, at, x), heads)
    down = m.linear(at + "kv_a_proj_with_mqa", x)
    latent, turned = np.split(down, [c["kv_lora_rank"]], -1)
    latent = rms_norm(latent, m(at + "kv_a_layernorm.weight"), LATENT_EPS)
    kv = split_heads(m.linear(at + "kv_b_proj", latent), heads)
    k, v = np.split(kv, [nope], -1)
    turned = np.broadcast_to(turned[:, None],
                             (x.shape[0], heads) + turned.shape[1:])
    k = np.concatenate([k, turned], -1)
    p = c.get("rope_parameters") or {}
    if p:  # Kimi Linear does not rotate
        f, factor = rotary.frequencies(p, c["qk_rope_head_dim"],
                                       d.positions.max() + 1,
                                       c["max_position_embeddings"])
        q, k = (rotary.rotate(y, rotary.angles(d.positions, f), factor,
                              c.get("rope_interleave", True), nope)
                for y in (q, k))
    y = attend(q, k, v, score_scale(c, p, width), d.seen(i))
    return m.linear(at + "o_proj", merge_heads(y))

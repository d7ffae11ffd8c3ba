"""The rows of the table of decoders."""
import dataclasses

import numpy as np

from . import delta, experts, latent
from .decoder import (Family, fused_gated, plain_mlp, root_of_width,
                      sliding_by_type, soft)


def every_window(c, i):
    return c.get("sliding_window")


def llama4_query(c, i, positions):
    """Temperature of layers without rotation, by the place in the cache."""
    place = np.arange(positions.shape[-1])[None] + 0.0
    if not c.get("attn_temperature_tuning", True) or c["no_rope_layers"][i]:
        return np.ones_like(place)
    return 1 + c["attn_scale"] * np.log1p(
        np.floor((place + 1) / c["floor_scale"]))


def ministral_query(c, i, positions):
    p = c["rope_parameters"]
    return 1 + p["llama_4_scaling_beta"] * np.log1p(np.floor(
        positions / p["original_max_position_embeddings"]))


def alternates(c, i):
    return bool(c["no_rope_layers"][i])


LLAMA = Family()
GEMMA = Family(norm="rms1", act=None, embedding_scale=root_of_width)
GEMMA2 = dataclasses.replace(
    GEMMA, after="post_attention_layernorm",
    before_mlp="pre_feedforward_layernorm",
    after_mlp="post_feedforward_layernorm", window=sliding_by_type,
    scale=lambda c, d: c["query_pre_attn_scalar"] ** -0.5,
    softcap="attn_logit_softcapping",
    head=lambda c, z: soft(z, c.get("final_logit_softcapping")))
COHERE = Family(norm="layer", eps="layer_norm_eps", parallel=True,
                interleaved=True, head=lambda c, z: z * c["logit_scale"])
OLMO2 = Family(before=None, after="post_attention_layernorm", before_mlp=None,
               after_mlp="post_feedforward_layernorm", qk_norm="all")
DEEPSEEK = Family(attention=latent.attention, mlp=experts.deepseek_v3)

FAMILIES = {
    "llama": LLAMA,
    "mistral": Family(window=every_window),
    "ministral3": Family(window=every_window, query_factor=ministral_query),
    "mixtral": Family(window=every_window, mlp=experts.mixtral,
                      mlp_name="block_sparse_moe."),
    "qwen2": Family(window=sliding_by_type),
    "qwen3": Family(window=sliding_by_type, qk_norm="head"),
    "qwen2_moe": Family(window=sliding_by_type, mlp=experts.qwen),
    "qwen3_moe": Family(window=lambda c, i: c["use_sliding_window"] and
                        c["sliding_window"],
                        qk_norm="head", mlp=experts.qwen),
    "qwen2_vl_text": Family(window=sliding_by_type),
    "qwen2_5_vl_text": Family(window=sliding_by_type),
    "qwen3_vl_text": Family(qk_norm="head", every_third=True),
    "qwen3_vl_moe_text": Family(qk_norm="head", every_third=True,
                                mlp=experts.qwen3_vl),
    "smollm3": Family(rotates=alternates, window=lambda c, i:
                      c["use_sliding_window"] and sliding_by_type(c, i)),
    "granite": Family(
        scale=lambda c, d: c["attention_multiplier"],
        embedding_scale=lambda c: c["embedding_multiplier"],
        branch_scale=lambda c: c["residual_multiplier"],
        head=lambda c, z: z / c["logits_scaling"]),
    "llama4_text": Family(
        interleaved=True, rotates=alternates, qk_norm="l2",
        chunk=lambda c, i: c["attention_chunk_size"]
        if c["no_rope_layers"][i] else None,
        query_factor=llama4_query, mlp=experts.llama4,
        mlp_name="feed_forward."),
    "gemma": GEMMA,
    "gemma2": GEMMA2,
    "gemma3_text": dataclasses.replace(GEMMA2, qk_norm="head"),
    "phi3": Family(partial=1.0, window=every_window, mlp=fused_gated),
    "gpt_oss": Family(window=sliding_by_type, mlp=experts.gpt_oss),
    "starcoder2": Family(norm="layer", eps="norm_epsilon", window=every_window,
                         mlp=plain_mlp("c_fc", "c_proj")),
    "cohere": dataclasses.replace(COHERE, qk_norm=None),
    "cohere2": dataclasses.replace(
        COHERE, window=sliding_by_type,
        rotates=lambda c, i: c["layer_types"][i] == "sliding_attention"),
    "olmo2": OLMO2,
    "olmo3": dataclasses.replace(OLMO2, window=sliding_by_type),
    "glm": Family(interleaved=True, partial=0.5, mlp=fused_gated),
    "glm4": Family(interleaved=True, partial=0.5, mlp=fused_gated,
                   after="post_self_attn_layernorm",
                   after_mlp="post_mlp_layernorm"),
    "glm4_moe": Family(partial=0.5, mlp=experts.deepseek_v3),
    "minimax_m2": Family(partial=1.0, qk_norm="all", mlp=experts.minimax,
                         mlp_name="block_sparse_moe."),
    "stablelm": Family(norm="layer", eps="layer_norm_eps", partial=0.25),
    "phi": Family(norm="layer", eps="layer_norm_eps", partial=0.5,
                  parallel=True, output="dense", final="final_layernorm",
                  mlp=plain_mlp("fc1", "fc2")),
    "nemotron": Family(norm="layer1", eps="norm_eps", partial=0.5,
                       mlp=plain_mlp("up_proj", "down_proj")),
    # arXiv:2204.02311, section 2: no biases, one norm, multi-query, SwiGLU;
    # section 5: logits of the shared embedding over the root of its width.
    # It has no files in public; these names are those of Llama.
    "palm": Family(norm="layer", eps="layer_norm_eps", parallel=True,
                   interleaved=True,
                   head=lambda c, z: z / root_of_width(c)),
    "deepseek_v2": dataclasses.replace(DEEPSEEK, mlp=experts.deepseek_v2),
    "deepseek_v3": DEEPSEEK,
    "kimi_k2": DEEPSEEK,
    "kimi_linear": dataclasses.replace(
        DEEPSEEK, mlp=experts.kimi_linear, mlp_name="block_sparse_moe.",
        attention=lambda d, i, x: (
            latent.attention if delta.has_softmax(d.c, i)
            else delta.attention)(d, i, x)),
    "qwen3_next": Family(
        norm="rms1", partial=0.25, mlp=experts.qwen,
        attention=lambda d, i, x: (
            delta.gated_attention if delta.has_softmax(d.c, i)
            else delta.gated_delta)(d, i, x)),
}


def family_of(m):
    """The row, with what the keys of this config change."""
    family, c = FAMILIES[m.kind], m.c
    if m.kind == "cohere" and c.get("use_qk_norm"):
        return dataclasses.replace(family, qk_norm="cohere")
    if m.kind == "glm4_moe" and c.get("use_qk_norm"):
        return dataclasses.replace(family, qk_norm="head")
    if m.kind == "llama4_text" and not c.get("use_qk_norm", True):
        return dataclasses.replace(family, qk_norm=None)
    if m.kind == "minimax_m2" and not c.get("use_qk_norm", True):
        return dataclasses.replace(family, qk_norm=None)
    if m.kind == "stablelm":
        return dataclasses.replace(
            family, parallel=c.get("use_parallel_residual", False),
            qk_norm="stablelm" if c.get("qk_layernorm") else None)
    if m.kind == "phi" and c.get("qk_layernorm"):
        return dataclasses.replace(family, qk_norm="phi")
    return family

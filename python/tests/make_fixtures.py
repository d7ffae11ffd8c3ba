"""Write tests/models/fixtures: one tiny model of each family, its inputs and
its logits in float64 by the oracle.

usage: make_fixtures.py FOLDER [NAME...]

Weights are stored in bfloat16, which makes them small and exact.  Logits of
tokens that a mask hides are 0.
"""
import copy
import json
import os
import sys

import numpy as np
import torch

import make_models
import model_configs

LENGTH = 13
SMALL = dict(vocab_size=12, hidden_size=8, num_hidden_layers=2,
             num_attention_heads=2, num_key_value_heads=1,
             intermediate_size=12, n_embd=8, n_layer=2, n_head=2,
             n_positions=24, d_model=8, n_layers=2, n_heads=2, ffn_dim=12,
             max_seq_len=24, num_experts=4, num_local_experts=3,
             moe_intermediate_size=6, n_routed_experts=4, n_group=2,
             topk_group=1, num_experts_per_tok=2, n_shared_experts=1,
             shared_expert_intermediate_size=10, intermediate_size_mlp=10,
             n_inner=12, sliding_window=4, attention_chunk_size=5,
             q_lora_rank=6, kv_lora_rank=6, qk_nope_head_dim=4,
             qk_rope_head_dim=4, v_head_dim=4, head_dim=8)
# What the shapes of a family want beyond that.
OWN = {
    "llama4": dict(no_rope_layers=[1, 0], num_experts_per_tok=1),
    "deepseek_v2": dict(num_key_value_heads=2, first_k_dense_replace=1),
    "deepseek_v2_lite": dict(num_key_value_heads=2, q_lora_rank=None),
    "deepseek_v3": dict(num_key_value_heads=2),
    "bloom": dict(n_head=3, hidden_size=12),
    "mpt": dict(n_heads=3, d_model=12),
    "falcon_40b": dict(num_attention_heads=4, num_kv_heads=2, hidden_size=16),
    "falcon_rw": dict(num_attention_heads=3, hidden_size=12),
    "opt_350m": dict(word_embed_proj_dim=6),
    "opt": dict(word_embed_proj_dim=8),
    "llama_dynamic": dict(max_position_embeddings=8),
    "gptj": dict(n_embd=16, rotary_dim=4, n_inner=12),
    "gpt2": dict(n_inner=12),
    "phi3_short": dict(num_key_value_heads=2, rope_parameters=dict(
        model_configs.LISTS, original_max_position_embeddings=32,
        short_factor=[1.0, 1.3], long_factor=[1.5, 3.0])),
    "phi3_long": dict(num_key_value_heads=2, rope_parameters=dict(
        model_configs.LISTS, original_max_position_embeddings=8,
        short_factor=[1.0, 1.3], long_factor=[1.5, 3.0])),
}
# Layers of these differ; of the others one is enough.
PATTERNS = ("qwen2", "smollm3", "gemma2", "gemma3", "cohere2", "olmo3",
            "qwen2_moe", "qwen3_moe", "llama4", "gpt_oss", "glm4_moe",
            "deepseek_v2", "deepseek_v3", "gpt2_inverse", "llama", "t5", "mt5",
            "umt5", "modernbert", "gemma3n", "gemma4", "swin", "swinv2")
LEFT_OUT = ("llama_linear", "phi4_mini", "phi_plain", "stablelm_sequential",
            "deepseek_v2_lite", "gpt_neox_sequential", "bloom_late",
            "phi3_short", "gpt2_inverse")
# Widths of heads follow from the width of these models.
WIDE = ("phi", "phi_plain", "stablelm", "stablelm_sequential", "nemotron",
        "gpt_neox", "gpt_neox_sequential")
MASKED = {"llama": 5, "gpt2": 4, "opt": 3, "bloom": 4, "bert": -4, "t5": -3,
          "marian": -5, "mistral": 3, "roberta": -4}
NOISE = ("transformers_version", "initializer_range", "initializer_factor")


def small_keys(name):
    config, _, keys = model_configs.MODELS[name]
    own = dict(OWN.get(name, {}))
    if name in WIDE:
        own["hidden_size"] = 16
    small = {k: SMALL[k] if k in SMALL and v is not None else v
             for k, v in keys.items()}
    small.update(own)
    if name not in PATTERNS:
        small.update({k: 1 for k in ("n_layer", "n_layers",
                                     "num_hidden_layers") if k in small})
    layers = small.get("num_hidden_layers")
    if "layer_types" in small:
        small["layer_types"] = small["layer_types"][:layers]
    return small


def inputs(name, model):
    given = make_models.inputs(name, model, LENGTH, 1)
    hidden = MASKED.get(name)
    if hidden:
        given["mask"] = np.ones_like(given["ids"])
        given["mask"][:, slice(hidden) if hidden > 0
                      else slice(hidden, None)] = 0
    return given


def without_noise(path):
    with open(path) as file:
        read = json.load(file)
    with open(path, "w") as file:
        json.dump({k: v for k, v in read.items() if k not in NOISE}, file,
                  indent=1)
        file.write("\n")


def write(folder, name):
    model = make_models.made(name, keys=small_keys(name))
    with torch.no_grad():
        for p in model.state_dict().values():
            if p.dtype == torch.float32:
                p.copy_(p.bfloat16())
    copy.deepcopy(model).to(torch.bfloat16).save_pretrained(folder)
    without_noise(os.path.join(folder, "config.json"))
    extra = os.path.join(folder, "generation_config.json")
    if os.path.exists(extra):
        os.remove(extra)
    return make_models.save(folder, model, inputs(name, model))


def main(folder, names):
    for name in names or [n for n in model_configs.MODELS
                         if n not in LEFT_OUT]:
        part = os.path.join(folder, name)
        error = write(part, name)
        size = sum(os.path.getsize(os.path.join(part, f))
                   for f in os.listdir(part))
        print(f"{name:22} {size:6} bytes, transformers {error:.1e}")
        if error > 3e-5:
            sys.exit(f"{name}: transformers and the oracle disagree")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

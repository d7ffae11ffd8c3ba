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
import safetensors.torch
import torch

import decoder_configs
import make_models
import model_configs
import model_oracle
import own_models

LENGTH = 11
SMALL = dict(vocab_size=12, hidden_size=8, num_hidden_layers=1,
             num_attention_heads=2, num_key_value_heads=1,
             intermediate_size=12, n_embd=8, n_layer=1, n_head=2, n_inner=12,
             n_positions=24, d_model=8, n_layers=1, n_heads=2, ffn_dim=12,
             max_seq_len=24, num_experts=3, num_local_experts=3,
             moe_intermediate_size=6, n_routed_experts=4, n_group=2,
             topk_group=1, num_experts_per_tok=2, n_shared_experts=1,
             shared_expert_intermediate_size=10, intermediate_size_mlp=10,
             sliding_window=4, attention_chunk_size=5, q_lora_rank=6,
             kv_lora_rank=6, qk_nope_head_dim=4, qk_rope_head_dim=4,
             v_head_dim=4, head_dim=8, global_head_dim=16, d_kv=4, d_ff=12,
             num_heads=2, num_layers=1, num_decoder_layers=1,
             encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
             decoder_attention_heads=2, encoder_ffn_dim=12,
             decoder_ffn_dim=12, relative_attention_num_buckets=6,
             relative_attention_max_distance=8, local_attention=4,
             image_size=8, patch_size=4, num_labels=3, laurel_rank=4,
             hidden_size_per_layer_input=4, altup_num_inputs=3,
             vocab_size_per_layer_input=10, max_position_embeddings=24)
SPECIAL = dict(pad_token_id=11, eos_token_id=0, decoder_start_token_id=11,
               forced_eos_token_id=0)
LISTS = dict(decoder_configs.LISTS, original_max_position_embeddings=8,
             short_factor=[1.0, 1.3], long_factor=[1.5, 3.0])
LATE = dict(num_hidden_layers=3, num_kv_shared_layers=1,
            layer_types=["sliding_attention", "full_attention",
                         "full_attention"])
# The fixtures, and what the shapes of a family want beyond SMALL: two layers
# where layers differ, a width from which that of a head follows.
TWO, WIDE = dict(num_hidden_layers=2), dict(hidden_size=16)
THIRD = decoder_configs.rope(1e6, mrope_section=[2, 1, 1],
                             mrope_interleaved=True)
FIXTURES = {
    "llama": TWO, "llama_3": {}, "mistral": {}, "ministral3": {},
    "mixtral": {}, "qwen2": TWO, "qwen3": {}, "smollm3": TWO, "granite": {},
    "llama4": dict(TWO, no_rope_layers=[1, 0], num_experts_per_tok=1),
    "gemma": {}, "gemma2": TWO, "gemma3": TWO, "gemma4": dict(LATE, vocab_size_per_layer_input=12),
    "gemma3n": dict(LATE, activation_sparsity_pattern=[0.8, 0.8, 0.0]),
    "qwen2_moe": TWO, "gpt_oss": dict(TWO, intermediate_size=6),
    "minimax_m2": dict(intermediate_size=6),
    "deepseek_v2": dict(TWO, num_key_value_heads=2),
    "deepseek_v3": dict(TWO, num_key_value_heads=2),
    "kimi_linear": dict(TWO, num_key_value_heads=2, linear_num_heads=2,
                        linear_head_dim=4, num_local_experts=4,
                        mlp_layer_types=["dense", "sparse"]),
    "qwen3_next": dict(TWO, mlp_only_layers=[], linear_num_key_heads=2,
                       linear_num_value_heads=4, linear_key_head_dim=4,
                       linear_value_head_dim=2),
    "phi": WIDE, "stablelm": WIDE, "gpt_neox": WIDE, "starcoder2": {},
    "phi3_long": dict(num_key_value_heads=2, rope_parameters=LISTS),
    "cohere": {}, "cohere2": TWO, "olmo2": {}, "olmo3": TWO, "glm4": {},
    "gpt2": dict(n_layer=2, n_inner=12),
    "gptj": dict(n_embd=16, rotary_dim=4, n_inner=12),
    "opt": dict(word_embed_proj_dim=8),
    "opt_350m": dict(word_embed_proj_dim=6),
    "bloom": dict(n_head=3, hidden_size=6), "mpt": dict(n_heads=3, d_model=6),
    "falcon_7b": {}, "falcon_rw": dict(num_attention_heads=3, hidden_size=6),
    "falcon_40b": dict(num_attention_heads=4, num_kv_heads=2, hidden_size=16),
    "bert": {}, "roberta": {}, "deberta_v3": dict(position_buckets=4), "modernbert": TWO,
    "marian": SPECIAL, "t5": {}, "t5_1_1": {}, "umt5": {},
    "vit": {}, "dinov2": {}, "dinov3": {},
    "swin": dict(image_size=14, patch_size=2, embed_dim=4, depths=[2, 1],
                 num_heads=[1, 2], window_size=3),
    "swinv2": dict(image_size=12, patch_size=2, embed_dim=4, depths=[2],
                   num_heads=[2], window_size=4, pretrained_window_sizes=[8]),
    "qwen2_vl": WIDE, "qwen3_vl": dict(rope_parameters=THIRD),
    "qwen2_vl_image": WIDE, "qwen2_5_vl_image": WIDE,
    "qwen3_vl_image": dict(TWO, rope_parameters=THIRD),
    "qwen3_vl_moe_image": dict(rope_parameters=THIRD, mlp_only_layers=[]),
}
# Towers for images: patches of 2 x 2 pixels, and windows of 4 x 4 of them.
SIGHTS = {
    "qwen2_vl_image": dict(embed_dim=8, hidden_size=16, mlp_ratio=1),
    "qwen2_5_vl_image": dict(hidden_size=8, num_heads=1, window_size=8,
                             out_hidden_size=16),
    "qwen3_vl_image": dict(hidden_size=8, num_heads=1, out_hidden_size=8,
                           num_position_embeddings=9),
    "qwen3_vl_moe_image": dict(hidden_size=8, num_heads=1, depth=1,
                               out_hidden_size=8, num_position_embeddings=4,
                               deepstack_visual_indexes=[0]),
}
# Of each row of ids the first tokens and grids of its images.
SEVERAL = {"qwen2_vl_image": [[(1, (2, 2, 2)), (4, (1, 4, 6))]],
           "qwen2_5_vl_image": [[(1, (1, 4, 6)), (8, (1, 2, 4))]]}
# Those that own_models.py makes.
OWN = {
    "transfo_xl": dict(own_models.XL, vocab_size=12, cutoffs=[4, 8],
                       d_model=8, d_embed=8, d_head=4, d_inner=12, n_layer=1,
                       mem_len=6, clamp_len=3),
    "qwen1": dict(own_models.QWEN, vocab_size=12, hidden_size=8,
                  num_attention_heads=2, kv_channels=4, num_hidden_layers=1,
                  intermediate_size=24, seq_length=6),
    "palm": dict(own_models.PALM, vocab_size=12, hidden_size=8,
                 num_attention_heads=2, head_dim=8, num_hidden_layers=1,
                 intermediate_size=12),
}
MASKED = {"llama": 4, "gpt2": 3, "opt": 3, "bloom": 3, "mistral": 3, "kimi_linear": 3,
          "qwen3_next": 2,
          "bert": -4, "roberta": -4, "deberta_v3": -3, "t5": -3, "marian": -4}
PIXELS = {"dinov2": (8, 12), "dinov3": (8, 12), "swin": (14, 14)}
# Those whose truth is what the last map of states gives, not logits.
STATES = ("opt_350m",)
SIGHT = ("model.visual.", "visual.")
NOISE = ("transformers_version", "initializer_range", "initializer_factor")


def smaller(keys, own):
    small = {k: SMALL[k] if k in SMALL and v is not None else v
             for k, v in keys.items()}
    small.update(own)
    if "layer_types" in small and "num_hidden_layers" in small:
        small["layer_types"] = small["layer_types"][
            :small["num_hidden_layers"]]
    return small


def small_keys(name):
    _, _, keys = model_configs.MODELS[name]
    own = FIXTURES[name]
    if "text_config" not in keys:
        return smaller(keys, own)
    sight = dict(keys["vision_config"])
    if name in SIGHTS:
        sight.update(patch_size=2, intermediate_size=12, **SIGHTS[name])
    return dict(keys, text_config=smaller(keys["text_config"], own),
                vision_config=sight, image_token_id=10, video_token_id=11, vision_start_token_id=8,
                vision_end_token_id=9)


def inputs(name, model):
    given = make_models.inputs(name, model, LENGTH, 1, PIXELS.get(name))
    if name in SEVERAL:
        given = make_models.several(model, given["ids"] % 8, SEVERAL[name])
    if name == "qwen3_vl_image":
        del given["grid"]
    hidden = MASKED.get(name)
    if hidden:
        given["mask"] = np.ones_like(given["ids"])
        given["mask"][:, slice(hidden) if hidden > 0
                      else slice(hidden, None)] = 0
    return given


def without_sight(path):
    """Leave out the tower for images, which text does not use."""
    tensors = safetensors.torch.load_file(path)
    safetensors.torch.save_file(
        {k: v for k, v in tensors.items() if not k.startswith(SIGHT)}, path,
        {"format": "pt"})


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
        for p in model.state_dict(keep_vars=True).values():
            fixed = isinstance(p, torch.nn.Parameter) and not p.requires_grad
            if p.dtype == torch.float32 and not fixed:
                p.copy_(p.bfloat16())
    half = copy.deepcopy(model).to(torch.bfloat16)
    read = make_models.written(name, folder, half)
    if name in model_configs.AXES:
        without_sight(os.path.join(folder, "model.safetensors"))
    without_noise(os.path.join(folder, "config.json"))
    extra = os.path.join(folder, "generation_config.json")
    if os.path.exists(extra):
        os.remove(extra)
    for file in os.listdir(folder):
        os.chmod(os.path.join(folder, file), 0o644)
    model = model if read is half else read
    given = inputs(name, model)
    error = make_models.save(folder, model, given)
    if name in STATES:
        os.remove(os.path.join(folder, "logits.npy"))
        np.save(os.path.join(folder, "hidden.npy"), make_models.masked(
            model_oracle.hidden(model_oracle.Checkpoint(folder), given),
            given))
    return error


def write_own(folder, name):
    make_models.save_own(folder, OWN[name], LENGTH, 1, half=True)
    return 0.0


def main(folder, names):
    total = 0
    for name in names or [*FIXTURES, *OWN]:
        part = os.path.join(folder, name)
        error = (write_own if name in OWN else write)(part, name)
        size = sum(os.path.getsize(os.path.join(part, f))
                   for f in os.listdir(part))
        print(f"{name:22} {size:6} bytes, transformers {error:.1e}")
        if error > 3e-5:
            sys.exit(f"{name}: transformers and the oracle disagree")
        total += size
    print(f"{total} bytes")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

"""Tiny decoders: class of the config, class of the model, keys.

Windows, chunks and original lengths are below the length of the test, and
patterns of layers show, so that a rule left out changes logits.
"""
ROPE = {"rope_type": "default", "rope_theta": 10000.0}
SIZES = dict(vocab_size=96, hidden_size=32, num_hidden_layers=3,
             num_attention_heads=4, num_key_value_heads=2,
             intermediate_size=48, max_position_embeddings=64,
             pad_token_id=0, bos_token_id=1, eos_token_id=2)
# Of four pairs, one is between both ends of the ramp.
YARN = dict(ROPE, rope_type="yarn", factor=4.0, beta_fast=8.0, beta_slow=0.5,
            original_max_position_embeddings=256)
LLAMA3 = dict(ROPE, rope_type="llama3", factor=8.0, low_freq_factor=1.0,
              high_freq_factor=4.0, original_max_position_embeddings=32)
LISTS = dict(ROPE, rope_type="longrope",
             short_factor=[1.0, 1.1, 1.3, 1.7],
             long_factor=[1.0, 1.5, 3.0, 4.0])
EXPERTS = dict(num_experts=6, num_experts_per_tok=2, moe_intermediate_size=24,
               norm_topk_prob=True)
LATENT = dict(q_lora_rank=16, kv_lora_rank=12, qk_nope_head_dim=8,
              qk_rope_head_dim=8, v_head_dim=6, num_key_value_heads=4,
              n_routed_experts=8, num_experts_per_tok=3, n_group=4,
              topk_group=2, n_shared_experts=2, moe_intermediate_size=16,
              first_k_dense_replace=1, routed_scaling_factor=1.7)


def sized(**more):
    return {**SIZES, **more}


def rope(base=10000.0, **more):
    return {"rope_type": "default", "rope_theta": base, **more}


def causal(name, config=None, **keys):
    """A class for causal language models with the usual names of sizes."""
    return (config or name) + "Config", name + "ForCausalLM", sized(**keys)


def without_groups(name, **keys):
    """The same of a model whose heads all have keys of their own."""
    config, model, sizes = causal(name, **keys)
    del sizes["num_key_value_heads"]
    return config, model, sizes


LLAMAS = {
    "llama": causal("Llama", rope_parameters=rope()),
    "llama_3": causal("Llama", rope_parameters=LLAMA3, head_dim=16,
                      tie_word_embeddings=True),
    "llama_linear": causal("Llama", rope_parameters=rope(
        rope_type="linear", factor=4.0)),
    "llama_dynamic": causal("Llama", max_position_embeddings=16,
                            rope_parameters=rope(rope_type="dynamic",
                                                 factor=4.0)),
    "llama_yarn": causal("Llama", rope_parameters=YARN, attention_bias=True,
                         mlp_bias=True),
    "mistral": causal("Mistral", sliding_window=6),
    "ministral3": causal("Ministral3", head_dim=16, rope_parameters=dict(
        YARN, mscale=1.0, mscale_all_dim=1.0, llama_4_scaling_beta=0.1,
        beta_fast=0.5, beta_slow=0.05,
        original_max_position_embeddings=8)),
    "qwen2": causal("Qwen2", use_sliding_window=True, sliding_window=6,
                    max_window_layers=1, rope_parameters=rope(1e6)),
    "qwen3": causal("Qwen3", head_dim=16, rope_parameters=rope(1e6)),
    "smollm3": causal("SmolLM3", no_rope_layer_interval=2,
                      use_sliding_window=True, sliding_window=6,
                      rope_parameters=rope(2e6)),
    "granite": causal("Granite", attention_multiplier=0.2,
                      embedding_multiplier=3.0, residual_multiplier=0.4,
                      logits_scaling=2.5, rope_parameters=rope()),
    "gemma": causal("Gemma", head_dim=16, rope_parameters=rope()),
    "gemma2": causal("Gemma2", head_dim=16, sliding_window=6,
                     query_pre_attn_scalar=10, attn_logit_softcapping=2.0,
                     final_logit_softcapping=3.0, rope_parameters=rope()),
    "gemma3": causal("Gemma3", "Gemma3Text", head_dim=16, sliding_window=6,
                     query_pre_attn_scalar=10, num_hidden_layers=3,
                     layer_types=["sliding_attention", "full_attention",
                                  "sliding_attention"],
                     rope_parameters={
                         "sliding_attention": rope(),
                         "full_attention": rope(1e6, rope_type="linear",
                                                factor=8.0)}),
    "phi3": causal("Phi3", sliding_window=20, rope_parameters=rope()),
    "phi3_short": causal("Phi3", original_max_position_embeddings=32,
                         rope_parameters=dict(
                             LISTS, original_max_position_embeddings=32)),
    "phi3_long": causal("Phi3", original_max_position_embeddings=16,
                        rope_parameters=dict(
                            LISTS, original_max_position_embeddings=16)),
    "phi4_mini": causal("Phi3", original_max_position_embeddings=16,
                        hidden_size=64, sliding_window=None,
                        rope_parameters=dict(
                            LISTS, original_max_position_embeddings=16,
                            partial_rotary_factor=0.5)),
    "phi": causal("Phi", qk_layernorm=True, rope_parameters=rope(
        partial_rotary_factor=0.5)),
    "phi_plain": causal("Phi", rope_parameters=rope(
        partial_rotary_factor=0.5)),
    "starcoder2": causal("Starcoder2", sliding_window=6, use_bias=True,
                         rope_parameters=rope(1e5)),
    "stablelm": causal("StableLm", use_qkv_bias=True, qk_layernorm=True,
                       use_parallel_residual=True, hidden_size=64,
                       rope_parameters=rope(partial_rotary_factor=0.25)),
    "stablelm_sequential": causal("StableLm", hidden_size=64,
                                  rope_parameters=rope(
                                      partial_rotary_factor=0.25)),
    "nemotron": causal("Nemotron", rope_parameters=rope(
        partial_rotary_factor=0.5)),
    "cohere": causal("Cohere", use_qk_norm=True, logit_scale=0.25,
                     rope_parameters=rope(5e5)),
    "cohere2": causal("Cohere2", sliding_window=6, logit_scale=0.25,
                      layer_types=["sliding_attention", "full_attention",
                                   "sliding_attention"],
                      rope_parameters=rope(5e4)),
    "olmo2": causal("Olmo2", rope_parameters=rope(5e5)),
    "olmo3": causal("Olmo3", sliding_window=6, layer_types=[
        "sliding_attention", "full_attention", "sliding_attention"],
        rope_parameters={"sliding_attention": rope(5e5),
                         "full_attention": dict(YARN, rope_theta=5e5)}),
    "glm": causal("Glm", head_dim=16, attention_bias=True,
                  rope_parameters=rope(partial_rotary_factor=0.5)),
    "glm4": causal("Glm4", head_dim=16, attention_bias=True,
                   rope_parameters=rope(partial_rotary_factor=0.5)),
}
MIXTURES = {
    "mixtral": causal("Mixtral", num_local_experts=4, num_experts_per_tok=2,
                      rope_parameters=rope(1e6)),
    "qwen2_moe": causal("Qwen2Moe", **dict(EXPERTS, norm_topk_prob=False),
                        shared_expert_intermediate_size=40,
                        mlp_only_layers=[1], use_sliding_window=True,
                        sliding_window=6, max_window_layers=2,
                        rope_parameters=rope()),
    "qwen3_moe": causal("Qwen3Moe", **EXPERTS, head_dim=16,
                        mlp_only_layers=[1], use_sliding_window=True,
                        sliding_window=6, rope_parameters=rope(1e6)),
    "llama4": causal("Llama4", "Llama4Text", intermediate_size_mlp=40,
                     num_local_experts=4, num_experts_per_tok=1, head_dim=16,
                     interleave_moe_layer_step=2, attention_chunk_size=8,
                     floor_scale=6, attn_scale=0.3, num_hidden_layers=4,
                     rope_parameters=rope(5e5)),
    "gpt_oss": causal("GptOss", num_local_experts=4, num_experts_per_tok=2,
                      head_dim=16, sliding_window=6, swiglu_limit=1.0,
                      rope_parameters=dict(YARN, rope_theta=150000.0,
                                           truncate=False)),
    "minimax_m2": causal("MiniMaxM2", num_local_experts=4, head_dim=16,
                         num_experts_per_tok=2, rotary_dim=8,
                         rope_parameters=rope(5e6,
                                              partial_rotary_factor=0.5)),
    "glm4_moe": causal("Glm4Moe", use_qk_norm=True, head_dim=16,
                       n_routed_experts=8, num_experts_per_tok=3, n_group=4,
                       topk_group=2, n_shared_experts=1,
                       moe_intermediate_size=16, first_k_dense_replace=1,
                       routed_scaling_factor=1.7, attention_bias=True,
                       rope_parameters=rope(partial_rotary_factor=0.5)),
    "deepseek_v2": causal("DeepseekV2", **LATENT,
                          topk_method="group_limited_greedy",
                          rope_parameters=dict(YARN, mscale=0.707,
                                               mscale_all_dim=0.707)),
    "deepseek_v2_lite": causal("DeepseekV2", **dict(LATENT, q_lora_rank=None),
                               topk_method="greedy", rope_parameters=rope()),
    "deepseek_v3": causal("DeepseekV3", **LATENT, rope_interleave=True,
                          rope_parameters=dict(YARN, mscale=1.0,
                                               mscale_all_dim=1.0)),
}
GPT = dict(vocab_size=96, n_embd=32, n_layer=3, n_head=4, n_positions=64,
           pad_token_id=0, bos_token_id=1, eos_token_id=2)
FALCON = dict(vocab_size=96, hidden_size=48, num_hidden_layers=3,
              num_attention_heads=6, max_position_embeddings=64,
              pad_token_id=0, bos_token_id=1, eos_token_id=2)
OPT = dict(vocab_size=96, hidden_size=32, num_hidden_layers=3, ffn_dim=48,
           num_attention_heads=4, max_position_embeddings=64,
           word_embed_proj_dim=32)
CLASSIC = {
    "gpt2": ("GPT2Config", "GPT2LMHeadModel", GPT),
    "gpt2_inverse": ("GPT2Config", "GPT2LMHeadModel", dict(
        GPT, scale_attn_by_inverse_layer_idx=True)),
    "opt": ("OPTConfig", "OPTForCausalLM", OPT),
    "opt_350m": ("OPTConfig", "OPTForCausalLM", dict(
        OPT, do_layer_norm_before=False, word_embed_proj_dim=24)),
    "gptj": ("GPTJConfig", "GPTJForCausalLM", dict(
        GPT, n_embd=64, rotary_dim=8)),
    "gpt_neox": without_groups("GPTNeoX", rotary_pct=0.5),
    "gpt_neox_sequential": without_groups(
        "GPTNeoX", use_parallel_residual=False, rotary_pct=0.25,
        hidden_size=64),
    "bloom": ("BloomConfig", "BloomForCausalLM", dict(
        vocab_size=96, hidden_size=48, n_layer=3, n_head=6)),
    "bloom_late": ("BloomConfig", "BloomForCausalLM", dict(
        vocab_size=96, hidden_size=32, n_layer=2, n_head=4,
        apply_residual_connection_post_layernorm=True)),
    "mpt": ("MptConfig", "MptForCausalLM", dict(
        vocab_size=96, d_model=48, n_layers=3, n_heads=6, max_seq_len=64,
        attn_config=dict(clip_qkv=1.5))),
    "mpt_16": ("MptConfig", "MptForCausalLM", dict(
        vocab_size=96, d_model=48, n_layers=2, n_heads=6, max_seq_len=64,
        attn_config=dict(alibi_bias_max=16))),
    "falcon_7b": ("FalconConfig", "FalconForCausalLM", dict(
        FALCON, multi_query=True, parallel_attn=True,
        new_decoder_architecture=False)),
    "falcon_40b": ("FalconConfig", "FalconForCausalLM", dict(
        FALCON, num_kv_heads=2, new_decoder_architecture=True)),
    "falcon_rw": ("FalconConfig", "FalconForCausalLM", dict(
        FALCON, alibi=True, multi_query=False, parallel_attn=False,
        new_decoder_architecture=False, bias=True)),
}
LATE_TYPES = ["sliding_attention", "full_attention", "sliding_attention",
              "full_attention"]
LATE_ROPE = {"sliding_attention": rope(),
             "full_attention": rope(1e6, rope_type="proportional",
                                    partial_rotary_factor=0.25)}
LATE = {
    "gemma3n": causal("Gemma3n", "Gemma3nText", num_hidden_layers=4,
                      layer_types=LATE_TYPES, num_kv_shared_layers=2,
                      sliding_window=6, head_dim=16, laurel_rank=6,
                      hidden_size_per_layer_input=8, altup_num_inputs=3,
                      altup_active_idx=0, vocab_size_per_layer_input=90,
                      activation_sparsity_pattern=[0.8, 0.8, 0.0, 0.0],
                      final_logit_softcapping=3.0, rope_parameters={
                          "sliding_attention": rope(),
                          "full_attention": rope(1e6)}),
    "gemma4": causal("Gemma4", "Gemma4Text", num_hidden_layers=4,
                     layer_types=LATE_TYPES, sliding_window=6, head_dim=8,
                     global_head_dim=16, hidden_size_per_layer_input=8,
                     num_kv_shared_layers=2, use_double_wide_mlp=True,
                     vocab_size_per_layer_input=96,
                     final_logit_softcapping=3.0, rope_parameters=LATE_ROPE),
    "gemma4_moe": causal("Gemma4", "Gemma4Text", num_hidden_layers=4,
                         layer_types=LATE_TYPES, sliding_window=6, head_dim=8,
                         global_head_dim=16, hidden_size_per_layer_input=0,
                         attention_k_eq_v=True, num_global_key_value_heads=1,
                         enable_moe_block=True, num_experts=4,
                         top_k_experts=2, moe_intermediate_size=12,
                         rope_parameters=LATE_ROPE),
}
KIMI = {
    name: causal(
        "KimiLinear", **{k: v for k, v in LATENT.items()
                         if k not in ("n_routed_experts", "q_lora_rank",
                                      "first_k_dense_replace")},
        num_local_experts=8, num_hidden_layers=4, layer_types=[
            "linear_attention", "full_attention", "linear_attention",
            "full_attention"], linear_head_dim=8, linear_num_heads=4,
        linear_conv_kernel_dim=4)
    for name in ("kimi_linear", "kimi_linear_saved")
}
KIMI["kimi_linear_dense"] = (*KIMI["kimi_linear"][:2], dict(
    KIMI["kimi_linear"][2], mlp_layer_types=["dense"] * 4))
NEXT = {
    "qwen3_next": causal("Qwen3Next", **EXPERTS, head_dim=16,
                         num_hidden_layers=4, layer_types=[
                             "linear_attention", "full_attention",
                             "linear_attention", "full_attention"],
                         shared_expert_intermediate_size=40,
                         mlp_only_layers=[1], attention_bias=True,
                         linear_num_key_heads=2, linear_num_value_heads=4,
                         linear_key_head_dim=8, linear_value_head_dim=6,
                         linear_conv_kernel_dim=3, rope_parameters=rope(
                             1e6, partial_rotary_factor=0.5)),
}
# Scalings on other pairings, partial widths and factors that a file gives.
SCALED = {
    "qwen2_yarn": causal("Qwen2", rope_parameters=dict(
        YARN, attention_factor=0.87)),
    "qwen3_yarn": causal("Qwen3", head_dim=16, rope_parameters=dict(
        YARN, mscale=1.0, mscale_all_dim=0.5)),
    "gpt_neox_linear": without_groups("GPTNeoX", rope_parameters=rope(
        rope_type="linear", factor=3.0, partial_rotary_factor=0.5)),
    "glm4_yarn": causal("Glm4", head_dim=16, attention_bias=True,
                        rope_parameters=dict(YARN,
                                             partial_rotary_factor=0.5)),
    "cohere_dynamic": causal("Cohere", logit_scale=0.25,
                             max_position_embeddings=16,
                             rope_parameters=rope(rope_type="dynamic",
                                                  factor=2.0)),
    "phi_llama3": causal("Phi", hidden_size=64, rope_parameters=dict(
        LLAMA3, partial_rotary_factor=0.5)),
    "llama_longrope": causal("Llama", rope_parameters=dict(
        LISTS, factor=6.0, original_max_position_embeddings=16)),
    "falcon_linear": ("FalconConfig", "FalconForCausalLM", dict(
        FALCON, num_kv_heads=2, new_decoder_architecture=True,
        num_ln_in_parallel_attn=1, rope_parameters=rope(
            rope_type="linear", factor=4.0))),
    "mpt_scaled": ("MptConfig", "MptForCausalLM", dict(
        vocab_size=96, d_model=32, n_layers=2, n_heads=4, max_seq_len=64,
        attn_config=dict(softmax_scale=0.7))),
    "gpt2_unscaled": ("GPT2Config", "GPT2LMHeadModel", dict(
        GPT, scale_attn_weights=False, activation_function="relu")),
    "llama4_maverick": causal("Llama4", "Llama4Text", intermediate_size_mlp=40,
                              num_local_experts=4, num_experts_per_tok=2,
                              head_dim=16, attention_chunk_size=8,
                              use_qk_norm=False, rope_parameters=rope(5e5),
                              attn_temperature_tuning=False,
                              num_hidden_layers=4),
    "granite_tied": causal("Granite", attention_multiplier=0.5,
                           attention_bias=True, mlp_bias=True,
                           tie_word_embeddings=True, rope_parameters=rope()),
}
DECODERS = {**LLAMAS, **MIXTURES, **CLASSIC, **LATE, **KIMI, **NEXT,
            **SCALED}

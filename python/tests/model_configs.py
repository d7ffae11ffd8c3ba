"""Tiny models of every family: class of the config, class of the model, keys.

Windows, chunks and original lengths are below the length of the test, and
patterns of layers show, so that a rule left out changes logits.
"""
ROPE = {"rope_type": "default", "rope_theta": 10000.0}
SIZES = dict(vocab_size=96, hidden_size=32, num_hidden_layers=3,
             num_attention_heads=4, num_key_value_heads=2,
             intermediate_size=48, max_position_embeddings=64,
             pad_token_id=0, bos_token_id=1, eos_token_id=2)
YARN = dict(ROPE, rope_type="yarn", factor=4.0, beta_fast=4.0, beta_slow=1.0,
            original_max_position_embeddings=16)
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
                      head_dim=16, sliding_window=6,
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
    "gpt_neox": causal("GPTNeoX", rotary_pct=0.5),
    "gpt_neox_sequential": causal("GPTNeoX", use_parallel_residual=False,
                                  rotary_pct=0.25, hidden_size=64),
    "bloom": ("BloomConfig", "BloomForCausalLM", dict(
        vocab_size=96, hidden_size=48, n_layer=3, n_head=6)),
    "bloom_late": ("BloomConfig", "BloomForCausalLM", dict(
        vocab_size=96, hidden_size=32, n_layer=2, n_head=4,
        apply_residual_connection_post_layernorm=True)),
    "mpt": ("MptConfig", "MptForCausalLM", dict(
        vocab_size=96, d_model=48, n_layers=3, n_heads=6, max_seq_len=64,
        attn_config=dict(clip_qkv=1.5, alibi_bias_max=16))),
    "falcon_7b": ("FalconConfig", "FalconForCausalLM", dict(
        FALCON, multi_query=True, parallel_attn=True,
        new_decoder_architecture=False)),
    "falcon_40b": ("FalconConfig", "FalconForCausalLM", dict(
        FALCON, num_kv_heads=2, new_decoder_architecture=True)),
    "falcon_rw": ("FalconConfig", "FalconForCausalLM", dict(
        FALCON, alibi=True, multi_query=False, parallel_attn=False,
        new_decoder_architecture=False, bias=True)),
}
BERT = dict(vocab_size=96, hidden_size=32, num_hidden_layers=3,
            num_attention_heads=4, intermediate_size=48, type_vocab_size=2,
            max_position_embeddings=64, pad_token_id=0)
DEBERTA = dict(BERT, relative_attention=True, position_buckets=8,
               max_relative_positions=-1, pos_att_type=["p2c", "c2p"],
               max_position_embeddings=24, layer_norm_eps=1e-7)


def masked_lm(name, keys, **more):
    return name + "Config", name + "ForMaskedLM", {**keys, **more}


ENCODERS = {
    "bert": masked_lm("Bert", BERT),
    "roberta": masked_lm("Roberta", BERT, pad_token_id=1,
                         max_position_embeddings=66, type_vocab_size=1),
    "xlm_roberta": masked_lm("XLMRoberta", BERT, pad_token_id=1,
                             max_position_embeddings=66, type_vocab_size=1),
    "deberta_v2": masked_lm("DebertaV2", DEBERTA, conv_kernel_size=3,
                            conv_act="gelu", norm_rel_ebd="layer_norm",
                            share_att_key=False),
    "deberta_v3": masked_lm("DebertaV2", DEBERTA, share_att_key=True,
                            position_biased_input=False, type_vocab_size=0,
                            norm_rel_ebd="layer_norm"),
    "deberta_plain": masked_lm("DebertaV2", DEBERTA, position_buckets=-1,
                               max_relative_positions=10,
                               pos_att_type=["c2p"]),
    "modernbert": ("ModernBertConfig", "ModernBertForMaskedLM", dict(
        vocab_size=96, hidden_size=32, num_hidden_layers=4,
        num_attention_heads=4, intermediate_size=48, local_attention=6,
        global_attn_every_n_layers=3, max_position_embeddings=64,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1,
        sep_token_id=2)),
}
T5 = dict(vocab_size=96, d_model=32, d_kv=6, d_ff=48, num_layers=3,
          num_decoder_layers=2, num_heads=4, pad_token_id=0, eos_token_id=1,
          decoder_start_token_id=0, relative_attention_num_buckets=8,
          relative_attention_max_distance=20)
MARIAN = dict(vocab_size=96, d_model=32, encoder_layers=2, decoder_layers=2,
              encoder_attention_heads=4, decoder_attention_heads=2,
              encoder_ffn_dim=48, decoder_ffn_dim=40,
              max_position_embeddings=64, activation_function="swish",
              scale_embedding=True, pad_token_id=95, eos_token_id=0,
              decoder_start_token_id=95, forced_eos_token_id=0)
PAIRS = {
    "marian": ("MarianConfig", "MarianMTModel", MARIAN),
    "marian_unscaled": ("MarianConfig", "MarianMTModel", dict(
        MARIAN, scale_embedding=False, activation_function="relu",
        d_model=34, encoder_attention_heads=2)),
    "t5": ("T5Config", "T5ForConditionalGeneration", T5),
    "t5_1_1": ("T5Config", "T5ForConditionalGeneration", dict(
        T5, feed_forward_proj="gated-gelu")),
    "mt5": ("MT5Config", "MT5ForConditionalGeneration", dict(
        T5, feed_forward_proj="gated-gelu")),
    "umt5": ("UMT5Config", "UMT5ForConditionalGeneration", dict(
        T5, feed_forward_proj="gated-gelu")),
}
IMAGE = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
             intermediate_size=48, image_size=24, patch_size=8,
             num_channels=3, num_labels=5)
SWIN = dict(image_size=32, patch_size=4, num_channels=3, embed_dim=16,
            depths=[2, 2], num_heads=[2, 4], num_labels=5)
VISION = {
    "vit": ("ViTConfig", "ViTForImageClassification", IMAGE),
    "dinov2": ("Dinov2Config", "Dinov2ForImageClassification", dict(
        IMAGE, mlp_ratio=2, layerscale_value=0.7)),
    "dinov2_giant": ("Dinov2Config", "Dinov2ForImageClassification", dict(
        IMAGE, mlp_ratio=2, use_swiglu_ffn=True, layerscale_value=0.7)),
    "dinov3": ("DINOv3ViTConfig", "DINOv3ViTModel", dict(
        IMAGE, num_register_tokens=2, layerscale_value=0.7)),
    "dinov3_gated": ("DINOv3ViTConfig", "DINOv3ViTModel", dict(
        IMAGE, num_register_tokens=2, use_gated_mlp=True, hidden_act="silu",
        layerscale_value=0.7)),
    "swin": ("SwinConfig", "SwinForImageClassification", dict(
        SWIN, window_size=3)),
    "swinv2": ("Swinv2Config", "Swinv2ForImageClassification", dict(
        SWIN, window_size=3, pretrained_window_sizes=[6, 0])),
    "swinv2_small": ("Swinv2Config", "Swinv2ForImageClassification", dict(
        SWIN, window_size=6)),
}
# Height and width of the images: other sizes than the table of positions has.
PIXELS = {"dinov2": (16, 32), "dinov3": (24, 32), "dinov3_gated": (16, 24),
          "swin": (32, 24)}
# Keys and heads that published files have, written over what transformers
# saves (None: left out).  T5 1.1 says that its head is its own, and then no
# state is scaled.
WRITTEN = {
    "gemma4": dict(per_layer_config=None, global_head_dim=16),
    "t5_1_1": dict(tie_word_embeddings=False),
    "mt5": dict(tie_word_embeddings=False),
    "umt5": dict(tie_word_embeddings=False),
}
OWN_HEAD = ("t5_1_1", "mt5", "umt5")
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
SEEING = dict(depth=1, embed_dim=16, hidden_size=32, num_heads=2,
              intermediate_size=24, in_channels=3, patch_size=4,
              spatial_merge_size=2, temporal_patch_size=2)


def seeing(name, sections, vision, **text):
    """A model for text and images, of which the text is run."""
    more = dict(mrope_interleaved=True) if name == "Qwen3VL" else {}
    keys = sized(rope_parameters=rope(1e6, mrope_section=sections, **more),
                 **text)
    return (name + "Config", name + "ForConditionalGeneration", dict(
        text_config=keys, vision_config=vision, image_token_id=94,
        video_token_id=95, vision_start_token_id=92, vision_end_token_id=93,
        tie_word_embeddings=False))


AXES = {
    "qwen2_vl": seeing("Qwen2VL", [2, 1, 1], SEEING),
    "qwen2_5_vl": seeing("Qwen2_5_VL", [2, 1, 1], dict(
        depth=1, hidden_size=16, num_heads=2, intermediate_size=24,
        in_channels=3, patch_size=4, out_hidden_size=32, window_size=16,
        fullatt_block_indexes=[0])),
    "qwen3_vl": seeing("Qwen3VL", [3, 3, 2], dict(
        depth=1, hidden_size=16, num_heads=2, intermediate_size=24,
        in_channels=3, patch_size=4, out_hidden_size=32,
        num_position_embeddings=16, deepstack_visual_indexes=[0]),
        head_dim=16),
}
# The eager attention of Falcon adds the bias of ALiBi twice, once within the
# mask; what users run by default does not.
ATTENTION = {"falcon_rw": "sdpa"}
# Models that are also written with the keys of transformers 4, and what those
# files say instead of layer_types.
OLD_KEYS = {
    "llama": {}, "llama_3": {}, "llama_dynamic": {}, "mistral": {},
    "qwen2": {}, "qwen3": {}, "gemma2": {}, "smollm3": {}, "phi3_long": {},
    "phi": {}, "stablelm": {}, "glm4": {}, "mixtral": {}, "qwen2_moe": {},
    "deepseek_v2": {}, "deepseek_v3": {}, "gpt_oss": {}, "llama4": {},
    "gemma3": dict(sliding_window_pattern=2),
    "cohere2": dict(sliding_window_pattern=2),
    "modernbert": dict(global_attn_every_n_layers=3),
    "gpt_neox": dict(rotary_pct=0.5, rotary_emb_base=10000),
}
MODELS = {**LLAMAS, **MIXTURES, **CLASSIC, **ENCODERS, **PAIRS,
          **VISION, **LATE, **AXES}

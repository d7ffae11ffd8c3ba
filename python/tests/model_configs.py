"""Tiny models of every family: class of the config, class of the model, keys.

Windows, chunks and original lengths are below the length of the test, and
patterns of layers show, so that a rule left out changes logits.  Decoders are in
decoder_configs.py.
"""
from decoder_configs import DECODERS, rope, sized

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
                               share_att_key=False),
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
    "t5_unscaled": ("T5Config", "T5ForConditionalGeneration", dict(
        T5, tie_word_embeddings=False)),
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


def kimi_published(c):
    """The keys of Kimi-Linear-48B-A3B, where layers have numbers from 1 on."""
    numbers = {kind: [i + 1 for i, k in enumerate(c["layer_types"])
                      if k == kind]
               for kind in ("full_attention", "linear_attention")}
    return dict(
        layer_types=None, mlp_layer_types=None, linear_head_dim=None,
        linear_num_heads=None, linear_conv_kernel_dim=None,
        first_k_dense_replace=1, moe_layer_freq=1, mla_use_nope=True,
        moe_router_activation_func="sigmoid", use_grouped_topk=True,
        rope_theta=10000.0, linear_attn_config=dict(
            full_attn_layers=numbers["full_attention"],
            kda_layers=numbers["linear_attention"],
            head_dim=c["linear_head_dim"], num_heads=c["linear_num_heads"],
            short_conv_kernel_size=c["linear_conv_kernel_dim"]))


WRITTEN["kimi_linear"] = kimi_published
# Names of tensors that published files have, instead of those of transformers.
RENAMED = {"kimi_linear": [(f"block_sparse_moe.{n}_proj", f"mlp.{n}_proj")
                           for n in ("gate", "up", "down")]}
SEEING = dict(depth=2, embed_dim=16, hidden_size=32, num_heads=2,
              intermediate_size=24, in_channels=3, patch_size=4,
              spatial_merge_size=2, temporal_patch_size=2)


def seeing(name, sections, vision, **text):
    """A model for text and images."""
    more = dict(mrope_interleaved=True) if name[:5] == "Qwen3" else {}
    keys = sized(rope_parameters=rope(1e6, mrope_section=sections, **more),
                 **text)
    return (name + "Config", name + "ForConditionalGeneration", dict(
        text_config=keys, vision_config=vision, image_token_id=94,
        video_token_id=95, vision_start_token_id=92, vision_end_token_id=93,
        tie_word_embeddings=False))


AXES = {
    "qwen2_vl": seeing("Qwen2VL", [2, 1, 1], SEEING),
    "qwen2_5_vl": seeing("Qwen2_5_VL", [2, 1, 1], dict(
        depth=2, hidden_size=16, num_heads=2, intermediate_size=24,
        in_channels=3, patch_size=4, out_hidden_size=32, window_size=16,
        fullatt_block_indexes=[1])),
    "qwen3_vl": seeing("Qwen3VL", [3, 3, 2], dict(
        depth=2, hidden_size=16, num_heads=2, intermediate_size=24,
        in_channels=3, patch_size=4, out_hidden_size=32,
        num_position_embeddings=16, deepstack_visual_indexes=[0, 1]),
        head_dim=16),
    "qwen3_vl_moe": seeing("Qwen3VLMoe", [3, 3, 2], dict(
        depth=2, hidden_size=16, num_heads=2, intermediate_size=24,
        in_channels=3, patch_size=4, out_hidden_size=32,
        num_position_embeddings=16, deepstack_visual_indexes=[1, 0]),
        head_dim=16, num_experts=4, num_experts_per_tok=2,
        moe_intermediate_size=20, mlp_only_layers=[1]),
}
# The same with an image in each row; the others run the text alone.
IMAGES = {name + "_image": keys for name, keys in AXES.items()}
# Those with experts, which small errors may choose otherwise; and those that are
# written as public files are, with experts [E, in, out].
MIXED = ("qwen3_vl_moe", "qwen3_vl_moe_image")
TURNED = ("qwen3_vl_moe_image",)
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
    "qwen3_next": dict(full_attention_interval=2),
}
# transformers computes these otherwise than the code that trained such models:
# it takes 8 for alibi_bias_max.
MISREAD = ("mpt_16",)
MODELS = {**DECODERS, **ENCODERS, **PAIRS, **VISION, **AXES,
          **IMAGES}

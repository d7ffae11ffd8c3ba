/* needs: lab */
/* test_convert_back.c - GGUF files as safetensors: what was there comes back */
#define _GNU_SOURCE
#include "convert_case.h"

/* clang-format off */
#define SIZES                                                              \
    "\"num_hidden_layers\":1,\"hidden_size\":32,\"num_attention_heads\":4,"  \
    "\"num_key_value_heads\":2,\"head_dim\":8,\"intermediate_size\":32,"     \
    "\"max_position_embeddings\":4096,\"rms_norm_eps\":1e-06"
#define L "model.layers.0."
#define ATTENTION                                                          \
    { "model.embed_tokens.weight", "F16", { 16, 32 } },                    \
    { L "self_attn.q_proj.weight", "F16", { 32, 32 } },                    \
    { L "self_attn.k_proj.weight", "BF16", { 16, 32 } }
/* clang-format on */

struct model {
    const char *config;
    struct checkpoint_tensor tensors[8];
};

static const struct model models[] = {
    { "{\"model_type\":\"llama\",\"attention_bias\":true," SIZES "}",
      { ATTENTION, { L "self_attn.q_proj.bias", "F32", { 32 } } } },
    { "{\"model_type\":\"qwen3\",\"rope_theta\":1e6," SIZES "}",
      { ATTENTION,
        { L "self_attn.q_norm.weight", "F32", { 8 } },
        { L "mlp.down_proj.weight", "F32", { 32, 32 } },
        { "lm_head.weight", "F16", { 16, 32 } } } },
    { "{\"model_type\":\"mixtral\",\"num_local_experts\":2," SIZES "}",
      { ATTENTION,
        { L "block_sparse_moe.gate.weight", "F32", { 2, 32 } },
        { L "block_sparse_moe.experts.0.w1.weight", "F16", { 16, 32 } },
        { L "block_sparse_moe.experts.1.w1.weight", "F16", { 16, 32 } } } },
    { "{\"model_type\":\"phi3\",\"partial_rotary_factor\":0.75," SIZES "}",
      { { "model.embed_tokens.weight", "F16", { 16, 32 } },
        { L "self_attn.qkv_proj.weight", "F16", { 64, 32 } },
        { L "mlp.gate_up_proj.weight", "F16", { 64, 32 } } } },
    { "{\"model_type\":\"gpt_neox\",\"rotary_pct\":0.5,"
      "\"num_hidden_layers\":1,\"hidden_size\":32,"
      "\"num_attention_heads\":4,\"max_position_embeddings\":4096}",
      { { "gpt_neox.embed_in.weight", "F16", { 16, 32 } },
        { "gpt_neox.layers.0.attention.query_key_value.weight",
          "F16",
          { 96, 32 } },
        { "gpt_neox.layers.0.attention.query_key_value.bias", "F32", { 96 } },
        { "embed_out.weight", "F16", { 16, 32 } } } },
    { "{\"model_type\":\"gemma2\",\"query_pre_attn_scalar\":8,"
      "\"sliding_window\":64," SIZES "}",
      { ATTENTION,
        { L "post_attention_layernorm.weight", "BF16", { 32 } },
        { L "pre_feedforward_layernorm.weight", "BF16", { 32 } } } },
    { "{\"model_type\":\"cohere\",\"use_qk_norm\":true," SIZES "}",
      { ATTENTION,
        { L "self_attn.q_norm.weight", "F32", { 4, 8 } },
        { L "self_attn.k_norm.weight", "F32", { 2, 8 } } } },
};

IN_SCRATCH(models_come_back_from_gguf)
{
    for (size_t i = 0; i < LEN(models); i++) {
        const bool cohere = strstr(models[i].config, "cohere") != NULL;
        char names[3][32];

        for (int k = 0; k < 3; k++)
            snprintf(names[k], sizeof names[k], "%zu.%d", i, k);
        checkpoint_write(scratch_file(&dir, names[0]), models[i].config,
                         models[i].tensors, LEN(models[i].tensors), NULL);
        converted(names[0], names[1], LOCANT_MODEL_GGUF, LOCANT_MODEL_UNSAID);
        converted(names[1], names[2], LOCANT_MODEL_SAFETENSORS,
                  cohere ? LOCANT_MODEL_INTERLEAVED : LOCANT_MODEL_HALF);
        check_same(names[0], names[2]);
        check_positions(names[0], names[2]);
    }
}

/* clang-format off */
#define TABLE(stack, l)                                                    \
    { stack ".block." l ".layer.0.SelfAttention.relative_attention_bias"     \
      ".weight", "BF16", { 32, 2 } }
/* clang-format on */

/* Models that do not rotate: BERT, and UMT5 with a table for each layer. */
static const struct model others[] = {
    { "{\"model_type\":\"bert\",\"num_hidden_layers\":1,\"hidden_size\":8,"
      "\"num_attention_heads\":2,\"intermediate_size\":16,"
      "\"max_position_embeddings\":24,\"type_vocab_size\":3}",
      { { "bert.embeddings.word_embeddings.weight", "F16", { 16, 8 } },
        { "bert.embeddings.position_embeddings.weight", "F32", { 24, 8 } },
        { "bert.embeddings.token_type_embeddings.weight", "F32", { 3, 8 } },
        { "bert.encoder.layer.0.attention.self.query.weight",
          "BF16",
          { 8, 8 } },
        { "bert.encoder.layer.0.output.LayerNorm.bias", "F32", { 8 } } } },
    { "{\"model_type\":\"umt5\",\"num_layers\":2,\"num_decoder_layers\":2,"
      "\"d_model\":8,\"d_ff\":16,\"d_kv\":4,\"num_heads\":2,"
      "\"feed_forward_proj\":\"gated-gelu\"}",
      { { "shared.weight", "F16", { 16, 8 } },
        TABLE("encoder", "0"),
        TABLE("encoder", "1"),
        TABLE("decoder", "0"),
        TABLE("decoder", "1"),
        { "decoder.block.0.layer.2.DenseReluDense.wi_0.weight",
          "F16",
          { 16, 8 } },
        { "decoder.block.1.layer.1.EncDecAttention.q.weight", "F16", { 8, 8 } },
        { "encoder.final_layer_norm.weight", "F32", { 8 } } } },
};

IN_SCRATCH(models_without_a_pairing_come_back)
{
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;

    for (size_t i = 0; i < LEN(others); i++) {
        char names[3][32];

        for (int k = 0; k < 3; k++)
            snprintf(names[k], sizeof names[k], "%zu.%d", i, k);
        checkpoint_write(scratch_file(&dir, names[0]), others[i].config,
                         others[i].tensors, LEN(others[i].tensors), NULL);
        for (int k = 0; k < 2; k++) {
            o.format = k ? LOCANT_MODEL_SAFETENSORS : LOCANT_MODEL_GGUF;
            CHECK_OK(locant_model_convert(&done, scratch_file(&dir, names[k]),
                                          scratch_file(&dir, names[k + 1]),
                                          &o));
            CHECK(done.from == LOCANT_MODEL_UNSAID && done.worst == -1);
            CHECK(done.lost == 0 && done.differs[0] == 0);
        }
        check_same(names[0], names[2]);
        check_positions(names[0], names[2]);
    }
}

/* Matrices are rounded, but what says positions is not. */
IN_SCRATCH(tables_of_positions_are_not_rounded)
{
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;
    struct lct_weights *w;

    o.format = LOCANT_MODEL_GGUF;
    o.type = "F16";
    for (int i = 0; i < 2; i++) {
        checkpoint_write(scratch_file(&dir, i ? "c" : "a"), others[i].config,
                         others[i].tensors, LEN(others[i].tensors), NULL);
        CHECK_OK(locant_model_convert(&done, scratch_file(&dir, i ? "c" : "a"),
                                      scratch_file(&dir, i ? "d" : "b"), &o));
    }
    CHECK_OK(lct_weights_open(&w, scratch_file(&dir, "b")));
    CHECK(strcmp(lct_weights_find(w, "position_embd.weight")->type->name,
                 "F32") == 0);
    CHECK(strcmp(lct_weights_find(w, "blk.0.attn_q.weight")->type->name,
                 "F16") == 0);
    lct_weights_close(w);
    CHECK_OK(lct_weights_open(&w, scratch_file(&dir, "d")));
    CHECK(strcmp(lct_weights_find(w, "enc.blk.1.attn_rel_b.weight")->type->name,
                 "BF16") == 0);
    lct_weights_close(w);
}

/* Blocks become numbers: F32, or what is asked for. */
IN_SCRATCH(quantised_matrices_become_numbers)
{
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;
    struct lct_weights *w;
    static const char *const types[] = { "F32", "BF16" };

    checkpoint_write(scratch_file(&dir, "a"), models[0].config,
                     models[0].tensors, LEN(models[0].tensors), NULL);
    o.format = LOCANT_MODEL_GGUF;
    o.type = "Q8_0";
    CHECK_OK(locant_model_convert(&done, scratch_file(&dir, "a"),
                                  scratch_file(&dir, "b"), &o));
    o.format = LOCANT_MODEL_SAFETENSORS;
    o.pairing = LOCANT_MODEL_HALF;
    for (int i = 0; i < 2; i++) {
        o.type = i ? types[i] : NULL;
        CHECK_OK(locant_model_convert(&done, scratch_file(&dir, "b"),
                                      scratch_file(&dir, types[i]), &o));
        CHECK(access(scratch_file(&dir, "b/config.json"), F_OK) != 0);
        CHECK_OK(lct_weights_open(&w, scratch_file(&dir, types[i])));
        CHECK(
            strcmp(lct_weights_find(w, L "self_attn.q_proj.weight")->type->name,
                   types[i]) == 0);
        CHECK(strcmp(lct_weights_find(w, L "self_attn.q_proj.bias")->type->name,
                     "F32") == 0);
        lct_weights_close(w);
    }
}

IN_SCRATCH(a_gguf_stays_as_it_is)
{
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;

    checkpoint_write(scratch_file(&dir, "a"), models[0].config,
                     models[0].tensors, LEN(models[0].tensors), NULL);
    converted("a", "b", LOCANT_MODEL_GGUF, LOCANT_MODEL_UNSAID);
    o.pairing = LOCANT_MODEL_HALF;
    CHECK_REFUSED(
        locant_model_convert(&done, scratch_file(&dir, "b/model.gguf"),
                             scratch_file(&dir, "c"), &o),
        LOCANT_ERR_PARAM,
        "locant_model_convert: format: the model is a GGUF, which has the "
        "pairing of its architecture; safetensors expected");
    o.format = LOCANT_MODEL_SAFETENSORS;
    CHECK_OK(locant_model_convert(&done, scratch_file(&dir, "b/model.gguf"),
                                  scratch_file(&dir, "c"), &o));
    CHECK(access(scratch_file(&dir, "c/generation_config.json"), F_OK) != 0);
    CHECK(done.from == LOCANT_MODEL_INTERLEAVED && !done.assumed);
}

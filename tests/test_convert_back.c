/* needs: lab */
/* test_convert_back.c - GGUF files as safetensors: what was there comes back */
#define _GNU_SOURCE
#include "../src/families/position_plan.h"
#include "../src/families/weights.h"
#include "checkpoint_folder.h"
#include "locant/models.h"
#include "scratch_case.h"
#include <math.h>

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
    { "{\"model_type\":\"llama\"," SIZES "}",
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

static void converted(const char *from, const char *to,
                      locant_model_format format, locant_model_pairing pairing)
{
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;

    o.format = format;
    o.pairing = pairing;
    o.verify = 1;
    CHECK_OK(locant_model_convert(&done, scratch_file(&dir, from),
                                  scratch_file(&dir, to), &o));
    CHECK(done.worst >= 0 && done.worst <= 1e-6);
}

/* The same tensors with the same values; vectors may be of another type. */
static void check_same(const char *a, const char *b)
{
    const struct lct_weight *t, *u;
    struct lct_weights *v, *w;
    double x, y;

    CHECK_OK(lct_weights_open(&v, scratch_file(&dir, a)));
    CHECK_OK(lct_weights_open(&w, scratch_file(&dir, b)));
    for (size_t i = 0; (t = lct_weights_at(v, i)) != NULL; i++) {
        const int64_t n = (int64_t)(t->bytes / t->type->bytes);

        u = lct_weights_find(w, t->name);
        if (u == NULL)
            FAIL("%s: tensor %s is lost\n", a, t->name);
        CHECK(u->rank == t->rank &&
              memcmp(u->shape, t->shape, sizeof t->shape) == 0);
        CHECK(t->rank < 2 || strstr(t->name, "norm") != NULL ||
              u->type == t->type);
        for (int64_t k = 0; k < n; k++) {
            lct_weight_doubles(&x, t, k, 1);
            lct_weight_doubles(&y, u, k, 1);
            if (x != y)
                FAIL("%s: %s[%d]: %g, was %g\n", a, t->name, (int)k, y, x);
        }
    }
    CHECK(lct_weights_at(w, 0) != NULL);
    lct_weights_close(v);
    lct_weights_close(w);
}

static void check_positions(const char *a, const char *b)
{
    struct lct_position_plan p, q;
    char x[65], y[65];

    CHECK_OK(lct_position_plan_read(&p, scratch_file(&dir, a)));
    CHECK_OK(lct_position_plan_read(&q, scratch_file(&dir, b)));
    CHECK_OK(lct_position_plan_hash(x, &p));
    CHECK_OK(lct_position_plan_hash(y, &q));
    if (strcmp(x, y) != 0)
        FAIL("%s: %s, was %s\n", a, q.towers[0].layers[0].spec,
             p.towers[0].layers[0].spec);
    CHECK(q.dialect == LCT_DIALECT_HF5);
    lct_position_plan_free(&p);
    lct_position_plan_free(&q);
}

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
    CHECK(access(scratch_file(&dir, "c/tokenizer.json"), F_OK) != 0);
    CHECK(done.from == LOCANT_MODEL_INTERLEAVED && !done.assumed);
}

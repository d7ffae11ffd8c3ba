/* needs: lab */
/* test_convert_gguf.c - GGUF files made of safetensors: names, numbers, keys */
#define _GNU_SOURCE
#include "../src/families/position_plan.h"
#include "../src/families/weights.h"
#include "../src/files/gguf_write.h"
#include "checkpoint_folder.h"
#include "locant/models.h"
#include "scratch_case.h"
#include <math.h>

/* ------------------------------------------------------------------ numbers */

/* Every float16 and every upper half of a float32 comes back. */
TEST(numbers_that_fit_are_stored_exactly)
{
    const struct lct_number *f16 = lct_number_named("F16"),
                            *bf16 = lct_number_named("BF16");

    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        const unsigned char in[2] = { (unsigned char)bits,
                                      (unsigned char)(bits >> 8) };
        unsigned char out[2];
        float x;

        lct_number_floats(&x, f16, in, 1);
        CHECK(lct_number_store(out, f16, &x, 1));
        CHECK(isnan(x) ? (out[1] & 0x7c) == 0x7c && (out[1] & 3) + out[0] > 0
                       : memcmp(in, out, 2) == 0);
        lct_number_floats(&x, bf16, in, 1);
        CHECK(lct_number_store(out, bf16, &x, 1));
        CHECK(isnan(x) || memcmp(in, out, 2) == 0);
    }
}

struct rounding {
    float x;
    uint32_t half, bfloat;
};

TEST(numbers_are_rounded_to_the_nearest)
{
    static const struct rounding rows[] = {
        { 1 + 0x1p-11F, 0x3c00, 0x3f80 }, /* a tie: to even */
        { 1 + 3 * 0x1p-11F, 0x3c02, 0x3f80 },
        { 1 + 0x1p-8F, 0x3c04, 0x3f80 },
        { 1 + 3 * 0x1p-8F, 0x3c0c, 0x3f82 },
        { 65519, 0x7bff, 0x4780 },
        { 65520, 0x7c00, 0x4780 }, /* infinity */
        { -1e30F, 0xfc00, 0xf14a },
        { 0x1p-25F, 0, 0x3300 }, /* a tie: to zero */
        { 3 * 0x1p-25F, 2, 0x33c0 },
        { 0x1.ffcp-15F, 0x400, 0x3880 }, /* up to a normal one */
        { -INFINITY, 0xfc00, 0xff80 },
    };

    for (size_t i = 0; i < LEN(rows); i++) {
        unsigned char out[2];

        lct_number_store(out, lct_number_named("F16"), &rows[i].x, 1);
        CHECK((out[0] | (uint32_t)out[1] << 8) == rows[i].half);
        lct_number_store(out, lct_number_named("BF16"), &rows[i].x, 1);
        CHECK((out[0] | (uint32_t)out[1] << 8) == rows[i].bfloat);
    }
    CHECK(!lct_number_store(NULL, lct_number_named("Q4_0"), NULL, 0));
}

/* Each number of a block is within half a step, d = max / 127 in float16, and
   the largest is 127 steps. */
TEST(blocks_of_eight_bits_are_near)
{
    const struct lct_number *t = lct_number_named("Q8_0");
    float x[64], back[64];
    unsigned char out[68];

    for (int i = 0; i < 64; i++)
        x[i] = i < 32 ? sinf((float)i) * 3 : 0;
    CHECK(lct_number_store(out, t, x, 2));
    lct_number_floats(back, t, out, 2);
    for (int i = 0; i < 64; i++) /* and 127 steps carry d's rounding, 2^-11 */
        CHECK(fabsf(back[i] - x[i]) <=
              3.0F / 127 / 2 * 1.01F + fabsf(x[i]) * 0x1p-11F);
    CHECK(back[32] == 0 && out[2 + 11] == (unsigned char)-127);
}

/* ---------------------------------------------------------------- the file */

TEST(values_of_another_file_are_copied)
{
    static const uint32_t list[] = { 32, 8 };
    struct lct_gguf_write w = { 0 }, again = { 0 };
    unsigned char *bytes[2];
    struct lct_gguf *g;
    size_t size[2];

    lct_gguf_write_text(&w, "a.text", "llama");
    lct_gguf_write_array(&w, "b.list", LCT_GGUF_I32, list, 2);
    lct_gguf_write_bool(&w, "c.flag", true);
    lct_gguf_write_f32(&w, "d.real", 0.5F);
    lct_gguf_write_u32(&w, "e.whole", 7);
    CHECK_OK(lct_gguf_write_header(&bytes[0], &size[0], &w));
    CHECK_OK(lct_gguf_parse(&g, bytes[0], size[0], "x"));
    CHECK(g->n_values == 5 && size[0] % LCT_GGUF_ALIGNMENT == 0);
    for (size_t i = 0; i < g->n_values; i++)
        lct_gguf_write_value(&again, g, &g->values[i]);
    CHECK_OK(lct_gguf_write_header(&bytes[1], &size[1], &again));
    CHECK(size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
    lct_gguf_close(g);
    for (int i = 0; i < 2; i++)
        locant_release(bytes[i]);
    lct_gguf_write_free(&w);
    lct_gguf_write_free(&again);
}

/* ------------------------------------------------------------------- models */

/* clang-format off */
#define SIZES                                                              \
    "\"num_hidden_layers\":2,\"hidden_size\":32,\"num_attention_heads\":4,"  \
    "\"num_key_value_heads\":2,\"head_dim\":8,\"intermediate_size\":32,"     \
    "\"max_position_embeddings\":131072"
#define ATTENTION(l)                                                       \
    { "model.layers." l ".self_attn.q_proj.weight", "F16", { 32, 32 } },   \
    { "model.layers." l ".self_attn.k_proj.weight", "F16", { 16, 32 } }
#define EXPERT(e, w)                                                       \
    { "model.layers.0.block_sparse_moe.experts." e "." w ".weight", "BF16", \
      { 32, 32 } }
/* clang-format on */

static void convert_to_gguf(const char *from, const char *to, const char *type)
{
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;

    o.format = LOCANT_MODEL_GGUF;
    o.type = type;
    o.verify = type == NULL;
    CHECK_OK(locant_model_convert(&done, scratch_file(&dir, from),
                                  scratch_file(&dir, to), &o));
    CHECK(type != NULL || (done.worst >= 0 && done.worst <= 1e-6));
}

/* The file means the same positions as the configuration did. */
IN_SCRATCH(keys_say_the_same_positions)
{
    static const char *const configs[] = {
        "{\"model_type\":\"qwen2\",\"rope_theta\":1e6," SIZES "}",
        "{\"model_type\":\"qwen2\",\"rope_theta\":1e6,\"rope_scaling\":{"
        "\"rope_type\":\"yarn\",\"factor\":4.0,"
        "\"original_max_position_embeddings\":32768}," SIZES "}",
        "{\"model_type\":\"qwen2\",\"rope_scaling\":{\"rope_type\":\"yarn\","
        "\"factor\":4.0,\"original_max_position_embeddings\":32768,"
        "\"beta_fast\":16,\"beta_slow\":2}," SIZES "}",
        "{\"model_type\":\"qwen2\",\"rope_scaling\":{\"rope_type\":\"linear\","
        "\"factor\":8.0}," SIZES "}",
        "{\"model_type\":\"qwen2\",\"rope_theta\":500000,\"rope_scaling\":{"
        "\"rope_type\":\"llama3\",\"factor\":8.0,\"low_freq_factor\":1.0,"
        "\"high_freq_factor\":4.0,"
        "\"original_max_position_embeddings\":8192}," SIZES "}",
        "{\"model_type\":\"starcoder2\",\"sliding_window\":4096," SIZES "}",
        "{\"model_type\":\"gemma3_text\",\"sliding_window\":512,"
        "\"query_pre_attn_scalar\":8,\"rms_norm_eps\":9.5367431640625e-07,"
        "\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":8.0}," SIZES "}",
        "{\"model_type\":\"gemma2\",\"query_pre_attn_scalar\":8," SIZES "}",
        "{\"model_type\":\"cohere2\",\"sliding_window\":64,"
        "\"layer_types\":[\"sliding_attention\",\"full_attention\"]," SIZES "}",
    };
    static const struct checkpoint_tensor tensors[] = {
        { "model.embed_tokens.weight", "F16", { 16, 32 } },
        ATTENTION("0"),
        ATTENTION("1"),
    };

    for (size_t i = 0; i < LEN(configs); i++) {
        struct lct_position_plan a, b;
        char from[32], to[32], x[65], y[65];

        snprintf(from, sizeof from, "a%zu", i);
        snprintf(to, sizeof to, "b%zu", i);
        checkpoint_write(scratch_file(&dir, from), configs[i], tensors,
                         LEN(tensors), NULL);
        convert_to_gguf(from, to, NULL);
        CHECK_OK(lct_position_plan_read(&a, scratch_file(&dir, from)));
        CHECK_OK(lct_position_plan_read(&b, scratch_file(&dir, to)));
        CHECK(b.dialect == LCT_DIALECT_GGUF && !b.pairing_assumed);
        CHECK_OK(lct_position_plan_hash(x, &a));
        CHECK_OK(lct_position_plan_hash(y, &b));
        if (strcmp(x, y) != 0)
            FAIL("%zu: %s\n%s\n", i, a.towers[0].layers[1].spec,
                 b.towers[0].layers[1].spec);
        lct_position_plan_free(&a);
        lct_position_plan_free(&b);
    }
}

/* llama.cpp multiplies by 1 + 0.1 ln F itself; the key is a float32. */
IN_SCRATCH(amplitudes_are_those_that_the_reader_lacks)
{
    static const struct checkpoint_tensor tensors[] = { ATTENTION("0"),
                                                        ATTENTION("1") };
    struct lct_config c;
    double x = 0;

    checkpoint_write(
        scratch_file(&dir, "a"),
        "{\"model_type\":\"qwen2\",\"rope_scaling\":{\"rope_type\":\"yarn\","
        "\"factor\":4.0,\"original_max_position_embeddings\":32768,"
        "\"attention_factor\":1.25}," SIZES "}",
        tensors, LEN(tensors), NULL);
    convert_to_gguf("a", "b", NULL);
    CHECK_OK(lct_config_read(&c, scratch_file(&dir, "b")));
    CHECK(lct_config_real(&x, c.root, "qwen2.rope.scaling.attn_factor") ==
          LCT_RIGHT);
    CHECK(fabs(x * (1 + 0.1 * log(4)) / 1.25 - 1) < 0x1p-24);
    lct_config_free(&c);
}

static struct lct_weights *opened(const char *folder)
{
    struct lct_weights *w;

    CHECK_OK(lct_weights_open(&w, scratch_file(&dir, folder)));
    return w;
}

static double number(const struct lct_weights *w, const char *name, int64_t i)
{
    const struct lct_weight *t = lct_weights_find(w, name);
    double x;

    CHECK(t != NULL);
    lct_weight_doubles(&x, t, i, 1);
    return x;
}

/* Norms are F32, experts stand in one tensor, and q has the rows of llama.cpp:
   reshape(n, 2, h/2).swap(1, 2). */
IN_SCRATCH(tensors_are_those_of_llama_cpp)
{
    static const struct checkpoint_tensor moe[] = {
        ATTENTION("0"),
        ATTENTION("1"),
        { "model.embed_tokens.weight", "F16", { 16, 32 } },
        { "model.layers.0.input_layernorm.weight", "BF16", { 32 } },
        { "model.layers.0.block_sparse_moe.gate.weight", "BF16", { 2, 32 } },
        EXPERT("0", "w1"),
        EXPERT("1", "w1"),
        EXPERT("0", "w2"),
        EXPERT("1", "w2"),
    };
    struct lct_weights *a, *b;
    const struct lct_weight *t;

    checkpoint_write(
        scratch_file(&dir, "a"),
        "{\"model_type\":\"mixtral\",\"num_local_experts\":2," SIZES "}", moe,
        LEN(moe), NULL);
    convert_to_gguf("a", "b", NULL);
    a = opened("a");
    b = opened("b");
    for (int64_t row = 0; row < 32; row++) {
        const int64_t j = row % 8, from = row - j + j / 2 + j % 2 * 4;

        CHECK(
            number(b, "blk.1.attn_q.weight", 32 * row + 5) ==
            number(a, "model.layers.1.self_attn.q_proj.weight", 32 * from + 5));
    }
    t = lct_weights_find(b, "blk.0.ffn_gate_exps.weight");
    CHECK(t->rank == 3 && t->shape[0] == 2 && t->shape[1] == 32);
    CHECK(strcmp(t->type->name, "BF16") == 0);
    CHECK(number(b, t->name, 1024 + 40) ==
          number(a, "model.layers.0.block_sparse_moe.experts.1.w1.weight", 40));
    CHECK(strcmp(lct_weights_find(b, "blk.0.ffn_gate_inp.weight")->type->name,
                 "F32") == 0);
    CHECK(strcmp(lct_weights_find(b, "blk.0.attn_norm.weight")->type->name,
                 "F32") == 0);
    CHECK(access(scratch_file(&dir, "b/generation_config.json"), F_OK) == 0);
    CHECK(access(scratch_file(&dir, "b/config.json"), F_OK) != 0);
    lct_weights_close(a);
    lct_weights_close(b);
}

IN_SCRATCH(norms_of_gemma_are_one_more)
{
    static const struct checkpoint_tensor gemma[] = {
        ATTENTION("0"),
        ATTENTION("1"),
        { "model.layers.0.input_layernorm.weight", "BF16", { 32 } },
        { "model.layers.0.self_attn.q_norm.weight", "F32", { 8 } },
    };
    struct lct_weights *a, *b;

    checkpoint_write(scratch_file(&dir, "c"),
                     "{\"model_type\":\"gemma3_text\"," SIZES "}", gemma,
                     LEN(gemma), NULL);
    convert_to_gguf("c", "d", NULL);
    a = opened("c");
    b = opened("d");
    CHECK(number(b, "blk.0.attn_norm.weight", 3) ==
          1 + number(a, "model.layers.0.input_layernorm.weight", 3));
    CHECK(
        number(b, "blk.0.attn_q_norm.weight", 3) ==
        (double)(float)(1 + number(a, "model.layers.0.self_attn.q_norm.weight",
                                   3)));
    lct_weights_close(a);
    lct_weights_close(b);
}

/* q, k, v of each head become q | k | v. */
IN_SCRATCH(fused_rows_are_regrouped)
{
    static const struct checkpoint_tensor neox[] = {
        { "gpt_neox.layers.0.attention.query_key_value.weight",
          "F32",
          { 96, 32 } },
        { "gpt_neox.layers.0.attention.query_key_value.bias", "F32", { 96 } },
        { "gpt_neox.layers.0.attention.bias", "BOOL", { 1, 4, 4 } },
    };
    struct lct_weights *a, *b;

    checkpoint_write(scratch_file(&dir, "a"),
                     "{\"model_type\":\"gpt_neox\",\"num_hidden_layers\":1,"
                     "\"hidden_size\":32,\"num_attention_heads\":4,"
                     "\"rotary_pct\":0.5}",
                     neox, LEN(neox), NULL);
    convert_to_gguf("a", "b", NULL);
    a = opened("a");
    b = opened("b");
    for (int kind = 0; kind < 3; kind++)
        for (int head = 0; head < 4; head++)
            for (int c = 0; c < 8; c++) {
                const int to = (kind * 4 + head) * 8 + c;
                const int from = (head * 3 + kind) * 8 + c;

                CHECK(number(b, "blk.0.attn_qkv.bias", to) ==
                      number(a, neox[1].name, from));
                CHECK(number(b, "blk.0.attn_qkv.weight", 32 * to + 31) ==
                      number(a, neox[0].name, 32 * from + 31));
            }
    CHECK(lct_weights_at(b, 2) == NULL);
    lct_weights_close(a);
    lct_weights_close(b);
}

IN_SCRATCH(matrices_are_rounded_when_asked)
{
    static const struct checkpoint_tensor tensors[] = {
        { "model.embed_tokens.weight", "F32", { 16, 32 } },
        { "model.norm.weight", "F32", { 32 } },
        ATTENTION("0"),
        ATTENTION("1"),
    };
    struct lct_weights *w;

    checkpoint_write(scratch_file(&dir, "a"),
                     "{\"model_type\":\"qwen2\"," SIZES "}", tensors,
                     LEN(tensors), NULL);
    convert_to_gguf("a", "b", "Q8_0");
    w = opened("b");
    CHECK(strcmp(lct_weights_find(w, "token_embd.weight")->type->name,
                 "Q8_0") == 0);
    CHECK(strcmp(lct_weights_find(w, "output_norm.weight")->type->name,
                 "F32") == 0);
    lct_weights_close(w);
}

static void refused(const char *config, const struct checkpoint_tensor *t,
                    size_t n, const locant_convert_options *o,
                    locant_status status, const char *sentence)
{
    locant_conversion done;
    char want[8192];

    checkpoint_write(scratch_file(&dir, "m"), config, t, n, NULL);
    snprintf(want, sizeof want, *sentence == '/' ? "%s/m%s" : "%.0s%s",
             dir.path, sentence);
    CHECK_REFUSED(locant_model_convert(&done, scratch_file(&dir, "m"),
                                       scratch_file(&dir, "out"), o),
                  status, want);
    CHECK(access(scratch_file(&dir, "out"), F_OK) != 0);
}

IN_SCRATCH(refuses_what_gguf_cannot_say)
{
    static const struct checkpoint_tensor tensors[] = {
        { "model.layers.0.self_attn.mystery.weight", "F32", { 2 } },
        ATTENTION("0"),
        ATTENTION("1"),
        { "model.layers.0.mlp.up_proj.weight", "F32", { 2, 2, 2 } },
    };
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;

    o.format = LOCANT_MODEL_GGUF;
    refused("{\"model_type\":\"qwen2\"," SIZES "}", tensors, 5, &o,
            LOCANT_ERR_UNSUPPORTED,
            "/model.safetensors: tensor "
            "'model.layers.0.self_attn.mystery.weight': has no name in GGUF "
            "files of its architecture");
    refused("{\"model_type\":\"qwen2\",\"rope_scaling\":{\"rope_type\":"
            "\"dynamic\",\"factor\":2.0}," SIZES "}",
            &tensors[1], 4, &o, LOCANT_ERR_UNSUPPORTED,
            "/config.json: no key of GGUF says the positions "
            "rope(scaling=dynamic(factor=2,original=131072))");
    refused("{\"model_type\":\"qwen2\"," SIZES "}", &tensors[1], 5, &o,
            LOCANT_ERR_FORMAT,
            "/model.safetensors: tensor 'model.layers.0.mlp.up_proj.weight': "
            "is no matrix and no vector, as its name says");
    refused("{\"model_type\":\"qwen2\",\"num_hidden_layers\":2,"
            "\"hidden_size\":32,\"num_attention_heads\":4,"
            "\"num_key_value_heads\":2,\"max_position_embeddings\":4294967296}",
            &tensors[1], 4, &o, LOCANT_ERR_UNSUPPORTED,
            "/config.json: the key context_length of a GGUF would be "
            "4294967296, a number of 32 bits expected");
    o.pairing = LOCANT_MODEL_INTERLEAVED;
    refused("{\"model_type\":\"qwen2\"," SIZES "}", &tensors[1], 4, &o,
            LOCANT_ERR_PARAM,
            "locant_model_convert: pairing: a GGUF of architecture qwen2 is "
            "half, as llama.cpp rotates it; leave it out");
    o.pairing = LOCANT_MODEL_UNSAID;
    o.type = "Q4_0";
    refused("{\"model_type\":\"qwen2\"," SIZES "}", &tensors[1], 4, &o,
            LOCANT_ERR_PARAM,
            "locant_model_convert: type: 'Q4_0', one of F32, F16, BF16, Q8_0 "
            "expected");
}

/* 2^62 numbers in a row of none: no room of 4 * 2^62 bytes is claimed. */
IN_SCRATCH(refuses_tensors_without_numbers)
{
    static const struct checkpoint_tensor tensors[] = {
        ATTENTION("0"),
        ATTENTION("1"),
        { "model.layers.0.mlp.up_proj.weight", "I8", { -1, (int64_t)1 << 62 } },
    };
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;

    o.format = LOCANT_MODEL_GGUF;
    refused("{\"model_type\":\"qwen2\"," SIZES "}", tensors, 5, &o,
            LOCANT_ERR_UNSUPPORTED,
            "/model.safetensors: tensor 'model.layers.0.mlp.up_proj.weight': "
            "has no numbers; GGUF files have no such tensors");
}

/* Experts behind a gap would be left out. */
IN_SCRATCH(refuses_experts_with_a_gap)
{
    static const struct checkpoint_tensor tensors[] = {
        ATTENTION("0"),
        ATTENTION("1"),
        EXPERT("0", "w1"),
        EXPERT("2", "w1"),
    };
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;

    o.format = LOCANT_MODEL_GGUF;
    refused("{\"model_type\":\"mixtral\"," SIZES "}", tensors, 6, &o,
            LOCANT_ERR_FORMAT,
            "/model.safetensors: tensor "
            "'model.layers.0.block_sparse_moe.experts.2.w1.weight': the expert "
            "before it is absent");
}

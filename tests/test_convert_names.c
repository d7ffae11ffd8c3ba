/* needs: lab */
/* test_convert_names.c - which rows of which tensors a pairing moves */
#include "../src/families/convert_names.h"
#include "../src/families/convert_rows.h"
#include "testing.h"

/* pi(2c) = c, pi(2c + 1) = c + r/2, the others stay. */
static int64_t pi_of(int64_t j, int64_t first, int64_t r)
{
    const int64_t k = j - first;

    return k < 0 || k >= r ? j : first + (k % 2 ? k / 2 + r / 2 : k / 2);
}

TEST(rows_are_those_of_the_definition)
{
    static const struct lct_convert_rows rows[] = {
        { 1, 4, 4, 10, 0, 10 }, { 1, 2, 2, 10, 0, 6 }, { 1, 3, 3, 12, 4, 8 },
        { 1, 8, 6, 6, 0, 4 },   { 4, 3, 2, 6, 0, 2 },  { 2, 5, 4, 8, 2, 6 },
        { 1, 1, 1, 24, 16, 8 }, { 4, 2, 1, 4, 0, 4 },
    };

    for (size_t i = 0; i < LEN(rows); i++) {
        const struct lct_convert_rows *r = &rows[i];

        for (int64_t row = 0; row < lct_convert_rows_count(r); row++) {
            const int64_t head = row / r->width;
            const bool moves = head % r->parts < r->rotated;
            const int64_t want =
                moves
                    ? head * r->width + pi_of(row % r->width, r->first, r->dims)
                    : row;

            CHECK(lct_convert_rows_source(r, row, true) == want);
            CHECK(lct_convert_rows_source(r, want, false) == row);
        }
    }
}

/* -------------------------------------------------------------------- names */

struct name {
    const char *name, *model;
    enum lct_convert_module module;
    enum lct_convert_tensor tensor;
    int64_t layer;
};

static const struct name rows[] = {
    { "model.layers.12.self_attn.q_proj.weight", "llama", LCT_CONVERT_Q,
      LCT_CONVERT_MATRIX, 12 },
    { "layers.0.self_attn.k_proj.bias", "qwen2", LCT_CONVERT_K,
      LCT_CONVERT_VECTOR, 0 },
    { "model.layers.3.self_attn.k_norm.weight", "qwen3", LCT_CONVERT_K_NORM,
      LCT_CONVERT_VECTOR, 3 },
    { "model.layers.3.self_attn.q_layernorm.norms.7.weight", "stablelm",
      LCT_CONVERT_Q_NORM, LCT_CONVERT_VECTOR, 3 },
    { "base_model.model.model.layers.1.self_attn.q_proj.lora_B.weight", "llama",
      LCT_CONVERT_Q, LCT_CONVERT_MATRIX, 1 },
    { "base_model.model.model.layers.1.self_attn.q_proj.lora_A.weight", "llama",
      LCT_CONVERT_Q, LCT_CONVERT_STILL, 1 },
    { "base_model.model.model.layers.1.self_attn.q_proj."
      "lora_magnitude_vector",
      "llama", LCT_CONVERT_Q, LCT_CONVERT_VECTOR, 1 },
    { "model.layers.1.self_attn.qkv_proj.lora_B.vision.weight", "phi3",
      LCT_CONVERT_STACKED, LCT_CONVERT_MATRIX, 1 },
    { "model.layers.1.self_attn.q_proj.weight_scale_inv", "deepseek_v3",
      LCT_CONVERT_Q, LCT_CONVERT_SCALES, 1 },
    { "model.layers.1.self_attn.q_proj.qweight", "llama", LCT_CONVERT_Q,
      LCT_CONVERT_UNKNOWN, 1 },
    { "model.layers.1.self_attn.q_proj.weight.absmax", "llama", LCT_CONVERT_Q,
      LCT_CONVERT_UNKNOWN, 1 },
    { "gpt_neox.layers.5.attention.query_key_value.weight", "gpt_neox",
      LCT_CONVERT_GROUPED, LCT_CONVERT_MATRIX, 5 },
    { "transformer.encoder.layers.5.self_attention.query_key_value.bias",
      "chatglm", LCT_CONVERT_STACKED, LCT_CONVERT_VECTOR, 5 },
    { "transformer.h.5.self_attention.query_key_value.weight", "falcon",
      LCT_CONVERT_GROUPED, LCT_CONVERT_MATRIX, 5 },
    { "model.layers.0.self_attn.kv_a_proj_with_mqa.weight", "deepseek_v2",
      LCT_CONVERT_LATENT_K, LCT_CONVERT_MATRIX, 0 },
    { "layers.9.attention.wk.weight", "llama", LCT_CONVERT_K,
      LCT_CONVERT_MATRIX, 9 },
    { "blk.31.attn_q.weight", "llama", LCT_CONVERT_Q, LCT_CONVERT_MATRIX, 31 },
    { "mtp.layers.0.self_attn.q_proj.weight", "qwen3_next", LCT_CONVERT_Q,
      LCT_CONVERT_MATRIX, -1 },
};

TEST(names_are_known)
{
    static const char *const others[] = {
        "model.layers.1.self_attn.v_proj.weight",
        "model.layers.1.self_attn.o_proj.weight",
        "model.layers.1.mlp.q_proj.weight",
        "vision_tower.layers.1.self_attn.q_proj.weight",
        "visual.blocks.0.attn.q_proj.weight",
        "model.layers.1.self_attn.q_a_proj.weight",
        "model.layers.x.self_attn.q_proj.weight",
        "self_attn.q_proj.weight",
        "model.layers.1.self_attn.q_projection.weight",
        "transformer.h.5.self_attention.query_key_value.weight",
    };
    struct lct_convert_name out;

    for (size_t i = 0; i < LEN(rows); i++) {
        CHECK(lct_convert_name(&out, rows[i].name, rows[i].model));
        CHECK(out.module == rows[i].module && out.tensor == rows[i].tensor &&
              out.layer == rows[i].layer);
    }
    for (size_t i = 0; i < LEN(others); i++)
        CHECK(!lct_convert_name(&out, others[i], "bloom"));
}

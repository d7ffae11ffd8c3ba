/*
 * t5.c - bucketed relative bias.
 *
 * Raffel et al.: Exploring the Limits of Transfer Learning with a Unified
 * Text-to-Text Transformer. 2020. arXiv:1910.10683, section 2.1; the
 * bucket function of the authors' code (mesh_tensorflow) is in buckets.c.
 */
#include "t5.h"
#include "buckets.h"

enum {
    BUCKETS = LCT_T5_BUCKETS,
    DISTANCE = LCT_T5_DISTANCE,
    BIDIRECTIONAL = LCT_T5_BIDIRECTIONAL
};

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "buckets", .kind = LCT_INTEGER, .def = 32, .min = 2,
      .max = LCT_T5_MOST, .doc = "rows of the table; even when bidirectional" },
    { .name = "distance", .kind = LCT_INTEGER, .def = 128, .min = 2,
      .max = 1 << 20, .doc = "distances from here on share the last bucket" },
    { .name = "bidirectional", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: half of the buckets for keys after the query" },
    LCT_SHARE(1, "no: each layer has its own table, as in UMT5"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "table", .dims = { "buckets", "heads" }, LCT_NORMAL(0, 0.02),
      .rate = 10, .scope = LCT_SHARE_KEY,
      .doc = "bias of each bucket for each head" },
    { 0 }
};
/* clang-format on */

static struct lct_buckets_spec spec_of(const locant_encoding *e)
{
    return (struct lct_buckets_spec){ .buckets = e->value[BUCKETS],
                                      .distance = e->value[DISTANCE],
                                      .both = e->value[BIDIRECTIONAL] != 0 };
}

locant_status lct_t5_check(const locant_encoding *e)
{
    struct lct_buckets_spec spec = spec_of(e);

    return lct_buckets_check(e, &spec);
}

/* e->state: the smallest distance of each log bucket. */
locant_status lct_t5_prepare(locant_encoding *e)
{
    struct lct_buckets_spec spec = spec_of(e);

    return lct_buckets_prepare(e, &spec);
}

int64_t lct_t5_bucket(const struct lct_call *c, int64_t q_pos, int64_t k_pos)
{
    return lct_buckets_find(c->e->state, q_pos, k_pos);
}

static const locant_variant variants[] = {
    { "t5(bidirectional=yes)", "T5 bias of encoders", "T5, MPNet encoders" },
    { "t5(share=no)", "T5 bias of each layer", "UMT5" },
    { 0 }
};

const struct lct_encoding lct_enc_t5 = {
    .info = {
        .name = "t5",
        .title = "T5 bucketed relative bias",
        .formula = "s[h,i,j] += table[bucket(p_i - p_j), h]",
        .source = "Raffel et al. 2020, arXiv:1910.10683v4, section 2.1; bucket "
                  "function of mesh_tensorflow",
        .used_by = "T5, mT5, ByT5, Flan-T5, UMT5 (per layer), MPNet",
        .pitfalls = "T5 itself does not scale scores by 1/sqrt(D); with 32 "
                    "bidirectional buckets up to 128, logarithms in double "
                    "put distance 64 into the wrong one.",
        .gradient = "dtable[bucket, h] = sum of dS over pairs of that bucket",
        .variants = variants,
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .check = lct_t5_check,
    .prepare = lct_t5_prepare,
    .params = { .list = params },
    .score = {
        .bias = lct_bias_of_entries,
        .backward = lct_bias_of_entries_backward,
        .entry = lct_t5_bucket,
    },
};

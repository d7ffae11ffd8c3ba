/*
 * t5.c - bucketed relative bias.
 *
 * Raffel et al.: Exploring the Limits of Transfer Learning with a Unified
 * Text-to-Text Transformer. 2020. arXiv:1910.10683, section 2.1; the bucket
 * function of the authors' code (mesh_tensorflow).  Half of the buckets of each
 * direction hold one distance each, the others grow logarithmically up to
 * 'distance'.  Where the logarithm is an integer, floating point can be off by
 * one bucket (in double, distance 64 is, for 32 bidirectional buckets up to
 * 128), so distances are compared with integer thresholds.
 */
#include "t5.h"
#include <math.h>

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

/* Buckets of one direction, and how many of them hold one distance each. */
static void sides(int *side, int *single, const locant_encoding *e)
{
    *side = (int)e->value[BUCKETS] / (e->value[BIDIRECTIONAL] != 0 ? 2 : 1);
    *single = *side / 2;
}

locant_status lct_t5_check(const locant_encoding *e)
{
    double buckets = e->value[BUCKETS];
    int side, single;

    sides(&side, &single, e);
    if (e->value[BIDIRECTIONAL] != 0 && (fmod(buckets, 2) != 0 || single < 1))
        return LCT_REFUSE("buckets of %s is %.0f, expected an even number of "
                          "at least 4 when bidirectional",
                          e->row->info.name, buckets);
    if (e->value[DISTANCE] <= single)
        return LCT_REFUSE("distance of %s is %.0f, expected more than %d, the "
                          "buckets that hold one distance each",
                          e->row->info.name, e->value[DISTANCE], single);
    return LOCANT_OK;
}

/* An unsigned integer of 32-bit limbs, the least significant one first. */
enum { LIMBS = 768 };
struct big {
    uint32_t limb[LIMBS];
    int used;
};

static void big_times(struct big *b, uint32_t factor)
{
    uint64_t carry = 0;

    for (int i = 0; i < b->used; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        b->limb[b->used++] = (uint32_t)carry;
}

static bool big_below(const struct big *a, const struct big *b)
{
    if (a->used != b->used)
        return a->used < b->used;
    for (int i = a->used - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i];
    return false;
}

/*
 * Is n below the first distance of log bucket k, that is
 * ln(n/single) / ln(distance/single) * (side - single) < k, or in integers
 * n^w single^k < distance^k single^w with w = side - single?
 */
static bool below(int64_t n, int k, int side, int single, int64_t distance)
{
    struct big left = { .limb = { 1 }, .used = 1 };
    struct big right = { .limb = { 1 }, .used = 1 };
    int w = side - single;

    for (int i = 0; i < w; i++)
        big_times(&left, (uint32_t)n);
    for (int i = 0; i < k; i++)
        big_times(&right, (uint32_t)distance);
    for (int i = 0; i < w - k; i++) /* single^k cancels */
        big_times(&right, (uint32_t)single);
    return big_below(&left, &right);
}

/* Smallest n of log bucket k, 1 <= k < side - single. */
static int64_t threshold(int k, int side, int single, int64_t distance)
{
    double ratio = (double)distance / single;
    int64_t n = (int64_t)(single * pow(ratio, (double)k / (side - single)));

    /* n is close; comparisons make it exact. */
    while (n > single && !below(n, k, side, single, distance))
        n--;
    while (below(n, k, side, single, distance))
        n++;
    return n;
}

/* e->state: the smallest distance of each log bucket. */
locant_status lct_t5_prepare(locant_encoding *e)
{
    int side, single;
    int64_t *first;

    sides(&side, &single, e);
    first = locant_alloc((size_t)(side - single) * sizeof(*first));
    if (first == NULL)
        return locant_fail(
            LOCANT_ERR_NOMEM,
            "locant_encoding_create: no memory for the buckets of %s",
            e->row->info.name);
    first[0] = single;
    for (int k = 1; k < side - single; k++)
        first[k] = threshold(k, side, single, (int64_t)e->value[DISTANCE]);
    e->state = first;
    return LOCANT_OK;
}

int64_t lct_t5_bucket(const struct lct_call *c, int64_t q_pos, int64_t k_pos)
{
    const locant_encoding *e = c->e;
    const int64_t *first = e->state;
    int64_t past = lct_distance(q_pos, k_pos), n = past > 0 ? past : -past;
    int side, single, low = 0, high, offset = 0;

    sides(&side, &single, e);
    high = side - single;
    if (e->value[BIDIRECTIONAL] != 0)
        offset = past < 0 ? side : 0;
    else if (past < 0)
        n = 0;
    if (n < single)
        return offset + n;
    while (high - low > 1) {
        int middle = (low + high) / 2;

        if (n >= first[middle])
            low = middle;
        else
            high = middle;
    }
    return offset + single + low;
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

/*
 * streaming.c - attention sinks: the first tokens and the last ones, with
 * positions inside the cache.
 *
 * Xiao, Tian, Chen, Han, Lewis: Efficient Streaming Language Models with
 * Attention Sinks. 2024. arXiv:2309.17453, section 3.2.  A query at p sees
 * positions 0 .. sinks - 1 and the last 'window' positions, including its own.
 * Distances are those inside the cache: recent keys keep theirs, and a sink at
 * p_j that has left the window has distance window + sinks - 1 - p_j.  All
 * other keys are hidden, also those before position 0 and after the query.
 * Without sinks it is a plain window: position 0 is not special, and only
 * distances matter.
 */
#include "near_far.h"
#include "../positions/distance.h"

enum { SINKS, WINDOW, BASE, PAIRING };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "sinks", .kind = LCT_INTEGER, .def = 4, .min = 0,
      .max = 1 << 30, .doc = "first tokens that stay" },
    { .name = "window", .kind = LCT_INTEGER, .def = 508, .min = 1,
      .max = 1 << 30, .doc = "last tokens that stay, including the query" },
    LCT_BASE(10000, "as in rope"), LCT_NEAR_FAR_PAIRING,
    { 0 }
};
/* clang-format on */

/*
 * The cache is full from position window + sinks on; until then a sink keeps
 * its distance.
 */
static void classify(char *out, const locant_encoding *e, const int64_t *q_pos,
                     size_t n, int64_t k_pos)
{
    int64_t sinks = (int64_t)e->value[SINKS];
    int64_t window = (int64_t)e->value[WINDOW];
    bool sink = k_pos >= 0 && k_pos < sinks;
    bool before = sinks > 0 && k_pos < 0; /* before the text */
    /* The last query for which the key is near. */
    int64_t last =
        sink ? window + sinks - 1 : lct_add_clamped(k_pos, window - 1);
    char beyond = sink ? LCT_FAR : LCT_MASKED;

    for (size_t i = 0; i < n; i++)
        out[i] = before || q_pos[i] < k_pos ? LCT_MASKED
                 : q_pos[i] <= last         ? LCT_NEAR
                                            : beyond;
}

static int64_t offset(const locant_encoding *e)
{
    return (int64_t)(e->value[SINKS] + e->value[WINDOW]) - 1;
}

static int64_t grouped(const locant_encoding *e, enum lct_role role,
                       int64_t pos)
{
    (void)e;
    return role == LCT_QUERY ? 0 : pos;
}

/* The causal mask, which this encoding needs, hides keys after the query. */
static enum lct_near_far_class
classify_range(const locant_encoding *e, const int64_t q[2], const int64_t k[2])
{
    int64_t sinks = (int64_t)e->value[SINKS];
    int64_t window = (int64_t)e->value[WINDOW];
    int64_t least = lct_gap(q[0], k[1]), most = lct_gap(q[1], k[0]);

    if (most < 0 || (sinks > 0 && k[1] < 0) ||
        (least >= window && (sinks == 0 || k[0] >= sinks)))
        return LCT_MASKED;
    if (k[0] < 0)
        return sinks == 0 && most < window ? LCT_NEAR : LCT_MIXED;
    if (most < window || (k[1] < sinks && q[1] < window + sinks))
        return LCT_NEAR;
    return k[1] < sinks && q[0] >= window + sinks ? LCT_FAR : LCT_MIXED;
}

static const struct lct_near_far near_far = {
    .base = BASE,
    .pairing = PAIRING,
    .window = WINDOW,
    .classify = classify,
    .classify_range = classify_range,
    .masks = true,
    .offset = offset,
    .grouped = grouped,
};

static unsigned traits(const locant_encoding *e)
{
    return LOCANT_TRAIT_CAUSAL |
           (e->value[SINKS] == 0 ? LOCANT_TRAIT_RELATIVE : 0);
}

static const locant_variant variants[] = {
    { "streaming(sinks=4,window=2044)", "a cache of 2048 tokens",
      "StreamingLLM with Llama 2" },
    { "streaming(sinks=0,window=512)", "no sinks: what breaks without them",
      "the paper's window attention" },
    { 0 }
};

const struct lct_encoding lct_enc_streaming = {
    .info = {
        .name = "streaming",
        .title = "StreamingLLM: attention sinks and a window",
        .formula = "s = sum_c Re(q_c conj(k_c) e^{i d f_c}) / sqrt(D), d = n "
                   "if n < window, window + sinks - 1 - p_j for a sink, "
                   "hidden otherwise",
        .gradient = "as rope at d: dq = s sum dS e^{-i d f} k, dk = s sum dS "
                    "e^{i d f} q, in complex pairs; 0 where hidden",
        .source = "Xiao et al. 2024, arXiv:2309.17453v4, section 3.2",
        .used_by = "Llama 2, MPT, Falcon, Pythia in endless dialogue",
        .pitfalls = "Replaces rope: not to be added to it.  Positions are "
                    "indices in the cache, so keys are cached unrotated; "
                    "nothing is remembered of what left the cache.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_CAUSAL,
    },
    .keys = keys,
    .traits = traits,
    .schedule = { .create = lct_near_far_schedule },
    .content = { .products = lct_near_far_products, .near_far = &near_far },
};

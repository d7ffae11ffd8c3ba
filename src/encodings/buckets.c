/*
 * buckets.c - logarithmic buckets of distances.
 *
 * The bucket function of T5 (mesh_tensorflow).  Where the logarithm is an
 * integer, floating point can be off by one bucket (in double, distance 64 is,
 * for 32 bidirectional buckets up to 128), so distances are compared with
 * integer thresholds.
 */
#include "buckets.h"
#include <math.h>

/* Buckets of one direction, and how many of them hold one distance each. */
static void sides(int *side, int *single, const struct lct_buckets_spec *spec)
{
    *side = (int)spec->buckets / (spec->both ? 2 : 1);
    *single = *side / 2;
}

locant_status lct_buckets_check(const locant_encoding *e,
                                const struct lct_buckets_spec *spec)
{
    int side, single;

    sides(&side, &single, spec);
    if (spec->both && (fmod(spec->buckets, 2) != 0 || single < 1))
        return LCT_REFUSE("buckets of %s is %.0f, expected an even number of "
                          "at least 4 when bidirectional",
                          e->row->info.name, spec->buckets);
    if (spec->distance <= single)
        return LCT_REFUSE("distance of %s is %.0f, expected more than %d, the "
                          "buckets that hold one distance each",
                          e->row->info.name, spec->distance, single);
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

locant_status lct_buckets_prepare(locant_encoding *e,
                                  const struct lct_buckets_spec *spec)
{
    struct lct_buckets *b;
    int side, single;

    sides(&side, &single, spec);
    b = locant_alloc(sizeof(*b) + (size_t)(side - single) * sizeof(*b->first));
    if (b == NULL)
        return locant_fail(
            LOCANT_ERR_NOMEM,
            "locant_encoding_create: no memory for the buckets of %s",
            e->row->info.name);
    b->side = side;
    b->single = single;
    b->both = spec->both;
    b->first[0] = single;
    for (int k = 1; k < side - single; k++)
        b->first[k] = threshold(k, side, single, (int64_t)spec->distance);
    e->state = b;
    return LOCANT_OK;
}

int64_t lct_buckets_find(const void *state, int64_t q_pos, int64_t k_pos)
{
    const struct lct_buckets *b = state;
    int64_t past = lct_distance(q_pos, k_pos), n = past > 0 ? past : -past;
    int low = 0, high = b->side - b->single, offset = 0;

    if (b->both)
        offset = past < 0 ? b->side : 0;
    else if (past < 0)
        n = 0;
    if (n < b->single)
        return offset + n;
    while (high - low > 1) {
        int middle = (low + high) / 2;

        if (n >= b->first[middle])
            low = middle;
        else
            high = middle;
    }
    return offset + b->single + low;
}

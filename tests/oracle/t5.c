/*
 * t5.c - Raffel et al. 2020, arXiv:1910.10683v4, section 2.1, and the code it
 * names (tensorflow/mesh, transformer_layers.py, _relative_position_bucket).
 *
 * Distance n >= e of e exact buckets and B in all is in bucket
 *     e + floor(ln(n/e) / ln(M/e) * (B - e)), at most B - 1,
 * so it has reached step k if and only if (n/e)^(B-e) >= (M/e)^k, that is
 *     n^(B-e) e^k >= M^k e^(B-e),
 * which is decided here in integers of any size: no logarithm, no rounding.
 */
#include "oracle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMBS = 512 };

struct big {
    int n;
    uint32_t limb[LIMBS];
};

static void times_power(struct big *x, int64_t factor, int64_t power)
{
    for (int64_t i = 0; i < power; i++) {
        uint64_t carry = 0;

        for (int j = 0; j < x->n; j++) {
            carry += (uint64_t)x->limb[j] * (uint64_t)factor;
            x->limb[j] = (uint32_t)carry;
            carry >>= 32;
        }
        if (carry == 0)
            continue;
        assert_true(x->n < LIMBS && carry >> 32 == 0);
        x->limb[x->n++] = (uint32_t)carry;
    }
}

static int at_least(const struct big *a, const struct big *b)
{
    if (a->n != b->n)
        return a->n > b->n;
    for (int j = a->n - 1; j >= 0; j--)
        if (a->limb[j] != b->limb[j])
            return a->limb[j] > b->limb[j];
    return 1;
}

static int reached(int64_t n, int64_t e, int64_t M, int64_t steps, int64_t k)
{
    static struct big left, right;

    left = right = (struct big){ .n = 1, .limb = { 1 } };
    times_power(&left, n, steps);
    times_power(&left, e, k);
    times_power(&right, M, k);
    times_power(&right, e, steps);
    return at_least(&left, &right);
}

/* The first n of each step of the far half, remembered for one B and M. */
static const int64_t *thresholds(int64_t B, int64_t M)
{
    static int64_t first[1024], made_B, made_M;
    int64_t e = B / 2;

    if (made_B == B && made_M == M)
        return first;
    assert_true(B - e < (int64_t)LEN(first) && M > e && e > 0);
    for (int64_t k = 0; k < B - e; k++) {
        int64_t low = e, high = M; /* M reaches every step */

        while (low < high) {
            int64_t mid = low + (high - low) / 2;

            if (reached(mid, e, M, B - e, k))
                high = mid;
            else
                low = mid + 1;
        }
        first[k] = low;
    }
    made_B = B;
    made_M = M;
    return first;
}

int64_t oracle_t5_bucket(const struct oracle_choice *c, int64_t q, int64_t k)
{
    int64_t B = c->bidirectional ? c->buckets / 2 : c->buckets;
    int64_t start = c->bidirectional && k > q ? B : 0;
    int64_t n = c->bidirectional ? llabs(q - k) : q > k ? q - k : 0;
    const int64_t *first = thresholds(B, c->distance);
    int64_t b = B / 2;

    if (n < B / 2)
        return start + n;
    while (b + 1 < B && n >= first[b + 1 - B / 2])
        b++;
    return start + b;
}

static int choose(struct oracle_choice *c, int i, int64_t D)
{
    static const int buckets[] = { 32, 32, 8, 12, 31, 30 };
    static const int distance[] = { 128, 128, 20, 50, 128, 90 };

    (void)D;
    memset(c, 0, sizeof(*c));
    if (i >= (int)LEN(buckets))
        return 0;
    c->buckets = buckets[i];
    c->distance = distance[i];
    c->bidirectional = i % 2;
    snprintf(c->spec, sizeof(c->spec),
             "t5(buckets=%d,distance=%d,bidirectional=%s)", buckets[i],
             distance[i], c->bidirectional ? "yes" : "no");
    return 1;
}

static int64_t param_size(const struct oracle_choice *c, int k, int64_t heads,
                          int64_t D)
{
    (void)k;
    (void)D;
    return c->buckets * heads;
}

static void param_range(double *low, double *high,
                        const struct oracle_choice *c, int k)
{
    (void)c;
    (void)k;
    *low = -1;
    *high = 1;
}

static double bias(const struct oracle_choice *c, int64_t heads, int64_t head,
                   int64_t q, int64_t k, const double *const *param)
{
    return param[0][oracle_t5_bucket(c, q, k) * heads + head];
}

static void bias_backward(double *const *dparam, const struct oracle_choice *c,
                          int64_t heads, int64_t head, int64_t q, int64_t k,
                          double dout, const double *const *param)
{
    (void)param;
    dparam[0][oracle_t5_bucket(c, q, k) * heads + head] += dout;
}

extern const struct oracle oracle_t5;
const struct oracle oracle_t5 = {
    .name = "t5", .doors = LOCANT_DOOR_SCORE,
    .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED, .params = 1,
    .choose = choose, .param_size = param_size, .param_range = param_range,
    .bias = bias, .bias_backward = bias_backward,
};

/*
 * t5.c - Raffel et al. 2020, arXiv:1910.10683v4, section 2.1, and the code
 * it names (tensorflow/mesh, transformer_layers.py,
 * _relative_position_bucket): of B buckets (bidirectional: B/2 for each
 * direction, the second half for keys after the query) e = B/2 hold the
 * distances below e, and n >= e is in
 *
 *     e + floor(ln(n/e) / ln(M/e) * (B - e)), at most B - 1.
 *
 * The logarithms are of long double; a quotient within 1e-13 of an integer is
 * that integer, as for n = e (M/e)^(k/(B-e)); no other quotient is that close.
 * Parameter: table [buckets, H].
 */
#include "oracle.h"
#include <math.h>

static const struct oracle_spec specs[] = {
    { .text = "t5", .low = -300, .high = 300 },
    { .text = "t5(bidirectional=yes)", .low = -300, .high = 300 },
    { .text = "t5(buckets=8,distance=20)", .low = -300, .high = 300 },
    { .text = "t5(buckets=12,distance=50,bidirectional=yes)",
      .low = -300,
      .high = 300 },
    { .text = "t5(buckets=31,share=no)", .low = -300, .high = 300 },
    { 0 }
};

static int64_t bucket(int64_t n, int64_t buckets, int64_t distance)
{
    int64_t e = buckets / 2, step;
    long double x;

    if (n < e)
        return n;
    x = logl((long double)n / (long double)e) /
        logl((long double)distance / (long double)e) *
        (long double)(buckets - e);
    step = (int64_t)floorl(x + 1e-13L);
    return e + step < buckets ? e + step : buckets - 1;
}

static cx bias(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    int64_t n = oracle_position(call, 0, b, i) - oracle_position(call, 1, b, j);
    int64_t buckets = (int64_t)oracle_number(call->spec, "buckets", 32);
    int64_t distance = (int64_t)oracle_number(call->spec, "distance", 128);
    int64_t row;

    if (oracle_word(call->spec, "bidirectional", "yes", 0)) {
        row = n < 0 ? buckets / 2 + bucket(-n, buckets / 2, distance)
                    : bucket(n, buckets / 2, distance);
    } else {
        row = bucket(n < 0 ? 0 : n, buckets, distance);
    }
    return call->param[0][row * call->H + h];
}

const struct oracle t5_oracle = {
    .name = "t5", .specs = specs, .bias = bias, .far = INT32_MAX
};

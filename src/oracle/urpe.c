/*
 * urpe.c - Luo et al. 2022, arXiv:2205.13401, section 4: weights of the softmax
 * times c_h(p_i - p_j), with the buckets of the authors' code, which are those
 * of T5 (Raffel et al. 2020, arXiv:1910.10683v4, section 2.1): of B buckets,
 * or B/2 for each direction, B/2 hold one distance each, and n >= e = B/2 is in
 *
 *     e + floor(ln(n/e) / ln(M/e) * (B - e)), at most B - 1.
 *
 * Parameter: table [buckets, H].
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "urpe", .low = -300, .high = 300 },
    { .text = "urpe(bidirectional=no)", .low = -300, .high = 300 },
    { .text = "urpe(buckets=8,distance=20)", .low = -300, .high = 300 },
    { .text = "urpe(buckets=31,bidirectional=no,share=no)",
      .low = -300,
      .high = 300 },
    { 0 }
};

/* The last bucket whose first distance, e (M/e)^(k/(B-e)), is at most n. */
static int64_t bucket(double n, int64_t buckets, double distance)
{
    int64_t e = buckets / 2, k = 0;

    if (n < (double)e)
        return (int64_t)n;
    while (k + 1 < buckets - e &&
           (double)e * pow(distance / (double)e,
                           (double)(k + 1) / (double)(buckets - e)) <
               n + 1e-9)
        k++;
    return e + k;
}

static cx value(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j, int64_t d)
{
    double n = (double)past(call, b, i, j);
    double distance = oracle_number(call->spec, "distance", 128);
    int64_t buckets = (int64_t)oracle_number(call->spec, "buckets", 64), row;
    int64_t g = h / (call->H / call->G);

    if (oracle_word(call->spec, "bidirectional", "no", 0))
        row = bucket(fmax(n, 0), buckets, distance);
    else
        row = (n < 0 ? buckets / 2 : 0) +
              bucket(fabs(n), buckets / 2, distance);
    return call->param[0][row * call->H + h] *
           call->v[((b * call->G + g) * call->S + j) * call->D + d];
}

const struct oracle urpe_oracle = {
    .name = "urpe",
    .specs = specs,
    .value = value,
};

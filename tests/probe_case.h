/* probe_case.h - weights of attention by plain loops, to judge a probe by */
#ifndef PROBE_CASE_H
#define PROBE_CASE_H
#include "../src/families/net_probe.h"
#include "net_case.h"

/* Sums of some 2e4 products in double, in another order: 2e4 2^-53 = 2e-12 of
   sums that are at most some thousand (distances, entropies). */
static const double tolerance = 1e-9;

static inline void near(const char *name, const char *what, double got,
                        double want)
{
    if (!(fabs(got - want) <= tolerance * fmax(1, fabs(want))))
        FAIL("%s: %s is %.17g, expected %.17g", name, what, got, want);
}

/* ------------------------------------------------------------ plain weights */

/* Weights of all pairs [B, H, T, S], by the reference with unit vectors. */
static inline double *plain_weights(const locant_attention *call)
{
    const int64_t B = call->q->shape[0], H = call->q->shape[1];
    const int64_t T = call->q->shape[2], S = call->k->shape[2];
    const int64_t Hkv = call->k->shape[1];
    double *ones = calloc((size_t)(B * Hkv * S * S), sizeof *ones);
    double *p = malloc((size_t)(B * H * T * S) * sizeof *p);
    double *sums = malloc((size_t)(B * H * T) * sizeof *sums);
    locant_tensor v = DENSE(F64, ones, B, Hkv, S, S);
    locant_attention all = *call;

    for (int64_t h = 0; h < B * Hkv; h++)
        for (int64_t j = 0; j < S; j++)
            ones[(h * S + j) * S + j] = 1;
    all.v = &v;
    CHECK_OK(locant_attention_reference(VIEW(F64, p, B, H, T, S),
                                        VIEW(F64, sums, B, H, T), &all));
    free(ones);
    free(sums);
    return p;
}

/* What a row adds; 'd' is the distance of key j, and key 'first' the first. */
static inline void add_plain(struct lct_net_probe_head *h, const double *w,
                             int64_t t, int64_t S, int64_t first, double share)
{
    for (int64_t j = 0; j < S; j++) {
        const double p = share > 0 ? (w[j] > 0 ? share : 0) : w[j];
        const int64_t d = t - j, apart = d < 0 ? -d : d;
        int bin = 0;

        for (int64_t low = 1; apart >= low; low *= 2)
            bin++;
        h->bin[bin] += p;
        h->weight += p;
        h->entropy += p > 0 ? -p * log(p) : 0;
        h->distance += p * (double)apart;
        h->first += j == first ? p : 0;
        h->own += j == t ? p : 0;
        h->previous += j == t - 1 ? p : 0;
        h->next += j == t + 1 ? p : 0;
        h->after += j > t ? p : 0;
        h->within[0] += apart < 8 ? p : 0;
        h->within[1] += apart < 32 ? p : 0;
        h->within[2] += apart < 128 ? p : 0;
    }
}

static inline void compare(const char *name,
                           const struct lct_net_probe_head *got,
                           const struct lct_net_probe_head *want)
{
    near(name, "weight", got->weight, want->weight);
    near(name, "entropy", got->entropy, want->entropy);
    near(name, "first", got->first, want->first);
    near(name, "own", got->own, want->own);
    near(name, "previous", got->previous, want->previous);
    near(name, "next", got->next, want->next);
    near(name, "after", got->after, want->after);
    near(name, "distance", got->distance, want->distance);
    for (int i = 0; i < LCT_NET_PROBE_WITHIN; i++)
        near(name, "within", got->within[i], want->within[i]);
    for (int i = 0; i < LCT_NET_PROBE_BINS; i++)
        near(name, "bin", got->bin[i], want->bin[i]);
}
#endif

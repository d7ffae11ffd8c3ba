/*
 * deberta.c - He et al. 2021, arXiv:2006.03654v6, eq. (4), and the authors'
 * code: s (q.k + q.Kr[d] + k.Qr[d]) / sqrt(3), Kr = W_k P, Qr = W_q P + bias,
 * d = clip(f(i - j) + span, 0, 2 span - 1); f the identity, from version 2 on a
 * logarithmic bucket; in version 3 P is normalised first.
 * Parameters: P [2 span, width], W_k, W_q [H, D, width], query bias [H, D];
 * version 2 adds key bias [H, D], version 3 norm weight and norm bias [width].
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "deberta(span=4)" },
    { .text = "deberta(version=2,span=6,distance=20)" },
    { .text = "deberta(version=3,span=4,distance=16)" },
    { .text = "deberta(version=1,span=2)" },
    { 0 }
};

static int version(const struct oracle_call *call)
{
    return (int)oracle_number(call->spec, "version", 1);
}

/* Row of P for the distance n. */
static int64_t row_of(const struct oracle_call *call, int64_t n)
{
    int64_t span = (int64_t)oracle_number(call->spec, "span", 256);
    double most = oracle_number(call->spec, "distance", 512);
    double middle = (double)(span / 2), size = fabs((double)n), f;

    if (version(call) == 1 || size <= middle)
        return clip(n + span, 0, 2 * span - 1);
    f = ceil(log(size / middle) / log((most - 1) / middle) * (middle - 1)) +
        middle;
    return clip((int64_t)(n < 0 ? -f : f) + span, 0, 2 * span - 1);
}

/* Row r of P, and what version 3 normalises it by. */
struct place {
    const cx *row;
    cx mean, deviation;
};

static struct place place_of(const struct oracle_call *call, int64_t r)
{
    struct place p = { .row = call->param[0] + r * call->W };
    cx square = 0;

    for (int64_t c = 0; c < call->W; c++)
        p.mean += p.row[c] / (double)call->W;
    for (int64_t c = 0; c < call->W; c++)
        square += (p.row[c] - p.mean) * (p.row[c] - p.mean) / (double)call->W;
    p.deviation = csqrt(square + 1e-7);
    return p;
}

static cx entry(const struct oracle_call *call, struct place p, int64_t c,
                int normalised)
{
    if (!normalised)
        return p.row[c];
    return (p.row[c] - p.mean) / p.deviation * call->param[5][c] +
           call->param[6][c];
}

/* x.(W_h p + bias), one entry of p after another */
static cx projected(const struct oracle_call *call, const cx *x,
                    const cx *matrix, const cx *bias, int64_t h, int64_t r)
{
    struct place p = place_of(call, r);
    int normalised = version(call) >= 3;
    cx sum = bias == NULL ? 0 : product(x, bias + h * call->D, call->D);

    matrix += h * call->D * call->W;
    for (int64_t c = 0; c < call->W; c++) {
        cx at = entry(call, p, c, normalised);

        for (int64_t d = 0; d < call->D; d++)
            sum += x[d] * matrix[d * call->W + c] * at;
    }
    return sum;
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    int64_t r = row_of(call, past(call, b, i, j));
    const cx *q = query_of(call, b, h, i), *k = key_of(call, b, h, j);
    const cx *key_bias = version(call) >= 2 ? call->param[4] : NULL;
    cx sum = product(q, k, call->D);

    sum += projected(call, q, call->param[1], key_bias, h, r) +
           projected(call, k, call->param[2], call->param[3], h, r);
    return call->scale * sum / sqrt(3);
}

const struct oracle deberta_oracle = {
    .name = "deberta",
    .specs = specs,
    .score = score,
};

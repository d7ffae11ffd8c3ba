/*
 * deberta.c - He et al. 2021, arXiv:2006.03654v6, eq. (4), and the authors'
 * code: s (q.k + q.Kr[d] + k.Qr[d]) / sqrt(3), Kr = W_k P, Qr = W_q P + bias,
 * d = clip(f(i - j) + span, 0, 2 span - 1); f the identity, from version 2 on a
 * logarithmic bucket; from version 3 on P is normalised first.
 * Parameters: P [2 span, width], W_k, W_q [H, D, width], query bias [H, D];
 * 2: key bias [H, D]; 3: norm weight, norm bias [width].
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "deberta(span=4)" },
    { .text = "deberta(version=2,span=6,distance=20)" },
    { .text = "deberta(version=3,span=4,distance=16)" },
    { .text = "deberta(version=1,span=2)" },
    { 0 }
};

static int version(const struct oracle_call *w)
{
    return (int)oracle_number(w->spec, "version", 1);
}

static int64_t bucket(const struct oracle_call *w, int64_t r)
{
    int64_t span = (int64_t)oracle_number(w->spec, "span", 256);
    double most = oracle_number(w->spec, "distance", 512);
    double middle = (double)(span / 2), n = fabs((double)r), f;

    if (version(w) == 1 || n <= middle)
        return clip(r + span, 0, 2 * span - 1);
    f = ceil(log(n / middle) / log((most - 1) / middle) * (middle - 1)) +
        middle;
    return clip((int64_t)(r < 0 ? -f : f) + span, 0, 2 * span - 1);
}

/* Entry c of row r of P, normalised where the version asks for it. */
static cx position(const struct oracle_call *w, int64_t r, int64_t c)
{
    const cx *row = w->param[0] + r * w->W;
    cx mean = 0, square = 0;

    if (version(w) < 3)
        return row[c];
    for (int64_t d = 0; d < w->W; d++)
        mean += row[d] / (double)w->W;
    for (int64_t d = 0; d < w->W; d++)
        square += (row[d] - mean) * (row[d] - mean) / (double)w->W;
    return (row[c] - mean) / csqrt(square + 1e-7) * w->param[5][c] +
           w->param[6][c];
}

static cx projected(const struct oracle_call *w, const cx *matrix,
                    const cx *bias, int64_t h, int64_t d, int64_t r)
{
    cx sum = bias == NULL ? 0 : bias[h * w->D + d];

    for (int64_t c = 0; c < w->W; c++)
        sum += matrix[(h * w->D + d) * w->W + c] * position(w, r, c);
    return sum;
}

static cx score(const struct oracle_call *w, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    int64_t r = bucket(w, past(w, b, i, j));
    const cx *q = query_of(w, b, h, i), *k = key_of(w, b, h, j);
    const cx *key_bias = version(w) >= 2 ? w->param[4] : NULL;
    cx sum = product(q, k, w->D);

    for (int64_t d = 0; d < w->D; d++)
        sum += q[d] * projected(w, w->param[1], key_bias, h, d, r) +
               k[d] * projected(w, w->param[2], w->param[3], h, d, r);
    return w->scale * sum / sqrt(3);
}

const struct oracle deberta_oracle = {
    .name = "deberta",
    .specs = specs,
    .score = score,
};

/*
 * conformer.c - Dai et al. 2019, arXiv:1901.02860v3, section 3.3, with the
 * sinusoid of ESPnet and WeNet: channels 2c and 2c + 1 are sine and cosine of
 * n base^(-2c/width).  n = i - j; form=none: n = j.
 *   A = q.k + q.(W R_n) + u.k + v.(W R_n), all times the scale.
 * Parameters: W [H, D, width], u [H, D], v [H, D].
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "conformer" },
    { .text = "conformer(base=100,share=yes)" },
    { .text = "conformer(form=none,length=40)", .low = 0, .high = 39 },
    { .text = "conformer(form=none,base=30)", .low = 0, .high = 300 },
    { 0 }
};

/* (q + v).(W_h R_n), one entry of R_n after another */
static cx projected(const struct oracle_call *call, const cx *q, int64_t h,
                    double n)
{
    double base = oracle_number(call->spec, "base", 10000);
    const cx *matrix = call->param[0] + h * call->D * call->W;
    const cx *v = call->param[2] + h * call->D;
    cx sum = 0;

    for (int64_t c = 0; c < call->W; c++) {
        double angle = n * pow(base, -2.0 * (double)(c / 2) / (double)call->W);
        double entry = c % 2 == 0 ? sin(angle) : cos(angle);

        for (int64_t d = 0; d < call->D; d++)
            sum += (q[d] + v[d]) * matrix[d * call->W + c] * entry;
    }
    return sum;
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    const cx *q = query_of(call, b, h, i), *k = key_of(call, b, h, j);
    const cx *u = call->param[1] + h * call->D;
    double n = (double)past(call, b, i, j);
    cx sum = 0;

    if (oracle_word(call->spec, "form", "none", 0))
        n = (double)oracle_position(call, 1, b, j);
    for (int64_t d = 0; d < call->D; d++)
        sum += (q[d] + u[d]) * k[d];
    return call->scale * (sum + projected(call, q, h, n));
}

const struct oracle conformer_oracle = {
    .name = "conformer",
    .specs = specs,
    .score = score,
};

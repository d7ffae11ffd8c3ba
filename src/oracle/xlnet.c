/*
 * xlnet.c - Yang et al. 2019, arXiv:1906.08237v2, section 2.4 and appendix:
 * Transformer-XL's terms and (q_i + b).s_ij, where s_ij is one of two vectors:
 * for i and j in the same segment, or not.  Parameters: W [H, D, width], u, v,
 * b [H, D], segments [2, H, D] (the same segment, another).
 */
#include "content.h"

static const struct oracle_spec specs[] = { { .text = "xlnet" },
                                            { .text = "xlnet(clamp=2)" },
                                            { .text = "xlnet(segment=3)" },
                                            { .text =
                                                  "xlnet(base=100,share=yes)" },
                                            { 0 } };

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    double clamp = oracle_number(call->spec, "clamp", 0);
    double border = oracle_number(call->spec, "segment", 0);
    double p_i = (double)call->q_pos[b * call->T + i];
    double p_j = (double)call->k_pos[b * call->S + j], n = p_i - p_j;
    int64_t other = border != 0 && (p_i < border) != (p_j < border);
    const cx *q = query_of(call, b, h, i), *k = key_of(call, b, h, j);
    const cx *u = call->param[1] + h * call->D,
             *v = call->param[2] + h * call->D;
    const cx *bias = call->param[3] + h * call->D;
    const cx *segment = call->param[4] + (other * call->H + h) * call->D;
    cx sum = 0;

    if (clamp > 0)
        n = fmax(-clamp, fmin(clamp, n));
    for (int64_t d = 0; d < call->D; d++)
        sum += (q[d] + u[d]) * k[d] +
               (q[d] + v[d]) * sinusoid_of(call, h, d, n) +
               (q[d] + bias[d]) * segment[d];
    return call->scale * sum;
}

const struct oracle xlnet_oracle = {
    .name = "xlnet",
    .specs = specs,
    .D_step = 2,
    .score = score,
};

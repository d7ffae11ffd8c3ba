/*
 * xlnet.c - Yang et al. 2019, arXiv:1906.08237v2, section 2.4 and appendix:
 * Transformer-XL's terms and (q_i + b).s_ij, s_ij is one of two vectors: for i
 * and j in the same segment, or not.  Parameters: W [H, D, width], u, v, b [H,
 * D], segments [2, H, D] (the same segment, another).
 */
#include "content.h"

static const struct oracle_spec specs[] = { { .text = "xlnet" },
                                            { .text = "xlnet(clamp=2)" },
                                            { .text = "xlnet(segment=3)" },
                                            { .text =
                                                  "xlnet(base=100,share=yes)" },
                                            { 0 } };

static cx score(const struct oracle_call *w, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    double clamp = oracle_number(w->spec, "clamp", 0);
    double border = oracle_number(w->spec, "segment", 0);
    double p_i = (double)w->q_pos[b * w->T + i];
    double p_j = (double)w->k_pos[b * w->S + j], n = p_i - p_j;
    int64_t other = border != 0 && (p_i < border) != (p_j < border);
    const cx *q = query_of(w, b, h, i), *k = key_of(w, b, h, j);
    const cx *u = w->param[1] + h * w->D, *v = w->param[2] + h * w->D;
    const cx *bias = w->param[3] + h * w->D;
    const cx *segment = w->param[4] + (other * w->H + h) * w->D;
    cx sum = 0;

    if (clamp > 0)
        n = fmax(-clamp, fmin(clamp, n));
    for (int64_t d = 0; d < w->D; d++)
        sum += (q[d] + u[d]) * k[d] + (q[d] + v[d]) * sinusoid_of(w, h, d, n) +
               (q[d] + bias[d]) * segment[d];
    return w->scale * sum;
}

const struct oracle xlnet_oracle = {
    .name = "xlnet",
    .specs = specs,
    .D_step = 2,
    .score = score,
};

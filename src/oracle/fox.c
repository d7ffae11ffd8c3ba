/*
 * fox.c - Lin et al. 2025, arXiv:2503.02130v2, eq. (7)-(9): each head has
 * forget gates f_t = sigmoid(w.x_t + b) and adds to the score the sum of ln f_t
 * over the positions j < t <= i.  both=yes: for keys after the query, that of
 * other gates over i < t <= j, as in x-transformers (DataDependentAlibi).
 * Parameters: w [H, width], b [H], and again those of the other gates.
 */
#include "content.h"

static const struct oracle_spec specs[] = { { .text = "fox" },
                                            { .text = "fox(share=yes)" },
                                            { .text = "fox(both=yes)" },
                                            { 0 } };

/* The first parameter of the gates: 0, or 2 for keys after the query. */
static cx log_gate(const struct oracle_call *call, int first, int64_t b,
                   int64_t h, int64_t t)
{
    cx a = call->param[first + 1][h] +
           product(call->param[first] + h * call->W,
                   call->x + (b * call->S + t) * call->W, call->W);

    return -clog(1 + cexp(-a));
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    int64_t p_i = call->q_pos[b * call->T + i],
            p_j = call->k_pos[b * call->S + j];
    cx sum = call->scale *
             product(query_of(call, b, h, i), key_of(call, b, h, j), call->D);

    for (int64_t t = 0; t < call->S; t++) {
        int64_t p_t = call->k_pos[b * call->S + t];

        if (p_t > p_j && p_t <= p_i)
            sum += log_gate(call, 0, b, h, t);
        if (p_t > p_i && p_t <= p_j) /* key after the query: from i to j */
            sum += log_gate(call, 2, b, h, t);
    }
    return sum;
}

const struct oracle fox_oracle = {
    .name = "fox",
    .specs = specs,
    .score = score,
};

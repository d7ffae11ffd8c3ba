/*
 * path.c - Yang et al. 2025, arXiv:2505.16381, as in flash-linear-attention:
 * the score is scale (<q_i, H_i .. H_{j+1} k_j> + sum over t in (j, i] of ln
 * sigmoid(forget x_t)), H_t = I - b_t w_t w_t^T, in order of position; w is
 * silu(conv(up down x)) divided by sqrt(squares + 1e-6), b = 2 sigmoid(beta x).
 * Parameters: down [rank, width], up [H, D, rank], conv [H, D, kernel], beta
 * [H, width] and [H], forget [H, width] and [H].
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "path" },
    { .text = "path(rank=2,kernel=2)" },
    { .text = "path(rank=3,kernel=1,forget=yes)" },
    { .text = "path(rank=1,share=yes)" },
    { 0 }
};

enum { WIDEST = 64 };

static const cx *input(const struct oracle_call *call, int64_t b, int64_t t)
{
    return call->x + (b * call->S + t) * call->W;
}

/* The token before t in order of position; -1: none. */
static int64_t before(const struct oracle_call *call, int64_t b, int64_t t)
{
    const int64_t *pos = call->k_pos + b * call->S;
    int64_t last = -1;

    for (int64_t s = 0; s < call->S; s++)
        if (pos[s] < pos[t] && (last < 0 || pos[s] > pos[last]))
            last = s;
    return last;
}

static cx sigmoid(cx x)
{
    return 1 / (1 + cexp(-x));
}

/* w [D] of head h at token t */
static void direction(cx *w, const struct oracle_call *call, int64_t b,
                      int64_t h, int64_t t)
{
    int64_t rank = (int64_t)oracle_number(call->spec, "rank", 32);
    int64_t kernel = (int64_t)oracle_number(call->spec, "kernel", 3);
    cx squares = 1e-6;

    for (int64_t d = 0; d < call->D; d++)
        w[d] = 0;
    for (int64_t n = 0; n < kernel && t >= 0; n++, t = before(call, b, t))
        for (int64_t r = 0; r < rank; r++) {
            cx low = product(call->param[0] + r * call->W, input(call, b, t),
                             call->W);

            for (int64_t d = 0; d < call->D; d++) {
                int64_t at = h * call->D + d;

                w[d] += call->param[2][at * kernel + kernel - 1 - n] *
                        call->param[1][at * rank + r] * low;
            }
        }
    for (int64_t d = 0; d < call->D; d++) {
        w[d] *= sigmoid(w[d]);
        squares += w[d] * w[d];
    }
    for (int64_t d = 0; d < call->D; d++)
        w[d] /= csqrt(squares);
}

static cx linear(const struct oracle_call *call, int param, int64_t b,
                 int64_t h, int64_t t)
{
    return call->param[param + 1][h] + product(call->param[param] + h * call->W,
                                               input(call, b, t), call->W);
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    int forget = oracle_word(call->spec, "forget", "yes", 0);
    cx u[WIDEST], w[WIDEST], gates = 0;
    int64_t t = 0;

    while (past(call, b, i, t) != 0)
        t++;
    for (int64_t d = 0; d < call->D; d++)
        u[d] = query_of(call, b, h, i)[d];
    for (; t != j; t = before(call, b, t)) {
        cx along;

        direction(w, call, b, h, t);
        along = 2 * sigmoid(linear(call, 3, b, h, t)) * product(w, u, call->D);
        for (int64_t d = 0; d < call->D; d++)
            u[d] -= along * w[d];
        if (forget)
            gates += clog(sigmoid(linear(call, 5, b, h, t)));
    }
    return call->scale * (product(u, key_of(call, b, h, j), call->D) + gates);
}

const struct oracle path_oracle = {
    .name = "path",
    .specs = specs,
    .score = score,
    .as_many_kv_heads = 1,
    .shrinks_queries = 1,
};

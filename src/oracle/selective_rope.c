/*
 * selective_rope.c - Movahedi et al. 2025, arXiv:2511.17388, as in the authors'
 * rotary.py: slices of x are divided by sqrt(squares + 1e-6); up (down u) is
 * convolved along the tokens, in order of position, e^bias is added, the result
 * multiplied by sigmoid(gate) and summed over the tokens up to t; the angle is
 * peak base^(-2c/D) times the sum.  Parameters: down [rank, width], up [H, D/2,
 * rank], conv [H, D/2, kernel], bias [H, D/2], gate [H, width] and [H] or,
 * with gate=pair, [H, D/2, width] and [H, D/2].
 */
#include "moved.h"
#include "problem.h"

static const struct oracle_spec specs[] = {
    { .text = "selective-rope" },
    { .text = "selective-rope(rank=2,kernel=3,base=10,peak=0.5)" },
    { .text = "selective-rope(rank=3,kernel=2,bias=yes)" },
    { .text = "selective-rope(rank=1,kernel=1,gate=head)" },
    { .text = "selective-rope(rank=2,bias=yes,gate=head,share=yes)" },
    { .text = "selective-rope(rank=2,kernel=2,gate=pair)" },
    { .text = "selective-rope(rank=1,bias=yes,gate=pair)" },
    { 0 }
};

/* <row, u_t> */
static cx with_unit(const struct oracle_call *call, const cx *row, int64_t b,
                    int64_t t)
{
    const cx *x = input_of(call, b, t);
    cx sum = 0;

    for (int64_t w = 0; w < call->W; w += call->D)
        sum += product(row + w, x + w, call->D) /
               csqrt(product(x + w, x + w, call->D) + 1e-6);
    return sum;
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

enum { RANKS = 16 };

/* The tokens up to t, t first, and down u of each. */
struct tokens {
    int64_t rank, kernel;
    int bias, gate, by_pair;
    int64_t count, at[ORACLE_KEYS];
    cx low[ORACLE_KEYS][RANKS];
};

static void find_tokens(struct tokens *to, const struct oracle_call *call,
                        int64_t b, int64_t t)
{
    to->rank = (int64_t)oracle_number(call->spec, "rank", 16);
    to->kernel = (int64_t)oracle_number(call->spec, "kernel", 4);
    to->bias = oracle_word(call->spec, "bias", "yes", 0);
    to->by_pair = oracle_word(call->spec, "gate", "pair", 0);
    to->gate = to->by_pair || oracle_word(call->spec, "gate", "head", 0);
    for (to->count = 0; t >= 0; t = before(call, b, t), to->count++) {
        to->at[to->count] = t;
        for (int64_t r = 0; r < to->rank; r++)
            to->low[to->count][r] =
                with_unit(call, call->param[0] + r * call->W, b, t);
    }
}

/* The step of pair 'at' of all heads at the n-th of the tokens. */
static cx step(const struct oracle_call *call, const struct tokens *tokens,
               int64_t n, int64_t at)
{
    int64_t rank = tokens->rank, kernel = tokens->kernel;
    cx sum = 0;

    for (int64_t i = 0; i < kernel && n + i < tokens->count; i++)
        sum += call->param[2][at * kernel + kernel - 1 - i] *
               product(call->param[1] + at * rank, tokens->low[n + i], rank);
    if (tokens->bias)
        sum += cexp(call->param[3][at]);
    return sum;
}

/* The gate of pair 'at' of all heads at the n-th of the tokens. */
static cx gate(const struct oracle_call *call, const struct tokens *tokens,
               int64_t b, int64_t at, int64_t n)
{
    int first = 3 + tokens->bias;
    int64_t g = tokens->by_pair ? at : at / (call->D / 2);
    cx a;

    if (!tokens->gate)
        return 1;
    a = with_unit(call, call->param[first] + g * call->W, b, tokens->at[n]) +
        call->param[first + 1][g];
    return 1 / (1 + cexp(-a));
}

static void angles(cx *angle, const struct oracle_call *call, int64_t b,
                   int64_t h, int64_t t)
{
    double base = oracle_number(call->spec, "base", 500000);
    double peak = oracle_number(call->spec, "peak", 1);
    struct tokens tokens;

    find_tokens(&tokens, call, b, t);
    for (int64_t c = 0; c < call->D / 2; c++) {
        int64_t at = h * (call->D / 2) + c;
        cx sum = 0;

        for (int64_t n = 0; n < tokens.count; n++)
            sum += gate(call, &tokens, b, at, n) * step(call, &tokens, n, at);
        angle[c] = sum * peak * pow(base, -2.0 * (double)c / (double)call->D);
    }
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    return moved_score(call, b, h, i, j, angles);
}

static double terms(const struct oracle_call *call, int64_t b, int64_t h,
                    int64_t i, int64_t j)
{
    return moved_terms(call, b, h, i, j, angles);
}

const struct oracle selective_rope_oracle = {
    .name = "selective-rope",
    .specs = specs,
    .D_step = 2,
    .score = score,
    .terms = terms,
    .x_by_head = 1,
    .as_many_kv_heads = 1,
};

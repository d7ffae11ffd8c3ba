/*
 * net_mlp.c - MLPs: down(act(gate x) * up x), and down(act(up x)) without gate
 *
 * Source: Shazeer 2020, arXiv:2002.05202v1, eq. (6).
 */
#include "net_mlp.h"
#include "net_family_keys.h"
#include "net_math.h"
#include <math.h>

locant_status lct_net_mlp_act(enum lct_net_act *out,
                              const struct lct_net_binder *b)
{
    return lct_net_families_act(out, b->s.act, &b->n->config);
}

/* The width between the two maps that the configuration states; -1: none. */
static locant_status stated_width(int64_t *out, const struct lct_net_binder *b)
{
    static const char *const keys[] = { "intermediate_size_mlp",
                                        "intermediate_size",
                                        "ffn_dim",
                                        "d_ff",
                                        "d_inner",
                                        "ffn_hidden_size",
                                        "n_inner" };
    static const char *const stacks[] = { "decoder_ffn_dim",
                                          "encoder_ffn_dim" };
    const struct lct_config *c = &b->n->config;
    const bool encoder = b->prefix.names == b->n->family->encoder[b->s.variant];

    *out = -1;
    if (b->s.free_width)
        return LOCANT_OK;
    for (size_t i = 0; *out < 0 && i < sizeof(keys) / sizeof(keys[0]); i++)
        LCT_TRY(lct_net_family_keys_width(out, c, keys[i]));
    if (*out < 0)
        LCT_TRY(lct_net_family_keys_width(out, c, stacks[encoder ? 1 : 0]));
    if (b->s.halved && *out > 0)
        *out /= 2;
    return LOCANT_OK;
}

/* x with Phi(x) = p, by bisection: Phi is monotone, and 200 halvings leave
   nothing of an interval of doubles. */
static double normal_quantile(double p)
{
    double low = -40, high = 40;

    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;

        if (0.5 * erfc(-middle / sqrt(2)) < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* gate and up as the two halves of one matrix */
static locant_status bind_halves(struct lct_net_mlp *mlp,
                                 struct lct_net_binder *b, int64_t i,
                                 int64_t width)
{
    const struct lct_net_place at = { LCT_GATE_UP, i, -1 };
    const int64_t D = b->n->width;
    const struct lct_weight *w;
    struct lct_net_rows rows;

    LCT_TRY(lct_net_bind_need(&w, b, at, ".weight"));
    if (width < 0)
        width = w->shape[0] / 2;
    rows = (struct lct_net_rows){ .group = width,
                                  .step = width,
                                  .all = 2 * width };
    LCT_TRY(
        lct_net_bind_linear(&mlp->gate, b, at, width, D, LCT_BIAS_MLP, &rows));
    rows.first = width;
    return lct_net_bind_linear(&mlp->up, b, at, width, D, LCT_BIAS_MLP, &rows);
}

/* A share s of a gate is cut by a bound of s of a normal distribution, in
   deviations above the mean. */
static locant_status sparsity(double *out, const struct lct_net_binder *b,
                              int64_t i)
{
    const json_t *share = json_array_get(b->s.sparsity, (size_t)i);
    const double p = json_number_value(share);

    if (b->s.sparsity == NULL || p == 0)
        return LOCANT_OK;
    if (!(p > 0 && p < 1))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: activation_sparsity_pattern has a share that "
                           "is not from 0 to 1",
                           b->n->config.file);
    *out = normal_quantile(p);
    return LOCANT_OK;
}

/* One matrix of gate and up, unless the file has two. */
static bool is_fused(const struct lct_net_binder *b, int64_t i)
{
    const struct lct_net_place fused = { LCT_GATE_UP, i, -1 };
    const struct lct_net_place gate = { LCT_GATE, i, -1 };

    if (lct_net_names_role(&b->prefix, LCT_GATE_UP) == NULL)
        return false;
    return !lct_net_bind_has(b, gate) || lct_net_bind_has(b, fused);
}

locant_status lct_net_mlp_bind(struct lct_net_mlp *mlp,
                               struct lct_net_binder *b, int64_t i)
{
    const struct lct_net_place gate = { LCT_GATE, i, -1 };
    const struct lct_net_place up = { LCT_UP, i, -1 };
    const struct lct_net_place down = { LCT_DOWN, i, -1 };
    const int64_t D = b->n->width;
    int64_t width;

    LCT_TRY(stated_width(&width, b));
    LCT_TRY(lct_net_mlp_act(&mlp->act, b));
    if (is_fused(b, i)) {
        LCT_TRY(bind_halves(mlp, b, i, width));
    } else {
        LCT_TRY(
            lct_net_bind_linear(&mlp->up, b, up, width, D, LCT_BIAS_MLP, NULL));
        if (lct_net_names_role(&b->prefix, LCT_GATE) != NULL)
            LCT_TRY(lct_net_bind_linear(&mlp->gate, b, gate, mlp->up.w.out, D,
                                        LCT_BIAS_MLP, NULL));
    }
    mlp->width = mlp->up.w.out;
    LCT_TRY(sparsity(&mlp->sparsity, b, i));
    return lct_net_bind_linear(&mlp->down, b, down, D, mlp->width, LCT_BIAS_MLP,
                               NULL);
}

int64_t lct_net_mlp_scratch(const struct lct_net_mlp *mlp, int64_t rows)
{
    return 2 * rows * mlp->width;
}

/* ---------------------------------------------------------------- forward */

struct job {
    void *gate, *up;
    int64_t rows;
    const struct lct_net_math *m;
    const struct lct_net_mlp *mlp;
};

static void gated_row(const struct job *j, int64_t r)
{
    const struct lct_net_math *m = j->m;
    const struct lct_net_mlp *mlp = j->mlp;
    const int64_t F = mlp->width;
    void *gate = lct_net_math_at(m, j->gate, r * F);
    void *up = lct_net_math_at(m, j->up, r * F);

    if (mlp->alpha != 0) { /* gpt-oss */
        m->clamp(gate, -HUGE_VAL, mlp->limit, F);
        m->clamp(up, -mlp->limit, mlp->limit, F);
        m->swiglu(up, gate, mlp->alpha, F);
        return;
    }
    if (mlp->sparsity != 0)
        m->cut(gate, mlp->sparsity, 1, F);
    m->activate(gate, mlp->act, F);
    m->multiply(up, gate, F);
}

static void row_task(void *context, size_t task, int slot)
{
    const struct job *j = context;
    const int64_t r = (int64_t)task, F = j->mlp->width;

    (void)slot;
    if (j->gate != NULL)
        gated_row(j, r);
    else
        j->m->activate(lct_net_math_at(j->m, j->up, r * F), j->mlp->act, F);
}

void lct_net_mlp_forward(void *y, const void *x, int64_t rows,
                         const struct lct_net *n, const struct lct_net_mlp *mlp,
                         void *scratch, const struct lct_net_room *room)
{
    struct job j = { .up = scratch, .rows = rows, .m = n->math, .mlp = mlp };

    lct_net_linear_forward(j.up, mlp->width, x, rows, n, &mlp->up, room);
    if (mlp->gate.w.weight != NULL) {
        j.gate = lct_net_math_at(n->math, scratch, rows * mlp->width);
        lct_net_linear_forward(j.gate, mlp->width, x, rows, n, &mlp->gate,
                               room);
    }
    locant_parallel_for((size_t)rows, row_task, &j);
    lct_net_linear_forward(y, mlp->down.w.out, j.up, rows, n, &mlp->down, room);
}

/*
 * net_mlp.c - MLPs: down(act(gate x) * up x), and down(act(up x)) without gate
 *
 * Source: Shazeer 2020, arXiv:2002.05202v1, eq. (6).
 */
#include "net_mlp.h"
#include "net_family_keys.h"
#include "net_math.h"
#include <inttypes.h>
#include <math.h>

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
    const struct lct_net *n = b->n;
    const bool encoder = b->prefix.names == n->family->encoder[n->s.variant];

    *out = -1;
    if (n->s.free_width)
        return LOCANT_OK;
    for (size_t i = 0; *out < 0 && i < sizeof(keys) / sizeof(keys[0]); i++)
        LCT_TRY(lct_net_family_keys_width(out, &n->config, keys[i]));
    if (*out < 0)
        LCT_TRY(lct_net_family_keys_width(out, &n->config,
                                          stacks[encoder ? 1 : 0]));
    if (n->s.halved && *out > 0)
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

/* gate and up as the two halves of one matrix, and down */
static locant_status bind_halves(struct lct_net_mlp *mlp,
                                 struct lct_net_binder *b, int64_t width)
{
    const int64_t D = b->n->width;
    const struct lct_weight *w;
    struct lct_net_rows rows;

    LCT_TRY(lct_net_bind_need(&w, b, LCT_GATE_UP, ".weight"));
    if (width < 0)
        width = w->shape[0] / 2;
    rows = (struct lct_net_rows){ .group = width,
                                  .step = width,
                                  .all = 2 * width };
    LCT_TRY(lct_net_bind_rows(&mlp->gate, b, LCT_GATE_UP, width, D, &rows));
    rows.first = width;
    LCT_TRY(lct_net_bind_rows(&mlp->up, b, LCT_GATE_UP, width, D, &rows));
    mlp->width = width;
    return lct_net_bind_linear(&mlp->down, b, LCT_DOWN, D, width);
}

/* A share s of a gate is cut by a bound of s of a normal distribution, in
   deviations above the mean. */
static locant_status sparsity(double *out, const struct lct_net_binder *b)
{
    const json_t *share = json_array_get(b->n->s.sparsity, (size_t)b->layer);
    const double p = json_number_value(share);
    char shown[LCT_CONFIG_SHOWN];

    if (b->n->s.sparsity == NULL)
        return LOCANT_OK;
    if (!json_is_number(share) || !(p >= 0 && p < 1))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: activation_sparsity_pattern is %s for layer "
                           "%" PRId64 ", expected a number of 0 or more and "
                           "below 1",
                           b->n->config.file, lct_config_show(shown, share),
                           b->layer);
    if (p > 0)
        *out = normal_quantile(p);
    return LOCANT_OK;
}

/* One matrix of gate and up, unless the file has two. */
static bool is_fused(const struct lct_net_binder *b)
{
    if (!lct_net_bind_knows(b, LCT_GATE_UP))
        return false;
    return !lct_net_bind_has(b, LCT_GATE) || lct_net_bind_has(b, LCT_GATE_UP);
}

locant_status lct_net_mlp_bind_maps(struct lct_net_mlp *mlp,
                                    struct lct_net_binder *b,
                                    const enum lct_net_role roles[3],
                                    int64_t in, int64_t width, int64_t out)
{
    LCT_TRY(lct_net_bind_linear(&mlp->up, b, roles[1], width, in));
    mlp->width = mlp->up.w.out;
    if (lct_net_bind_knows(b, roles[0]))
        LCT_TRY(lct_net_bind_linear(&mlp->gate, b, roles[0], mlp->width, in));
    return lct_net_bind_linear(&mlp->down, b, roles[2], out, mlp->width);
}

locant_status lct_net_mlp_bind(struct lct_net_mlp *mlp,
                               struct lct_net_binder *b)
{
    static const enum lct_net_role roles[] = { LCT_GATE, LCT_UP, LCT_DOWN };
    const int64_t D = b->n->width;
    int64_t width;

    LCT_TRY(stated_width(&width, b));
    mlp->act = b->n->act;
    LCT_TRY(sparsity(&mlp->sparsity, b));
    return is_fused(b) ? bind_halves(mlp, b, width)
                       : lct_net_mlp_bind_maps(mlp, b, roles, D, width, D);
}

/* ---------------------------------------------------------------- forward */

struct job {
    void *gate, *up;
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

locant_status lct_net_mlp_forward(void *y, const void *x, int64_t rows,
                                  const struct lct_net_mlp *mlp,
                                  struct lct_net_room *room)
{
    const size_t mark = room->used;
    struct job j = { .m = room->n->math, .mlp = mlp };

    j.up = lct_net_take(room, rows, mlp->width);
    if (mlp->gate.w.weight != NULL)
        j.gate = lct_net_take(room, rows, mlp->width);
    LCT_NET_GOT(mlp->gate.w.weight != NULL ? j.gate : j.up);
    lct_net_linear_forward(j.up, x, rows, &mlp->up, room);
    if (j.gate != NULL)
        lct_net_linear_forward(j.gate, x, rows, &mlp->gate, room);
    locant_parallel_for((size_t)rows, row_task, &j);
    lct_net_linear_forward(y, j.up, rows, &mlp->down, room);
    lct_net_give_back(room, mark);
    return LOCANT_OK;
}

/*
 * net_mixture.c - the tensors of mixtures of experts
 *
 * Each expert has tensors of its own, or all are stacked in one: [E, out, in],
 * or [E, in, out] (Llama 4, gpt-oss), or blocks of MXFP4 with a scale for each
 * 32 numbers (gpt-oss).
 */
#include "net_mixture.h"
#include "net_family_keys.h"
#include "net_math.h"
#include "net_mlp.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool listed(const json_t *list, int64_t i)
{
    for (size_t k = 0; k < json_array_size(list); k++)
        if (json_integer_value(json_array_get(list, k)) == i)
            return true;
    return false;
}

bool lct_net_mixture_in(const struct lct_net_switches *s, int64_t i)
{
    if (s->mlp_types != NULL)
        return strcmp(
                   json_string_value(json_array_get(s->mlp_types, (size_t)i)),
                   "sparse") == 0;
    if (s->experts.n == 0 || i < s->dense_first || listed(s->dense_layers, i))
        return false;
    if (s->expert_layers != NULL)
        return listed(s->expert_layers, i);
    return s->expert_step <= 1 || (i + 1) % s->expert_step == 0;
}

/* --------------------------------------------------------- stacked tensors */

/* A stack of E matrices. */
struct stack {
    const struct lct_weight *w, *scales, *bias;
    bool across; /* [E, in, out] */
    int64_t rows, in;
};

/* The tensor NAME, or the pair NAME_blocks and NAME_scales of MXFP4. */
static locant_status find_stack(struct stack *s, const struct lct_net_binder *b,
                                enum lct_net_role role)
{
    s->w = lct_net_bind_find(b, role, "");
    s->bias = lct_net_bind_find(b, role, "_bias");
    if (s->bias == NULL)
        s->bias = lct_net_bind_find(b, role, ".bias");
    if (s->bias == NULL && (b->n->s.biases & LCT_BIAS_EXPERTS) != 0)
        LCT_TRY(lct_net_bind_need(&s->bias, b, role, "_bias"));
    if (s->w == NULL)
        s->w = lct_net_bind_find(b, role, ".weight");
    if (s->w == NULL && lct_net_bind_find(b, role, "_blocks") != NULL) {
        s->w = lct_net_bind_find(b, role, "_blocks");
        return lct_net_bind_need(&s->scales, b, role, "_scales");
    }
    return s->w != NULL ? LOCANT_OK : lct_net_bind_need(&s->w, b, role, "");
}

static locant_status bind_stack(struct stack *s, struct lct_net_binder *b,
                                enum lct_net_role role, int64_t rows,
                                int64_t in)
{
    const int64_t E = b->n->s.experts.n;

    LCT_TRY(find_stack(s, b, role));
    s->rows = rows;
    s->in = in;
    if (s->bias != NULL)
        LCT_TRY(lct_net_bind_shape(b->n, s->bias, 2, (int64_t[2]){ E, rows }));
    if (s->scales != NULL) {
        const int64_t shape[4] = { E, rows, in / 32, 16 };

        if (in % 32 != 0 || strcmp(s->w->type->name, "U8") != 0)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: tensor %s has type %s and rows of %" PRId64
                               " numbers, expected U8 and whole blocks of 32 "
                               "(MXFP4)",
                               s->w->file, s->w->name, s->w->type->name, in);
        LCT_TRY(lct_net_bind_packed(b->n, s->w, 4, shape));
        return lct_net_bind_packed(b->n, s->scales, 3, shape);
    }
    s->across = b->n->s.input_major_experts &&
                !(b->n->s.experts_either_way && s->w->rank == 3 &&
                  s->w->shape[1] == rows && s->w->shape[2] == in);
    LCT_TRY(lct_net_bind_blocks(b->n, s->w, s->across ? 1 : in));
    return lct_net_bind_shape(b->n, s->w, 3,
                              s->across ? (int64_t[3]){ E, in, rows }
                                        : (int64_t[3]){ E, rows, in });
}

/* Rows of matrix i of a stack. */
static locant_status take(struct lct_net_linear *l, struct lct_net_binder *b,
                          const struct stack *s, int64_t i,
                          const struct lct_net_rows *rows, int64_t out)
{
    struct lct_net_rows all = *rows;

    all.first += i * s->rows;
    l->w = (struct lct_net_matrix){ .weight = s->w,
                                    .scales = s->scales,
                                    .out = out,
                                    .in = s->in,
                                    .first = i * s->rows * s->in,
                                    .row = s->across ? s->rows : s->in,
                                    .group = rows->group,
                                    .step = rows->step,
                                    .transposed = s->across };
    l->w.first += rows->first * (s->across ? 1 : s->in);
    return s->bias == NULL ? LOCANT_OK
                           : lct_net_bind_bias(l, b->n, s->bias, &all);
}

/* gate and up in one stack: halves, or alternating rows */
static locant_status bind_halves(struct lct_net_experts *e,
                                 struct lct_net_binder *b, int64_t width)
{
    const bool mixed = b->n->s.interleaved_experts;
    const struct lct_net_rows gate = { .group = mixed ? 1 : width,
                                       .step = mixed ? 2 : width };
    struct lct_net_rows up = gate;
    struct stack s = { 0 };

    up.first = mixed ? 1 : width;
    LCT_TRY(bind_stack(&s, b, LCT_EXPERT_GATE_UP, 2 * width, b->n->width));
    for (int64_t i = 0; i < e->n; i++) {
        LCT_TRY(take(&e->mlp[i].gate, b, &s, i, &gate, width));
        LCT_TRY(take(&e->mlp[i].up, b, &s, i, &up, width));
    }
    return LOCANT_OK;
}

static locant_status bind_whole(struct lct_net_experts *e,
                                struct lct_net_binder *b,
                                enum lct_net_role role, int64_t rows,
                                int64_t in)
{
    const struct lct_net_rows all = { .group = rows, .step = rows };
    struct stack s = { 0 };

    LCT_TRY(bind_stack(&s, b, role, rows, in));
    for (int64_t i = 0; i < e->n; i++) {
        struct lct_net_mlp *m = &e->mlp[i];
        struct lct_net_linear *l = role == LCT_EXPERT_GATE ? &m->gate
                                   : role == LCT_EXPERT_UP ? &m->up
                                                           : &m->down;

        LCT_TRY(take(l, b, &s, i, &all, rows));
    }
    return LOCANT_OK;
}

static locant_status bind_stacked(struct lct_net_experts *e,
                                  struct lct_net_binder *b, int64_t width)
{
    const int64_t D = b->n->width;

    if (lct_net_bind_knows(b, LCT_EXPERT_GATE_UP)) {
        LCT_TRY(bind_halves(e, b, width));
    } else {
        LCT_TRY(bind_whole(e, b, LCT_EXPERT_GATE, width, D));
        LCT_TRY(bind_whole(e, b, LCT_EXPERT_UP, width, D));
    }
    return bind_whole(e, b, LCT_EXPERT_DOWN, D, width);
}

/* ----------------------------------------------------------------- layers */

/* The width of the shared expert that the configuration states; -1: none. */
static locant_status shared_width(int64_t *out, const struct lct_net_binder *b)
{
    const struct lct_config *c = &b->n->config;
    int64_t n = -1;

    *out = -1;
    LCT_TRY(
        lct_net_family_keys_width(out, c, "shared_expert_intermediate_size"));
    if (*out > 0)
        return LOCANT_OK;
    LCT_TRY(lct_net_family_keys_width(&n, c, "n_shared_experts"));
    if (n < 0)
        LCT_TRY(lct_net_family_keys_width(&n, c, "num_shared_experts"));
    if (n > 0)
        *out = n * b->n->s.expert_width;
    return LOCANT_OK;
}

static locant_status bind_shared(struct lct_net_experts *e,
                                 struct lct_net_binder *b)
{
    static const enum lct_net_role roles[] = { LCT_SHARED_GATE, LCT_SHARED_UP,
                                               LCT_SHARED_DOWN };
    const int64_t D = b->n->width;
    int64_t width;

    if (!lct_net_bind_knows(b, LCT_SHARED_UP))
        return LOCANT_OK;
    e->shared.act = b->n->act;
    LCT_TRY(shared_width(&width, b));
    LCT_TRY(lct_net_mlp_bind_maps(&e->shared, b, roles, D, width, D));
    return !lct_net_bind_knows(b, LCT_SHARED_SIGMOID)
               ? LOCANT_OK
               : lct_net_bind_linear(&e->shared_gate, b, LCT_SHARED_SIGMOID, 1,
                                     D);
}

static locant_status bind_correction(struct lct_net_experts *e,
                                     struct lct_net_binder *b)
{
    const struct lct_weight *w;

    if (!lct_net_bind_knows(b, LCT_CORRECTION))
        return LOCANT_OK;
    w = lct_net_bind_find(b, LCT_CORRECTION, ".bias");
    if (w == NULL)
        LCT_TRY(lct_net_bind_need(&w, b, LCT_CORRECTION, ""));
    return lct_net_bind_vector(&e->correction, b->n, w, e->n, 0);
}

/* Gemma 4: factors of what the router reads, and of each expert. */
static locant_status bind_scales(struct lct_net_experts *e,
                                 struct lct_net_binder *b)
{
    const struct lct_net_math *m = b->n->math;
    const int64_t D = b->n->width;

    if (!lct_net_bind_knows(b, LCT_ROUTER_SCALE))
        return LOCANT_OK;
    e->router_norm = lct_net_bind_rms(D, b->n->s.eps);
    LCT_TRY(
        lct_net_bind_numbers(&e->router_norm.w, b, LCT_ROUTER_SCALE, "", D));
    for (int64_t i = 0; i < D; i++)
        m->set(e->router_norm.w, i,
               m->get(e->router_norm.w, i) / sqrt((double)D));
    return lct_net_bind_numbers(&e->per_expert_scale, b, LCT_EXPERT_SCALE, "",
                                e->n);
}

locant_status lct_net_mixture_bind(struct lct_net_experts **out,
                                   struct lct_net_binder *b)
{
    static const enum lct_net_role roles[] = { LCT_EXPERT_GATE, LCT_EXPERT_UP,
                                               LCT_EXPERT_DOWN };
    struct lct_net_experts *e = lct_net_keep(b->n, sizeof(*e));
    const int64_t width = b->n->s.expert_width, D = b->n->width;

    *out = e;
    LCT_NET_GOT(e);
    *e = b->n->s.experts;
    LCT_TRY(lct_net_bind_linear(&e->gate, b, LCT_ROUTER, e->n, D));
    LCT_TRY(bind_correction(e, b));
    LCT_TRY(bind_scales(e, b));
    e->mlp = lct_net_keep(b->n, (size_t)e->n * sizeof(*e->mlp));
    LCT_NET_GOT(e->mlp);
    for (int64_t i = 0; i < e->n; i++) {
        b->part = i;
        e->mlp[i].act = b->n->act;
        e->mlp[i].alpha = b->n->s.alpha;
        e->mlp[i].limit = b->n->s.limit;
        e->mlp[i].width = width;
        if (!b->n->s.stacked_experts)
            LCT_TRY(lct_net_mlp_bind_maps(&e->mlp[i], b, roles, D, width, D));
    }
    if (b->n->s.stacked_experts)
        LCT_TRY(bind_stacked(e, b, width));
    return bind_shared(e, b);
}

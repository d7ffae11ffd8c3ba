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
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool listed(const json_t *list, int64_t i)
{
    for (size_t k = 0; k < json_array_size(list); k++)
        if (json_integer_value(json_array_get(list, k)) == i)
            return true;
    return false;
}

bool lct_net_mixture_in(const struct lct_net_binder *b, int64_t i)
{
    const struct lct_net_switches *s = &b->s;

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

/* ------------------------------------------------------ one by one tensors */

static locant_status bind_single(struct lct_net_mlp *m,
                                 struct lct_net_binder *b, int64_t layer,
                                 int64_t i, int64_t width)
{
    const struct lct_net_place gate = { LCT_EXPERT_GATE, layer, i };
    const struct lct_net_place up = { LCT_EXPERT_UP, layer, i };
    const struct lct_net_place down = { LCT_EXPERT_DOWN, layer, i };
    const int64_t D = b->n->width;

    LCT_TRY(lct_net_bind_linear(&m->up, b, up, width, D, 0, NULL));
    m->width = m->up.w.out;
    LCT_TRY(lct_net_bind_linear(&m->gate, b, gate, m->width, D, 0, NULL));
    return lct_net_bind_linear(&m->down, b, down, D, m->width, 0, NULL);
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
                                struct lct_net_place at)
{
    s->w = lct_net_bind_find(b, at, "");
    s->bias = lct_net_bind_find(b, at, "_bias");
    if (s->bias == NULL)
        s->bias = lct_net_bind_find(b, at, ".bias");
    if (s->bias == NULL && (b->s.biases & LCT_BIAS_EXPERTS) != 0)
        LCT_TRY(lct_net_bind_need(&s->bias, b, at, "_bias"));
    if (s->w == NULL)
        s->w = lct_net_bind_find(b, at, ".weight");
    if (s->w == NULL && lct_net_bind_find(b, at, "_blocks") != NULL) {
        s->w = lct_net_bind_find(b, at, "_blocks");
        return lct_net_bind_need(&s->scales, b, at, "_scales");
    }
    return s->w != NULL ? LOCANT_OK : lct_net_bind_need(&s->w, b, at, "");
}

static locant_status bind_stack(struct stack *s, struct lct_net_binder *b,
                                struct lct_net_place at, int64_t rows,
                                int64_t in)
{
    const int64_t E = b->s.experts.n;

    LCT_TRY(find_stack(s, b, at));
    s->rows = rows;
    s->in = in;
    if (s->bias != NULL)
        LCT_TRY(lct_net_bind_shape(b->n, s->bias, 2, (int64_t[2]){ E, rows }));
    if (s->scales != NULL) {
        const int64_t shape[4] = { E, rows, in / 32, 16 };

        if (in % 32 != 0 || strcmp(s->w->type->name, "U8") != 0)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: tensor %s is no array of bytes of MXFP4",
                               s->w->file, s->w->name);
        LCT_TRY(lct_net_bind_packed(b->n, s->w, 4, shape));
        return lct_net_bind_packed(b->n, s->scales, 3, shape);
    }
    s->across = b->s.input_major_experts &&
                !(b->s.experts_either_way && s->w->rank == 3 &&
                  s->w->shape[1] == rows && s->w->shape[2] == in);
    LCT_TRY(lct_net_bind_blocks(b->n, s->w, s->across ? 1 : in));
    return lct_net_bind_shape(b->n, s->w, 3,
                              s->across ? (int64_t[3]){ E, in, rows }
                                        : (int64_t[3]){ E, rows, in });
}

/* Rows first, first + step, .. ('group' at a time) of matrix i of a stack. */
static locant_status take(struct lct_net_linear *l, struct lct_net_binder *b,
                          const struct stack *s, int64_t i,
                          const struct lct_net_rows *rows, int64_t out)
{
    const struct lct_net_math *m = b->n->math;

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
    if (s->bias == NULL)
        return LOCANT_OK;
    l->bias = lct_net_keep(b->n, (size_t)out * m->item);
    if (l->bias == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    for (int64_t r = 0; r < out; r++)
        m->read(lct_net_math_at(m, l->bias, r), s->bias,
                i * s->rows + rows->first + r / rows->group * rows->step +
                    r % rows->group,
                1);
    return LOCANT_OK;
}

/* gate and up in one stack: halves, or alternating rows */
static locant_status bind_halves(struct lct_net_experts *e,
                                 struct lct_net_binder *b, int64_t layer,
                                 int64_t width)
{
    const struct lct_net_place both = { LCT_EXPERT_GATE_UP, layer, -1 };
    const bool mixed = b->s.interleaved_experts;
    struct lct_net_rows rows = { .group = mixed ? 1 : width,
                                 .step = mixed ? 2 : width };
    struct stack s = { 0 };

    LCT_TRY(bind_stack(&s, b, both, 2 * width, b->n->width));
    for (int64_t i = 0; i < e->n; i++) {
        rows.first = 0;
        LCT_TRY(take(&e->mlp[i].gate, b, &s, i, &rows, width));
        rows.first = mixed ? 1 : width;
        LCT_TRY(take(&e->mlp[i].up, b, &s, i, &rows, width));
    }
    return LOCANT_OK;
}

static locant_status bind_whole(struct lct_net_experts *e,
                                struct lct_net_binder *b,
                                struct lct_net_place at, int64_t rows,
                                int64_t in)
{
    const struct lct_net_rows all = { .group = rows, .step = rows };
    struct stack s = { 0 };

    LCT_TRY(bind_stack(&s, b, at, rows, in));
    for (int64_t i = 0; i < e->n; i++) {
        struct lct_net_mlp *m = &e->mlp[i];
        struct lct_net_linear *l = at.role == LCT_EXPERT_GATE ? &m->gate
                                   : at.role == LCT_EXPERT_UP ? &m->up
                                                              : &m->down;

        LCT_TRY(take(l, b, &s, i, &all, rows));
    }
    return LOCANT_OK;
}

static locant_status bind_stacked(struct lct_net_experts *e,
                                  struct lct_net_binder *b, int64_t layer,
                                  int64_t width)
{
    const struct lct_net_place gate = { LCT_EXPERT_GATE, layer, -1 };
    const struct lct_net_place up = { LCT_EXPERT_UP, layer, -1 };
    const struct lct_net_place down = { LCT_EXPERT_DOWN, layer, -1 };
    const int64_t D = b->n->width;

    if (lct_net_names_role(&b->prefix, LCT_EXPERT_GATE_UP) != NULL) {
        LCT_TRY(bind_halves(e, b, layer, width));
    } else {
        LCT_TRY(bind_whole(e, b, gate, width, D));
        LCT_TRY(bind_whole(e, b, up, width, D));
    }
    return bind_whole(e, b, down, D, width);
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
        *out = n * b->s.expert_width;
    return LOCANT_OK;
}

static locant_status bind_shared(struct lct_net_experts *e,
                                 struct lct_net_binder *b, int64_t layer)
{
    const struct lct_net_place gate = { LCT_SHARED_GATE, layer, -1 };
    const struct lct_net_place up = { LCT_SHARED_UP, layer, -1 };
    const struct lct_net_place down = { LCT_SHARED_DOWN, layer, -1 };
    const struct lct_net_place scale = { LCT_SHARED_SIGMOID, layer, -1 };
    const int64_t D = b->n->width;
    struct lct_net_mlp *m = &e->shared;
    int64_t width;

    if (lct_net_names_role(&b->prefix, LCT_SHARED_UP) == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_net_mlp_act(&m->act, b));
    LCT_TRY(shared_width(&width, b));
    LCT_TRY(lct_net_bind_linear(&m->up, b, up, width, D, 0, NULL));
    m->width = m->up.w.out;
    LCT_TRY(lct_net_bind_linear(&m->gate, b, gate, m->width, D, 0, NULL));
    LCT_TRY(lct_net_bind_linear(&m->down, b, down, D, m->width, 0, NULL));
    if (lct_net_names_role(&b->prefix, LCT_SHARED_SIGMOID) == NULL)
        return LOCANT_OK;
    return lct_net_bind_linear(&e->shared_gate, b, scale, 1, D, 0, NULL);
}

static locant_status bind_correction(struct lct_net_experts *e,
                                     struct lct_net_binder *b, int64_t layer)
{
    const struct lct_net_place at = { LCT_CORRECTION, layer, -1 };
    const struct lct_weight *w;

    if (lct_net_names_role(&b->prefix, LCT_CORRECTION) == NULL)
        return LOCANT_OK;
    w = lct_net_bind_find(b, at, ".bias");
    if (w == NULL)
        LCT_TRY(lct_net_bind_need(&w, b, at, ""));
    return lct_net_bind_vector(&e->correction, b->n, w, e->n, 0);
}

/* Gemma 4: factors of what the router reads, and of each expert. */
static locant_status bind_scales(struct lct_net_experts *e,
                                 struct lct_net_binder *b, int64_t layer)
{
    const struct lct_net_place norm = { LCT_ROUTER_SCALE, layer, -1 };
    const struct lct_net_place each = { LCT_EXPERT_SCALE, layer, -1 };
    const struct lct_net_math *m = b->n->math;
    const int64_t D = b->n->width;
    const struct lct_weight *w;

    if (lct_net_names_role(&b->prefix, LCT_ROUTER_SCALE) == NULL)
        return LOCANT_OK;
    e->router_norm = (struct lct_net_norm){
        .kind = LCT_NET_RMS_NORM, .width = D, .weights = 1, .eps = b->s.eps
    };
    LCT_TRY(lct_net_bind_need(&w, b, norm, ""));
    LCT_TRY(lct_net_bind_vector(&e->router_norm.w, b->n, w, D, 0));
    for (int64_t i = 0; i < D; i++)
        m->set(e->router_norm.w, i,
               m->get(e->router_norm.w, i) / sqrt((double)D));
    LCT_TRY(lct_net_bind_need(&w, b, each, ""));
    return lct_net_bind_vector(&e->per_expert_scale, b->n, w, e->n, 0);
}

locant_status lct_net_mixture_bind(struct lct_net_experts **out,
                                   struct lct_net_binder *b, int64_t layer)
{
    const struct lct_net_place router = { LCT_ROUTER, layer, -1 };
    struct lct_net_experts *e = lct_net_keep(b->n, sizeof(*e));
    const int64_t width = b->s.expert_width;

    *out = e;
    if (e == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    *e = b->s.experts;
    LCT_TRY(lct_net_bind_linear(&e->gate, b, router, e->n, b->n->width,
                                LCT_BIAS_EXPERTS, NULL));
    LCT_TRY(bind_correction(e, b, layer));
    LCT_TRY(bind_scales(e, b, layer));
    e->mlp = lct_net_keep(b->n, (size_t)e->n * sizeof(*e->mlp));
    if (e->mlp == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    for (int64_t i = 0; i < e->n; i++) {
        LCT_TRY(lct_net_mlp_act(&e->mlp[i].act, b));
        e->mlp[i].alpha = b->s.alpha;
        e->mlp[i].limit = b->s.limit;
        e->mlp[i].width = width;
        if (!b->s.stacked_experts)
            LCT_TRY(bind_single(&e->mlp[i], b, layer, i, width));
    }
    if (b->s.stacked_experts)
        LCT_TRY(bind_stacked(e, b, layer, width));
    return bind_shared(e, b, layer);
}

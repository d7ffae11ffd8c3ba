/* pairs.c - scores of a tile that content changes pair by pair */
#include "pairs.h"
#include "param_gradients.h"
#include <string.h>

_Static_assert(LCT_TILE == (int)LCT_PAIRS_SIDE, "tiles of pairs");

void lct_pairs_layout_scratch(struct lct_scratch *s, const struct lct_plan *p,
                              struct lct_arena *arena)
{
    const struct lct_pair_scores *hooks;
    const locant_encoding *e;

    if (!lct_pairs_are_used(p))
        return;
    e = p->request->content->e;
    hooks = e->row->content.pairs;
    s->before_pairs = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    if (hooks->memory != NULL)
        s->pairs_memory =
            lct_arena_doubles(arena, 1, (int64_t)hooks->memory(e));
    if (hooks->gate != NULL)
        s->gate_rows = lct_arena_doubles(arena, 2, p->D);
}

static const struct lct_pair_scores *hooks_of(const struct lct_plan *p)
{
    return p->tables->content->e->row->content.pairs;
}

static struct lct_pairs pairs_of(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 const struct lct_scratch *s)
{
    const struct lct_token_tables *token = &p->tables->token;
    int64_t row = lct_plan_row(p, t->b), head = t->b * p->H + t->h;
    struct lct_pairs x = { .call = p->tables->content,
                           .head = t->h,
                           .rows = t->rows,
                           .keys = t->keys,
                           .lanes = t->lanes,
                           .q_pos = p->tables->q_pos + row * p->T + t->i,
                           .k_pos = p->tables->k_pos + row * p->S + t->j,
                           .first = t->j,
                           .kernels = p->kernels,
                           .memory = s->pairs_memory };

    if (hooks_of(p)->gate != NULL) {
        x.q_gate = p->tables->gate[LCT_QUERY] + head * p->T + t->i;
        x.k_gate = p->tables->gate[LCT_KEY] + head * p->S + t->j;
    }
    if (p->request->token_numbers == NULL)
        return x;
    x.count = token->numbers;
    x.numbers = token->z + head * token->rows * token->numbers;
    x.own = token->own + row * p->T + t->i;
    return x;
}

void lct_pairs_scores(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s)
{
    struct lct_pairs x = pairs_of(p, t, s);

    if (p->pass == LCT_PASS_BACKWARD)
        memcpy(s->before_pairs, s->s,
               (size_t)t->keys * t->lanes * sizeof(*s->s));
    hooks_of(p)->scores(s->s, &x);
}

void lct_pairs_scores_backward(const struct lct_plan *p,
                               const struct lct_tile *t, struct lct_scratch *s,
                               int64_t chunk_row, bool learns)
{
    const struct lct_token_tables *token = &p->tables->token;
    int64_t head = t->b * p->H + t->h;
    struct lct_pairs x = pairs_of(p, t, s);
    struct lct_pair_gradients g = { .dparam = NULL };
    double *dparam[LCT_MAX_PARAMS];

    if (learns) {
        lct_param_gradients_of(dparam, p, p->tables->content,
                               lct_param_gradients_of_task(
                                   p, chunk_row, lct_plan_kv_head(p, t->h)));
        g.dparam = dparam;
    }
    if (x.count > 0) {
        g.dq_numbers =
            token->dz[LCT_QUERY] + (head * p->T + t->i) * token->numbers;
        g.dk_numbers =
            token->dz[LCT_KEY] + (head * p->S + t->j) * token->numbers;
    }
    if (hooks_of(p)->gate != NULL) {
        g.dq_gate = p->tables->dgate[LCT_QUERY] + head * p->T + t->i;
        g.dk_gate = p->tables->dgate[LCT_KEY] + head * p->S + t->j;
    }
    hooks_of(p)->backward(s->ds, &g, s->before_pairs, &x);
}

/* stick.c - stick-breaking weights in the tiled engine */
#include "stick.h"
#include "../core/pool.h"
#include "load.h"
#include "mask.h"
#include "scores.h"
#include "steps.h"
#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------- planning */

bool lct_stick_has_tiles(const struct lct_plan *p)
{
    return p->request->content == NULL && p->request->after == NULL &&
           lct_positions_in_order(p->request);
}

void lct_stick_layout(struct lct_tables *tables, const struct lct_plan *p,
                      struct lct_arena *arena)
{
    if (p->request->stick != NULL)
        tables->own = lct_arena_ints(arena, p->position_rows, p->T);
}

static bool is_own(const struct lct_plan *p, int64_t row, int64_t i, int64_t j)
{
    const struct lct_tables *tables = p->tables;
    int64_t q = row * p->T + i, k = row * p->S + j;

    return tables->q_pos[q] == tables->k_pos[k] &&
           (!p->documents ||
            (tables->q_docs[q] == tables->k_docs[k] && tables->q_docs[q] >= 0));
}

/* The last key at the position of query i; -1: none. */
static int64_t find_own(const struct lct_plan *p, int64_t row, int64_t i)
{
    int64_t j = p->S - p->T + i; /* the usual place */

    if (j >= 0 && j < p->S && is_own(p, row, i, j) &&
        (j + 1 == p->S || !is_own(p, row, i, j + 1)))
        return j;
    for (j = p->S - 1; j >= 0 && !is_own(p, row, i, j);)
        j--;
    return j;
}

void lct_stick_fill(const struct lct_plan *p)
{
    if (p->request->stick == NULL)
        return;
    for (int64_t row = 0; row < p->position_rows; row++)
        for (int64_t i = 0; i < p->T; i++)
            p->tables->own[row * p->T + i] =
                p->request->own_rest ? find_own(p, row, i) : -1;
}

void lct_stick_layout_scratch(struct lct_scratch *s, const struct lct_plan *p,
                              struct lct_arena *arena)
{
    bool stick = p->request->stick != NULL;

    s->rest = lct_arena_floats(arena, stick, LCT_TILE);
    s->rests = lct_arena_floats(arena, stick ? p->k_tiles : 0, LCT_TILE);
    s->own = lct_arena_floats(arena, stick, LCT_TILE);
    s->sum = lct_arena_floats(arena, stick, LCT_TILE);
    s->sigma = lct_arena_floats(arena, stick ? LCT_TILE : 0, LCT_TILE);
    s->own_value = lct_arena_floats(arena, stick, p->padded_v);
}

double lct_stick_lse(double rest)
{
    return rest > 0x1p-126 ? log(rest) : isnan(rest) ? rest : LCT_STICK_LEAST;
}

/* ------------------------------------------------------------------ weights */

static void begin(const struct lct_tile *t, struct lct_scratch *s)
{
    for (size_t i = 0; i < LCT_TILE; i++)
        s->rest[i] = (int64_t)i < t->rows ? 1 : 0;
}

/* Is there a rest that older keys can take? */
static bool is_left(const struct lct_scratch *s)
{
    bool any = false;

    for (size_t i = 0; i < LCT_TILE; i++)
        any |= s->rest[i] != 0; /* also if NaN */
    return any;
}

/* s->s: scores become weights; s->sigma: their sigmoids, in backward. */
static void weights(const struct lct_plan *p, const struct lct_tile *t,
                    struct lct_scratch *s)
{
    struct lct_steps e = { 0 };
    float *sigma = p->pass == LCT_PASS_BACKWARD ? s->sigma : NULL;

    while (lct_steps_next(t, &e)) {
        p->kernels->stick_step(s->s + e.lane,
                               sigma == NULL ? NULL : sigma + e.lane, t->lanes,
                               e.keys, e.lanes, s->rest + e.lane);
        for (size_t j = e.keys; j < (size_t)t->keys; j++) {
            size_t at = j * t->lanes + e.lane;

            memset(s->s + at, 0, e.lanes * sizeof(float));
            if (sigma != NULL)
                memset(sigma + at, 0, e.lanes * sizeof(float));
        }
    }
}

/* ------------------------------------------------------------------ forward */

struct job {
    const struct lct_plan *p;
    const locant_tensor *out, *lse;
};

/* Load the value of the key at the query's position; NULL: there is none. */
static const float *own_value(const struct lct_plan *p,
                              const struct lct_tile *t, struct lct_scratch *s,
                              int64_t i)
{
    int64_t j = p->tables->own[lct_plan_row(p, t->b) * p->T + t->i + i];
    int64_t at[3] = { t->b, lct_plan_kv_head(p, t->h), j };
    struct lct_paged_rows v;

    if (j < 0)
        return NULL;
    v = lct_paged_rows_of(&p->request->paged, &p->request->v, at, 1,
                          s->paged_v);
    lct_load_rows(p, s->own_value, p->padded_v, &v.x, v.at, 1);
    return s->own_value;
}

static void store(const struct job *job, const struct lct_tile *t,
                  struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;

    for (int64_t i = 0; i < t->rows; i++) {
        int64_t at[3] = { t->b, t->h, t->i + i };
        int64_t row = lct_plan_row(p, t->b) * p->T + at[2];
        const float *own = own_value(p, t, s, i);
        bool padding = p->documents && p->tables->q_docs[row] < 0;

        for (int64_t d = 0; own != NULL && s->rest[i] != 0 && d < p->padded_v;
             d++)
            s->out[i * p->padded_v + d] += s->rest[i] * own[d];
        *(float *)lct_at(job->lse, at, 3) =
            padding ? -INFINITY : (float)lct_stick_lse((double)s->rest[i]);
    }
    lct_load_rows_back(p, job->out, s->out, p->padded_v,
                       (int64_t[3]){ t->b, t->h, t->i }, t->rows);
}

/* One tile of queries, keys from the newest to the oldest. */
static void forward_task(void *context, size_t task, int slot)
{
    const struct job *job = context;
    const struct lct_plan *p = job->p;
    int64_t head = (int64_t)task / p->q_tiles;
    struct lct_scratch *s = lct_scratch_of(p, slot, 0);
    /* Start with the last tiles, which take longest. */
    struct lct_tile t =
        lct_tile_of(p, head / p->H, head % p->H,
                    p->q_tiles - 1 - (int64_t)task % p->q_tiles);

    p->arithmetic->load_queries(p, &t, s);
    memset(s->out, 0, (size_t)(t.rows * p->padded_v) * sizeof(float));
    for (size_t i = 0; i < LCT_TILE; i++)
        s->rescale[i] = 1;
    begin(&t, s);
    for (int64_t k = lct_plan_key_tiles(p, t.b); k-- > 0 && is_left(s);) {
        struct lct_loaded l;

        if (!lct_mask_classify(p, &t, k, s))
            continue;
        l = p->arithmetic->load_keys(p, &t, s);
        lct_scores_of_tile(p, &t, s, &l, NULL);
        weights(p, &t, s);
        p->arithmetic->values(p, &t, s, &l);
    }
    store(job, &t, s);
}

void lct_stick_forward(const struct lct_plan *p, const locant_tensor *out,
                       const locant_tensor *lse)
{
    struct job job = { p, out, lse };

    lct_parallel_for((size_t)(p->B * p->H * p->q_tiles), p->slots, forward_task,
                     &job);
}

/* ----------------------------------------------------------------- backward */

/* s->rests[k] = the rests before tile k of keys takes its part; tiles before
 * the one that is returned take nothing. */
static int64_t find_rests(const struct lct_plan *p, struct lct_tile *t,
                          struct lct_scratch *s)
{
    int64_t k = p->k_tiles;

    begin(t, s);
    while (k > 0 && is_left(s)) {
        struct lct_loaded l;

        k--;
        memcpy(s->rests + k * LCT_TILE, s->rest, LCT_TILE * sizeof(float));
        if (!lct_mask_classify(p, t, k, s))
            continue;
        l = p->arithmetic->load_keys(p, t, s);
        lct_scores_of_tile(p, t, s, &l, s->slope);
        weights(p, t, s);
    }
    return k;
}

/* s->own = dout.v of the key at each query's position; its dv += rest dout. */
static void own_backward(const struct lct_backward *job,
                         const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;

    memset(s->own, 0, LCT_TILE * sizeof(float));
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t j = p->tables->own[lct_plan_row(p, t->b) * p->T + t->i + i];
        const float *dout = s->dout + i * p->padded_v, *own;
        struct lct_tile key = *t;
        struct lct_product_rows dv;
        double sum = 0;

        if (j < 0)
            continue;
        own = own_value(p, t, s, i);
        for (int64_t d = 0; d < p->Dv; d++)
            sum += (double)dout[d] * (double)own[d];
        s->own[i] = (float)sum;
        key.j = j;
        dv = lct_backward_dv(job, &key, s);
        for (int64_t d = 0; dv.at != NULL && d < p->Dv; d++)
            dv.at[d] += s->rest[i] * dout[d];
    }
}

void lct_stick_backward(
    const struct lct_backward *job, struct lct_tile *t, struct lct_scratch *s,
    void (*finish)(const struct lct_backward *job, const struct lct_tile *t,
                   struct lct_scratch *s, const struct lct_loaded *l))
{
    const struct lct_plan *p = job->p;
    int64_t k = find_rests(p, t, s);

    own_backward(job, t, s);
    memset(s->sum, 0, LCT_TILE * sizeof(float));
    for (; k < p->k_tiles; k++) {
        struct lct_steps e = { 0 };
        struct lct_loaded l;

        if (!lct_mask_classify(p, t, k, s))
            continue;
        l = p->arithmetic->load_keys(p, t, s);
        memcpy(s->rest, s->rests + k * LCT_TILE, LCT_TILE * sizeof(float));
        lct_scores_of_tile(p, t, s, &l, s->slope);
        weights(p, t, s);
        p->arithmetic->values_backward(p, t, s, &l, lct_backward_dv(job, t, s));
        while (lct_steps_next(t, &e)) {
            p->kernels->stick_gradient(
                s->ds + e.lane, s->s + e.lane, s->sigma + e.lane, t->lanes,
                e.keys, e.lanes, s->own + e.lane, s->sum + e.lane);
            for (size_t j = e.keys; j < (size_t)t->keys; j++)
                memset(s->ds + j * t->lanes + e.lane, 0,
                       e.lanes * sizeof(float));
        }
        finish(job, t, s, &l);
    }
}

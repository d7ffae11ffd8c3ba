/* net_run.c - run a stack of layers over tokens, some at a time */
#include "net_run.h"
#include "net_adaptive.h"
#include "net_block.h"
#include "net_convolution.h"
#include "net_enter.h"
#include "net_grid.h"
#include "net_length.h"
#include "net_math.h"
#include "net_merger.h"
#include "net_norm.h"
#include "net_patches.h"
#include "net_share.h"
#include "net_streams.h"
#include "net_windows.h"
#include <string.h>
#include <time.h>

enum { ROWS = 512 }; /* of a step: enough for fast products */

int64_t lct_net_run_chunk(const struct lct_net *n, int64_t B, int64_t T)
{
    int64_t most = B < ROWS ? ROWS / B : 1;

    for (int64_t i = 0; i < n->text.n_layers; i++) {
        const struct lct_net_attention *at = &n->text.layers[i].attention;

        if (at->plan->mask != LCT_CAUSAL ||
            (at->encoding != NULL &&
             (locant_encoding_traits(at->encoding) & LOCANT_TRAIT_LENGTH)))
            most = T;
    }
    return most < T ? most : T;
}

static bool has_chunks(const struct lct_net_stack *s)
{
    for (int64_t i = 0; i < s->n_layers; i++)
        if (s->layers[i].attention.plan->chunk > 0)
            return true;
    return false;
}

/* Memory for 'rows' tokens of a step. */
static locant_status begin(struct lct_net_run *r, int64_t B, int64_t capacity,
                           int64_t rows)
{
    const struct lct_net *n = r->n;
    const struct lct_net_stack *s = r->stack;

    r->ids = s->plan->ids;
    LCT_TRY(lct_net_linear_begin(&r->room, n));
    LCT_TRY(lct_net_cache_create(&r->cache, &r->room, s, B,
                                 n->s.memory + capacity));
    lct_net_cache_append(r->cache, LCT_IDS_ARANGE, n->s.memory, NULL, NULL, 0,
                         0);
    r->x = lct_net_take(&r->room, rows * n->s.streams, n->width);
    r->embed = lct_net_take(&r->room, rows,
                            n->adaptive != NULL ? lct_net_adaptive_scratch(n)
                                                : n->embed.in);
    if (s->inputs_width > 0)
        r->inputs = lct_net_take(&r->room, rows, s->inputs_embed.in);
    r->docs = lct_net_take_items(&r->room, has_chunks(s) ? B : 0, capacity,
                                 sizeof(*r->docs));
    LCT_NET_GOT(r->docs);
    return LOCANT_OK;
}

locant_status lct_net_run_begin_stack(struct lct_net_run *r,
                                      const struct lct_net *n,
                                      const struct lct_net_stack *s, int64_t B,
                                      int64_t capacity, int64_t most)
{
    *r = (struct lct_net_run){ .n = n, .stack = s, .most = most };
    return begin(r, B, capacity, B * most);
}

locant_status lct_net_run_begin(struct lct_net_run *r, const struct lct_net *n,
                                int64_t B, int64_t capacity, int64_t most)
{
    return lct_net_run_begin_share(r, n, B, capacity, most, NULL);
}

locant_status lct_net_run_begin_share(struct lct_net_run *r,
                                      const struct lct_net *n, int64_t B,
                                      int64_t capacity, int64_t most,
                                      struct lct_net_share *share)
{
    if (share == NULL)
        return lct_net_run_begin_stack(r, n, &n->text, B, capacity, most);
    *r = (struct lct_net_run){
        .n = n, .stack = &n->text, .most = most, .share = share
    };
    LCT_TRY(begin(r, B, capacity,
                  B * lct_net_share_most(share, n, capacity, most)));
    return lct_net_share_reserve(share, &r->room, B, n->s.memory + capacity,
                                 most);
}

void lct_net_run_end(struct lct_net_run *r)
{
    locant_encoding_free(r->encoding);
    lct_net_room_end(&r->room);
}

/* ------------------------------------------------------------------ layers */

double lct_net_run_now(void)
{
    struct timespec t;

    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Add the time since *from to a counter, and begin anew. */
static void count(struct lct_net_run *r, int64_t i, double *from)
{
    double time;

    if (r->seconds == NULL)
        return;
    time = lct_net_run_now();
    r->seconds[i] += time - *from;
    *from = time;
}

/* The first layer, with the convolution of what it reads. */
static locant_status run_first(struct lct_net_run *r,
                               const struct lct_net_step *step)
{
    const struct lct_net_math *m = r->n->math;
    const int64_t B = r->cache->B, D = r->n->width;
    const size_t mark = r->room.used;
    void *input = lct_net_take(&r->room, B * r->cache->length, D);

    LCT_NET_GOT(input);
    if (r->share != NULL)
        LCT_TRY(lct_net_share_rows(input, r->x, r->share, m, B, D));
    else
        memcpy(input, r->x, (size_t)(B * step->T * D) * m->item);
    LCT_TRY(lct_net_block_forward(r->x, step, &r->stack->layers[0], 0));
    LCT_TRY(lct_net_convolution_forward(r, input, step->from, step->T));
    lct_net_give_back(&r->room, mark);
    return LOCANT_OK;
}

static locant_status run_layer(struct lct_net_run *r, struct lct_net_step *step,
                               const struct lct_net_tokens *t, int64_t i)
{
    const struct lct_net_layer *l = &r->stack->layers[i];

    if (i == 0 && r->stack->convolution != NULL)
        LCT_TRY(run_first(r, step));
    else
        LCT_TRY(lct_net_block_forward(r->x, step, l, i));
    if (l->merge != NULL)
        LCT_TRY(lct_net_windows_merge(r->x, step, l));
    if (l->deep != NULL)
        LCT_TRY(lct_net_merger_forward(r->deep[r->deeps++], r->x,
                                       r->cache->B * step->T /
                                           (t->grid->merge * t->grid->merge),
                                       l->deep, &r->room));
    lct_net_enter_seen(r, t, i);
    return LOCANT_OK;
}

/* With a share the ranks have still to agree about a failure. */
static locant_status hold(struct lct_net_run *r, locant_status status)
{
    if (r->share == NULL)
        return status;
    lct_group_hold(&r->share->held, status);
    return LOCANT_OK;
}

static bool computes(const struct lct_net_run *r)
{
    return r->share == NULL || r->share->held.status == LOCANT_OK;
}

/* A layer whose tokens are shared out: a rank that has none, or has failed, is
   there for the exchanges. */
static locant_status share_layer(struct lct_net_run *r,
                                 struct lct_net_step *step,
                                 const struct lct_net_tokens *t, int64_t i)
{
    struct lct_net_share *s = r->share;

    s->exchanges = 0;
    if (step->T > 0 && computes(r))
        LCT_TRY(hold(r, run_layer(r, step, t, i)));
    return lct_net_share_skip(s, r->n, i, r->cache->B);
}

static locant_status run_layers(struct lct_net_run *r,
                                struct lct_net_step *step,
                                const struct lct_net_tokens *t, double *from)
{
    r->deeps = 0;
    for (int64_t i = 0; i < r->stack->n_layers; i++) {
        LCT_TRY((r->share != NULL ? share_layer : run_layer)(r, step, t, i));
        count(r, i, from);
    }
    return LOCANT_OK;
}

/* After the last layer. */
static locant_status leave(struct lct_net_run *r)
{
    const int64_t rows = r->cache->B * r->T;

    LCT_TRY(lct_net_streams_leave(r->x, rows, &r->room));
    lct_net_norm_rows(r->x, r->x, rows, r->n->math, &r->stack->final_norm);
    return LOCANT_OK;
}

/* Those of the tokens that this rank has. */
static struct lct_net_tokens own_of(struct lct_net_run *r,
                                    const struct lct_net_tokens *t)
{
    struct lct_net_tokens own = *t;
    int64_t at;

    lct_net_share_cut(r->share, r->n, r->from, t->T);
    at = r->share->begin[r->share->group->rank];
    own.T = lct_net_share_tokens(r->share, r->share->group->rank);
    own.ids = t->ids + at;
    own.types = t->types != NULL ? t->types + at : NULL;
    own.seen = t->seen != NULL ? t->seen + at : NULL;
    r->from += at;
    return own;
}

/* Tokens that have slots in the cache, the last t->T of each row. */
static locant_status run_tokens(struct lct_net_run *r,
                                const struct lct_net_tokens *t)
{
    const int64_t L = r->stack->n_layers;
    struct lct_net_tokens own = *t;
    struct lct_net_step step = { .n = r->n,
                                 .cache = r->cache,
                                 .share = r->share,
                                 .docs = r->docs,
                                 .memory = r->memory,
                                 .inputs = r->inputs,
                                 .encoding = r->encoding,
                                 .room = &r->room,
                                 .watch = r->watch };
    double from = r->seconds != NULL ? lct_net_run_now() : 0;

    if (t->grid != NULL) {
        step.windows = t->grid->windows;
    } else if (r->stack->patches != NULL) {
        step.rows = t->height / r->stack->patches->side[0];
        step.columns = t->width / r->stack->patches->side[1];
    }
    lct_net_enter_positions(r, t);
    r->from = r->cache->length - t->T;
    if (r->share != NULL)
        own = own_of(r, t);
    step.from = r->from;
    step.T = own.T;
    if (own.T > 0 && computes(r))
        LCT_TRY(hold(r, lct_net_enter(r, &own)));
    count(r, L, &from);
    LCT_TRY(run_layers(r, &step, &own, &from));
    r->T = step.T;
    return r->T > 0 ? hold(r, leave(r)) : LOCANT_OK;
}

locant_status lct_net_run_step(struct lct_net_run *r,
                               const struct lct_net_tokens *t)
{
    if (r->n->s.by_prompt && r->cache->length == 0)
        LCT_TRY(hold(r, lct_net_length_encoding(&r->encoding, r, t)));
    lct_net_cache_append(r->cache, r->ids, t->T, t->mask, t->positions,
                         t->stride, t->axis);
    return run_tokens(r, t);
}

locant_status lct_net_run_again(struct lct_net_run *r,
                                const struct lct_net_tokens *one,
                                const struct lct_net_tokens *all)
{
    lct_net_cache_append(r->cache, r->ids, 1, NULL, one->positions, one->stride,
                         one->axis);
    lct_net_cache_restart(r->cache, r->stack, r->n->math->item);
    return run_tokens(r, all);
}

/* --------------------------------------------------------------------- head */

int64_t lct_net_run_width(const struct lct_net *n)
{
    const struct lct_net_matrix *out = &n->text.project_out.w;

    return out->weight != NULL ? out->out : n->width;
}

void lct_net_run_states(void *out, const void *x, int64_t rows,
                        struct lct_net_run *r)
{
    const struct lct_net *n = r->n;
    const struct lct_net_linear *project = &n->text.project_out;

    if (project->w.weight != NULL)
        lct_net_linear_forward(out, x, rows, project, &r->room);
    else
        memcpy(out, x, (size_t)(rows * n->width) * n->math->item);
}

void lct_net_run_head(void *out, const void *x, int64_t rows,
                      struct lct_net_run *r)
{
    const struct lct_net *n = r->n;
    double from = r->seconds != NULL ? lct_net_run_now() : 0;

    if (n->adaptive != NULL) {
        lct_net_adaptive_head(out, x, rows, r->embed, &r->room);
        count(r, n->text.n_layers + 1, &from);
        return;
    }
    if (n->text.project_out.w.weight != NULL) {
        lct_net_run_states(r->embed, x, rows, r);
        x = r->embed;
    }
    if (n->head_dense.w.weight != NULL) {
        lct_net_linear_forward(r->embed, x, rows, &n->head_dense, &r->room);
        n->math->activate(r->embed, n->head_act, rows * n->embed.in);
        lct_net_norm_rows(r->embed, r->embed, rows, n->math, &n->head_norm);
        x = r->embed;
    }
    lct_net_linear_forward(out, x, rows, &n->head, &r->room);
    if (n->logit_scale != 1)
        n->math->scale(out, n->logit_scale, rows * n->vocab);
    if (n->s.logit_cap != 0)
        n->math->cap(out, n->s.logit_cap, rows * n->vocab);
    count(r, n->text.n_layers + 1, &from);
}

/* model_share.c - see model_share.h */
#include "model_share.h"
#include "model_greet.h"
#include "net_length.h"
#include "net_losses.h"
#include "net_math.h"
#include "net_patches.h"
#include "net_share.h"
#include <inttypes.h>
#include <stdio.h>

enum { ROWS = 64 }; /* tokens whose logits are sent at a time */

/* ------------------------------------------------------------------ groups */

locant_status lct_model_share_group(const locant_group **out, const char *fn,
                                    const locant_model_input *in)
{
    *out = NULL;
    if (in == NULL || in->struct_size != sizeof(*in))
        return LOCANT_OK;
    LCT_TRY(lct_group_check(fn, in->group));
    if (lct_group_size(in->group) > 1)
        *out = in->group;
    return LOCANT_OK;
}

locant_status lct_model_share_refuse(const char *fn,
                                     const locant_model_input *in)
{
    const locant_group *g;

    LCT_TRY(lct_model_share_group(&g, fn, in));
    return g == NULL ? LOCANT_OK
                     : locant_fail(LOCANT_ERR_PARAM,
                                   "%s: runs in one process, and the group has "
                                   "%d ranks",
                                   fn, g->size);
}

/* ----------------------------------------------------------------- sharing */

/* A call on this rank. */
struct work {
    const struct lct_model_call *call;
    const struct lct_net *n;
    struct lct_net_share share;
    struct lct_net_run run;
    struct lct_model_memory memory;
    struct lct_model_input own; /* rows of this rank */
    bool whole_rows; /* each rank has whole rows; else tokens of all rows */
    void *out;
    double *seconds; /* or NULL */
    size_t room_bytes, logits_bytes;
    void *room;   /* what is sent */
    void *logits; /* [LCT_NET_LOSSES_ROWS, vocab] */
};

/* The first row of rank r. */
static int64_t first_row(const struct work *w, int r)
{
    return w->whole_rows
               ? lct_group_share(w->call->in.B, r, w->call->group->size)
               : 0;
}

static int64_t rows_of(const struct work *w, int r)
{
    return w->whole_rows ? first_row(w, r + 1) - first_row(w, r)
                         : w->call->in.B;
}

/* The first of the tokens that rank r has of a step of T, and their number. */
static int64_t first_token(const struct work *w, int r)
{
    return w->whole_rows ? 0 : w->share.begin[r];
}

static int64_t tokens_of(const struct work *w, int r, int64_t T)
{
    return w->whole_rows ? T : lct_net_share_tokens(&w->share, r);
}

/* Do rows depend on each other, or on what is not cut into rows? */
static bool rows_are_tied(const struct lct_model_call *c)
{
    return lct_net_length_matters(&c->n->text) || c->n->s.by_prompt ||
           (c->n->encoder.plan != NULL &&
            lct_net_length_matters(&c->n->encoder)) ||
           c->in.images.pixels != NULL;
}

static locant_status check_images(const struct lct_model_call *c)
{
    if (c->n->text.patches == NULL || c->in.B >= c->group->size)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: %s reads whole images, and there are %" PRId64
                       " for %d ranks",
                       c->fn, c->n->config.model_type, c->in.B, c->group->size);
}

/* Tokens of a row in a step, the same number on every rank. */
static int64_t step_of(const struct work *w)
{
    const struct lct_model_call *c = w->call;
    const int64_t size = c->group->size, T = c->in.T;
    const int64_t rows = w->whole_rows ? (c->in.B + size - 1) / size : c->in.B;
    int64_t most;

    if (lct_net_length_matters(&w->n->text))
        return T;
    most = lct_net_run_chunk(w->n, rows, T);
    return w->whole_rows || most > T / size ? most : most * size;
}

static locant_status begin(struct work *w)
{
    const struct lct_model_call *c = w->call;
    const int rank = c->group->rank;
    const double from = lct_net_run_now();

    w->own = w->whole_rows
                 ? lct_model_input_rows(&c->in, w->n, first_row(w, rank),
                                        rows_of(w, rank))
                 : c->in;
    w->room = locant_alloc(w->room_bytes + 1);
    w->logits = locant_alloc(w->logits_bytes + 1);
    if (w->room == NULL || w->logits == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", c->fn);
    LCT_TRY(lct_model_run_begin_share(&w->run, &w->memory, w->n, &w->own,
                                      step_of(w),
                                      w->whole_rows ? NULL : &w->share));
    w->run.seconds = w->seconds;
    if (w->seconds != NULL)
        w->seconds[w->n->text.n_layers] = lct_net_run_now() - from;
    return LOCANT_OK;
}

static void end(struct work *w)
{
    lct_model_run_end(&w->run, &w->memory);
    locant_release(w->room);
    locant_release(w->logits);
}

/* Open a call of all ranks, which are alike then. */
static locant_status open_call(struct work *w, const struct lct_model_call *c)
{
    *w = (struct work){ .call = c, .n = c->n };
    LCT_TRY(lct_model_greet(c));
    LCT_TRY(check_images(c));
    w->whole_rows = c->in.B >= c->group->size && !rows_are_tied(c);
    return LOCANT_OK;
}

/* Steps over all tokens, after each of which put() shows what has come. */
static locant_status run_steps(struct work *w,
                               locant_status (*put)(struct work *w, int64_t t,
                                                    int64_t T))
{
    for (int64_t t = 0, T; t < w->own.T; t += T) {
        T = w->own.T - t < w->run.most ? w->own.T - t : w->run.most;
        const struct lct_net_tokens part = lct_model_input_part(&w->own, t, T);

        lct_group_hold(&w->share.held, lct_net_run_step(&w->run, &part));
        LCT_TRY(lct_net_share_agree(&w->share));
        LCT_TRY(put(w, t, T));
    }
    return LOCANT_OK;
}

/* Begin, run and end, of a call that is open. */
static locant_status run_call(struct work *w,
                              locant_status (*put)(struct work *w, int64_t t,
                                                   int64_t T))
{
    locant_status status;

    lct_net_share_begin(&w->share, w->call->group);
    lct_group_hold(&w->share.held, begin(w));
    status = lct_net_share_agree(&w->share);
    if (status == LOCANT_OK)
        status = run_steps(w, put);
    end(w);
    return status;
}

/* ------------------------------------------------------------------ logits */

/* Block k of what rank r has of a step: up to ROWS tokens of a row. */
struct block {
    int64_t b, i, count; /* count 0: there is none */
};

static struct block block_of(const struct work *w, int r, int64_t k, int64_t T)
{
    const int64_t tokens = tokens_of(w, r, T);
    const int64_t blocks = (tokens + ROWS - 1) / ROWS;
    struct block x = { 0 };

    if (blocks == 0 || k / blocks >= rows_of(w, r))
        return x;
    x.b = k / blocks;
    x.i = k % blocks * ROWS;
    x.count = tokens - x.i < ROWS ? tokens - x.i : ROWS;
    return x;
}

static size_t bytes_of(const struct work *w, int64_t rows)
{
    return (size_t)(rows * w->call->each) * w->n->math->item;
}

/* Where a block of rank r goes. */
static void *place_of(const struct work *w, int r, const struct block *x,
                      int64_t t)
{
    const int64_t row =
        (first_row(w, r) + x->b) * w->call->in.T + t + first_token(w, r) + x->i;

    return lct_net_math_at(w->n->math, w->out, row * w->call->each);
}

static void fill(void *to, struct work *w, const struct block *x)
{
    const struct lct_net *n = w->n;
    const void *from =
        lct_net_math_at(n->math, w->run.x, (x->b * w->run.T + x->i) * n->width);

    if (w->call->flags & LOCANT_MODEL_HIDDEN)
        lct_net_run_states(to, from, x->count, &w->run);
    else
        lct_net_run_head(to, from, x->count, &w->run);
}

/* Rank 0 takes a block of every other rank that has one. */
static locant_status take(struct work *w, int64_t k, int64_t t, int64_t T,
                          bool *any)
{
    const locant_group *g = w->share.group;
    locant_piece pieces[LCT_GROUP_RANKS];
    size_t n = 0;

    for (int r = 1; r < g->size; r++) {
        const struct block x = block_of(w, r, k, T);

        if (x.count > 0)
            pieces[n++] = (locant_piece){ r, place_of(w, r, &x, t),
                                          bytes_of(w, x.count) };
    }
    *any = n > 0;
    return n > 0 ? g->exchange(NULL, 0, pieces, n, g->context) : LOCANT_OK;
}

static locant_status put_logits(struct work *w, int64_t t, int64_t T)
{
    const locant_group *g = w->share.group;
    bool more = true, any = false;

    for (int64_t k = 0; more; k++) {
        const struct block x = block_of(w, g->rank, k, T);
        const locant_piece piece = { 0, w->room, bytes_of(w, x.count) };

        if (x.count > 0)
            fill(g->rank > 0 ? w->room : place_of(w, 0, &x, t), w, &x);
        if (g->rank > 0 && x.count > 0)
            LCT_TRY(g->exchange(&piece, 1, NULL, 0, g->context));
        if (g->rank == 0)
            LCT_TRY(take(w, k, t, T, &any));
        more = x.count > 0 || any;
    }
    return LOCANT_OK;
}

/* Classes of images, or states: all rows of a rank at once. */
static locant_status put_images(struct work *w, int64_t t, int64_t T)
{
    const locant_group *g = w->share.group;
    const int64_t rows = w->call->flags & LOCANT_MODEL_HIDDEN ? w->run.T : 1;
    const size_t each = bytes_of(w, rows);
    void *to = g->rank > 0 ? w->room : w->out;
    const locant_piece piece = { 0, w->room, (size_t)w->own.B * each };
    locant_piece pieces[LCT_GROUP_RANKS];

    (void)t;
    (void)T;
    if (w->call->flags & LOCANT_MODEL_HIDDEN)
        lct_net_run_states(to, w->run.x, w->own.B * rows, &w->run);
    else
        lct_group_hold(&w->share.held,
                       lct_net_patches_head(to, &w->run, w->run.T));
    LCT_TRY(lct_net_share_agree(&w->share));
    if (g->rank > 0)
        return g->exchange(&piece, 1, NULL, 0, g->context);
    for (int r = 1; r < g->size; r++)
        pieces[r - 1] =
            (locant_piece){ r, (char *)w->out + (size_t)first_row(w, r) * each,
                            (size_t)rows_of(w, r) * each };
    return g->exchange(NULL, 0, pieces, (size_t)g->size - 1, g->context);
}

locant_status lct_model_share_logits(void *out, double *seconds,
                                     const struct lct_model_call *call)
{
    struct work w;
    int64_t room = ROWS;

    LCT_TRY(open_call(&w, call));
    if (call->in.B == 0 || call->in.T == 0)
        return LOCANT_OK;
    w.out = out;
    w.seconds = seconds;
    if (w.n->text.patches != NULL)
        room =
            rows_of(&w, call->group->rank) *
            (call->flags & LOCANT_MODEL_HIDDEN
                 ? lct_net_patches_states(w.n, call->in.height, call->in.width)
                 : 1);
    w.room_bytes = bytes_of(&w, room);
    return run_call(&w, w.n->text.patches != NULL ? put_images : put_logits);
}

/* ------------------------------------------------------------------ losses */

/* Move losses of rank r after a step between 'out' and the numbers that are
   exchanged. */
static void move(struct work *w, int r, int64_t t, int64_t T, bool in)
{
    const int64_t tokens = tokens_of(w, r, T), all = w->call->in.T - 1;
    double *x = (double *)(void *)((char *)w->room + w->share.bytes[r]);
    double *out = w->out;

    for (int64_t i = 0; i < rows_of(w, r) * tokens; i++) {
        const int64_t at = t + first_token(w, r) + i % tokens;
        const int64_t row = first_row(w, r) + i / tokens;

        if (at < all && in)
            out[row * all + at] = x[i];
        else if (!in)
            x[i] = at < all ? out[row * all + at] : 0;
    }
}

static locant_status put_losses(struct work *w, int64_t t, int64_t T)
{
    const int rank = w->call->group->rank, size = w->call->group->size;
    double *own = (double *)w->out + first_row(w, rank) * (w->own.T - 1);

    for (int64_t b = 0; b < w->own.B; b++)
        lct_net_losses_put(own, &w->run, &w->own, b, t + first_token(w, rank),
                           tokens_of(w, rank, T), w->logits);
    w->share.bytes[0] = 0;
    for (int r = 0; r < size; r++)
        w->share.bytes[r + 1] =
            w->share.bytes[r] +
            (size_t)(rows_of(w, r) * tokens_of(w, r, T)) * sizeof(*own);
    move(w, rank, t, T, false);
    LCT_TRY(lct_group_gather(w->room, w->share.bytes, w->share.group));
    for (int r = 0; r < size; r++)
        if (r != rank)
            move(w, r, t, T, true);
    return LOCANT_OK;
}

locant_status lct_model_share_losses(double *out,
                                     const struct lct_model_call *call)
{
    struct work w;

    LCT_TRY(open_call(&w, call));
    if (call->in.B == 0 || call->in.T < 2)
        return LOCANT_OK;
    w.out = out;
    w.room_bytes = (size_t)(call->in.B * step_of(&w)) * sizeof(*out);
    w.logits_bytes =
        (size_t)(LCT_NET_LOSSES_ROWS * w.n->vocab) * w.n->math->item;
    return run_call(&w, put_losses);
}

/* net_run.c - run a stack of layers over tokens, some at a time */
#include "net_run.h"
#include "net_adaptive.h"
#include "net_block.h"
#include "net_convolution.h"
#include "net_grid.h"
#include "net_length.h"
#include "net_math.h"
#include "net_merger.h"
#include "net_norm.h"
#include "net_patches.h"
#include "net_seen.h"
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

locant_status lct_net_run_begin(struct lct_net_run *r, const struct lct_net *n,
                                int64_t B, int64_t capacity, int64_t most)
{
    return lct_net_run_begin_stack(r, n, &n->text, B, capacity, most);
}

locant_status lct_net_run_begin_stack(struct lct_net_run *r,
                                      const struct lct_net *n,
                                      const struct lct_net_stack *s, int64_t B,
                                      int64_t capacity, int64_t most)
{
    const int64_t rows = B * most;
    int64_t scratch = 0;

    *r = (struct lct_net_run){
        .n = n, .stack = s, .ids = s->plan->ids, .most = most
    };
    for (int64_t i = 0; i < s->n_layers; i++) {
        int64_t each = lct_net_block_scratch(n, &s->layers[i], rows);

        if (each > scratch)
            scratch = each;
    }
    LCT_TRY(lct_net_cache_create(&r->cache, n, s, B, s->memory + capacity));
    lct_net_cache_append(r->cache, LCT_IDS_ARANGE, s->memory, NULL, NULL, 0, 0);
    LCT_TRY(lct_net_linear_begin(&r->room, n));
    r->x = lct_net_zeros(rows * s->n_streams, n->width, n->math->item);
    if (s->inputs_width > 0)
        r->inputs = lct_net_zeros(rows, s->inputs_embed.in, n->math->item);
    r->embed = lct_net_zeros(
        rows, n->adaptive != NULL ? lct_net_adaptive_scratch(n) : n->embed.in,
        n->math->item);
    r->scratch = lct_net_zeros(scratch, 1, n->math->item);
    r->docs =
        has_chunks(s) ? lct_net_zeros(B, capacity, sizeof(*r->docs)) : NULL;
    if (r->x == NULL || r->embed == NULL || r->scratch == NULL ||
        (has_chunks(s) && r->docs == NULL) ||
        (s->inputs_width > 0 && r->inputs == NULL))
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    return LOCANT_OK;
}

void lct_net_run_end(struct lct_net_run *r)
{
    lct_net_cache_free(r->cache);
    locant_encoding_free(r->encoding);
    lct_net_linear_end(&r->room);
    locant_release(r->x);
    locant_release(r->embed);
    locant_release(r->scratch);
    locant_release(r->docs);
    locant_release(r->inputs);
}

/* ------------------------------------------------------------------ input */

/* Add what the input door of the encoding gives at the new slots. */
static locant_status add_positions(struct lct_net_run *r, int64_t T)
{
    const struct lct_net *n = r->n;
    const struct lct_net_cache *c = r->cache;

    for (int64_t b = 0; r->stack->input != NULL && b < c->B; b++) {
        int64_t *first = c->positions + b * c->capacity + c->length - T;
        locant_tensor at = locant_dense(first, LOCANT_I64, 1, &T);
        locant_tensor x =
            locant_dense(lct_net_math_at(n->math, r->x, b * T * n->width),
                         n->dtype, 2, (int64_t[2]){ T, n->width });

        LCT_TRY(locant_encoding_add(&x, &x, r->stack->input, &at,
                                    r->stack->input_params));
    }
    return LOCANT_OK;
}

/* Rows of RoBERTa's table: padding, which is a token whatever the mask says,
   has row pad, and the others count from pad + 1 on.  Tokens of one step. */
static void count_from_pad(struct lct_net_run *r,
                           const struct lct_net_tokens *t)
{
    const struct lct_net_cache *c = r->cache;
    const int64_t pad = r->stack->plan->pad;

    if (r->stack->plan->ids != LCT_IDS_PAD || t->positions != NULL)
        return;
    for (int64_t b = 0; b < c->B; b++) {
        int64_t *at = c->positions + b * c->capacity + c->length - t->T;
        int64_t last = pad;

        for (int64_t i = 0; i < t->T; i++)
            at[i] = t->ids[b * t->stride + i] != pad ? ++last : pad;
    }
}

static void add_types(struct lct_net_run *r, const struct lct_net_tokens *t)
{
    const struct lct_net *n = r->n;
    const struct lct_net_math *m = n->math;

    for (int64_t i = 0; i < r->cache->B * t->T; i++) {
        const int64_t at = i / t->T * t->stride + i % t->T;
        const int64_t type = t->types != NULL ? t->types[at] : 0;

        m->add(lct_net_math_at(m, r->x, i * n->width),
               lct_net_math_at(m, r->stack->types, type * n->width), 1,
               n->width);
    }
}

/* Inputs of layers, and further streams. */
static locant_status enter_others(struct lct_net_run *r,
                                  const struct lct_net_tokens *t)
{
    const struct lct_net *n = r->n;
    const int64_t each = r->stack->inputs_embed.in;

    for (int64_t b = 0; r->inputs != NULL && b < r->cache->B; b++)
        LCT_TRY(lct_net_inputs_make(
            lct_net_math_at(n->math, r->inputs, b * t->T * each),
            t->ids + b * t->stride,
            lct_net_math_at(n->math, r->x, b * t->T * n->width), t->T, n,
            &r->room));
    lct_net_streams_enter(r->x, r->cache->B * t->T, n, &r->room);
    return LOCANT_OK;
}

static locant_status enter(struct lct_net_run *r,
                           const struct lct_net_tokens *t)
{
    const struct lct_net *n = r->n;
    const struct lct_net_math *m = n->math;
    const int64_t rows = r->cache->B * t->T, width = n->embed.in;
    const bool projected = r->stack->project_in.w.weight != NULL;
    void *x = projected ? r->embed : r->x;

    if (t->grid != NULL)
        return lct_net_grid_enter(r, t);
    if (r->stack->patches != NULL)
        return lct_net_patches_enter(r, t);
    for (int64_t i = 0; i < rows && n->adaptive != NULL; i++)
        lct_net_adaptive_embed(lct_net_math_at(m, x, i * n->width),
                               t->ids[i / t->T * t->stride + i % t->T], n,
                               r->embed, &r->room);
    for (int64_t i = 0; i < rows && n->adaptive == NULL; i++)
        lct_net_matrix_rows(lct_net_math_at(m, x, i * width), n, &n->embed,
                            t->ids[i / t->T * t->stride + i % t->T], 1);
    if (projected)
        lct_net_linear_forward(r->x, n->width, x, rows, n,
                               &r->stack->project_in, &r->room);
    if (r->stack->input_scale != 1)
        m->scale(r->x, r->stack->input_scale, rows * n->width);
    lct_net_seen_enter(r, t);
    if (r->stack->types != NULL)
        add_types(r, t);
    count_from_pad(r, t);
    LCT_TRY(add_positions(r, t->T));
    lct_net_norm_rows(r->x, r->x, rows, m, &r->stack->input_norm);
    return enter_others(r, t);
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
    const int64_t rows = r->cache->B * step->T;
    const size_t bytes = (size_t)(rows * r->n->width) * r->n->math->item;
    void *input = locant_alloc(bytes);
    locant_status status;

    if (input == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    memcpy(input, r->x, bytes);
    status =
        lct_net_block_forward(r->x, step, &r->stack->layers[0], 0, r->scratch);
    if (status == LOCANT_OK)
        status = lct_net_convolution_forward(r, input, step->T);
    locant_release(input);
    return status;
}

static locant_status run_layers(struct lct_net_run *r,
                                struct lct_net_step *step,
                                const struct lct_net_tokens *t, double *from)
{
    const int64_t rows = r->cache->B * step->T;
    int64_t deep = 0;

    for (int64_t i = 0; i < r->stack->n_layers; i++) {
        const struct lct_net_layer *l = &r->stack->layers[i];

        if (i == 0 && r->stack->convolution != NULL)
            LCT_TRY(run_first(r, step));
        else
            LCT_TRY(lct_net_block_forward(r->x, step, l, i, r->scratch));
        if (l->merge != NULL)
            LCT_TRY(lct_net_windows_merge(r->x, step, l));
        if (l->deep != NULL)
            LCT_TRY(lct_net_merger_forward(
                r->deep[deep++], r->x, rows / (t->grid->merge * t->grid->merge),
                r->n, l->deep, &r->room));
        lct_net_seen_add(r, t, i);
        count(r, i, from);
    }
    return LOCANT_OK;
}

/* Tokens that have slots in the cache, the last t->T of each row. */
static locant_status run_tokens(struct lct_net_run *r,
                                const struct lct_net_tokens *t)
{
    const struct lct_net *n = r->n;
    const int64_t L = r->stack->n_layers;
    struct lct_net_step step = { .n = n,
                                 .cache = r->cache,
                                 .T = t->T,
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
    LCT_TRY(enter(r, t));
    count(r, L, &from);
    LCT_TRY(run_layers(r, &step, t, &from));
    r->T = step.T;
    lct_net_streams_leave(r->x, r->cache->B * step.T, n, r->scratch, &r->room);
    lct_net_norm_rows(r->x, r->x, r->cache->B * step.T, n->math,
                      &r->stack->final_norm);
    return LOCANT_OK;
}

locant_status lct_net_run_step(struct lct_net_run *r,
                               const struct lct_net_tokens *t)
{
    if (r->stack->by_prompt && r->cache->length == 0)
        LCT_TRY(lct_net_length_encoding(&r->encoding, r, t));
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
        lct_net_linear_forward(out, project->w.out, x, rows, n, project,
                               &r->room);
    else
        memcpy(out, x, (size_t)(rows * n->width) * n->math->item);
}

void lct_net_run_head(void *out, const void *x, int64_t rows,
                      struct lct_net_run *r)
{
    const struct lct_net *n = r->n;
    double from = r->seconds != NULL ? lct_net_run_now() : 0;

    if (n->adaptive != NULL) {
        lct_net_adaptive_head(out, x, rows, n, r->embed, &r->room);
        count(r, n->text.n_layers + 1, &from);
        return;
    }
    if (n->text.project_out.w.weight != NULL) {
        lct_net_run_states(r->embed, x, rows, r);
        x = r->embed;
    }
    if (n->head_dense.w.weight != NULL) {
        lct_net_linear_forward(r->embed, n->embed.in, x, rows, n,
                               &n->head_dense, &r->room);
        n->math->activate(r->embed, n->head_act, rows * n->embed.in);
        lct_net_norm_rows(r->embed, r->embed, rows, n->math, &n->head_norm);
        x = r->embed;
    }
    lct_net_linear_forward(out, n->vocab, x, rows, n, &n->head, &r->room);
    if (n->logit_scale != 1)
        n->math->scale(out, n->logit_scale, rows * n->vocab);
    if (n->logit_cap != 0)
        n->math->cap(out, n->logit_cap, rows * n->vocab);
    count(r, n->text.n_layers + 1, &from);
}

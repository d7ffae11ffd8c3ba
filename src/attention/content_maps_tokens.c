/* content_maps_tokens.c - directions and strengths of maps from inputs */
#include "content_maps_tokens.h"
#include "../core/pool.h"
#include "../kernel/row.h"
#include "content_state.h"
#include "key_order.h"
#include "product.h"
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------- layout */

void lct_content_maps_tokens_layout(struct lct_content_products *c,
                                    const struct lct_plan *p,
                                    struct lct_arena *arena)
{
    const struct lct_map_params *params = &c->products.maps;
    struct lct_content_maps *m = &c->maps;

    m->inner = lct_sizes_round_up(params->rank + p->H, LCT_COLUMN_STEP);
    m->rank8 = lct_sizes_round_up(params->rank, LCT_COLUMN_STEP);
    m->wide = lct_sizes_round_up(p->W, LCT_COLUMN_STEP);
    if (c->products.gate_weight < 0) { /* else content_gates.h has them */
        c->order = lct_arena_ints(arena, p->position_rows, p->S);
        c->last = lct_arena_ints(arena, p->position_rows, p->T);
    }
    m->passed = lct_arena_alloc(arena, p->position_rows, p->S, 1);
    m->reach = lct_arena_alloc(arena, p->position_rows, p->S, 1);
    m->low = lct_arena_floats(arena, p->B * p->S, m->inner);
    m->dlow = lct_arena_floats(arena, p->chunk * p->S, m->inner);
    m->first = lct_arena_floats(arena, p->W, m->inner);
    m->first_rows = lct_arena_floats(arena, m->inner, m->wide);
    m->up = lct_arena_floats(arena, p->H * params->rank, p->padded);
    m->up_rows = lct_arena_floats(arena, p->H * p->D, m->rank8);
    m->taps = lct_arena_floats(arena, p->H * params->kernel, p->padded);
}

/* ---------------------------------------------------------- order of tokens */

/* Which keys' maps does a query need?  Those up to its last key, of its
 * document. */
static void find_passed(const struct lct_plan *p, int64_t row)
{
    const struct lct_content_products *c = p->content;
    const int64_t *order = c->order + row * p->S, *last = c->last + row * p->T;
    char *passed = c->maps.passed + row * p->S;

    memset(passed, 0, (size_t)p->S);
    c->maps.newest[row] = -1;
    for (int64_t i = 0; i < p->T; i++) {
        if (last[i] >= 0)
            passed[last[i]] = 1;
        if (last[i] > c->maps.newest[row])
            c->maps.newest[row] = last[i];
    }
    for (int64_t n = p->S - 1; n > 0; n--)
        if (passed[order[n]] && lct_key_order_doc(p, row, order[n]) ==
                                    lct_key_order_doc(p, row, order[n - 1]))
            passed[order[n - 1]] = 1;
}

static void find_reach(const struct lct_plan *p, int64_t row)
{
    const int64_t *order = p->content->order + row * p->S;
    int8_t *reach = p->content->maps.reach + row * p->S;

    for (int64_t n = 0; n < p->S; n++) {
        bool first = n == 0 || lct_key_order_doc(p, row, order[n]) !=
                                   lct_key_order_doc(p, row, order[n - 1]);

        reach[n] = first ? 1
                   : reach[n - 1] < lct_content_maps_tokens_params(p)->kernel
                       ? (int8_t)(reach[n - 1] + 1)
                       : reach[n - 1];
    }
}

/* -------------------------------------------------------------- parameters */

static void fill_heads(const struct lct_plan *p, const double *up,
                       const double *conv)
{
    const struct lct_content_maps *m = &p->content->maps;
    int64_t rank = lct_content_maps_tokens_params(p)->rank,
            kernel = lct_content_maps_tokens_params(p)->kernel;

    memset(m->up, 0, (size_t)(p->H * rank * p->padded) * sizeof(float));
    memset(m->up_rows, 0, (size_t)(p->H * p->D * m->rank8) * sizeof(float));
    memset(m->taps, 0, (size_t)(p->H * kernel * p->padded) * sizeof(float));
    for (int64_t at = 0; at < p->H * p->D; at++) {
        int64_t h = at / p->D, d = at % p->D;

        for (int64_t r = 0; r < rank; r++) {
            m->up[(h * rank + r) * p->padded + d] = (float)up[at * rank + r];
            m->up_rows[at * m->rank8 + r] = (float)up[at * rank + r];
        }
        for (int64_t n = 0; n < kernel; n++)
            m->taps[(h * kernel + n) * p->padded + d] =
                (float)conv[(at + 1) * kernel - 1 - n];
    }
}

static void fill_params(const struct lct_plan *p)
{
    const double *const *param = p->tables->content->param;
    const struct lct_map_params *params = lct_content_maps_tokens_params(p);
    const struct lct_content_maps *m = &p->content->maps;

    memset(m->first, 0, (size_t)(p->W * m->inner) * sizeof(float));
    memset(m->first_rows, 0, (size_t)(m->inner * m->wide) * sizeof(float));
    for (int64_t r = 0; r < params->rank + p->H; r++) {
        const double *from =
            r < params->rank ? param[params->down] + r * p->W
                             : param[params->beta] + (r - params->rank) * p->W;

        for (int64_t c = 0; c < p->W; c++) {
            m->first[c * m->inner + r] = (float)from[c];
            m->first_rows[r * m->wide + c] = (float)from[c];
        }
    }
    fill_heads(p, param[params->up], param[params->conv]);
}

/* ------------------------------------------------------------------ forward */

void lct_content_maps_tokens_load(const struct lct_content_maps_block *t,
                                  float *to, int64_t width, int64_t from,
                                  int64_t columns)
{
    const locant_tensor *x = t->p->request->a->x;
    size_t size = locant_dtype_size(x->dtype);

    memset(to, 0, (size_t)(t->count * width) * sizeof(*to));
    for (int64_t i = 0; i < t->count; i++, to += width) {
        int64_t at[2] = { t->b, lct_content_maps_tokens_key(t, t->n + i) };

        if (lct_content_maps_tokens_is_passed(t, t->n + i))
            lct_row_to_f32(to, (char *)lct_at(x, at, 2) + (size_t)from * size,
                           x->dtype, (size_t)columns);
    }
}

/* The first tile whose 'low' is needed: that of tokens that are not known, and
 * the one before it, which the convolution reads. */
static int64_t first_low(const struct lct_plan *p)
{
    int64_t first = lct_content_state_tile(p);

    return first > 0 ? first - 1 : 0;
}

/* down x and beta x + bias of a block of tokens */
static void fill_low(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    int64_t first = first_low(p), tiles = p->k_tiles - first;
    int64_t b = (int64_t)task / tiles;
    struct lct_content_maps_block t = lct_content_maps_tokens_block(
        p, b, (first + (int64_t)task % tiles) * LCT_TILE, slot);
    const double *bias = p->tables->content->param[t.params->beta_bias];
    float *low = t.m->low + (b * p->S + t.n) * t.m->inner;
    struct lct_product x;

    lct_content_maps_tokens_load(&t, t.own->x, t.m->wide, 0, p->W);
    x = lct_product_of((struct lct_product_rows){ low, (size_t)t.m->inner },
                       lct_product_rows_of(t.own->x, (size_t)t.m->wide),
                       lct_product_rows_of(t.m->first, (size_t)t.m->inner),
                       t.count, (size_t)t.m->inner, p->W);
    p->kernels->matmul(&x);
    for (int64_t i = 0; i < t.count; i++)
        for (int64_t h = 0; h < p->H; h++)
            low[i * t.m->inner + t.params->rank + h] += (float)bias[h];
}

const float *
lct_content_maps_tokens_values(const struct lct_content_maps_block *t,
                               int64_t h)
{
    const struct lct_plan *p = t->p;
    int64_t before =
        t->n < t->params->kernel - 1 ? t->n : t->params->kernel - 1;
    const float *low = t->m->low + (t->b * p->S + t->n - before) * t->m->inner;
    struct lct_product x = lct_product_of(
        (struct lct_product_rows){ t->own->values, (size_t)p->padded },
        lct_product_rows_of(low, (size_t)t->m->inner),
        lct_product_rows_of(t->m->up + h * t->params->rank * p->padded,
                            (size_t)p->padded),
        before + t->count, (size_t)p->padded, t->params->rank);

    p->kernels->matmul(&x);
    return t->own->values + before * p->padded;
}

void lct_content_maps_tokens_gates(const struct lct_content_maps_block *t,
                                   int64_t h)
{
    const struct lct_plan *p = t->p;
    const float *values = lct_content_maps_tokens_values(t, h);
    const float *taps = t->m->taps + h * t->params->kernel * p->padded;
    float *a = t->own->a, *gate = t->own->gate;
    int64_t n = t->count * p->padded;

    memset(a, 0, (size_t)n * sizeof(*a));
    for (int64_t i = 0; i < t->count; i++)
        for (int64_t m = 0; m < lct_content_maps_tokens_reach(t, t->n + i); m++)
            for (int64_t d = 0; d < p->padded; d++)
                a[i * p->padded + d] +=
                    taps[m * p->padded + d] * values[(i - m) * p->padded + d];
    for (int64_t at = 0; at < n; at++)
        gate[at] = -fabsf(a[at]);
    memset(t->own->zeros, 0, (size_t)p->padded * sizeof(float));
    p->kernels->recompute_probs(gate, (size_t)p->padded, (size_t)t->count,
                                (size_t)p->padded, t->own->zeros);
    for (int64_t at = 0; at < n; at++) {
        float least = 1 / (1 + gate[at]);

        gate[at] = a[at] >= 0 ? least : gate[at] * least;
    }
}

/* w and b of a block of tokens of one head */
static void fill_directions(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    int64_t first = lct_content_state_tile(p), tiles = p->k_tiles - first;
    int64_t head = (int64_t)task / tiles, h = head % p->H;
    struct lct_content_maps_block t = lct_content_maps_tokens_block(
        p, head / p->H, (first + (int64_t)task % tiles) * LCT_TILE, slot);

    lct_content_maps_tokens_gates(&t, h);
    for (int64_t i = 0; i < t.count; i++) {
        int64_t at = lct_content_maps_tokens_row(&t, h, i);
        const float *a = t.own->a + i * p->padded;
        float *w = t.m->w + at * p->padded, *gate = t.own->gate + i * p->padded;
        float inverse;

        if (!lct_content_maps_tokens_is_passed(&t, t.n + i))
            continue; /* stays 0 */
        for (int64_t d = 0; d < p->padded; d++)
            w[d] = a[d] * gate[d];
        inverse =
            1 / sqrtf(lct_content_maps_tokens_dot(w, w, p->padded) + 1e-6F);
        for (int64_t d = 0; d < p->padded; d++)
            w[d] *= inverse;
        t.m->b[at] = lct_content_maps_tokens_strength(&t, h, i);
    }
}

void lct_content_maps_tokens_fill(const struct lct_plan *p)
{
    const struct lct_content_maps *m = &p->content->maps;
    int64_t first = lct_content_state_tile(p), heads = p->B * p->H;
    int64_t rows = (p->k_tiles - first) * LCT_TILE;

    if (p->content->products.gate_weight < 0)
        lct_key_order_fill(p->content->order, p->content->last, p);
    for (int64_t row = 0; row < p->position_rows; row++) {
        find_passed(p, row);
        find_reach(p, row);
    }
    fill_params(p);
    for (int64_t head = 0; head < heads; head++) {
        int64_t at = head * m->rows + first * LCT_TILE;

        memset(m->w + at * p->padded, 0,
               (size_t)(rows * p->padded) * sizeof(float));
        memset(m->b + at, 0, (size_t)rows * sizeof(float));
    }
    lct_parallel_for((size_t)(p->B * (p->k_tiles - first_low(p))), p->slots,
                     fill_low, (void *)p);
    lct_parallel_for((size_t)(heads * (p->k_tiles - first)), p->slots,
                     fill_directions, (void *)p);
}

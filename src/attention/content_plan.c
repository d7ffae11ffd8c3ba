/* content_plan.c - terms of the content door: chosen, laid out, filled */
#include "../core/pool.h"
#include "content_window.h"
#include <string.h>

/* ---------------------------------------------------------------- choosing */

static int64_t held_to(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* Which rows occur; false: differences are too many for an entry each. */
static bool plan_term(struct lct_content_table *term,
                      const struct lct_problem *p, const struct lct_vectors *v,
                      int64_t low, int64_t high)
{
    const locant_encoding *e = p->content->e;
    int64_t range, from, to;

    *term = (struct lct_content_table){ .v = *v, .finite = true };
    term->heads = v->matrix >= 0 || v->by_head ? p->H : 1;
    term->owners = term->heads == 1 ? p->Hkv : p->H;
    if (v->pairs > 0) {
        term->rows = v->pairs;
        return true;
    }
    term->first = held_to(low, v->first, v->last);
    if (__builtin_sub_overflow(held_to(high, v->first, v->last), term->first,
                               &range) ||
        range >= 4 * (p->T + p->S) + 1024)
        return false;
    term->range = range + 1;
    from = v->row(e, term->first, 0);
    to = v->row(e, term->first + range, 0);
    term->low = from < to ? from : to;
    term->rows = (from < to ? to - from : from - to) + 1;
    term->wide = (term->rows + LCT_PAD - 1) / LCT_PAD * LCT_PAD +
        LCT_CONTENT_WINDOW;
    return true;
}

/* Lowest and highest q_pos - k_pos that may be seen. */
static void find_differences(int64_t *low, int64_t *high,
                             const struct lct_problem *p,
                             const locant_attention *a)
{
    *low = INT64_MAX;
    *high = INT64_MIN;
    for (int64_t row = 0; row < p->position_rows; row++) {
        struct lct_extent q = lct_positions_queries_extent(p, a, row);
        struct lct_extent k = lct_positions_keys_extent(p, a, row);
        int64_t least = lct_distance(q.low, k.high);
        int64_t most = lct_distance(q.high, k.low);

        *low = least < *low ? least : *low;
        *high = most > *high ? most : *high;
    }
    if (p->causal) {
        *low = *low < 0 ? 0 : *low;
        *high = *high < 0 ? 0 : *high;
    }
}

bool lct_content_plan(struct lct_problem *p, const locant_attention *a)
{
    const struct lct_content_door *door = &p->content->e->row->content;
    struct lct_content_plan *plan = &p->terms;
    int64_t low, high;

    if (door->products == NULL || p->content->e->row->content.scores != NULL)
        return false;
    find_differences(&low, &high, p, a);
    door->products(&plan->terms, p->content->e, low, high);
    if (plan->terms.gate_weight >= 0 && p->hidings > 0)
        return false;
    plan->basis_row = 0;
    for (int n = 0; n < plan->terms.count; n++) {
        const struct lct_vectors *v = &plan->terms.vectors[n];

        if (!plan_term(&plan->term[n], p, v, low, high))
            return false;
        if (v->matrix >= 0)
            plan->basis_row = (p->W + LCT_PAD - 1) / LCT_PAD * LCT_PAD;
    }
    return true;
}

locant_status lct_content_schedule(struct lct_problem *p)
{
    const locant_encoding *e = p->content->e;
    const struct lct_schedule *kept; /* with e */

    if (p->terms.terms.near_far)
        return lct_schedule_of(&p->schedule, e, p->fn, p->D, 0);
    if (e->row->schedule.create != NULL)
        return lct_schedule_of(&kept, e, p->fn, p->W, 0);
    return LOCANT_OK;
}

bool lct_content_learns_alone(const struct lct_problem *p)
{
    for (int n = 0; n < LCT_MAX_PARTS; n++)
        if (p->call[n].e != NULL && &p->call[n] != p->content &&
            lct_param_count(p->call[n].e) > 0)
            return false;
    return true;
}

double lct_content_gradients(const struct lct_problem *p)
{
    double sum = 0;

    for (int n = 0; p->by_terms && n < p->terms.terms.count; n++) {
        const struct lct_content_table *term = &p->terms.term[n];

        sum += (double)term->owners * (double)term->rows * (double)p->D;
    }
    return sum;
}

/* ------------------------------------------------------------------ layout */

static void lay_out_term(struct lct_content_table *term,
                         const struct lct_problem *p, struct lct_arena *arena)
{
    bool keys = term->v.meets == LCT_MEETS_KEY;

    term->row_of = lct_arena_alloc(arena, term->range, 1, sizeof(int32_t));
    term->table = lct_arena_alloc(arena, term->heads * term->rows, p->padded,
                                  sizeof(float));
    term->columns = lct_arena_alloc(arena, keys ? term->heads * p->D : 0,
                                    term->wide, sizeof(float));
    term->dtable = lct_arena_alloc(arena, p->chunk * term->owners * term->rows,
                                   p->D, sizeof(double));
    term->dtotal = lct_arena_alloc(arena, term->heads * term->rows, p->D,
                                   sizeof(double));
}

static void lay_out_scratch(const struct lct_problem *p,
                            struct lct_arena *arena)
{
    const struct lct_content_plan *plan = &p->terms;
    int64_t most = p->W > p->D ? p->W : p->D; /* a width may be any */

    for (int slot = 0; slot < p->slots; slot++) {
        struct lct_content_scratch s = { 0 };

        if (plan->terms.near_far) {
            s.y[0] = lct_arena_alloc(arena, LCT_TILE, p->padded, sizeof(float));
            s.y_cols[0] = lct_arena_alloc(arena, LCT_TILE, p->D, sizeof(float));
            s.dy[0] = lct_arena_alloc(arena, LCT_TILE, p->padded,
                                      sizeof(float));
            s.dk = lct_arena_alloc(arena, p->S, p->padded, sizeof(float));
        }
        for (int n = 0; n < plan->terms.count; n++) {
            int64_t own = plan->term[n].v.added >= 0 ? LCT_TILE : 0;

            s.product[n].held = lct_arena_alloc(arena, LCT_CONTENT_WINDOW,
                                                LCT_TILE, sizeof(float));
            s.gradient[n].held = lct_arena_alloc(arena, LCT_CONTENT_WINDOW,
                                                 LCT_TILE, sizeof(float));
            s.y[n] = lct_arena_alloc(arena, own, p->padded, sizeof(float));
            s.y_cols[n] = lct_arena_alloc(arena, own, p->D, sizeof(float));
            s.dy[n] = lct_arena_alloc(arena, LCT_TILE, p->padded,
                                      sizeof(float));
        }
        s.rows = lct_arena_alloc(arena, LCT_CONTENT_WINDOW, p->padded,
                                 sizeof(float));
        s.keys = lct_arena_alloc(arena, LCT_CONTENT_WINDOW, LCT_TILE,
                                 sizeof(float));
        s.at = lct_arena_alloc(arena, LCT_TILE, LCT_TILE, sizeof(int32_t));
        s.row = lct_arena_alloc(arena, most, 1, sizeof(double));
        if (arena->base != NULL && !arena->overflow)
            plan->scratch[slot] = s;
    }
}

static void lay_out_gates(struct lct_problem *p, struct lct_arena *arena)
{
    struct lct_content_plan *plan = &p->terms;
    int64_t heads = p->B * p->H;

    if (plan->terms.gate_weight < 0)
        return;
    plan->order = lct_arena_alloc(arena, p->position_rows, p->S,
                                  sizeof(int64_t));
    plan->last = lct_arena_alloc(arena, p->position_rows, p->T,
                                 sizeof(int64_t));
    plan->gate = lct_arena_alloc(arena, heads, p->S, sizeof(double));
    plan->k_sum = lct_arena_alloc(arena, heads, p->S, sizeof(double));
    plan->q_sum = lct_arena_alloc(arena, heads, p->T, sizeof(double));
    plan->dk_sum = lct_arena_alloc(arena, heads, p->S, sizeof(double));
    plan->dq_sum = lct_arena_alloc(arena, heads, p->T, sizeof(double));
}

void lct_content_layout(struct lct_problem *p, struct lct_arena *arena)
{
    struct lct_content_plan *plan = &p->terms;
    int64_t rows = 0;

    if (!p->by_terms)
        return;
    for (int n = 0; n < plan->terms.count; n++) {
        lay_out_term(&plan->term[n], p, arena);
        if (plan->term[n].v.matrix >= 0)
            rows = plan->term[n].rows; /* the same for all of them */
    }
    for (int n = 0; n <= plan->terms.count; n++)
        plan->dvector[n] = lct_arena_alloc(arena, p->chunk * p->H, p->D,
                                           sizeof(double));
    if (plan->basis_row > 0) {
        plan->basis = lct_arena_alloc(arena, rows, plan->basis_row,
                                      sizeof(float));
        plan->matrix = lct_arena_alloc(arena, plan->basis_row, p->H * p->padded,
                                       sizeof(float));
    }
    plan->scratch = lct_arena_alloc(arena, p->slots, 1, sizeof(*plan->scratch));
    lay_out_scratch(p, arena);
    lay_out_gates(p, arena);
    if (plan->terms.near_far)
        lct_content_far_layout(p, arena);
}

/* ----------------------------------------------------------------- filling */

static void fill_rows_of(const struct lct_problem *p,
                         struct lct_content_table *term)
{
    for (int64_t n = 0; n < term->range; n++)
        term->row_of[n] = (int32_t)(term->v.row(p->content->e,
                                                term->first + n, 0) -
                                    term->low);
}

/* Keys are as they come, so their vectors take the scale. */
static double factor_of(const struct lct_problem *p,
                        const struct lct_content_table *term)
{
    return term->v.meets == LCT_MEETS_KEY ? p->scale : 1;
}

/* One row of a head, padded. */
static void store_row(const struct lct_problem *p,
                      struct lct_content_table *term, int64_t head, int64_t row,
                      const double *from)
{
    float *to = term->table + (head * term->rows + row) * p->padded;

    for (int64_t d = 0; d < p->D; d++)
        to[d] = (float)(from[d] * factor_of(p, term));
    memset(to + p->D, 0, (size_t)(p->padded - p->D) * sizeof(*to));
}

static void fill_plain(const struct lct_problem *p,
                       struct lct_content_table *term)
{
    const double *from = p->content->param[term->v.table];

    for (int64_t row = 0; row < term->rows; row++)
        for (int64_t h = 0; h < term->heads; h++)
            store_row(p, term, h, row,
                      from + ((term->low + row) * term->heads + h) * p->D);
}

struct fill_job {
    const struct lct_problem *p;
    struct lct_content_table *term;
};

static void fill_basis(void *context, size_t task, int slot)
{
    const struct fill_job *job = context;
    const struct lct_content_plan *plan = &job->p->terms;
    const struct lct_call *c = job->p->content;
    const struct lct_content_door *door = &c->e->row->content;
    int64_t from = (int64_t)task * LCT_TILE, n = job->term->rows - from;
    int64_t wide = plan->basis_row, first = job->term->low + from;
    float *to = plan->basis + from * wide;
    double *row = plan->scratch[slot].row;

    n = n < LCT_TILE ? n : LCT_TILE;
    if (door->basis_rows != NULL) {
        door->basis_rows(to, (size_t)wide, c, first, n);
        return;
    }
    for (int64_t r = 0; r < n; r++, to += wide) {
        door->basis(row, c, first + r);
        for (int64_t w = 0; w < c->width; w++)
            to[w] = (float)row[w];
        memset(to + c->width, 0, (size_t)(wide - c->width) * sizeof(*to));
    }
}

/* plan->matrix [H, width, padded]: that of each head, columns as rows. */
static void fill_matrix(void *context, size_t task, int slot)
{
    const struct fill_job *job = context;
    const struct lct_problem *p = job->p;
    const double *from = p->content->param[job->term->v.matrix];
    int64_t head = (int64_t)task;
    float *to = p->terms.matrix + head * p->W * p->padded;

    (void)slot;
    from += head * p->D * p->W;
    for (int64_t w = 0; w < p->W; w++, to += p->padded) {
        for (int64_t d = 0; d < p->D; d++)
            to[d] = (float)from[d * p->W + w];
        for (int64_t d = p->D; d < p->padded; d++)
            to[d] = 0;
    }
}

/*
 * A block of rows of one head: basis x matrix + bias, the width in stretches
 * whose sums are joined, which rounds less than one long chain.
 */
static void project(void *context, size_t task, int slot)
{
    const struct fill_job *job = context;
    const struct lct_problem *p = job->p;
    const struct lct_content_plan *plan = &p->terms;
    struct lct_content_table *term = job->term;
    struct lct_content_scratch *s = &plan->scratch[slot];
    int64_t head = (int64_t)task % p->H;
    int64_t from = (int64_t)task / p->H * LCT_TILE, n = term->rows - from;
    const double *bias = term->v.bias < 0 ? NULL
                             : p->content->param[term->v.bias] + head * p->D;
    float *sum = s->rows, *part = s->rows + LCT_TILE * p->padded;
    struct lct_product x = { .c_row = (size_t)p->padded, .a_col = 1,
                             .a_row = (size_t)plan->basis_row,
                             .b_row = (size_t)p->padded,
                             .n = (size_t)p->padded };

    n = n < LCT_TILE ? n : LCT_TILE;
    x.m = (size_t)n;
    memset(sum, 0, (size_t)(n * p->padded) * sizeof(*sum));
    for (int64_t w = 0; w < p->W; w += LCT_TILE) {
        x.c = part;
        x.a = plan->basis + from * plan->basis_row + w;
        x.b = plan->matrix + (head * p->W + w) * p->padded;
        x.k = (size_t)(p->W - w < LCT_TILE ? p->W - w : LCT_TILE);
        p->kernels->matmul(&x);
        for (int64_t i = 0; i < n * p->padded; i++)
            sum[i] += part[i];
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t d = 0; d < p->D; d++)
            s->row[d] = (double)sum[i * p->padded + d] +
                        (bias == NULL ? 0 : bias[d]);
        store_row(p, term, head, from + i, s->row);
    }
}

static void fill_columns(void *context, size_t task, int slot)
{
    const struct fill_job *job = context;
    const struct lct_problem *p = job->p;
    const struct lct_content_table *term = job->term;
    float *to = term->columns + (int64_t)task * p->D * term->wide;

    (void)slot;
    p->kernels->transpose(to, (size_t)term->wide,
                          term->table + (int64_t)task * term->rows * p->padded,
                          (size_t)p->padded, (size_t)term->rows,
                          (size_t)p->D);
    for (int64_t d = 0; d < p->D; d++)
        memset(to + d * term->wide + term->rows, 0,
               (size_t)(term->wide - term->rows) * sizeof(*to));
}

static void fill_projected(struct lct_problem *p, struct fill_job *job,
                           bool first)
{
    size_t blocks = (size_t)((job->term->rows + LCT_TILE - 1) / LCT_TILE);

    if (first)
        lct_parallel_for(blocks, p->slots, fill_basis, job);
    lct_parallel_for((size_t)p->H, p->slots, fill_matrix, job);
    lct_parallel_for(blocks * (size_t)p->H, p->slots, project, job);
}

void lct_content_fill(struct lct_problem *p, const locant_attention *a)
{
    struct lct_content_plan *plan = &p->terms;
    bool first = true;

    for (int n = 0; n < plan->terms.count; n++) {
        struct lct_content_table *term = &plan->term[n];
        struct fill_job job = { p, term };

        fill_rows_of(p, term);
        if (term->v.matrix < 0) {
            fill_plain(p, term);
        } else {
            fill_projected(p, &job, first);
            first = false;
        }
        if (term->v.meets == LCT_MEETS_KEY)
            lct_parallel_for((size_t)term->heads, p->slots, fill_columns,
                             &job);
        term->finite = p->kernels->all_finite(
            term->table, (size_t)p->padded, (size_t)(term->heads * term->rows),
            (size_t)p->padded);
    }
    if (plan->terms.gate_weight >= 0)
        lct_content_gates_fill(p, a);
    if (plan->terms.near_far)
        lct_content_far_fill(p);
}

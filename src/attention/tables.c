/* tables.c - tables filled once per call: positions, angles, biases */
#include "tables.h"
#include "../core/pool.h"
#include "../encodings/biases.h"
#include "bias_table.h"
#include "content_state.h"
#include "factors.h"
#include "pair_gates.h"
#include "rotation.h"
#include "row_factor.h"
#include "schedules.h"
#include "scratch.h"
#include "stick.h"
#include "token_angles.h"
#include <math.h>

/* Parameters of every part, in double, one after another. */
static void load_params(struct lct_tables *tables, const struct lct_plan *p)
{
    const locant_attention *a = p->request->a;
    const locant_sizes sizes = {
        .width = p->W, .heads = p->H, .kv_heads = p->Hkv, .head_dim = p->D
    };

    if (a->encoding == NULL)
        return;
    for (int n = 0; n < a->encoding->parts; n++) {
        const struct lct_part *part = &a->encoding->part[n];
        const locant_tensor *params = a->params;

        if (tables->call[n].e == NULL)
            continue;
        if (params != NULL)
            params += part->first_param;
        lct_params_load(&tables->call[n],
                        tables->param_memory + p->request->part_param[n],
                        part->e, params, &sizes);
        tables->call[n].scale = p->scale;
        tables->call[n].wide = p->request->q.dtype == LOCANT_F64;
    }
    if (lct_biases_of(a->encoding) != NULL)
        tables->call[LCT_MAX_PARTS] =
            lct_biases_call(a->encoding, tables->call);
}

/* The largest position among the keys of each query's document. */
static void fill_last(const struct lct_tables *tables, const struct lct_plan *p,
                      int64_t row)
{
    const int64_t *q_docs = tables->q_docs + row * p->T;
    const int64_t *k_docs = tables->k_docs + row * p->S;
    const int64_t *pos = tables->k_pos + row * p->S;
    int64_t *last = tables->q_last + row * p->T;

    for (int64_t i = 0; i < p->T; i++) {
        bool any = false;

        if (i > 0 && q_docs[i] == q_docs[i - 1]) {
            last[i] = last[i - 1];
            continue;
        }
        last[i] = tables->last[row];
        for (int64_t j = 0; j < p->S; j++)
            if (k_docs[j] == q_docs[i] && (!any || pos[j] > last[i])) {
                last[i] = pos[j];
                any = true;
            }
    }
}

/* The position of query i of a row: its coordinate rounded down, if it has one
   of one axis. */
static int64_t position_of(const struct lct_plan *p, int64_t row, int64_t i)
{
    const struct lct_tables *tables = p->tables;
    double at;

    if (p->request->axes != 1 || p->request->coords_by_head)
        return tables->q_pos[row * p->T + i];
    at = floor(tables->q_coords[row * p->T + i]);
    return fabs(at) < 0x1p62 ? (int64_t)at : INT64_MAX;
}

static void fill_temperatures(const struct lct_tables *tables,
                              const struct lct_plan *p)
{
    const locant_encoding *e = p->request->temperature;

    for (int64_t row = 0; row < p->position_rows; row++)
        for (int64_t i = 0; i < p->T; i++)
            tables->tau[row * p->T + i] =
                e->row->scale.of_query(e, position_of(p, row, i));
}

/*
 * Does a later stage read positions past the keys of a paged row?  A step of
 * decoding then costs a little for each key of the longest row.
 */
static bool reads_padding(const struct lct_tables *tables,
                          const struct lct_plan *p)
{
    return p->engine != LCT_DECODE || p->bias_range > 0 ||
           p->request->relations != NULL || p->lengths.e != NULL ||
           tables->q_last != NULL;
}

/* The coordinates of a row and head in the tables; NULL: none are given. */
static double *coords_at(const struct lct_plan *p, enum lct_role role,
                         int64_t row, int64_t head)
{
    double *coords =
        role == LCT_QUERY ? p->tables->q_coords : p->tables->k_coords;

    return p->request->axes == 0
               ? NULL
               : coords +
                     lct_tables_row(p, role, row, head, 0) * p->request->axes;
}

static void fill_positions(const struct lct_tables *tables,
                           const struct lct_plan *p)
{
    struct lct_positions q = lct_positions_of(p->request, LCT_QUERY);
    const struct lct_positions k = lct_positions_of(p->request, LCT_KEY);
    struct lct_positions own = k;
    int axes = p->request->axes;

    for (int64_t row = 0; row < p->position_rows; row++) {
        int64_t t = row * p->T, s = row * p->S;

        own.n = reads_padding(tables, p) ? p->S : lct_plan_keys(p, row);

        for (q.head = 0; q.head < lct_tables_heads(p, p->H); q.head++)
            lct_positions_fill(
                tables->q_pos + t, coords_at(p, LCT_QUERY, row, q.head),
                p->documents ? tables->q_docs + t : NULL, axes, &q, row);
        for (own.head = 0; own.head < lct_tables_heads(p, p->Hkv); own.head++)
            lct_positions_fill(
                tables->k_pos + s, coords_at(p, LCT_KEY, row, own.head),
                p->documents ? tables->k_docs + s : NULL, axes, &own, row);
        if (tables->q_schedule != NULL)
            lct_schedules_fill(tables->q_schedule + t, p, LCT_QUERY, row);
        if (tables->q_schedule != NULL && !p->request->rotated_keys)
            lct_schedules_fill(tables->k_schedule + s, p, LCT_KEY, row);
        tables->last[row] = lct_positions_extent(&k, row).high;
        if (tables->q_last != NULL)
            fill_last(tables, p, row);
    }
    if (tables->tau != NULL)
        fill_temperatures(tables, p);
}

/* By which positions the relations of pairs rotate. */
static void fill_places(const struct lct_tables *tables,
                        const struct lct_plan *p)
{
    const locant_encoding *e = p->request->relations;

    if (e == NULL)
        return;
    for (int n = 0; n < LCT_MAX_RELATIONS; n++)
        for (int64_t i = 0; i < p->position_rows * p->T; i++)
            tables->q_place[n][i] =
                e->row->relations.place(e, n, tables->q_pos[i]);
    for (int64_t j = 0; j < p->position_rows * p->S; j++)
        tables->k_place[j] = e->row->relations.key_place(e, tables->k_pos[j]);
}

static void fill_key_angles(const struct lct_tables *tables,
                            const struct lct_plan *p,
                            const struct lct_places *k)
{
    int64_t rows = p->position_rows * lct_tables_heads(p, p->Hkv);
    int64_t n = p->held_keys;

    if (n == p->S) { /* one loop, so threads share many short rows */
        n *= rows;
        rows = 1;
    }
    for (int64_t row = 0; row < rows; row++)
        lct_places_angles(lct_table_at(tables->angles[LCT_KEY],
                                       (size_t)(row * n * p->schedule->pairs)),
                          k, (size_t)(row * p->S + p->first_key), (size_t)n);
}

static void fill_angles(const struct lct_tables *tables,
                        const struct lct_plan *p)
{
    struct lct_places q, k;

    if (p->schedule == NULL)
        return;
    q = lct_rotation_places(p, LCT_QUERY);
    k = lct_rotation_places(p, LCT_KEY);
    /* Queries share angles with keys only if those are computed here. */
    if (!p->shared_angles || p->late_key_angles)
        lct_places_angles(
            tables->angles[LCT_QUERY], &q, 0,
            (size_t)(p->position_rows * lct_tables_heads(p, p->H) * p->T));
    for (int n = 1; n < lct_tables_relations(p); n++) {
        q.pos = tables->q_place[n];
        lct_places_angles(tables->relation_angles[n], &q, 0,
                          (size_t)(p->position_rows * p->T));
    }
    if (!p->request->rotated_keys && !p->late_key_angles)
        fill_key_angles(tables, p, &k);
}

static struct lct_extent extent_of(const int64_t *x, int64_t n)
{
    struct lct_extent e = { x[0], x[0], true };

    for (int64_t i = 1; i < n; i++) {
        e.low = x[i] < e.low ? x[i] : e.low;
        e.high = x[i] > e.high ? x[i] : e.high;
        e.consecutive &= x[i - 1] != INT64_MAX && x[i] == x[i - 1] + 1;
    }
    return e;
}

/* Find the extent of each tile of queries in each row of x. */
static void fill_query_extents(struct lct_extent *out, const struct lct_plan *p,
                               const int64_t *x)
{
    for (int64_t row = 0; row < p->position_rows; row++, x += p->T)
        for (int64_t i = 0; i < p->T; i += LCT_TILE)
            *out++ = extent_of(x + i, lct_sizes_in_tile(p->T, i));
}

/* The same of keys; tiles past the last key of a row are not read. */
static void fill_key_extents(struct lct_extent *out, const struct lct_plan *p,
                             const int64_t *x)
{
    for (int64_t row = 0; row < p->position_rows; row++, x += p->S) {
        int64_t n = lct_plan_keys(p, row);

        for (int64_t j = 0; j < n; j += LCT_TILE)
            out[row * p->k_tiles + j / LCT_TILE] =
                extent_of(x + j, lct_sizes_in_tile(n, j));
    }
}

/* Apply a general map of the rotate door to all keys of one head that no state
   knows. */
static void map_keys(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    const int64_t known =
        p->request->token_angles != NULL ? lct_content_state_known(p) : 0;
    int64_t at[3] = { (int64_t)task / p->Hkv, (int64_t)task % p->Hkv,
                      p->first_key + known };
    int64_t keys = lct_plan_keys(p, at[0]), end = p->first_key + p->held_keys;
    double *x = lct_scratch_of(p, slot, 0)->mapped;
    float *to = p->tables->k_mapped +
                ((int64_t)task * p->tables->mapped_rows + known) * p->padded_q;

    for (; at[2] < end && at[2] < keys; at[2]++, to += p->padded_q)
        lct_rotation_load_row(to, p, x, LCT_KEY, at);
}

void lct_tables_fill(struct lct_tables *tables, const struct lct_plan *p)
{
    fill_positions(tables, p);
    load_params(tables, p);
    fill_places(tables, p);
    fill_angles(tables, p);
    lct_row_factor_fill(p);
    lct_stick_fill(p);
    lct_token_angles_fill(p);
    if (p->engine == LCT_REFERENCE)
        return;
    fill_query_extents(tables->q_extent, p, tables->q_pos);
    fill_key_extents(tables->k_extent, p, tables->k_pos);
    if (p->documents) {
        fill_query_extents(tables->q_doc_extent, p, tables->q_docs);
        fill_key_extents(tables->k_doc_extent, p, tables->k_docs);
    }
    lct_bias_table_fill(p);
    lct_factors_fill(p);
    if (tables->k_mapped != NULL)
        lct_parallel_for((size_t)(p->B * p->Hkv), p->slots, map_keys,
                         (void *)p);
    if (lct_content_state_keeps_numbers(p))
        lct_content_state_advance(p);
    lct_pair_gates_fill(p);
}

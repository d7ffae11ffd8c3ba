/* content_plan.c - choose the products of the content door; their memory */
#include "content_plan.h"
#include "content_far.h"
#include "content_gates.h"
#include "content_maps.h"
#include "pair_gates.h"

/* ---------------------------------------------------------------- choosing */

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* Find the rows that pairs pick; false: too many differences for a table. */
static bool plan_table(struct lct_content_table *table,
                       const struct lct_plan *p, const struct lct_vectors *v,
                       struct lct_span differences)
{
    const locant_encoding *e = p->request->content->e;
    int64_t range, from, to;

    *table = (struct lct_content_table){ .v = *v, .finite = true };
    table->heads = v->matrix >= 0 || v->by_head ? p->H : 1;
    table->owners = table->heads == 1 ? p->Hkv : p->H;
    if (v->pairs > 0) {
        table->rows = v->pairs;
        return true;
    }
    table->first = clamp(differences.low, v->first, v->last);
    if (__builtin_sub_overflow(clamp(differences.high, v->first, v->last),
                               table->first, &range) ||
        range >= 4 * lct_plan_tokens(p) + 1024)
        return false;
    table->range = range + 1;
    from = v->row(e, table->first, 0);
    to = v->row(e, table->first + range, 0);
    table->low = from < to ? from : to;
    table->rows = (from < to ? to - from : from - to) + 1;
    table->padded_rows =
        lct_sizes_round_up(table->rows, LCT_PAD) + LCT_CONTENT_WINDOW;
    return true;
}

/* The extent of q_pos - k_pos under the causal mask, if any. */
static struct lct_span find_differences(const struct lct_plan *p)
{
    const struct lct_positions keys = lct_positions_of(p->request, LCT_KEY);
    struct lct_span all = { INT64_MAX, INT64_MIN };

    for (int64_t row = 0; row < p->position_rows; row++) {
        struct lct_extent q = lct_positions_query_extent(p->request, row);
        struct lct_extent k = lct_positions_extent(&keys, row);
        int64_t least = lct_distance(q.low, k.high);
        int64_t most = lct_distance(q.high, k.low);

        all.low = least < all.low ? least : all.low;
        all.high = most > all.high ? most : all.high;
    }
    if (p->request->causal) {
        all.low = all.low < 0 ? 0 : all.low;
        all.high = all.high < 0 ? 0 : all.high;
    }
    return all;
}

bool lct_content_plan_make(struct lct_content_products *c,
                           const struct lct_plan *p)
{
    const locant_encoding *e = p->request->content->e;
    const struct lct_content_door *door = &e->row->content;
    struct lct_span differences;

    c->products = lct_no_products();
    if (door->token_angles != NULL)
        return true;
    if (door->pairs != NULL)
        return lct_pair_gates_have_tiles(p);
    if (door->products == NULL)
        return false;
    differences = find_differences(p);
    door->products(&c->products, e, differences);
    if (c->products.maps.rank > 0)
        return lct_content_maps_has_tiles(p);
    if (door->scores != NULL)
        return false;
    if (c->products.gate_weight >= 0 &&
        (p->request->mask_hooks > 0 || p->request->visible != NULL))
        return false;
    c->basis_row = 0;
    for (int n = 0; n < c->products.count; n++) {
        const struct lct_vectors *v = &c->products.vectors[n];

        if (!plan_table(&c->table[n], p, v, differences))
            return false;
        if (v->matrix >= 0)
            c->basis_row = lct_sizes_round_up(p->W, LCT_PAD);
    }
    return true;
}

double lct_content_plan_gradients(const struct lct_plan *p)
{
    double sum = 0;

    for (int n = 0; n < p->content->products.count; n++) {
        const struct lct_content_table *table = &p->content->table[n];

        sum += (double)table->owners * (double)table->rows * (double)p->D;
    }
    if (p->content->products.maps.rank > 0)
        sum += (double)p->H * (double)p->S * (double)p->padded / 2;
    return sum;
}

/* ------------------------------------------------------------------ layout */

static void lay_out_table(struct lct_content_table *table,
                          const struct lct_plan *p, struct lct_arena *arena)
{
    bool keys = table->v.times == LCT_TIMES_KEY;

    table->row_of = lct_arena_alloc(arena, table->range, 1, sizeof(int32_t));
    table->vectors =
        lct_arena_floats(arena, table->heads * table->rows, p->padded);
    table->columns = lct_arena_floats(arena, keys ? table->heads * p->D : 0,
                                      table->padded_rows);
    table->dtable =
        lct_arena_doubles(arena, p->chunk * table->owners * table->rows, p->D);
    table->dtotal = lct_arena_doubles(arena, table->heads * table->rows, p->D);
}

static void lay_out_scratch(const struct lct_plan *p, struct lct_arena *arena)
{
    const struct lct_content_products *c = p->content;
    int64_t most = p->W > p->D ? p->W : p->D; /* W may be below D */

    for (int slot = 0; slot < p->slots; slot++) {
        struct lct_content_scratch s = { 0 };

        if (c->products.near_far) {
            s.y[0] = lct_arena_floats(arena, LCT_TILE, p->padded);
            s.y_cols[0] = lct_arena_floats(arena, LCT_COLUMNS_ROW, p->D);
            s.dy[0] = lct_arena_floats(arena, LCT_TILE, p->padded);
            s.far_dk = lct_arena_floats(arena, p->held_keys, p->padded);
        }
        for (int n = 0; n < c->products.count; n++) {
            bool added = c->table[n].v.added >= 0;

            s.product[n].held =
                lct_arena_floats(arena, LCT_CONTENT_WINDOW, LCT_TILE);
            s.gradient[n].held =
                lct_arena_floats(arena, LCT_CONTENT_WINDOW, LCT_TILE);
            s.y[n] = lct_arena_floats(arena, added ? LCT_TILE : 0, p->padded);
            s.y_cols[n] =
                lct_arena_floats(arena, added ? LCT_COLUMNS_ROW : 0, p->D);
            s.dy[n] = lct_arena_floats(arena, LCT_TILE, p->padded);
        }
        s.rows = lct_arena_floats(arena, LCT_CONTENT_WINDOW, p->padded);
        s.by_row = lct_arena_floats(arena, LCT_CONTENT_WINDOW, LCT_TILE);
        s.far_keys = s.rows;
        s.far_s = s.by_row;
        s.at = lct_arena_alloc(arena, LCT_TILE, LCT_TILE, sizeof(int32_t));
        s.row = lct_arena_doubles(arena, most, 1);
        if (lct_arena_is_real(arena))
            c->scratch[slot] = s;
    }
}

void lct_content_plan_layout(struct lct_content_products *c,
                             const struct lct_plan *p, struct lct_arena *arena)
{
    int64_t rows = 0;

    if (p->request->content == NULL)
        return;
    for (int n = 0; n < c->products.count; n++) {
        lay_out_table(&c->table[n], p, arena);
        if (c->table[n].v.matrix >= 0)
            rows = c->table[n].rows; /* the same for all of them */
    }
    for (int n = 0; n <= c->products.count; n++)
        c->dvector[n] = lct_arena_doubles(arena, p->chunk * p->H, p->D);
    if (c->basis_row > 0) {
        c->basis = lct_arena_floats(arena, rows, c->basis_row);
        c->matrix = lct_arena_floats(arena, c->basis_row, p->H * p->padded);
    }
    c->scratch = lct_arena_alloc(arena, p->slots, 1, sizeof(*c->scratch));
    lay_out_scratch(p, arena);
    if (c->products.gate_weight >= 0)
        lct_content_gates_layout(c, p, arena);
    if (c->products.near_far)
        lct_content_far_layout(c, p, arena);
    if (c->products.maps.rank > 0)
        lct_content_maps_layout(c, p, arena);
}

/* vector_compare.c - compare a tensor with true values, and say where it
 * differs */
#include "vector_compare.h"
#include "vector_dump.h"
#include "vector_rope.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where an entry stands: positions of its row and of its column. */
struct place {
    int64_t head, row, column;
};

static struct place place_of(const struct lct_vector_values *v, size_t at)
{
    int64_t last = v->shape[v->rank - 1], i = (int64_t)at;
    int64_t rows = v->rank == 3 ? v->shape[1] : v->shape[0];

    if (v->rank == 1)
        return (struct place){ 0, i, 0 };
    return (struct place){ i / last / rows, i / last % rows, i % last };
}

/* Is the key of this entry behind its query, where a causal mask hides it? */
static bool is_hidden(const struct lct_vector_group *g,
                      const struct lct_vector_values *v, size_t at)
{
    struct place p = place_of(v, at);

    return g->causal && v->rank == 3 &&
           lct_vector_groups_position(g->keys, p.column) >
               lct_vector_groups_position(g->queries, p.row);
}

static double changed(const struct lct_vector_values *want, size_t at,
                      enum lct_vector_change change)
{
    size_t last = (size_t)want->shape[want->rank - 1];

    switch (change) {
    case LCT_VECTOR_NEGATED: return -want->value[at];
    case LCT_VECTOR_MIRRORED:
        return want->value[at / last * last + last - 1 - at % last];
    case LCT_VECTOR_UNSCALED: return want->value[at] * sqrt(LCT_VECTOR_DIM);
    default: return want->value[at];
    }
}

/* Entries of an earlier position come first. */
static bool is_before(const struct lct_vector_values *v, size_t a, size_t b)
{
    return place_of(v, a).row < place_of(v, b).row;
}

struct lct_vector_difference
lct_vector_compare(const struct lct_vector_trial *t,
                   const struct lct_vector_values *want,
                   enum lct_vector_change change)
{
    struct lct_vector_tolerance tol = lct_vector_tolerance_of(want, t->dtype);
    struct lct_vector_difference d = { 0 };

    for (size_t at = 0; at < want->n; at++) {
        double got = lct_vector_dump_value(t->got, at);
        double right = changed(want, at, change), error = fabs(got - right);
        double allowed = tol.absolute + tol.relative * fabs(right);

        if (is_hidden(t->group, want, at))
            continue;
        if (t->rounded && want->slack != NULL)
            allowed += tol.angles * want->slack[at];
        if (error != error)
            error = INFINITY;
        d.largest = fmax(d.largest, error);
        if (error > 0)
            d.share = fmax(d.share, error / allowed);
        if (error <= allowed || (d.fails && !is_before(want, at, d.at)))
            continue;
        d.fails = true;
        d.at = at;
        d.got = got;
        d.want = right;
        d.allowed = allowed;
    }
    return d;
}

bool lct_vector_compare_shapes(const locant_tensor *got,
                               const struct lct_vector_values *want)
{
    int i = 0, k = 0;

    for (;;) {
        while (i < got->rank && got->shape[i] == 1)
            i++;
        while (k < want->rank && want->shape[k] == 1)
            k++;
        if (i == got->rank || k == want->rank)
            return i == got->rank && k == want->rank;
        if (got->shape[i++] != want->shape[k++])
            return false;
    }
}

/* ------------------------------------------------------------------ places */

static void put_position(char *out, size_t size,
                         const struct lct_vector_positions *p, int64_t i)
{
    if (p->axes == 3)
        snprintf(out, size, "(%g, %g, %g)", p->coords[3 * i],
                 p->coords[3 * i + 1], p->coords[3 * i + 2]);
    else
        snprintf(out, size, "%" PRId64, lct_vector_groups_position(p, i));
}

static void put_channel(char *out, size_t size,
                        const struct lct_vector_group *g, int64_t channel)
{
    int64_t pair;

    if (g->kind != LCT_VECTOR_ROPE) {
        snprintf(out, size, "channel %" PRId64, channel);
        return;
    }
    pair = lct_vector_rope_pair(g, channel);
    if (pair < 0)
        snprintf(out, size, "channel %" PRId64 ", which is not rotated",
                 channel);
    else
        snprintf(out, size, "pair %" PRId64 " (channel %" PRId64 ")", pair,
                 channel);
}

void lct_vector_compare_place(char *out, size_t size,
                              const struct lct_vector_trial *t,
                              const struct lct_vector_values *want, size_t at)
{
    const struct lct_vector_group *g = t->group;
    const char *name = lct_vector_quantities_of(g->kind)[t->quantity].name;
    struct place p = place_of(want, at);
    char row[80], column[80];

    put_position(row, sizeof row, g->queries, p.row % g->queries->n);
    put_position(column, sizeof column, g->keys, p.column % g->keys->n);
    if (strcmp(name, "frequencies") == 0)
        snprintf(out, size, "pair %" PRId64, p.row);
    else if (strcmp(name, "slopes") == 0)
        snprintf(out, size, "head %" PRId64, p.row);
    else if (strcmp(name, "dtable") == 0)
        snprintf(out, size, "bucket %" PRId64 ", head %" PRId64, p.row,
                 p.column);
    else if (strcmp(name, "factor") == 0)
        snprintf(out, size, "position %s", row);
    else if (g->kind == LCT_VECTOR_ANGLES)
        snprintf(out, size, "position %s, pair %" PRId64, row, p.column);
    else if (want->rank == 3)
        snprintf(out, size, "head %" PRId64 ", query at %s, key at %s", p.head,
                 row, column);
    else if (strcmp(name, "scores") == 0 || strcmp(name, "buckets") == 0)
        snprintf(out, size, "query at %s, key at %s", row, column);
    else {
        put_channel(column, sizeof column, g, p.column);
        snprintf(out, size, "position %s, %s", row, column);
    }
}

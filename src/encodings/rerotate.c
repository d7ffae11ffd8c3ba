/*
 * rerotate.c - move rotated keys to other positions, frequencies or both.
 *
 * A key stored at p_from is rotated by p_to f_to - p_from f_from: a schedule
 * with the coordinates of both, the latter negated.  The sum is formed in
 * integers modulo whole turns (angle/point.c), so it is exact however far the
 * positions are apart.  Error, with u = 2^-24 and (a, b) a pair of raw
 * channels: a table entry is off by 0.55 u, a rotated channel by (0.78 + 2) u
 * |(a, b)| (table, two products and a sum), a rotated pair by 3.93 u in length.
 * The stored key has its own 3.93 u, the second rotation adds 2.78 u: at any
 * position at most 6.8 u |(a, b)| from the exact key, and 9.5 u from the raw
 * key rotated directly.  Tables of F64 tensors are in double, with u about
 * 2^-53.
 *
 * Float32 recipes are no function of a sum of angles.  For them the two tables
 * are combined, R_to R_from^-1 pair by pair in double, and the row is rotated
 * once.
 */
#include "../core/size.h"
#include "blocks.h"
#include "rotate.h"
#include "locant/rotate.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char fn[] = "locant_encoding_rerotate";

/* Positions and frequencies before or after the move. */
struct side {
    struct lct_rotate_call c;
    const struct lct_schedule *s;
};

static locant_status open_side(struct side *side, const locant_tensor *out,
                               const locant_tensor *x, const locant_encoding *e,
                               const char *name, const locant_tensor *positions)
{
    int64_t dim = x->shape[x->rank - 1];

    LCT_TRY(lct_rotate_open(&side->c, fn, e, name, positions,
                            x->shape[x->rank - 2]));
    LCT_TRY(lct_check_apart(fn, out, positions));
    if (side->c.e->row->rotate.map != NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s is no plain rotation", fn,
                           side->c.e->row->info.name);
    return lct_schedule_of(&side->s, side->c.e, fn, dim, side->c.length);
}

static locant_status check_channels(const struct lct_schedule *from,
                                    const struct lct_schedule *to)
{
    static const char *const pairings[] = { "half", "interleaved" };

    if (from->pairing != to->pairing)
        return locant_fail(
            LOCANT_ERR_PARAM,
            "%s: the keys have pairing %s, expected that of 'to', %s", fn,
            pairings[from->pairing], pairings[to->pairing]);
    if (from->bands != to->bands ||
        memcmp(from->band, to->band, sizeof(from->band)) != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the keys have pairs in other bands of channels "
                           "than 'to', expected the same widths of axes",
                           fn);
    if (from->pairs != to->pairs || from->first != to->first)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: 'from' rotates channels %" PRId64 " to %" PRId64
                           ", 'to' %" PRId64 " to %" PRId64
                           ", expected the same",
                           fn, from->first, from->first + 2 * from->pairs - 1,
                           to->first, to->first + 2 * to->pairs - 1);
    return LOCANT_OK;
}

/* Is one rotation by p_to - p_from enough? */
static bool same_frequencies(const struct side *from, const struct side *to)
{
    return from->s->axes == 1 && to->s->axes == 1 && from->c.pos != NULL &&
           to->c.pos != NULL &&
           memcmp(from->s->frequency, to->s->frequency,
                  (size_t)to->s->pairs * sizeof(to->s->frequency[0])) == 0;
}

static struct lct_schedule *joined(const struct side *from,
                                   const struct side *to)
{
    bool same = same_frequencies(from, to);
    int axes = to->s->axes + (same ? 0 : from->s->axes);
    size_t pairs = (size_t)to->s->pairs, n = pairs * (size_t)to->s->axes;
    struct lct_schedule *s =
        lct_schedule_new(to->s->pairs, axes, to->s->head_dim);

    if (s == NULL)
        return NULL;
    s->first = to->s->first;
    s->pairing = to->s->pairing;
    s->bands = to->s->bands;
    memcpy(s->band, to->s->band, sizeof(s->band));
    s->magnitude = to->s->magnitude / from->s->magnitude;
    memcpy(s->frequency, to->s->frequency, n * sizeof(s->frequency[0]));
    if (!same)
        memcpy(s->frequency + n, from->s->frequency,
               pairs * (size_t)from->s->axes * sizeof(s->frequency[0]));
    return s;
}

/* Coordinates of token t; integers must be exact in double. */
static locant_status coordinates(double *out, const struct side *side, size_t t)
{
    const struct lct_rotate_call *c = &side->c;

    if (c->coords != NULL)
        memcpy(out, c->coords + t * (size_t)c->axes,
               (size_t)c->axes * sizeof(*out));
    else if (!lct_is_exact(c->pos[t]))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: position %" PRId64
                           " (index %zu), expected at most 2^53 in magnitude",
                           fn, c->pos[t], t);
    else if (side->s->axes > 1)
        c->e->row->positions.coordinates(out, c->e, c->pos[t]);
    else
        out[0] = (double)c->pos[t];
    return LOCANT_OK;
}

/*
 * The positions of one rotation by p_to f_to - p_from f_from; memory holds
 * tokens x (axes of both).  Those of 'from' change their signs: frequencies
 * must not, since modulo a turn -f is 1 - f, which holds for whole positions
 * only.
 */
static locant_status difference(struct lct_places *places,
                                const struct side *from, const struct side *to,
                                void *memory)
{
    size_t n = to->c.tokens;
    int64_t *shift = memory;
    double *coords = memory;

    if (same_frequencies(from, to)) {
        for (size_t t = 0; t < n; t++)
            if (__builtin_sub_overflow(to->c.pos[t], from->c.pos[t], &shift[t]))
                return locant_fail(
                    LOCANT_ERR_PARAM,
                    "%s: position %" PRId64
                    " (index %zu) is further than 2^63 from where the key was",
                    fn, to->c.pos[t], t);
        places->pos = shift;
        return LOCANT_OK;
    }
    for (size_t t = 0; t < n; t++) {
        double *at = coords + t * (size_t)places->s->axes;

        LCT_TRY(coordinates(at, to, t));
        LCT_TRY(coordinates(at + to->s->axes, from, t));
        for (int a = to->s->axes; a < places->s->axes; a++)
            at[a] = -at[a];
    }
    places->coords = coords;
    return LOCANT_OK;
}

static double get(const void *x, size_t i, bool wide)
{
    return wide ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

static void put(void *x, size_t i, double y, bool wide)
{
    if (wide)
        ((double *)x)[i] = y;
    else
        ((float *)x)[i] = (float)y;
}

/* (cos, sin) of R_to R_from^-1.  The entries of R_from are rounded, so its
 * inverse is its transpose divided by cos^2 + sin^2. */
static void join_tables(struct lct_table out, const struct side *from,
                        const struct side *to, struct lct_table undo)
{
    size_t n = to->c.tokens * (size_t)to->s->pairs;
    bool wide = out.wide;

    lct_rotate_angles(undo, from->s, from->c.e, from->c.pos, from->c.coords,
                      from->c.tokens);
    lct_rotate_angles(out, to->s, to->c.e, to->c.pos, to->c.coords,
                      to->c.tokens);
    for (size_t i = 0; i < n; i++) {
        double c = get(undo.cosines, i, wide);
        double s = get(undo.sines, i, wide), norm = c * c + s * s;
        double x = get(out.cosines, i, wide);
        double y = get(out.sines, i, wide);

        put(out.cosines, i, (x * c + y * s) / norm, wide);
        put(out.sines, i, (y * c - x * s) / norm, wide);
    }
}

/* Tables that join_tables() made. */
struct tables {
    struct lct_table made;
    size_t pairs;
};

static void table_angles(struct lct_table out, const void *context,
                         size_t first, size_t n)
{
    const struct tables *t = context;
    struct lct_table from = lct_table_at(t->made, first * t->pairs);
    size_t bytes = n * t->pairs * lct_table_size(out.wide);

    memcpy(out.cosines, from.cosines, bytes);
    memcpy(out.sines, from.sines, bytes);
}

/* As lct_places_angles(); a row is copied where a shift repeats. */
static void shift_angles(struct lct_table out, const void *context,
                         size_t first, size_t n)
{
    const struct lct_places *p = context;
    size_t pairs = (size_t)p->s->pairs;
    size_t bytes = pairs * lct_table_size(out.wide);
    const int64_t *pos = p->pos + first;

    for (size_t t = 0, rows; t < n; t += rows) {
        bool same = t + 1 < n && pos[t + 1] == pos[t];
        struct lct_table row = lct_table_at(out, t * pairs);

        for (rows = 1; t + rows < n; rows++)
            if ((pos[t + rows] == pos[t + rows - 1]) != same)
                break;
        lct_places_angles(row, p, first + t, same ? 1 : rows);
        if (same)
            for (size_t i = 1; i < rows; i++) {
                struct lct_table copy = lct_table_at(row, i * pairs);

                memcpy(copy.cosines, row.cosines, bytes);
                memcpy(copy.sines, row.sines, bytes);
            }
    }
}

static locant_status move_exact(locant_tensor *out, const locant_tensor *x,
                                const struct side *from, const struct side *to,
                                const struct lct_schedule *s, void *memory)
{
    struct lct_places places = { .s = s };
    struct lct_rotation r = { .s = s, .context = &places, .sign = 1 };

    LCT_TRY(difference(&places, from, to, memory));
    r.angles = places.pos == NULL ? lct_places_angles : shift_angles;
    return lct_rotate_rows(fn, 1, &out, &x, &r);
}

/* memory: four tables [tokens, pairs] */
static locant_status move_joined(locant_tensor *out, const locant_tensor *x,
                                 const struct side *from, const struct side *to,
                                 const struct lct_schedule *s, void *memory)
{
    size_t pairs = (size_t)s->pairs, n = to->c.tokens * pairs;
    bool wide = x->dtype == LOCANT_F64;
    char *second = (char *)memory + n * lct_table_size(wide);
    struct tables tables = { { memory, second, wide }, pairs };
    struct lct_rotation r = {
        .s = s, .angles = table_angles, .context = &tables, .sign = 1
    };

    join_tables(tables.made, from, to, lct_table_at(tables.made, 2 * n));
    return lct_rotate_rows(fn, 1, &out, &x, &r);
}

static locant_status move(locant_tensor *out, const locant_tensor *x,
                          const struct side *from, const struct side *to,
                          const struct lct_schedule *s)
{
    bool exact = from->s->mode == LOCANT_ANGLES_EXACT &&
                 to->s->mode == LOCANT_ANGLES_EXACT;
    size_t token_bytes =
        exact ? (size_t)(to->s->axes + from->s->axes) * sizeof(double)
              : 4 * (size_t)s->pairs * lct_table_size(x->dtype == LOCANT_F64);
    size_t bytes;
    locant_status status;
    void *memory = NULL;

    if (lct_mul(&bytes, to->c.tokens, token_bytes))
        memory = locant_alloc(bytes);
    if (memory == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for the angles of %zu positions", fn,
                           to->c.tokens);
    status = exact ? move_exact(out, x, from, to, s, memory)
                   : move_joined(out, x, from, to, s, memory);
    locant_release(memory);
    return status;
}

static locant_status join_and_move(locant_tensor *out, const locant_tensor *x,
                                   const struct side *before,
                                   const struct side *after)
{
    struct lct_schedule *s = joined(before, after);
    locant_status status;

    if (s == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %" PRId64 " frequencies", fn,
                           after->s->pairs);
    status = move(out, x, before, after, s);
    locant_release(s);
    return status;
}

locant_status locant_encoding_rerotate(locant_tensor *out,
                                       const locant_tensor *x,
                                       const locant_encoding *from,
                                       const locant_tensor *from_positions,
                                       const locant_encoding *to,
                                       const locant_tensor *to_positions)
{
    static const char *const names[2] = { "out", "x" };
    struct side before = { .s = NULL }, after = { .s = NULL };
    locant_status status;

    LCT_TRY(lct_blocks_check(fn, names, out, x, true));
    LCT_TRY(lct_rotate_check_width(fn, "out", out, x, x->shape[x->rank - 1]));
    status = open_side(&before, out, x, from, "from_positions", from_positions);
    if (status == LOCANT_OK)
        status = open_side(&after, out, x, to, "to_positions", to_positions);
    if (status == LOCANT_OK)
        status = check_channels(before.s, after.s);
    if (status == LOCANT_OK && !lct_empty(x))
        status = join_and_move(out, x, &before, &after);
    lct_schedule_done(before.s);
    lct_schedule_done(after.s);
    return status;
}

/*
 * rotate_coords.c - the gradient of the coordinates that a rotation was given.
 *
 * forward: (a', b') = m R(angle) (a, b), angle = sum_k p_k f_k of the pair.
 * The gradient of the angle, db' a' - da' b', is also db a - da b of the
 * unrotated pair, because R commutes with a quarter turn.  So x and dx are
 * enough, and no angle is computed again.
 */
#include "../core/pool.h"
#include "../core/size.h"
#include "../kernel/row.h"
#include "locant/multimodal.h"
#include "params.h"
#include "rotate.h"
#include "locant/rotate.h"
#include <inttypes.h>

static const char fn[] = "locant_coordinates_backward";

enum { TOKENS_PER_TASK = 64 };

/* A call: rows x [rows of a batch, heads.., tokens, D]. */
struct job {
    const struct lct_schedule *s;
    const locant_tensor *dx, *x;
    locant_tensor *dcoords;
    bool by_row, by_head; /* dcoords has rows, heads; else all add to one */
    bool ends;            /* dcoords has the axes, else it has one */
    double sign;
    int64_t rows, heads, tokens, D;
    double *frequency;      /* [axes, pairs], radians */
    int64_t (*channels)[2]; /* [pairs] */
    int slots;
    double *scratch; /* [slots, 2, D] */
};

/* ------------------------------------------------------------------- checks */

static locant_status check_part(const struct lct_part **part,
                                const locant_encoding *e)
{
    LCT_TRY(lct_part_require(part, fn, e, LOCANT_DOOR_ROTATE));
    if ((*part)->e->row->rotate.map != NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s is not a plain rotation by frequencies", fn,
                           (*part)->e->row->info.name);
    if (lct_schedule_length((*part)->e, INT32_MAX) != 0)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: frequencies of %s depend on the longest "
                           "position, whose gradient is not defined",
                           fn, (*part)->e->spec);
    return LOCANT_OK;
}

static locant_status check_rows(struct job *j)
{
    const locant_tensor *x = j->x;
    int64_t any[LOCANT_MAX_RANK];

    for (int i = 0; i < LOCANT_MAX_RANK; i++)
        any[i] = -1;
    LCT_NOT_NULL(fn, x);
    if (x->rank < 2 || x->rank > LOCANT_MAX_RANK)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: x has rank %d, expected 2 .. %d", fn, x->rank,
                           LOCANT_MAX_RANK);
    LCT_TRY(lct_check(fn, "x", x, LCT_IN_FLOAT, x->rank, any));
    LCT_TRY(lct_check(fn, "dx", j->dx, 1u << x->dtype, x->rank, x->shape));
    j->D = x->shape[x->rank - 1];
    j->tokens = x->shape[x->rank - 2];
    j->rows = x->rank > 2 ? x->shape[0] : 1;
    j->heads = 1;
    for (int i = 1; i < x->rank - 2; i++)
        j->heads *= x->shape[i];
    return LOCANT_OK;
}

/* Those of row, head, token and axis that dcoords has; returns how many. */
static int chosen(int64_t out[4], const struct job *j, const int64_t of[4])
{
    const bool has[4] = { j->by_row, j->by_head, true, j->ends };
    int n = 0;

    for (int i = 0; i < 4; i++)
        if (has[i])
            out[n++] = of[i];
    return n;
}

/* dcoords: [T, axes], [rows, T, axes] or, of x [rows, heads, T, D], [rows,
 * heads, T, axes]; of one axis also [T]. */
static locant_status check_coords(struct job *j, int axes)
{
    const int64_t all[4] = { j->rows, j->heads, j->tokens, axes };
    const locant_tensor *d = j->dcoords;
    int64_t shape[4];

    LCT_NOT_NULL(fn, d);
    j->by_row = d->rank >= 3;
    j->by_head = d->rank == 4;
    j->ends = axes > 1 || d->rank > 1;
    if (j->by_head)
        LCT_TRY(lct_check(fn, "x", j->x, LCT_IN_FLOAT, 4, j->x->shape));
    LCT_TRY(
        lct_check(fn, "dcoords", d, LCT_IN_F64, chosen(shape, j, all), shape));
    LCT_TRY(lct_check_output(fn, "dcoords", d));
    LCT_TRY(lct_check_apart(fn, d, j->x));
    return lct_check_apart(fn, d, j->dx);
}

/* ------------------------------------------------------------------- pairs */

static void find_pairs(struct job *j)
{
    const struct lct_schedule *s = j->s;

    for (int64_t c = 0; c < s->pairs; c++)
        lct_rotate_channels(j->channels[c], s, c);
    for (int64_t i = 0; i < s->axes * s->pairs; i++)
        j->frequency[i] = lct_phase_radians(s->frequency[i]);
}

static locant_status take_memory(struct job *j)
{
    const size_t pairs = (size_t)j->s->pairs, axes = (size_t)j->s->axes;
    double *memory = NULL;
    size_t rows, bytes;

    if (lct_mul(&rows, 2 * (size_t)j->D, (size_t)j->slots) &&
        lct_add(&bytes, rows, pairs * (axes + 2)) &&
        lct_mul(&bytes, bytes, sizeof(*memory)))
        memory = locant_alloc(bytes);
    if (memory == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %" PRId64 " pairs", fn,
                           j->s->pairs);
    j->frequency = memory;
    j->scratch = memory + pairs * axes;
    j->channels = (int64_t(*)[2])(void *)(j->scratch + rows);
    return LOCANT_OK;
}

/* ---------------------------------------------------------------- gradient */

/* Rows that no query sees may hold NaN, so a gradient of 0 is not multiplied.
 */
static void add_row(double *sum, const struct job *j, const double *dx,
                    const double *x)
{
    for (int64_t c = 0; c < j->s->pairs; c++) {
        const int64_t *at = j->channels[c];
        const double da = dx[at[0]], db = dx[at[1]];
        const double g = j->sign * (db * x[at[0]] - da * x[at[1]]);

        if (da == 0 && db == 0)
            continue;
        for (int k = 0; k < j->s->axes; k++)
            sum[k] += g * j->frequency[k * j->s->pairs + c];
    }
}

/* Row (row, head, t) of x or dx in double. */
static void load(double *out, const struct job *j, const locant_tensor *x,
                 const int64_t at[3])
{
    int64_t index[LOCANT_MAX_RANK] = { at[0] }, head = at[1];

    for (int i = x->rank - 3; i > 0; i--) {
        index[i] = head % x->shape[i];
        head /= x->shape[i];
    }
    index[x->rank - 2] = at[2];
    lct_row_to_f64(out, lct_at(x, index, x->rank - 1), x->dtype, (size_t)j->D);
}

/* dcoords of a row, head and token += sum, which becomes 0. */
static void store(const struct job *j, const int64_t at[3], double *sum)
{
    for (int64_t k = 0; k < j->s->axes; k++, sum++) {
        int64_t index[4];
        int n = chosen(index, j, (int64_t[4]){ at[0], at[1], at[2], k });

        *(double *)lct_at(j->dcoords, index, n) += *sum;
        *sum = 0;
    }
}

/* Heads that share coordinates add up in order, then rows that do. */
static void add_token(const struct job *j, int64_t t, int slot)
{
    double *dx = j->scratch + 2 * j->D * slot, *x = dx + j->D;
    double sum[LCT_MOST_AXES] = { 0 };

    for (int64_t row = 0; row < j->rows; row++)
        for (int64_t head = 0; head < j->heads; head++) {
            const int64_t at[3] = { row, head, t };

            load(dx, j, j->dx, at);
            load(x, j, j->x, at);
            add_row(sum, j, dx, x);
            if ((!j->by_head && head + 1 < j->heads) ||
                (!j->by_row && row + 1 < j->rows))
                continue;
            store(j, at, sum);
        }
}

static void add_tokens(void *context, size_t task, int slot)
{
    const struct job *j = context;
    const int64_t first = (int64_t)task * TOKENS_PER_TASK;

    for (int64_t t = first; t < j->tokens && t < first + TOKENS_PER_TASK; t++)
        add_token(j, t, slot);
}

static locant_status run(struct job *j)
{
    j->slots = lct_slots();
    LCT_TRY(take_memory(j));
    find_pairs(j);
    lct_parallel_for((size_t)((j->tokens - 1) / TOKENS_PER_TASK + 1), j->slots,
                     add_tokens, j);
    locant_release(j->frequency);
    return LOCANT_OK;
}

locant_status locant_coordinates_backward(locant_tensor *dcoords,
                                          const locant_tensor *dx,
                                          const locant_tensor *x,
                                          const locant_encoding *e, int flags)
{
    struct job j = { .dx = dx,
                     .x = x,
                     .dcoords = dcoords,
                     .sign = flags & LOCANT_ROTATE_INVERSE ? -1 : 1 };
    const struct lct_part *part;
    locant_status status;

    LCT_TRY(check_part(&part, e));
    LCT_TRY(lct_rotate_check_flags(fn, flags));
    LCT_TRY(check_rows(&j));
    LCT_TRY(check_coords(&j, locant_encoding_axes(part->e)));
    LCT_TRY(lct_schedule_of(&j.s, part->e, fn, j.D, 0));
    status = lct_empty(x) ? LOCANT_OK : run(&j);
    lct_schedule_done(j.s);
    return status;
}

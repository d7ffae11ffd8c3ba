/*
 * net_linear.c - products with matrices as they lie in a mapped file
 *
 * Rows of float32 and bfloat16 are read in place.  Others, and bfloat16 for
 * many rows of x, become numbers of the model a tile at a time, of TILE rows
 * and one piece of a row (nn_kernels.h), which stays in the second-level cache.
 */
#include "net_linear.h"
#include "../nn/nn_kernels.h"
#include "net_math.h"

enum { TILE = LCT_NET_TILE, PIECE = LCT_NN_PIECE, FEW = 4 };

/*
 * A model that rounds to bfloat16 multiplies pairs of it.  Rows of x are
 * rounded first, to blocks of all rows and a piece of PIECE words: whole long
 * rows would meet in few sets of a cache.  A task takes PAIR_TILE rows of the
 * matrix and all rows of x or, if these are many, MANY_TILE and ROWS.
 */
enum { ROWS = 128, PAIR_TILE = 96, MANY_TILE = 480, PAIRS = 2 * PIECE };

_Static_assert((int)ROWS >= (int)TILE, "room for either");
enum { ROOM = (int)ROWS * PIECE }; /* numbers of a slot */

locant_status lct_net_linear_begin(struct lct_net_room *room,
                                   const struct lct_net *n)
{
    room->n = n;
    room->slots = locant_threads();
    room->tiles = lct_net_take(room, room->slots, ROOM);
    LCT_NET_GOT(room->tiles);
    return LOCANT_OK;
}

struct job {
    void *y;
    int64_t y_row;
    const void *x;
    int64_t rows;
    const struct lct_net *n;
    const struct lct_net_linear *w;
    const struct lct_net_room *room;
    uint16_t *rounded; /* x in blocks of PAIRS columns; NULL: not rounded yet */
    bool in_place, bf16, pairs;
    int64_t tile;   /* rows of the matrix in a task */
    int64_t blocks; /* of ROWS rows of x; 1: a task takes all of them */
};

/* Can kernels read the rows where they lie?  bfloat16 is read as such for few
   rows of x, for which it is widened once each. */
static bool in_place(const struct job *j, bool *bf16)
{
    const struct lct_net_matrix *w = &j->w->w;
    const bool kept = w->own != NULL;

    *bf16 = kept || lct_net_matrix_is(w, "BF16");
    if (j->n->dtype != LOCANT_F32)
        return false;
    if (*bf16)
        return j->rows <= FEW && (kept || !w->transposed) &&
               (kept || (uintptr_t)w->weight->data % 2 == 0);
    return lct_net_matrix_is(w, "F32") && !w->transposed &&
           (uintptr_t)w->weight->data % 4 == 0;
}

/* Are products of pairs of bfloat16?  Only of models that round to it; the
   answer does not depend on how many rows x has. */
static bool in_pairs(const struct job *j)
{
    const struct lct_net_matrix *w = &j->w->w;
    const bool kept = w->own != NULL;
    const char *data = kept ? w->own : (const char *)w->weight->data;

    if (!j->n->round_weights || w->in % 2 != 0 || (uintptr_t)data % 4 != 0)
        return false;
    return kept || (lct_net_matrix_is(w, "BF16") && !w->transposed &&
                    w->row % 2 == 0 && w->first % 2 == 0);
}

/* Columns i .. i + count - 1 of products with numbers from p on of rows that
   are read where they lie; x says the rest. */
static void multiply_rows(const struct job *j, const struct lct_nn_dots *x,
                          int64_t p, int64_t i, int64_t count)
{
    const struct lct_net_matrix *w = &j->w->w;
    const bool kept = w->own != NULL, even = kept || w->group == 1;
    const size_t item = x->kind == LCT_DOTS_PLAIN ? 4 : 2;
    const int64_t apart = kept            ? w->in
                          : w->group == 1 ? w->step * w->row
                                          : w->row;

    for (int64_t done = 0, run; done < count; done += run) {
        const int64_t left = w->group - (i + done) % w->group;
        const int64_t row =
            kept ? (i + done) * w->in : lct_net_matrix_element(w, i + done);
        struct lct_nn_dots d = *x;

        run = even || left > count - done ? count - done : left;
        d.c = lct_net_math_at(j->n->math, x->c, i + done);
        d.b = (const char *)(kept ? w->own : w->weight->data) +
              (size_t)(row + p) * item;
        d.b_row = (size_t)(x->kind == LCT_DOTS_PAIRS ? apart / 2 : apart);
        d.n = (size_t)run;
        j->n->math->dots(&d);
    }
}

/* Round columns p .. p + k - 1 of 'count' rows of x, from 'row' on. */
static void round_rows(uint16_t *out, const struct job *j, int64_t row,
                       int64_t count, int64_t p, int64_t k)
{
    const struct lct_net_math *m = j->n->math;
    const int64_t in = j->w->w.in;

    for (int64_t r = 0; r < count; r++)
        m->narrow(out + r * k, lct_net_math_at(m, j->x, (row + r) * in + p), k);
}

static int64_t columns_of(const struct job *j, int64_t p)
{
    const int64_t left = j->w->w.in - p;

    return left < PAIRS ? left : PAIRS;
}

static void round_task(void *context, size_t task, int slot)
{
    const struct job *j = context;
    const int64_t row = (int64_t)task * TILE;
    const int64_t count = j->rows - row < TILE ? j->rows - row : TILE;

    (void)slot;
    for (int64_t p = 0; p < j->w->w.in; p += PAIRS) {
        const int64_t k = columns_of(j, p);

        round_rows(j->rounded + p * j->rows + row * k, j, row, count, p, k);
    }
}

/* Rows row .. row + x->m - 1 of x; without memory for all they are rounded
   here. */
static void pairs_tile(const struct job *j, const struct lct_nn_dots *x,
                       int64_t row, int64_t i, int64_t count, int slot)
{
    uint16_t *room =
        lct_net_math_at(j->n->math, j->room->tiles, (int64_t)slot * ROOM);

    for (int64_t p = 0; p < j->w->w.in; p += PAIRS) {
        const int64_t k = columns_of(j, p);
        struct lct_nn_dots d = *x;

        if (j->rounded == NULL)
            round_rows(room, j, row, (int64_t)x->m, p, k);
        d.a = j->rounded == NULL
                  ? (const void *)room
                  : (const void *)(j->rounded + p * j->rows + row * k);
        d.a_row = d.k = (size_t)k / 2;
        d.kind = LCT_DOTS_PAIRS;
        d.add = p > 0;
        multiply_rows(j, &d, p, i, count);
    }
}

static void copied_tile(const struct job *j, const struct lct_nn_dots *x,
                        int64_t i, int64_t count, int slot)
{
    const struct lct_net_matrix *w = &j->w->w;
    const struct lct_net_math *m = j->n->math;
    void *tile = lct_net_math_at(m, j->room->tiles, (int64_t)slot * ROOM);
    struct lct_nn_dots d = *x;

    d.c = lct_net_math_at(m, x->c, i);
    d.b = tile;
    d.n = (size_t)count;
    for (int64_t p = 0; p < w->in; p += PIECE) {
        const int64_t k = w->in - p < PIECE ? w->in - p : PIECE;

        lct_net_matrix_tile(tile, j->n, w, i, count, p, k);
        d.b_row = d.k = (size_t)k;
        d.a = lct_net_math_at(m, x->a, p);
        d.add = p > 0;
        m->dots(&d);
    }
}

static void tile_task(void *context, size_t task, int slot)
{
    const struct job *j = context;
    const struct lct_net_math *m = j->n->math;
    const int64_t out = j->w->w.out, in = j->w->w.in;
    const int64_t i = (int64_t)task / j->blocks * j->tile;
    const int64_t count = out - i < j->tile ? out - i : j->tile;
    const int64_t row = (int64_t)task % j->blocks * ROWS;
    const int64_t rows =
        j->blocks == 1 || j->rows - row < ROWS ? j->rows - row : ROWS;
    const struct lct_nn_dots x = {
        .c = lct_net_math_at(m, j->y, row * j->y_row),
        .c_row = (size_t)j->y_row,
        .a = lct_net_math_at(m, j->x, row * in),
        .a_row = (size_t)in,
        .kind = j->in_place && j->bf16 ? LCT_DOTS_WIDEN : LCT_DOTS_PLAIN,
        .m = (size_t)rows,
        .k = (size_t)in
    };

    if (j->pairs)
        pairs_tile(j, &x, row, i, count, slot);
    else if (j->in_place)
        multiply_rows(j, &x, 0, i, count);
    else
        copied_tile(j, &x, i, count, slot);
    for (int64_t r = 0; j->w->bias != NULL && r < rows; r++)
        m->add(lct_net_math_at(m, x.c, r * j->y_row + i),
               lct_net_math_at(m, j->w->bias, i), 1, count);
}

static void run_tasks(struct job *j, int64_t tasks, locant_task body)
{
    if (locant_threads() <= j->room->slots) {
        locant_parallel_for((size_t)tasks, body, j);
        return;
    }
    /* someone asked for more threads since: there is room for one */
    for (int64_t t = 0; t < tasks; t++)
        body(j, (size_t)t, 0);
}

void lct_net_linear_forward(void *y, const void *x, int64_t rows,
                            const struct lct_net_linear *w,
                            struct lct_net_room *room)
{
    lct_net_linear_columns(y, w->w.out, x, rows, w, room);
}

void lct_net_linear_columns(void *y, int64_t y_row, const void *x, int64_t rows,
                            const struct lct_net_linear *w,
                            struct lct_net_room *room)
{
    const size_t mark = room->used;
    struct job j = { .y = y,
                     .y_row = y_row,
                     .x = x,
                     .rows = rows,
                     .n = room->n,
                     .w = w,
                     .room = room };

    j.pairs = in_pairs(&j);
    j.in_place = in_place(&j, &j.bf16);
    /* long rows lie apart in x: a block of them, once read, serves many rows of
       the matrix */
    j.blocks = j.pairs || (j.in_place && w->w.in > PIECE)
                   ? (rows + ROWS - 1) / ROWS
                   : 1;
    j.tile = j.blocks > 1 ? MANY_TILE : j.pairs ? PAIR_TILE : TILE;
    if (j.pairs && !room->failed) {
        j.rounded = lct_net_take_items(room, rows, w->w.in, sizeof(*j.rounded));
        room->failed = false; /* it goes without */
    }
    if (j.rounded != NULL)
        run_tasks(&j, (rows + TILE - 1) / TILE, round_task);
    run_tasks(&j, (w->w.out + j.tile - 1) / j.tile * j.blocks, tile_task);
    lct_net_give_back(room, mark);
}

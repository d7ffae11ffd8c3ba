/*
 * net_matrix.c - rows of matrices as they lie in a mapped file, as numbers of
 * the model
 */
#include "net_matrix.h"
#include "net_math.h"
#include <math.h>
#include <string.h>

/* MOST_BLOCK: elements of a block of GGUF, at most */
enum { TILE = LCT_NET_TILE, MOST_BLOCK = 256 };

bool lct_net_matrix_is(const struct lct_net_matrix *w, const char *name)
{
    return strcmp(w->weight->type->name, name) == 0;
}

int64_t lct_net_matrix_element(const struct lct_net_matrix *w, int64_t r)
{
    int64_t at = r / w->group * w->step + r % w->group;

    return w->first + at * (w->transposed ? 1 : w->row);
}

/* Numbers first .. first + n - 1 of a tensor, which need not be whole blocks;
   those of 'room' that hold them. */
static const void *read_part(void *room, const struct lct_net *n,
                             const struct lct_weight *w, int64_t first,
                             int64_t count)
{
    const int64_t block = w->type->elements, skip = first % block;
    const int64_t all = (skip + count + block - 1) / block * block;

    n->math->read(room, w, first - skip, all);
    return lct_net_math_at(n->math, room, skip);
}

/* Numbers p .. p + k - 1 of 'count' rows of a transposed matrix. */
static void read_transposed(void *out, const struct lct_net *n,
                            const struct lct_net_matrix *w, int64_t row,
                            int64_t count, int64_t p, int64_t k)
{
    const struct lct_net_math *m = n->math;
    double room[TILE + 2 * MOST_BLOCK];

    for (int64_t c = 0; c < k; c++)
        for (int64_t r = 0, run; r < count; r += run) {
            const int64_t left = w->group - (row + r) % w->group;
            const void *numbers;

            run = left < count - r ? left : count - r;
            numbers = read_part(
                room, n, w->weight,
                lct_net_matrix_element(w, row + r) + (p + c) * w->row, run);
            for (int64_t i = 0; i < run; i++)
                memcpy(lct_net_math_at(m, out, (r + i) * k + c),
                       lct_net_math_at(m, numbers, i), m->item);
        }
}

/* The same of bfloat16 numbers that the model keeps. */
static void read_own(void *out, const struct lct_net *n,
                     const struct lct_net_matrix *w, int64_t row, int64_t count,
                     int64_t p, int64_t k)
{
    const uint16_t *own = w->own;

    for (int64_t r = 0; r < count; r++)
        for (int64_t c = 0; c < k; c++) {
            uint32_t bits = (uint32_t)own[(row + r) * w->in + p + c] << 16;
            float value;

            memcpy(&value, &bits, sizeof(value));
            n->math->set(out, r * k + c, (double)value);
        }
}

/* MXFP4: of each 32 numbers 16 bytes, the low half first, and an exponent of
   2 with a bias of 127. */
static void read_mxfp4(void *out, const struct lct_net *n,
                       const struct lct_net_matrix *w, int64_t row, int64_t p,
                       int64_t k)
{
    static const double values[8] = { 0, 0.5, 1, 1.5, 2, 3, 4, 6 };
    const int64_t first = lct_net_matrix_element(w, row) + p;

    for (int64_t i = 0; i < k; i++) {
        const int64_t at = first + i;
        const unsigned byte = w->weight->data[at / 2];
        const unsigned code = at % 2 == 0 ? byte & 15 : byte >> 4;
        const double value = code & 8 ? -values[code & 7] : values[code & 7];

        n->math->set(out, i, ldexp(value, (int)w->scales->data[at / 32] - 127));
    }
}

/* FP8: a scale for each block of numbers. */
static void scale_fp8(void *out, const struct lct_net *n,
                      const struct lct_net_matrix *w, int64_t row, int64_t p,
                      int64_t k)
{
    const int64_t across = (w->in + w->scale_columns - 1) / w->scale_columns;
    const int64_t r = lct_net_matrix_element(w, row) / w->row / w->scale_rows;
    double scale = 1;

    for (int64_t i = 0; i < k; i++) {
        const int64_t c = (p + i) / w->scale_columns;

        if (i == 0 || (p + i) % w->scale_columns == 0)
            lct_weight_doubles(&scale, w->scales, r * across + c, 1);
        n->math->set(out, i, n->math->get(out, i) * scale);
    }
}

static void read_row(void *out, const struct lct_net *n,
                     const struct lct_net_matrix *w, int64_t row, int64_t p,
                     int64_t k)
{
    if (w->scales != NULL && lct_net_matrix_is(w, "U8")) {
        read_mxfp4(out, n, w, row, p, k);
        return;
    }
    n->math->read(out, w->weight, lct_net_matrix_element(w, row) + p, k);
    if (w->scales != NULL)
        scale_fp8(out, n, w, row, p, k);
}

void lct_net_matrix_tile(void *out, const struct lct_net *n,
                         const struct lct_net_matrix *w, int64_t row,
                         int64_t count, int64_t p, int64_t k)
{
    if (w->own != NULL) {
        read_own(out, n, w, row, count, p, k);
    } else if (w->transposed) {
        read_transposed(out, n, w, row, count, p, k);
    } else {
        for (int64_t r = 0; r < count; r++)
            read_row(lct_net_math_at(n->math, out, r * k), n, w, row + r, p, k);
    }
}

void lct_net_matrix_rows(void *out, const struct lct_net *n,
                         const struct lct_net_matrix *w, int64_t row,
                         int64_t count)
{
    for (int64_t r = 0; r < count; r += TILE)
        lct_net_matrix_tile(lct_net_math_at(n->math, out, r * w->in), n, w,
                            row + r, count - r < TILE ? count - r : TILE, 0,
                            w->in);
}

locant_status lct_net_matrix_round(struct lct_net *n, struct lct_net_matrix *w)
{
    uint16_t *own;
    float *row;

    if (!n->round_weights || w->weight == NULL || lct_net_matrix_is(w, "BF16"))
        return LOCANT_OK;
    own = lct_net_keep(n, (size_t)(w->out * w->in) * sizeof(*own));
    row = locant_alloc((size_t)w->in * sizeof(*row));
    for (int64_t r = 0; own != NULL && row != NULL && r < w->out; r++) {
        lct_net_matrix_rows(row, n, w, r, 1);
        n->math->narrow(own + r * w->in, row, w->in);
    }
    locant_release(row);
    if (own == NULL || row == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    w->own = own;
    return LOCANT_OK;
}

/* check_rows.c - see check_rows.h */
#include "check_rows.h"
#include "convert_rows.h"
#include <math.h>

enum { COLUMNS = 256, WIDTH = 1 << 12 };

const struct lct_weight *lct_check_rows_tensor(const struct lct_check *k,
                                               const char *hf, const char *gguf)
{
    if (k->weights == NULL)
        return NULL;
    return lct_check_is_gguf(k) ? lct_weights_find(k->weights, gguf)
                                : lct_check_tensor(k->weights, hf);
}

/* How many columns of each row are read; 0 if the tensor is not of use. */
static int64_t columns_of(const struct lct_weight *t)
{
    const int64_t width = t->rank == 2 ? t->shape[1] : 1;
    const int64_t block = t->type->elements;
    const int64_t most = COLUMNS / block * block;
    const int64_t n = width < most ? width : most;

    return t->rank >= 1 && t->rank <= 2 && n > 0 && n % block == 0 &&
                   t->shape[0] >= 1 && t->shape[0] <= LCT_ROWS_MAX
               ? n
               : 0;
}

bool lct_check_rows_load(struct lct_rows *out, const struct lct_weight *t)
{
    *out = (struct lct_rows){ 0 };
    if (t == NULL || (out->columns = columns_of(t)) == 0)
        return false;
    out->n = t->shape[0];
    out->x = locant_alloc((size_t)(out->n * out->columns) * sizeof *out->x);
    if (out->x == NULL)
        return false;
    for (int64_t i = 0; i < out->n; i++)
        lct_weight_floats(out->x + i * out->columns, t,
                          i * (t->rank == 2 ? t->shape[1] : 1), out->columns);
    return true;
}

/* |a - b|^2 / |b|^2, the rows of b in the order of the relation. */
double lct_check_rows_difference(const struct lct_rows *a,
                                 const struct lct_rows *b,
                                 enum lct_relation relation, int64_t d,
                                 int64_t rot)
{
    const int64_t columns = a->columns < b->columns ? a->columns : b->columns;
    const struct lct_convert_rows heads = {
        .parts = 1, .rotated = 1, .width = d, .dims = rot
    };
    double sum = 0, norm = 0;

    for (int64_t i = 0; i < a->n; i++) {
        /* the row of the half matrix that an interleaved one has here */
        const int64_t other = lct_convert_rows_source(&heads, i, true);
        const int64_t ia = relation == LCT_ROWS_SECOND_INTERLEAVED ? other : i;
        const int64_t ib = relation == LCT_ROWS_FIRST_INTERLEAVED ? other : i;

        for (int64_t c = 0; c < columns; c++) {
            const double x = a->x[ia * a->columns + c];
            const double y = b->x[ib * b->columns + c];

            sum += (x - y) * (x - y);
            norm += y * y;
        }
    }
    return norm > 0 ? sum / norm : INFINITY;
}

/* 4 bits to a weight leave a relative error below 0.1, squared 0.01; rows of
   another order differ by about 2. */
static const double CLOSE = 0.05, FAR = 0.3;

/* How the rows of two matrices are related, heads having d rows.  In heads of
   four rows both permutations are one: it is then 'expected'. */
enum lct_relation lct_check_rows_relate(const struct lct_rows *a,
                                        const struct lct_rows *b, int64_t d,
                                        int64_t rot, enum lct_relation expected)
{
    double least = CLOSE, x[4];
    enum lct_relation best = LCT_ROWS_OTHER;

    if (a->n != b->n || d < 2 || d > WIDTH || a->n % d != 0 || rot < 2 ||
        rot > d)
        return LCT_ROWS_OTHER;
    for (int r = LCT_ROWS_SAME; r <= LCT_ROWS_SECOND_INTERLEAVED; r++) {
        x[r] = lct_check_rows_difference(a, b, (enum lct_relation)r, d, rot);
        if (x[r] < least || (x[r] <= least && r == (int)expected)) {
            least = x[r];
            best = (enum lct_relation)r;
        }
    }
    /* rows that are alike in every order tell nothing */
    if (best == LCT_ROWS_SAME)
        return x[LCT_ROWS_FIRST_INTERLEAVED] > FAR ? LCT_ROWS_SAME
                                                   : LCT_ROWS_OTHER;
    return x[LCT_ROWS_SAME] > FAR ? best : LCT_ROWS_OTHER;
}

bool lct_check_rows_unrelated(const struct lct_rows *a,
                              const struct lct_rows *b, int64_t d, int64_t rot)
{
    if (a->n != b->n)
        return true;
    if (d < 2 || d > WIDTH || a->n % d != 0 || rot < 2 || rot > d)
        return false;
    for (int r = LCT_ROWS_SAME; r <= LCT_ROWS_SECOND_INTERLEAVED; r++)
        if (!(lct_check_rows_difference(a, b, (enum lct_relation)r, d, rot) >
              FAR))
            return false;
    return true;
}

/* net_norm.c - norms of many rows, on all threads */
#include "net_norm.h"
#include "net_math.h"

enum { NUMBERS = 1 << 14 }; /* of a task: some 10 us, many times its start */

struct job {
    void *y;
    const void *x;
    int64_t rows, each;
    const struct lct_net_math *m;
    const struct lct_net_norm *norm;
};

static void task_rows(void *context, size_t task, int slot)
{
    const struct job *j = context;
    const int64_t first = (int64_t)task * j->each;
    const int64_t left = j->rows - first, width = j->norm->width;

    (void)slot;
    j->m->norm(lct_net_math_at(j->m, j->y, first * width),
               lct_net_math_at(j->m, j->x, first * width), j->norm,
               left < j->each ? left : j->each);
}

void lct_net_norm_rows(void *y, const void *x, int64_t rows,
                       const struct lct_net_math *m,
                       const struct lct_net_norm *norm)
{
    struct job j = { .y = y, .x = x, .rows = rows, .m = m, .norm = norm };

    if (norm->kind == LCT_NET_NO_NORM)
        return;
    /* a whole number of rounds through the vectors of weights */
    j.each = (NUMBERS / (norm->width * norm->weights) + 1) * norm->weights;
    locant_parallel_for((size_t)((rows + j.each - 1) / j.each), task_rows, &j);
}

/* key_order.c - the order of tokens in a row of positions */
#include "key_order.h"
#include "order.h"

/* A key's rank: document, position, index. */
struct ranked {
    int64_t doc, pos, index;
};

static struct ranked key_at(const struct lct_plan *p, int64_t row, int64_t j)
{
    int64_t at = row * p->S + j;

    return (struct ranked){ lct_key_order_doc(p, row, j), p->tables->k_pos[at],
                            j };
}

static int compare(const struct ranked *x, const struct ranked *y)
{
    if (x->doc != y->doc)
        return x->doc < y->doc ? -1 : 1;
    if (x->pos != y->pos)
        return x->pos < y->pos ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The keys of one row of positions. */
struct keys {
    const struct lct_plan *p;
    int64_t row;
};

static bool is_before(const void *context, int64_t a, int64_t b)
{
    const struct keys *k = context;
    struct ranked x = key_at(k->p, k->row, a), y = key_at(k->p, k->row, b);

    return compare(&x, &y) < 0;
}

/* The last key, in order, at or before query i in its document; -1: none, or
 * the query is padding. */
static int64_t last_before(const int64_t *order, const struct lct_plan *p,
                           int64_t row, int64_t i)
{
    int64_t at = row * p->T + i, low = 0, high = p->S;
    struct ranked q = { p->documents ? p->tables->q_docs[at] : 0,
                        p->tables->q_pos[at], INT64_MAX };

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        struct ranked x = key_at(p, row, order[middle]);

        if (compare(&x, &q) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (q.doc < 0 || low == 0 || key_at(p, row, order[low - 1]).doc != q.doc)
        return -1;
    return order[low - 1];
}

void lct_key_order_fill(int64_t *order, int64_t *last, const struct lct_plan *p)
{
    for (int64_t row = 0; row < p->position_rows; row++) {
        struct keys keys = { p, row };

        lct_order_sort(order + row * p->S, p->S, is_before, &keys);
        for (int64_t i = 0; i < p->T; i++)
            last[row * p->T + i] = last_before(order + row * p->S, p, row, i);
    }
}

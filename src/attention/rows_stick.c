/* rows_stick.c - stick-breaking weights in double */
#include "rows_stick.h"
#include "order.h"
#include <math.h>

static bool comes_before(const void *context, int64_t a, int64_t b)
{
    const int64_t *pos = context;

    return pos[a] != pos[b] ? pos[a] < pos[b] : a < b;
}

void lct_rows_stick_sort(struct lct_rows_document *doc)
{
    lct_order_sort(doc->order, doc->c.keys, comes_before, doc->c.k_pos);
}

double lct_rows_stick_weights(double *s, double *sigma,
                              const struct lct_rows_document *doc)
{
    double rest = 1;

    for (int64_t n = doc->c.keys; n-- > 0;) {
        int64_t j = doc->order[n];
        double taken = lct_sigmoid(s[j]), left = lct_sigmoid(-s[j]);

        if (sigma != NULL)
            sigma[j] = taken;
        s[j] = rest * taken;
        rest *= left;
    }
    return rest;
}

int64_t lct_rows_stick_own(const struct lct_rows_task *w, int64_t i)
{
    int64_t row = lct_plan_row(w->p, w->doc->b) * w->p->T;
    int64_t own = w->p->tables->own[row + i], low = 0, high = w->c->keys;

    while (low < high) {
        int64_t middle = (low + high) / 2;

        if (w->doc->index[middle] < own)
            low = middle + 1;
        else
            high = middle;
    }
    return own >= 0 ? low : -1;
}

void lct_rows_stick_backward(double *ds, const double *p, const double *sigma,
                             double own, const struct lct_rows_document *doc)
{
    double sum = 0;

    for (int64_t n = 0; n < doc->c.keys; n++) {
        int64_t j = doc->order[n];
        double x = sigma[j] == 0 ? 0 : p[j] * (ds[j] - own);

        sum += x;
        ds[j] = sigma[j] == 0 ? 0 : x - sigma[j] * sum;
    }
}

/* order.c - sort the indices of keys with heapsort, which needs no memory */
#include "order.h"

/* Sift the key at 'at' down a heap of n keys; its root comes last in order. */
static void sift_down(int64_t *order, int64_t at, int64_t n,
                      lct_order_before *before, const void *context)
{
    int64_t key = order[at];

    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(context, order[child], order[child + 1]))
            child++;
        if (!before(context, key, order[child]))
            break;
        order[at] = order[child];
    }
    order[at] = key;
}

void lct_order_sort(int64_t *order, int64_t n, lct_order_before *before,
                    const void *context)
{
    bool sorted = true;

    for (int64_t j = 0; j < n; j++) {
        order[j] = j;
        sorted &= j == 0 || before(context, j - 1, j);
    }
    if (sorted)
        return;
    for (int64_t at = n / 2; at-- > 0;)
        sift_down(order, at, n, before, context);
    for (int64_t end = n; end-- > 1;) {
        int64_t last = order[0];

        order[0] = order[end];
        order[end] = last;
        sift_down(order, 0, end, before, context);
    }
}

/* order.h - sort the indices of keys */
#ifndef LCT_ATTENTION_ORDER_H
#define LCT_ATTENTION_ORDER_H
#include <stdbool.h>
#include <stdint.h>

/* Does key a come before key b?  Of two keys, one does. */
typedef bool lct_order_before(const void *context, int64_t a, int64_t b);

/* order = 0 .. n - 1, sorted; in linear time if these are in order already. */
void lct_order_sort(int64_t *order, int64_t n, lct_order_before *before,
                    const void *context);
#endif

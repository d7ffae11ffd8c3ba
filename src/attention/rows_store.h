/* rows_store.h - gradients of rows to the tensors of the caller */
#ifndef LCT_ATTENTION_ROWS_STORE_H
#define LCT_ATTENTION_ROWS_STORE_H
#include "rows.h"

/*
 * Set rows of the task's heads to 0: first .. last - 1 of dq, all of dk and dv.
 * What is not padding is overwritten later.
 */
void lct_rows_store_clear(const struct lct_rows_task *w,
                          const locant_attention_gradients *g, int64_t first,
                          int64_t last);

/*
 * Undo the rotations of a query's gradients r->dq in all relations, and store
 * their sum; 'index' is b, h, i.  Gradients of a rotation's parameters are
 * added to 'sums'.
 */
void lct_rows_store_query(const struct lct_rows_task *w,
                          const locant_attention_gradients *g, double *sums,
                          const int64_t index[3]);

/* The same for the document's dk and dv; and store its dx. */
void lct_rows_store_keys(const struct lct_rows_task *w,
                         const locant_attention_gradients *g, double *sums);
#endif

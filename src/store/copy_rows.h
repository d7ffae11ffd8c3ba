/* copy_rows.h - copy rows of one store into another */
#ifndef LCT_COPY_ROWS_H
#define LCT_COPY_ROWS_H
#include "store.h"

/*
 * Rows that belong to a run or to an evaluation. In 'select' ?1 is the owner's
 * id in the source; in 'insert' ?1 is its id in the destination, and ?2, .. are
 * the columns of 'select'. 'types' has a letter for each of them, by which the
 * source, which is not trusted, is checked: i integer, d number or NULL, s
 * text, t text or NULL.
 */
struct lct_copied_rows {
    const char *name; /* of the table, for error messages */
    const char *select, *insert, *types;
};

/* The caller holds the locks of both stores, and a transaction of 'to'. Errors:
   FORMAT (a value of another type). */
locant_status lct_copy_rows(locant_store *to, int64_t to_id, locant_store *from,
                            int64_t from_id,
                            const struct lct_copied_rows *rows);

/* Fail with FORMAT unless both stores have the same rows of their owners. The
   message begins with 'what'. */
locant_status lct_compare_rows(locant_store *to, int64_t to_id,
                               locant_store *from, int64_t from_id,
                               const struct lct_copied_rows *rows,
                               const char *what);
#endif

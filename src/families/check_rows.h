/* check_rows.h - are the rows of two matrices the same in another order? */
#ifndef LCT_CHECK_ROWS_H
#define LCT_CHECK_ROWS_H
#include "check.h"

enum { LCT_ROWS_MAX = 1 << 15 };

/* The first columns of each row of a matrix, or the numbers of a vector. */
struct lct_rows {
    float *x; /* [n][columns], of locant_alloc() */
    int64_t n, columns;
};

enum lct_relation {
    LCT_ROWS_OTHER,
    LCT_ROWS_SAME,
    LCT_ROWS_FIRST_INTERLEAVED, /* and the second half */
    LCT_ROWS_SECOND_INTERLEAVED
};

/* The tensor of a model whose name ends with 'hf', or is 'gguf' in a GGUF file;
   NULL if there is none. */
const struct lct_weight *lct_check_rows_tensor(const struct lct_check *k,
                                               const char *hf,
                                               const char *gguf);

/* Read a tensor of rank 1 or 2; false if it is NULL, too large, or there is no
   memory. */
bool lct_check_rows_load(struct lct_rows *out, const struct lct_weight *t);

/* |a - b|^2 / |b|^2, the rows of b in the order of the relation; heads have 'd'
   rows, of which the first 'rot' are rotated. */
double lct_check_rows_difference(const struct lct_rows *a,
                                 const struct lct_rows *b,
                                 enum lct_relation relation, int64_t d,
                                 int64_t rot);

/* How the rows are related.  In heads of four rows both permutations are one:
   it is then 'expected'. */
enum lct_relation lct_check_rows_relate(const struct lct_rows *a,
                                        const struct lct_rows *b, int64_t d,
                                        int64_t rot,
                                        enum lct_relation expected);

/* Are they of other sizes, or far from each other in every order? */
bool lct_check_rows_unrelated(const struct lct_rows *a,
                              const struct lct_rows *b, int64_t d, int64_t rot);
#endif

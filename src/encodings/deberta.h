/* deberta.h - DeBERTa's rows of relative positions, and what heads make of
 * them */
#ifndef LCT_DEBERTA_H
#define LCT_DEBERTA_H
#include "content.h"
#include "terms.h"

enum { LCT_DEBERTA_VERSION, LCT_DEBERTA_SPAN, LCT_DEBERTA_DISTANCE }; /* keys */
enum {                                                          /* parameters */
    LCT_DEBERTA_TABLE, LCT_DEBERTA_KEY, LCT_DEBERTA_QUERY,
    LCT_DEBERTA_QUERY_BIAS,
    LCT_DEBERTA_KEY_BIAS,                              /* versions 2 and 3 */
    LCT_DEBERTA_NORM_WEIGHT, LCT_DEBERTA_NORM_BIAS     /* version 3 */
};

static inline int64_t lct_deberta_rows(const locant_encoding *e)
{
    return 2 * (int64_t)e->value[LCT_DEBERTA_SPAN];
}

/* Row of the table for a pair of positions. */
int64_t lct_deberta_row(const locant_encoding *e, int64_t q_pos,
                        int64_t k_pos);

/* The buckets of versions 2 and 3. */
locant_status lct_deberta_prepare(locant_encoding *e);

/*
 * The memo: P after its norm (version 3; else nothing), Kr and Qr [heads, rows,
 * head_dim].
 */
size_t lct_deberta_memo(const struct lct_content *c);
void lct_deberta_begin(const struct lct_content *c);
void lct_deberta_end(const struct lct_content_gradient *g,
                     const struct lct_content *c);

/* Kr[m] and Qr[m] of a head, in the memo or its gradient. */
double *lct_deberta_key(const struct lct_content *c, double *memo, int64_t head,
                        int64_t m);
double *lct_deberta_query(const struct lct_content *c, double *memo,
                          int64_t head, int64_t m);

/* The same for products: P, after its norm, and back. */
void lct_deberta_basis(float *out, size_t row, const struct lct_call *c,
                       int64_t m, int64_t n);
void lct_deberta_basis_backward(double *const *dparam, const double *drow,
                                const struct lct_call *c, int64_t m);
#endif

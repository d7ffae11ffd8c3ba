/* deberta.h - the table of relative positions of DeBERTa */
#ifndef LCT_DEBERTA_H
#define LCT_DEBERTA_H
#include "content.h"

enum { LCT_DEBERTA_VERSION, LCT_DEBERTA_SPAN, LCT_DEBERTA_DISTANCE }; /* keys */
enum { /* parameters */
       LCT_DEBERTA_TABLE,
       LCT_DEBERTA_KEY,
       LCT_DEBERTA_QUERY,
       LCT_DEBERTA_QUERY_BIAS,
       LCT_DEBERTA_KEY_BIAS, /* versions 2 and 3 */
       LCT_DEBERTA_NORM_WEIGHT,
       LCT_DEBERTA_NORM_BIAS /* version 3 */
};

/* Rows of the table. */
static inline int64_t lct_deberta_rows(const locant_encoding *e)
{
    return 2 * (int64_t)e->value[LCT_DEBERTA_SPAN];
}

/* Row of the table for a pair of positions. */
int64_t lct_deberta_row(const locant_encoding *e, int64_t q_pos, int64_t k_pos);

/* The hook 'prepare': compute the buckets of versions 2 and 3. */
locant_status lct_deberta_prepare(locant_encoding *e);

/* The hooks content.basis and content.basis_backward: row m of P, in version 3
 * after its LayerNorm. */
void lct_deberta_basis(double *out, const struct lct_call *c, int64_t m);
void lct_deberta_basis_backward(double *const *dparam, const double *drow,
                                const struct lct_call *c, int64_t m);
#endif

/*
 * content_project.h - rows of a basis that a matrix projects, and their
 * gradients.
 */
#ifndef LCT_ATTENTION_CONTENT_PROJECT_H
#define LCT_ATTENTION_CONTENT_PROJECT_H
#include "content.h"

/* The factor of a table's vectors: queries are already scaled, keys are not. */
static inline double
lct_content_project_factor(const struct lct_plan *p,
                           const struct lct_content_table *table)
{
    return table->v.times == LCT_TIMES_KEY ? p->scale : 1;
}

/* Store 'from' [D], times the factor, as a row of a head of the table. */
void lct_content_project_store(const struct lct_plan *p,
                               struct lct_content_table *table, int64_t head,
                               int64_t row, const double *from);

/* Fill the table; the first one of a call also fills the basis. */
void lct_content_project_fill(const struct lct_plan *p,
                              struct lct_content_table *table, bool first);

/*
 * Add the gradients of all projected tables to 'dparam'.  Those of matrices
 * come first, because the gradient of the basis overwrites the basis.
 */
void lct_content_project_accumulate(const struct lct_plan *p,
                                    double *const *dparam);
#endif

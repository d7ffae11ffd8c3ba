/*
 * problem.h - one attention call in stages.  Each stage reads the stages before
 * it and does not change them.
 */
#ifndef LCT_ATTENTION_PROBLEM_H
#define LCT_ATTENTION_PROBLEM_H
#include "content.h"
#include "decode.h"
#include "dense_gradient.h"
#include "leaf_sums.h"
#include "param_gradients.h"
#include "real.h"
#include "rows.h"
#include "tables.h"
#include "tiled.h"

struct lct_problem {
    struct lct_request request;
    struct lct_plan plan;
    struct lct_tables tables;
    struct lct_content_products content;
    struct lct_param_gradients gradients;
    struct lct_dense_gradient dense;
    struct lct_real_sums real;
    struct lct_tiled tiled;
    struct lct_decode decode;
    struct lct_rows_engine rows;
    struct lct_leaf_sums leaf_sums;
};

/*
 * Check the call, plan it and set x->plan.bytes, the size of its workspace;
 * refuse fewer 'bytes' unless 'workspace' is NULL.  No memory of the caller is
 * written.  x must not move until lct_problem_end(), called only after success.
 */
locant_status lct_problem_begin(struct lct_problem *x, const char *fn,
                                const locant_attention *a, enum lct_pass pass,
                                void *workspace, size_t bytes);
/* The same for a part of the keys; NULL: all of them. */
locant_status lct_problem_begin_part(struct lct_problem *x, const char *fn,
                                     const locant_attention *a,
                                     const locant_attention_part *part,
                                     enum lct_pass pass, void *workspace,
                                     size_t bytes);
void lct_problem_end(struct lct_problem *x);

/* Divide 'workspace', of at least x->plan.bytes, and fill the tables. */
void lct_problem_fill(struct lct_problem *x, void *workspace);
#endif

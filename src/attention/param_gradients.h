/*
 * param_gradients.h - sums of the gradients of the encoding's parameters.
 *
 * Each task has its own row of sums, and these rows are added in order, so no
 * sum depends on the number of threads.  Batch rows are done chunk by chunk.
 */
#ifndef LCT_ATTENTION_PARAM_GRADIENTS_H
#define LCT_ATTENTION_PARAM_GRADIENTS_H
#include "tables.h"

/* Parts of a bias table whose gradients are accumulated in parallel. */
enum { LCT_PARAM_GRADIENTS_PARTS = 8 };

struct lct_param_gradients {
    double *params; /* [1 + tasks of a chunk, params]; row 0: sums */
    /* A row has bias_range entries of the bias, then factor_range entries for
     * each factor with parameters (factors.h). */
    double *bias;       /* [chunk, H, table_width] */
    double *bias_total; /* [H, table_width]; if there is one chunk, 'bias' */
};

/* Set p->chunk and p->task_params; 'more' is the number of further sums, of the
   content, per batch row. */
void lct_param_gradients_plan(struct lct_plan *p, double more);
void lct_param_gradients_layout(struct lct_param_gradients *g,
                                const struct lct_plan *p,
                                struct lct_arena *arena);

/* Set the sums to 0; set gradients of a chunk of 'rows' batch rows to 0. */
void lct_param_gradients_clear(const struct lct_plan *p);
void lct_param_gradients_clear_chunk(const struct lct_plan *p, int64_t rows);

/* Add the gradients of the chunk to the sums. */
void lct_param_gradients_sum_chunk(const struct lct_plan *p, int64_t rows);

/* dparams += the sums. */
void lct_param_gradients_accumulate(const struct lct_plan *p,
                                    locant_tensor *dparams);

/* out[k] = the gradient of c->param[k] in 'row', a row of gradients->params. */
void lct_param_gradients_of(double *out[LCT_MAX_PARAMS],
                            const struct lct_plan *p, const struct lct_call *c,
                            double *row);

/* The row of a head in 'bias'. */
static inline double *lct_param_gradients_table(const struct lct_plan *p,
                                                int64_t chunk_row, int64_t h)
{
    return p->gradients->bias + (chunk_row * p->H + h) * p->table_width;
}

/* The row of one task of backward; NULL: there are no parameters. */
static inline double *lct_param_gradients_of_task(const struct lct_plan *p,
                                                  int64_t chunk_row,
                                                  int64_t kv_head)
{
    if (p->gradients->params == NULL)
        return NULL;
    return p->gradients->params + p->params +
           (size_t)(chunk_row * p->Hkv + kv_head) * p->task_params;
}
#endif

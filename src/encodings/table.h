/* table.h - rows of the input door, for its public functions */
#ifndef LCT_TABLE_H
#define LCT_TABLE_H
#include "encoding.h"

/* What a call of this door was given, checked. */
struct lct_table_call {
    const locant_encoding *e;    /* no sum */
    const locant_tensor *params; /* its own */
    int first_param;
    const int64_t *positions;    /* one of these two */
    const double *coords;        /* [N, axes] */
    int axes;
};

/* Open a call for n rows of 'dim' channels; n < 0: as many as positions. */
locant_status lct_table_open(struct lct_table_call *c, const char *fn,
                             int64_t n, int64_t dim, const locant_encoding *e,
                             const locant_tensor *positions,
                             const locant_tensor *params);

/* The position of row t. */
static inline struct lct_point lct_table_point(const struct lct_table_call *c,
                                               size_t t)
{
    return (struct lct_point){
        .pos = c->positions != NULL ? c->positions[t] : 0,
        .coords = c->coords != NULL ? c->coords + t * (size_t)c->axes : NULL,
    };
}

/* Rows first .. first + n - 1, dense; 'spare' has room for a row of doubles. */
void lct_table_rows(float *out, double *spare, const struct lct_table_call *c,
                    size_t first, size_t n, int64_t dim);
void lct_table_rows_f64(double *out, const struct lct_table_call *c,
                        size_t first, size_t n, int64_t dim);
#endif

/* table.h - rows of tables, for the public functions of the input door */
#ifndef LCT_TABLE_H
#define LCT_TABLE_H
#include "encoding.h"

/* The checked arguments of a call of the input door. */
struct lct_table_call {
    const locant_encoding *e;    /* the part with this door */
    const locant_tensor *params; /* parameters of that part */
    int first_param;
    const int64_t *positions; /* [N]; NULL: 'coords' */
    const double *coords;     /* [N, axes] */
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

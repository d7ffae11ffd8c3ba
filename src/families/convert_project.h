/*
 * convert_project.h - the heads of one layer that weights, biases, norms and
 * adapters make of random activations
 */
#ifndef LCT_CONVERT_PROJECT_H
#define LCT_CONVERT_PROJECT_H
#include "convert_parts.h"

/* One layer, and room for what is computed. */
struct lct_convert_project {
    const struct lct_qk_norm *norm;
    struct lct_convert_heads heads;
    int64_t layer; /* of the tensors */
    double *x;     /* activations */
    double *row;   /* of a matrix */
    double *rows;  /* of a module, before they are heads */
    double *head;  /* [heads.width] */
};

/* Room for any layer of the parts.  Errors: NOMEM.  Free it also then. */
locant_status lct_convert_project_make(struct lct_convert_project *p,
                                       const struct lct_convert_parts *a,
                                       const struct lct_convert_parts *b,
                                       int64_t width);
void lct_convert_project_free(struct lct_convert_project *p);

/* Does the layer have a matrix of keys (or of queries)? */
bool lct_convert_project_has(const struct lct_convert_parts *parts,
                             int64_t layer, bool keys);

/*
 * Heads of keys (or of queries), each 'copies' times: out [*n, copies, width].
 * 'plus_one': weights w of norms mean 1 + w.  The activations depend on the
 * layer and on keys alone.  Errors: FORMAT (no such tensor).
 */
locant_status lct_convert_project_heads(float *out, int64_t *n,
                                        struct lct_convert_project *p,
                                        const struct lct_convert_parts *parts,
                                        bool keys, bool plus_one, int copies);
#endif

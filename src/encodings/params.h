/* params.h - the tensors of parameters: check, widen, add gradients */
#ifndef LCT_PARAMS_H
#define LCT_PARAMS_H
#include "encoding.h"

/*
 * Find the part of 'e' with this door for the public function 'fn', which
 * errors name.  For an encoding without any door lct_part_open() sets NULL, and
 * lct_part_require() fails.
 */
locant_status lct_part_open(const struct lct_part **part, const char *fn,
                            const locant_encoding *e, unsigned door);
locant_status lct_part_require(const struct lct_part **part, const char *fn,
                               const locant_encoding *e, unsigned door);

/*
 * Check the parameters of 'leaf', an encoding that is not a sum, for these
 * sizes; *total = the number of all their elements.
 */
locant_status lct_params_check(size_t *total, const char *fn,
                               const locant_encoding *leaf,
                               const locant_tensor *params,
                               const locant_sizes *sizes);

/* Refuse real coordinates that are not finite or not below 2^63. */
locant_status lct_params_check_reals(const char *fn, const char *name,
                                     const locant_tensor *coords);

/* Copy parameters as doubles into 'memory' [total], where c->param points. */
void lct_params_load(struct lct_call *c, double *memory,
                     const locant_encoding *leaf, const locant_tensor *params,
                     const locant_sizes *sizes);

/* out[i] = the gradient of parameter i within 'gradient', which has the layout
 * of that memory; NULL past the last one. */
static inline void lct_params_split(double *out[LCT_MAX_PARAMS],
                                    const struct lct_call *c, double *gradient)
{
    for (int i = 0; i < LCT_MAX_PARAMS; i++)
        out[i] =
            c->param[i] != NULL ? gradient + (c->param[i] - c->param[0]) : NULL;
}

/* dparams[k] += a gradient with that layout. */
void lct_params_add(locant_tensor *dparams, const double *gradient,
                    const locant_encoding *leaf, const locant_tensor *params);

/* Check that dparams has the shapes of params and may be written. */
locant_status lct_params_check_gradients(const char *fn,
                                         const locant_tensor *dparams,
                                         const locant_encoding *leaf,
                                         const locant_tensor *params);
#endif

/* params.h - parameters of one encoding inside: checked, in double */
#ifndef LCT_PARAMS_H
#define LCT_PARAMS_H
#include "encoding.h"

/*
 * The part of 'e' with this door, as public functions want it: refusals name
 * 'fn'.  *part is NULL, without a refusal, for an encoding without any door.
 */
locant_status lct_part_open(const struct lct_part **part, const char *fn,
                            const locant_encoding *e, unsigned door);

/*
 * Check the parameters of a leaf for a problem of these sizes, and count their
 * elements together into *total (0 for an encoding without parameters).
 */
locant_status lct_params_check(size_t *total, const char *fn,
                               const locant_encoding *leaf,
                               const locant_tensor *params,
                               const locant_sizes *sizes);

/* Copy them, widened to double, into 'memory' [total] and point c at it. */
void lct_params_load(struct lct_call *c, double *memory,
                     const locant_encoding *leaf, const locant_tensor *params,
                     const locant_sizes *sizes);

/* Pointers into a gradient laid out as that memory. */
static inline void lct_params_split(double *out[LCT_MAX_PARAMS],
                                    const struct lct_call *c, double *gradient)
{
    for (int i = 0; i < LCT_MAX_PARAMS; i++)
        out[i] = c->param[i] != NULL ? gradient + (c->param[i] - c->param[0])
                                     : NULL;
}

/* dparams[k] += gradients laid out like that memory. */
void lct_params_add(locant_tensor *dparams, const double *gradient,
                    const locant_encoding *leaf, const locant_tensor *params);

/* Check that dparams has the shapes of params and may be written. */
locant_status lct_params_check_gradients(const char *fn,
                                         const locant_tensor *dparams,
                                         const locant_encoding *leaf,
                                         const locant_tensor *params);
#endif

/* score.h - the score door inside: parameters in double */
#ifndef LCT_SCORE_H
#define LCT_SCORE_H
#include "encoding.h"

/*
 * Check the parameters of the score door for 'heads' heads, and count their
 * elements together into *total (0 for an encoding without parameters).
 */
locant_status lct_score_check(size_t *total, const char *fn,
                              const locant_encoding *e,
                              const locant_tensor *params, int64_t heads);

/* Copy them, widened to double, into 'memory' [total] and point s at it. */
void lct_score_load(struct lct_score *s, double *memory,
                    const locant_encoding *e, const locant_tensor *params,
                    int64_t heads);

/* dparams[k] += gradients laid out like that memory. */
void lct_score_add(locant_tensor *dparams, const double *gradient,
                   const locant_encoding *e, const locant_tensor *params);

/* Check that dparams has the shapes of params and may be written. */
locant_status lct_score_check_gradients(const char *fn,
                                        const locant_tensor *dparams,
                                        const locant_encoding *e,
                                        const locant_tensor *params);
#endif

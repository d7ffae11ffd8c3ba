/* plan_waves.h - the wavelengths of a layer's rotation */
#ifndef LCT_PLAN_WAVES_H
#define LCT_PLAN_WAVES_H
#include "position_plan.h"

struct lct_plan_waves {
    int64_t pairs; /* that turn; 0: the layer is not rotated */
    int64_t first; /* the first rotated channel of a head */
    bool interleaved;
    double factor;     /* multiplies cosines and sines */
    bool by_length;    /* frequencies depend on the length of the call */
    double *frequency; /* [pairs] radians per position; 0: it does not turn */
};

/*
 * Those of a call of 'length' positions, as locant_encoding_frequencies() has
 * them; of several coordinates, that of the first one that turns the pair.  An
 * encoding that is no plain rotation has no pairs.
 * Errors: FORMAT (it does not fit the width of the heads), NOMEM; *out is empty
 * after a failure.
 */
locant_status lct_plan_waves_of(struct lct_plan_waves *out,
                                const struct lct_layer_plan *layer,
                                int64_t length, const char *file);
void lct_plan_waves_free(struct lct_plan_waves *w);
#endif

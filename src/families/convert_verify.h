/*
 * convert_verify.h - proof that a change of pairing leaves all scores as they
 * were
 */
#ifndef LCT_CONVERT_VERIFY_H
#define LCT_CONVERT_VERIFY_H
#include "convert_parts.h"

/* The largest difference of two scores that passes, relative to the largest
   score of the layer: 16 roundings of float32. */
#define LCT_CONVERT_TOLERANCE 1e-6

/* One of the two checkpoints. */
struct lct_convert_side {
    const struct lct_convert_parts *parts;
    bool interleaved;
    bool plus_one; /* weights w of norms mean 1 + w */
};

/*
 * For every layer that rotates: random activations through the weights, biases,
 * norms and adapters of q and k of either side, rotated in float32 by the
 * layer's encoding with the pairing of that side, at positions 0, 1, 7, 100 and
 * 4000; the scores of all heads and all pairs of positions are compared.
 * *worst is the largest relative difference.  Errors: FORMAT (a score differs
 * by more than LCT_CONVERT_TOLERANCE; a side lacks a tensor), NOMEM, and those
 * of the encoding.
 */
locant_status lct_convert_verify(double *worst, const struct lct_tower *tower,
                                 const struct lct_convert_side *before,
                                 const struct lct_convert_side *after);
#endif

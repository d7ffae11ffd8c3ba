/*
 * identify.h - name the convention that made an array
 */
#ifndef LOCANT_IDENTIFY_H
#define LOCANT_IDENTIFY_H

#include "core.h"

LOCANT_BEGIN_DECLS

/* What an array says about the convention that made it. */
typedef enum locant_identity_verdict {
    LOCANT_NONE_OF_THESE = 0, /* no convention fits: see 'closest' */
    LOCANT_IDENTIFIED    = 1, /* 'spec' fits, and no other one does */
    LOCANT_UNDECIDED     = 2  /* several fit: see 'remaining' */
} locant_identity_verdict;

/*
 * The convention of an array.  'residual' is the root of the mean square of
 * what the convention leaves unexplained, in units of the largest error of
 * rounding to the dtype of the values, and of angles in float32; values of a
 * coarser dtype that were stored in a wider one count as the coarser.  Below 1
 * nothing is left.
 */
typedef struct locant_identity {
    locant_identity_verdict verdict;
    int     sign;        /* -1: rotates by minus the angle; else 1 */
    double  offset;      /* added to the given positions */
    double  factor;      /* multiplies all scores (attention scale), or 1 */
    double  residual, rounding;
    char    dtype[16];   /* "bfloat16", .. whose rounding the values have */
    char    spec[4096];  /* what fits; for frequencies that match no rule a list
                            of them, for weights "half" or the like */
    char    beside[256]; /* what fits but no spec says: "cosines first" */
    char    closest[512];
    char    note[1024];  /* sentences */
    int     n_remaining;
    char    remaining[8][512];
} locant_identity;

/*
 * Which rotation made y of x: pairing, rotated channels, base, scaling, sign
 * and an offset of positions.  A rotation that is no rule of locant's language
 * is NONE_OF_THESE, with its frequencies listed in 'spec'.
 *
 * x, y       F32, F16, BF16 or F64 [.., T, D], of one shape, D at least 2
 * positions  I64 or F64 [T]; NULL: 0 .. T-1
 *
 * Every pair is fitted by itself, and a rule must agree with each within six
 * standard errors.  At most 2^22 elements are read: the first and last rows.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (an entry that is not finite),
 * NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_identify_rotation(locant_identity *out, const locant_tensor *x,
                         const locant_tensor *y,
                         const locant_tensor *positions);

/*
 * The same from scores = factor * rotate(q) . rotate(k), before masks and
 * softmax.  Scores show differences of positions alone, so there is no offset.
 * An entry below -1e30 or minus infinity counts as masked.  'factor' is the
 * scale on channels that are not rotated.  Queries and keys that were rounded
 * when they were rotated leave a 'residual' of a few units.
 *
 * q, k, scores  F32, F16, BF16 or F64 [B, H, T, D], [B, H, S, D], [B, H, T, S]
 * positions     I64 or F64 [T] of both, then T = S; NULL: 0 .. S-1, queries at
 *               the end
 *
 * Errors: as locant_identify_rotation().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_identify_scores(locant_identity *out, const locant_tensor *q,
                       const locant_tensor *k, const locant_tensor *scores,
                       const locant_tensor *positions);

/*
 * Which dialect of sinusoid a table has: order of sines and cosines, exponent,
 * base, first position.  Rows of zeros (padding) are left out.
 * table  F32, F16, BF16 or F64 [L, D], D even and at least 4
 * Errors: as locant_identify_rotation().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_identify_table(locant_identity *out, const locant_tensor *table);

/*
 * Which slopes and dialect of ALiBi a bias has.  Entries below -1e30 count as
 * masked.
 * bias  F32, F16, BF16 or F64 [H, T, S] with T = S, or T = 1 for the last query
 * Errors: as locant_identify_rotation().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_identify_bias(locant_identity *out, const locant_tensor *bias);

/*
 * Which pairing q or k weights of one file have relative to another file of the
 * same model: 'spec' is "same", or "half to interleaved" or "interleaved to
 * half" with the rotated channels in 'beside'.
 *
 * a, b      F32, F16, BF16 or F64 [heads * d] or [heads * d, ..] of one shape:
 *           rows are output channels
 * head_dim  d; 0: every divisor of the rows is tried
 *
 * Errors: as locant_identify_rotation(), PARAM (head_dim does not divide the
 * rows).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_identify_weights(locant_identity *out, const locant_tensor *a,
                        const locant_tensor *b, int64_t head_dim);

/*
 * The same of tensors of two checkpoints: tensor 'a_name' of the folder,
 * safetensors file or GGUF file 'a', and b_name of 'b'.  Quantised tensors are
 * read as well.
 * Errors: as locant_identify_weights(), IO, FORMAT, UNSUPPORTED; PARAM (no such
 * tensor: the message names the file).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_identify_files(locant_identity *out, const char *a, const char *a_name,
                      const char *b, const char *b_name, int64_t head_dim);

LOCANT_END_DECLS
#endif /* LOCANT_IDENTIFY_H */

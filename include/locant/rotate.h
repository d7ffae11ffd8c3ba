/*
 * rotate.h - the rotate door of encodings: queries and keys at positions.
 */
#ifndef LOCANT_ROTATE_H
#define LOCANT_ROTATE_H

#include "encoding.h"

LOCANT_BEGIN_DECLS

/*
 * Rotate queries or keys.  Pair c of the rotated channels, (a, b), at position
 * p becomes
 *
 *     a' = a cos(p f_c) - b sin(p f_c)
 *     b' = a sin(p f_c) + b cos(p f_c)
 *
 *     HALF         [a0 a1 .. b0 b1 ..]   pair c = channels (c, c + dim/2)
 *     INTERLEAVED  [a0 b0 a1 b1 ..]      pair c = channels (2c, 2c + 1)
 *
 * out        F32, F16, BF16 or F64 [.., T, D]   written; may alias x
 * x          dtype and shape of out             rank >= 2, last stride 1
 * positions  I64 [T]; F64 [T] or [T, axes] for real coordinates, in the order
 *            (y, x), (t, y, x) or, for mrope, (t, h, w).  They multiply the
 *            frequencies as they are: a form that scales grid indices expects
 *            them scaled
 * flags      LOCANT_ROTATE_* or 0
 *
 * A factor on scores (yarn's score=yes) is not part of the rotation: a caller
 * who computes scores from the outputs multiplies the scores by it.
 *
 * An encoding with the trait LENGTH takes all T rows as one document; see
 * locant_encoding_rotate_ragged() for several.  Encodings with parameters per
 * head take x [.., H, T, D].  Some widen rows (pope to 2D channels): then out
 * is wider than x and must not alias it.
 *
 * Plain rotations (the formula above) of F32, F16 and BF16 are computed in
 * float32 from cosines and sines exact to float32, those of F64 in double from
 * cosines and sines within 2^-51 (angles=hf and ggml: from their float32 values
 * for every dtype), to the same bits on every instruction set.  Other maps of
 * this door are computed in double and rounded once.
 * Errors: NULL, DTYPE, SHAPE (odd channels), LAYOUT, ALIAS, PARAM, UNSUPPORTED
 * (not of this door; no inverse), NOMEM.
 */
enum {
    LOCANT_ROTATE_INVERSE = 1, /* rotate back, by -p f_c */
    LOCANT_ROTATE_KEY     = 2  /* x holds keys: xpos and pope rotate them unlike
                                  queries */
};

/* Channels of a rotated row: head_dim, but 2 head_dim for pope. */
LOCANT_API int64_t locant_encoding_rotated_width(const locant_encoding *e,
                                                 int64_t head_dim);

LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotate(locant_tensor *out, const locant_tensor *x,
                       const locant_encoding *e, const locant_tensor *positions,
                       const locant_tensor *params, int flags);

/*
 * Rotate the queries and the keys of one layer in one call, which computes the
 * angles once.  The bits are those of locant_encoding_rotate() of q with
 * 'flags', and of k with flags | LOCANT_ROTATE_KEY.
 *
 * q_out, k_out  F32, F16, BF16 or F64 [.., T, D]   written; q_out may alias q,
 *               and k_out may alias k
 * q, k          dtype and shape of q_out and k_out; same T and D, while heads,
 *               strides and dtype may differ
 * positions     of the rows of both, as in locant_encoding_rotate()
 * flags         LOCANT_ROTATE_INVERSE or 0
 *
 * Errors: as locant_encoding_rotate().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotate_qk(locant_tensor *q_out, locant_tensor *k_out,
                          const locant_tensor *q, const locant_tensor *k,
                          const locant_encoding *e,
                          const locant_tensor *positions,
                          const locant_tensor *params, int flags);

/*
 * Gradients of locant_encoding_rotate() with the same e, positions, params and
 * flags.
 *
 * dx       shape and dtype of x    written; may alias dout if the map is a
 *          plain rotation, whose dx is dout rotated back
 * dparams  each added to; NULL: not wanted
 * dout     shape and dtype of out
 * x        as given to forward; may be NULL if the map is a plain rotation,
 *          which does not read it
 *
 * Errors: as locant_encoding_rotate(); NULL also if x is needed; UNSUPPORTED
 * for LOCANT_ROTATE_INVERSE of a map that is not a plain rotation.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotate_backward(locant_tensor *dx, locant_tensor *dparams,
                                const locant_tensor *dout,
                                const locant_tensor *x,
                                const locant_encoding *e,
                                const locant_tensor *positions,
                                const locant_tensor *params, int flags);

/*
 * A rotation with positions and lengths per batch row: for a ragged batch,
 * documents packed in a row, or a part of a longer sequence.
 *
 * positions  I64 [T] or [B, T], F64 [T, axes] or [B, T, axes]; x [B, .., T, D].
 *            For x [B, H, T, D] also F64 [B, H, T, axes], of each head, without
 *            limits (a plain rotation without the trait LENGTH)
 * limits     I64 [B], or [B, T] for each position: the length of the document,
 *            1 + its longest position, at least 1; last stride 1.  NULL: 1 +
 *            the longest of the given positions of each batch row.  An encoding
 *            with the trait LENGTH rotates by the limit, so that a document has
 *            the bits it has alone; with length=call, by the largest limit
 * flags      LOCANT_ROTATE_* or 0.  B is 1 for x [T, D]
 */
typedef struct locant_rotation {
    size_t                 struct_size; /* sizeof(locant_rotation) */
    const locant_encoding *encoding;
    const locant_tensor   *positions, *limits;
    const locant_tensor   *params;
    int                    flags;
} locant_rotation;

#define LOCANT_ROTATION_INIT { .struct_size = sizeof(locant_rotation) }

/*
 * locant_encoding_rotate() and its gradient at the positions and limits of
 * 'rotation'.
 * Errors: as those functions, PARAM (a limit below 1: the message names it).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotate_ragged(locant_tensor *out, const locant_tensor *x,
                              const locant_rotation *rotation);
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotate_ragged_backward(locant_tensor *dx,
                                       locant_tensor *dparams,
                                       const locant_tensor *dout,
                                       const locant_tensor *x,
                                       const locant_rotation *rotation);

/*
 * Turn keys that were rotated by 'from' at from_positions into those that 'to'
 * would have rotated at to_positions, by one rotation by p_to f_to - p_from
 * f_from: to shift or divide positions, or to change base or scaling, in a
 * cache of rotated keys.  Both must be plain rotations of the same channels; if
 * their magnitudes differ, the ratio is applied.
 *
 * out             F32, F16, BF16 or F64 [.., T, D]   written; may alias x
 * x               dtype and shape of out             rank >= 2, last stride 1
 * from_positions, I64 [T]; F64 [T] or [T, axes]: as in
 * to_positions    locant_encoding_rotate()
 *
 * Errors: as locant_encoding_rotate(), PARAM (other channels or pairing;
 * integers beyond 2^53 where frequencies differ).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rerotate(locant_tensor *out, const locant_tensor *x,
                         const locant_encoding *from,
                         const locant_tensor *from_positions,
                         const locant_encoding *to,
                         const locant_tensor *to_positions);

LOCANT_END_DECLS
#endif /* LOCANT_ROTATE_H */

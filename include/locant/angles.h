/*
 * angles.h - cosine and sine of position x frequency, exact at any position.
 *
 * A frequency is stored as a binary fraction of a turn (2 pi).  The product
 * with an integer position, modulo whole turns, is integer arithmetic and
 * therefore exact at any position; what remains is one conversion to double,
 * one polynomial and one rounding to float.  The usual float32 recipes err by
 * 7e-3 at position 1e5 and by 0.8 at 1e7 ("locant angles --compare hf" prints
 * it).
 */
#ifndef LOCANT_ANGLES_H
#define LOCANT_ANGLES_H

#include "core.h"

LOCANT_BEGIN_DECLS

typedef enum locant_angle_mode {
    LOCANT_ANGLES_EXACT = 0,
    LOCANT_ANGLES_HF    = 1, /* float32 inv_freq x position, cosf, sinf */
    LOCANT_ANGLES_GGML  = 2  /* float32 recurrence theta *= scale, cosf, sinf */
} locant_angle_mode;

/*
 * out[t,i,0] = cos(positions[t] * base^(-2i/D)),  out[t,i,1] = sin of the same,
 * for 0 <= i < D/2, where out is [T, D/2, 2].
 *
 * out        F32 [T, D/2, 2]   written; last stride 1.
 * positions  I64 or F64 [T]    token positions; F64 may be fractional, finite,
 *                              below 2^63 in magnitude.
 * base       > 0, finite; 10000 in the paper.  At least 1 for EXACT angles of
 *            F64 positions.
 * mode       EXACT: every entry is the float nearest to the value for the
 *            frequency rounded to 2^-128 turn; so the bits are the same
 *            everywhere.  For |position| < 2^31 and base up to 1e28 that is
 *            within 0.501 units in the last place of the true value, and for
 *            entries of at least 2^-20 within 0.500001; beyond, within 2^-24.
 *            HF and GGML: the float32 operations of those stacks one by one
 *            (the position is rounded to float32 first), with this C library's
 *            powf, cosf and sinf.  Frequencies of HF are bit for bit those of
 *            PyTorch without vector instructions (2.13 for x86-64, glibc 2.36,
 *            ATEN_CPU_CAPABILITY=default).  PyTorch's AVX2 and AVX-512 code has
 *            its own pow: one frequency in 75 differs by 1 or 2 units in the
 *            last place (base 1e6, D 128: i = 37).  Its CPU builds take cosines
 *            and sines from MKL: one in 20 differs by a unit.
 *
 * Source: frequencies of Su et al. 2021, arXiv:2104.09864v5, section 3.2.2.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (base, mode, position not finite),
 *         ALIAS, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_angles(locant_tensor *out, const locant_tensor *positions, double base,
              locant_angle_mode mode);

LOCANT_END_DECLS
#endif /* LOCANT_ANGLES_H */

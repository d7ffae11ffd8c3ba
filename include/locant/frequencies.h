/*
 * frequencies.h - the numbers of a rotation, for programs that rotate
 * themselves, and for tables and pictures of wavelengths.
 */
#ifndef LOCANT_FREQUENCIES_H
#define LOCANT_FREQUENCIES_H

#include "encoding.h"

LOCANT_BEGIN_DECLS

/* The channels that a plain rotation turns. */
typedef struct locant_rotated {
    size_t  struct_size;
    int64_t pairs;       /* rotated channels / 2; 0: nothing is rotated */
    int64_t first;       /* the first rotated channel */
    int     interleaved; /* pair c is channels (first + 2c, first + 2c + 1); 0:
                            halves of them, of each band if there are several */
    int     axes;        /* coordinates of a position */
    double  magnitude;   /* multiplies cosines and sines */
    int     by_length;   /* 1: frequencies depend on 'length' below */
} locant_rotated;

#define LOCANT_ROTATED_INIT { .struct_size = sizeof(locant_rotated) }

/*
 * What 'e', or the part of a sum that has the rotate door, does to heads of
 * head_dim channels in a call whose longest position is length - 1.
 *
 * An encoding without that door rotates nothing: pairs is 0.  Of layers(..) ask
 * each layer.
 * Errors: NULL, PARAM (head_dim, length), SHAPE (the encoding does not fit
 * head_dim), UNSUPPORTED (not a plain rotation: pope, xpos, rerope, ..), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotated(locant_rotated *out, const locant_encoding *e,
                        int64_t head_dim, int64_t length);

/*
 * The frequencies f, in radians per unit of position: pair c of channels (a, b)
 * is rotated by the angle sum_k p_k f[k, c], as locant_encoding_rotate() says.
 *
 * frequencies  F64 [axes, pairs]   written: the nearest doubles, within 2^-52
 *              f, to the fractions of a turn that rotations use
 * channels     I64 [pairs, 2]      written: a and b of each pair; or NULL
 *
 * Errors: as locant_encoding_rotated(), DTYPE, SHAPE, LAYOUT, ALIAS.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_frequencies(locant_tensor *frequencies, locant_tensor *channels,
                            const locant_encoding *e, int64_t head_dim,
                            int64_t length);

LOCANT_END_DECLS
#endif /* LOCANT_FREQUENCIES_H */

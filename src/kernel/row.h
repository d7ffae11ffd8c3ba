/* row.h - rows of elements from one storage type to another */
#ifndef LCT_ROW_H
#define LCT_ROW_H
#include "locant/core.h"

/*
 * Copy n dense elements between 'row', of dtype F32, F16, BF16 or F64, and an
 * array of float or double.  F16 and BF16 are widened exactly, and rounded once
 * to nearest even: double is not converted through float32, which would round
 * twice.  'row' must not overlap the array.
 */
void lct_row_to_f32(float *out, const void *row, locant_dtype dtype, size_t n);
void lct_row_to_f64(double *out, const void *row, locant_dtype dtype, size_t n);
void lct_row_from_f32(void *row, locant_dtype dtype, const float *in, size_t n);
void lct_row_from_f64(void *row, locant_dtype dtype, const double *in,
                      size_t n);
#endif

/*
 * real.h - the number type of nn and model.
 *
 * It is float in the library.  The gradient check of the whole model compiles
 * the same sources with -DLCT_REAL_F64: differences of floats would be noise.
 */
#ifndef LCT_REAL_H
#define LCT_REAL_H
#include "locant/core.h"

#ifdef LCT_REAL_F64
typedef double real;
#    define LCT_REAL_DTYPE LOCANT_F64
#else
typedef float real;
#    define LCT_REAL_DTYPE LOCANT_F32
#endif
#endif

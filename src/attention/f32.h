/* f32.h - the products of a tile in float32 */
#ifndef LCT_ATTENTION_F32_H
#define LCT_ATTENTION_F32_H
#include "arithmetic.h"

extern const struct lct_arithmetic lct_f32;
#endif

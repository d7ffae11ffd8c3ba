/* decode_f32.h - products of decode in float32 */
#ifndef LCT_ATTENTION_DECODE_F32_H
#define LCT_ATTENTION_DECODE_F32_H
#include "decode.h"

extern const struct lct_decode_arithmetic lct_decode_f32;
#endif

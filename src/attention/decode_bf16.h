/* decode_bf16.h - decoding on a bfloat16 cache, by dot products of bfloat16 */
#ifndef LCT_ATTENTION_DECODE_BF16_H
#define LCT_ATTENTION_DECODE_BF16_H
#include "decode.h"

extern const struct lct_decode_arithmetic lct_decode_bf16;
#endif

/*
 * cache.h - caches of keys and values: append new tokens, in any layout and
 * type, and quantise, dequantise and rotate rows of 8 bits a channel.
 */
#ifndef LOCANT_CACHE_H
#define LOCANT_CACHE_H

#include "encoding.h"

LOCANT_BEGIN_DECLS

/* --------------------------------------------------------- quantised rows */

/*
 * How a row of D channels is stored in bytes.  x is a channel, a the largest
 * magnitude of its group or block; errors are bounds of |stored - x|.
 *
 *   INT8   D signed bytes q, then a float32 scale d = a / 127 for each group of
 *          quant_group channels (0: one for the row): d q.  Error a / 254
 *   Q8_0   blocks of 32 channels, each a binary16 scale d and 32 signed bytes,
 *          34 bytes, as ggml's: d q.  Error a (1 / 254 + 2^-11) where d is a
 *          normal number, that is from a = 0.0078 to 127 * 65504
 *   E4M3   a byte a channel, 1 + 4 + 3 bits, without infinities: rounded to
 *          nearest, to 448 at most.  Error 2^-4 |x|, or 2^-10 below 2^-6
 *   E5M2   a byte a channel, 1 + 5 + 2 bits: to 57344 at most.  Error 2^-3 |x|,
 *          or 2^-17 below 2^-14
 *
 * NaN is kept by E4M3 and E5M2, and is 0 in INT8 and Q8_0.
 * Source: of E4M3 and E5M2 Micikevicius et al. 2022, arXiv:2209.05433v2,
 * section 3; of Q8_0 quantize_row_q8_0_ref() of ggml, whose bytes it has.
 */
typedef enum locant_quant {
    LOCANT_QUANT_NONE = 0, /* not quantised: the tensor's dtype */
    LOCANT_QUANT_INT8 = 1,
    LOCANT_QUANT_Q8_0 = 2,
    LOCANT_QUANT_E4M3 = 3,
    LOCANT_QUANT_E5M2 = 4
} locant_quant;

/* Bytes of a row of D channels.  Errors: NULL, PARAM, SHAPE. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_quant_row_bytes(int64_t *bytes, locant_quant quant, int64_t quant_group,
                       int64_t D);

/*
 * rows  U8 [.., bytes]         written
 * x     F32, F16 or BF16 [.., D]
 *
 * and back: out [.., D] is written, rounded once from float32.  Ranks are 1 to
 * 6 and equal; rows and x do not overlap.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM, ALIAS.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_quantize(locant_tensor *rows, const locant_tensor *x, locant_quant quant,
                int64_t quant_group);
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_dequantize(locant_tensor *out, const locant_tensor *rows,
                  locant_quant quant, int64_t quant_group);

/*
 * locant_encoding_rerotate() of quantised keys in place: dequantised, rotated
 * in float32 and quantised again.
 *
 * rows  U8 [.., T, bytes]   of D channels
 *
 * Each call adds one error of the quantisation, above, with a of the rotated
 * row; besides it the error is that of locant_encoding_rerotate() in float32.
 * A rotation keeps the length of each pair, so a grows by at most sqrt(2), and
 * n calls err by at most n + 1 quantisations: to go back and forth, keep the
 * keys unrotated, or rotate once from the first to the last position.
 * Errors: as locant_encoding_rerotate() and locant_quantize().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_quant_rerotate(locant_tensor *rows, locant_quant quant,
                      int64_t quant_group, int64_t D,
                      const locant_encoding *from,
                      const locant_tensor *from_positions,
                      const locant_encoding *to,
                      const locant_tensor *to_positions);

/* ------------------------------------------------------------------- append */

/*
 * Write the keys and values of new tokens to a cache: rotated, converted to the
 * type of the cache, each row read and written once.
 *
 * k_cache, v_cache  written.  Contiguous or ring: [B, Hkv, S, D]; paged: pools
 *                   [N, Hkv, P, D] as in attention.h.  F32, F16, BF16 or, with
 *                   'quant', U8 with the bytes of a row for D; last stride 1
 * k, v              F32, F16 or BF16 [B, Hkv, T, D]
 * lengths           I64 or I32 [B]: tokens in the cache before; not changed
 * counts            I64 or I32 [B]: new tokens of each sequence, the last of
 *                   its T; NULL: T
 * block_table       I64 or I32 [B, M], or NULL: not paged
 * ring              not 0: token n of a sequence is in row n modulo S, so it
 *                   replaces the token S before it.  0: n is its row, below S
 * encoding          rotates the keys by LOCANT_ROTATE_KEY; NULL, or one without
 *                   a rotate door: they are stored as they are
 * params            as in locant_encoding_rotate()
 * positions         I64 [T] or [B, T], F64 [T, axes] or [B, T, axes]: of the
 *                   new tokens, for the rotation.  NULL: token n sits at n
 *
 * Keys are rotated in float32 and rounded once.  An encoding with the trait
 * LENGTH rotates by the longest position of each call to this function.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (also two tokens for one row),
 * ALIAS, NOMEM, UNSUPPORTED, before anything is written.
 */
typedef struct locant_append {
    size_t                 struct_size; /* sizeof(locant_append) */
    locant_tensor         *k_cache, *v_cache;
    const locant_tensor   *k, *v;
    const locant_tensor   *lengths, *counts;
    const locant_tensor   *block_table;
    int                    ring;
    const locant_encoding *encoding;
    const locant_tensor   *params;
    const locant_tensor   *positions;
    locant_quant           quant;
    int64_t                quant_group;
} locant_append;

#define LOCANT_APPEND_INIT { .struct_size = sizeof(locant_append) }

LOCANT_API LOCANT_MUST_CHECK locant_status
locant_cache_append(const locant_append *a);

LOCANT_END_DECLS
#endif /* LOCANT_CACHE_H */

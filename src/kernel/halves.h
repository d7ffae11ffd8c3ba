/*
 * halves.h - vectors of numbers of 16 bits: bfloat16, float16 and integers.
 *
 * Two bfloat16 numbers share a word, in the order of memory: the first one, at
 * the lower address, is the low half where LCT_FIRST_IS_LOW.
 */
#ifndef LCT_HALVES_H
#define LCT_HALVES_H
#include "simd.h"

/* f32v_dot2() and rounding to bfloat16 are one instruction each. */
#if defined(__AVX512BF16__)
#    define LCT_BF16_INSTRUCTIONS
enum { LCT_DOT_INSTRUCTION = 1 };
#else
enum { LCT_DOT_INSTRUCTION = 0 };
#endif

/* One instruction converts between float16 and float. */
#if defined(__AVX512F__) || defined(__F16C__)
#    define LCT_F16_INSTRUCTIONS
#endif

typedef uint16_t u16v __attribute__((vector_size(LCT_VBYTES / 2)));

/* For memory access only (simd.h): pairs of 16 bits, at any even address. */
typedef uint32_t u32v_mem
    __attribute__((vector_size(LCT_VBYTES), aligned(2), may_alias));

/* 16-bit integers to 32 bits; and 32-bit integers below 2^16 back. */
static inline u32v u32v_from_u16(u16v h)
{
#if defined(__AVX512F__)
    return (u32v)_mm512_cvtepu16_epi32((__m256i)h);
#elif defined(__AVX2__)
    return (u32v)_mm256_cvtepu16_epi32((__m128i)h);
#else
    return __builtin_convertvector(h, u32v);
#endif
}

static inline u16v u16v_from_u32(u32v u)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    return (u16v)_mm_packus_epi32(_mm256_castsi256_si128((__m256i)u),
                                  _mm256_extracti128_si256((__m256i)u, 1));
#else
    return __builtin_convertvector(u, u16v);
#endif
}

/* Join the high halves of both vectors in words. */
static inline u32v u32v_pair(u32v first, u32v second)
{
    u32v low = LCT_FIRST_IS_LOW ? first : second;
    u32v high = LCT_FIRST_IS_LOW ? second : first;

    return low >> 16 | (high & 0xffff0000);
}

/*
 * The same, rounded to nearest, ties to even; a NaN must have a low half of 0.
 * A high half is rounded up if its low half is 0x8000 or more.  Below an even
 * high half, 1 is first subtracted from the low half: a tie then rounds down.
 */
static inline u32v u32v_round_pair(u32v first, u32v second)
{
#if defined(__AVX512BW__)
    const __m512i one = _mm512_set1_epi16(1);
    __m512i high = (__m512i)u32v_pair(first, second);
    __m512i low = (__m512i)u32v_pair(first << 16, second << 16);

    low = _mm512_subs_epu16(low, _mm512_andnot_si512(high, one));
    return (u32v)_mm512_add_epi16(high, _mm512_srli_epi16(low, 15));
#elif defined(__AVX2__)
    const __m256i one = _mm256_set1_epi16(1);
    __m256i high =
        _mm256_blend_epi16((__m256i)(first >> 16), (__m256i)second, 0xaa);
    __m256i low =
        _mm256_blend_epi16((__m256i)first, (__m256i)(second << 16), 0xaa);

    low = _mm256_subs_epu16(low, _mm256_andnot_si256(high, one));
    return (u32v)_mm256_add_epi16(high, _mm256_srli_epi16(low, 15));
#else
    first += 0x7fff + (first >> 16 & 1);
    second += 0x7fff + (second >> 16 & 1);
    return u32v_pair(first, second);
#endif
}

/*
 * c + the product of the second bfloat16 numbers in each lane of a and b, then
 * + the product of the first ones: two roundings.  The instruction treats
 * denormals as 0; otherwise all versions have the same bits, since products are
 * exact.
 */
static inline f32v f32v_dot2(u32v a, u32v b, f32v c)
{
#if defined(__AVX512BF16__)
    return (f32v)_mm512_dpbf16_ps((__m512)c, (__m512bh)a, (__m512bh)b);
#else
    f32v high[2] = { (f32v)(a & 0xffff0000), (f32v)(b & 0xffff0000) };
    f32v low[2] = { (f32v)(a << 16), (f32v)(b << 16) };

    if (LCT_FIRST_IS_LOW)
        return f32v_fma(low[0], low[1], f32v_fma(high[0], high[1], c));
    return f32v_fma(high[0], high[1], f32v_fma(low[0], low[1], c));
#endif
}

#ifdef LCT_BF16_INSTRUCTIONS
/* Is any lane denormal?  The instruction below would round it to 0. */
static inline int f32v_denormal(f32v v)
{
    return _mm512_fpclass_ps_mask((__m512)v, 0x20);
}

/* Rounded to nearest, ties to even, denormals to 0; quiet NaN. */
static inline u16v f32v_to_bf16(f32v v)
{
    return (u16v)_mm512_cvtneps_pbh((__m512)v);
}

/* The same for two vectors, one after the other. */
#    define LCT_BF16_ROW
static inline u32v f32v_to_bf16_row(f32v first, f32v second)
{
    return (u32v)_mm512_cvtne2ps_pbh((__m512)second, (__m512)first);
}

/* Does f32v_to_bf16_row() round a number of some lane wrongly? */
static inline int f32v_bf16_special(f32v first, f32v second)
{
    return f32v_denormal(first) | f32v_denormal(second);
}

/* Rounded to nearest, ties to even, denormals to 0; 'low' to the low halves. */
static inline u32v f32v_to_bf16_pairs(f32v low, f32v high)
{
    typedef uint16_t halves __attribute__((vector_size(LCT_VBYTES)));
    halves h = (halves)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low);

    return (u32v)__builtin_shufflevector(
        h, h, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9,
        25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
#endif

#if defined(__AVX2__) && !defined(LCT_BF16_INSTRUCTIONS)
#    define LCT_BF16_ROW
static inline u32v f32v_to_bf16_row(f32v first, f32v second)
{
#    if defined(__AVX512BW__)
    typedef uint16_t halves __attribute__((vector_size(LCT_VBYTES)));
    halves words = (halves)u32v_round_pair((u32v)first, (u32v)second);

    return (u32v)__builtin_shufflevector(
        words, words, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
        1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#    else
    const __m256i halves =
        _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
                         0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    __m256i words = (__m256i)u32v_round_pair((u32v)first, (u32v)second);

    return (u32v)_mm256_permute4x64_epi64(_mm256_shuffle_epi8(words, halves),
                                          0xd8);
#    endif
}

static inline int f32v_bf16_special(f32v first, f32v second)
{
#    if defined(__AVX512BW__)
    return _mm512_cmp_ps_mask((__m512)first, (__m512)second, _CMP_UNORD_Q);
#    else
    return _mm256_movemask_ps(
        _mm256_cmp_ps((__m256)first, (__m256)second, _CMP_UNORD_Q));
#    endif
}
#endif

#ifdef LCT_F16_INSTRUCTIONS
static inline f32v f32v_from_f16(u16v h)
{
#    if defined(__AVX512F__)
    return (f32v)_mm512_cvtph_ps((__m256i)h);
#    else
    return (f32v)_mm256_cvtph_ps((__m128i)h);
#    endif
}

/*
 * Rounded to nearest, ties to even.  The result is forced into a register: with
 * a memory operand the instruction is half as fast on Zen 4.
 */
static inline u16v f32v_to_f16(f32v v)
{
#    if defined(__AVX512F__)
    u16v h = (u16v)_mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT);
#    else
    u16v h = (u16v)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT);
#    endif
    __asm__("" : "+x"(h));
    return h;
}
#endif
#endif

/* bytes.h - vectors of numbers of 8 bits, widened */
#ifndef LCT_BYTES_H
#define LCT_BYTES_H
#include "halves.h"

/* Halves as many as 2 VL lanes of a vector; and VL bytes in memory. */
typedef uint16_t u16w __attribute__((vector_size(LCT_VBYTES)));
typedef int16_t i16w __attribute__((vector_size(LCT_VBYTES)));
typedef uint8_t u8v __attribute__((vector_size(LCT_VBYTES / 4)));
typedef uint8_t u8w __attribute__((vector_size(LCT_VBYTES / 2)));
typedef int8_t i8v __attribute__((vector_size(LCT_VBYTES / 4)));

/* For memory access only: words at any address. */
typedef uint32_t u32v_bytes
    __attribute__((vector_size(LCT_VBYTES), aligned(1), may_alias));

/* VL signed bytes. */
static inline i32v i32v_load_bytes(const char *p)
{
#if defined(__AVX512F__)
    return (i32v)_mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)p));
#elif defined(__AVX2__)
    return (i32v)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)p));
#else
    i8v x;

    memcpy(&x, p, sizeof(x));
    return __builtin_convertvector(x, i32v);
#endif
}

/* 2 VL unsigned bytes; or VL of them, after which lanes are arbitrary. */
static inline u16w u16w_load_bytes(const char *p, const int whole)
{
#if defined(__AVX512BW__)
    if (whole)
        return (u16w)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)p));
    return (u16w)_mm512_cvtepu8_epi16(
        _mm256_castsi128_si256(_mm_loadu_si128((const void *)p)));
#elif defined(__AVX2__)
    if (whole)
        return (u16w)_mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)p));
    return (u16w)_mm256_cvtepu8_epi16(_mm_loadl_epi64((const void *)p));
#else
    u8w x = { 0 };

    memcpy(&x, p, whole ? sizeof(x) : sizeof(x) / 2);
    return __builtin_convertvector(x, u16w);
#endif
}

/* Lanes VL second .. of x. */
static inline u16v u16w_half(u16w x, const int second)
{
#if defined(__AVX512F__)
    return (u16v)(second ? _mm512_extracti64x4_epi64((__m512i)x, 1)
                         : _mm512_castsi512_si256((__m512i)x));
#elif defined(__AVX2__)
    return (u16v)(second ? _mm256_extracti128_si256((__m256i)x, 1)
                         : _mm256_castsi256_si128((__m256i)x));
#else
    u16v half[2];

    memcpy(half, &x, sizeof(x));
    return half[second];
#endif
}

/* The low halves of the words of x, then their high halves. */
static inline u16w u16w_split(u16w x)
{
#if defined(__AVX512BW__)
    return (u16w)__builtin_shufflevector(
        x, x, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 1, 3,
        5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#elif defined(__AVX2__)
    const __m256i halves = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));

    return (u16w)_mm256_permute4x64_epi64(
        _mm256_shuffle_epi8((__m256i)x, halves), 0xd8);
#else
    u16w split = __builtin_shufflevector(x, x, 0, 2, 4, 6, 1, 3, 5, 7);

    return LCT_FIRST_IS_LOW
               ? split
               : __builtin_shufflevector(split, split, 4, 5, 6, 7, 0, 1, 2, 3);
#endif
}

/* One word of each of VL rows, 'row' bytes apart. */
#if defined(__AVX2__)
static inline __m128 words_of_four(const char *p, size_t row)
{
    int32_t w[4];

    memcpy(&w[0], p, sizeof(w[0]));
    memcpy(&w[1], p + row, sizeof(w[0]));
    memcpy(&w[2], p + 2 * row, sizeof(w[0]));
    memcpy(&w[3], p + 3 * row, sizeof(w[0]));
    return _mm_castsi128_ps(_mm_setr_epi32(w[0], w[1], w[2], w[3]));
}
#endif

static inline u32v u32v_load_rows(const char *p, size_t row)
{
#if defined(__AVX512F__)
    __m512 v = _mm512_castps128_ps512(words_of_four(p, row));

    v = _mm512_insertf32x4(v, words_of_four(p + 4 * row, row), 1);
    v = _mm512_insertf32x4(v, words_of_four(p + 8 * row, row), 2);
    return (u32v)_mm512_insertf32x4(v, words_of_four(p + 12 * row, row), 3);
#elif defined(__AVX2__)
    __m256 v = _mm256_castps128_ps256(words_of_four(p, row));

    return (u32v)_mm256_insertf128_ps(v, words_of_four(p + 4 * row, row), 1);
#else
    u32v v;

    for (int l = 0; l < VL; l++) {
        uint32_t w;

        memcpy(&w, p + (size_t)l * row, sizeof(w));
        v[l] = w;
    }
    return v;
#endif
}
#endif

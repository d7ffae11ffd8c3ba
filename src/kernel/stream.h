/* stream.h - stores past the caches, for results that no cache can hold */
#ifndef LCT_STREAM_H
#define LCT_STREAM_H
#include "halves.h"

/*
 * Store past the caches, to a multiple of the vector's size.  A thread must
 * call stream_end() before others may read the result.
 */
#if defined(__AVX2__)
enum { LCT_STREAMS = 1 };

static inline void f32v_stream(void *p, f32v v)
{
#    if defined(__AVX512F__)
    _mm512_stream_ps(p, (__m512)v);
#    else
    _mm256_stream_ps(p, (__m256)v);
#    endif
}

static inline void stream_end(void)
{
    _mm_sfence();
}

static inline f32v u16v_join(u16v first, u16v second)
{
#    if defined(__AVX512F__)
    return (f32v)_mm512_inserti64x4(_mm512_castsi256_si512((__m256i)first),
                                    (__m256i)second, 1);
#    else
    return (f32v)_mm256_set_m128i((__m128i)second, (__m128i)first);
#    endif
}
#else
enum { LCT_STREAMS = 0 };

static inline void f32v_stream(void *p, f32v v)
{
    memcpy(p, &v, sizeof(v));
}

static inline void stream_end(void)
{
}

static inline f32v u16v_join(u16v first, u16v second)
{
    f32v both;

    memcpy(&both, &first, sizeof(first));
    memcpy((char *)&both + sizeof(first), &second, sizeof(second));
    return both;
}
#endif
#endif

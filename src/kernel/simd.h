/*
 * simd.h - one vector type, as wide as the instruction set being compiled.
 *
 * Arithmetic and comparison need no wrappers: GCC and Clang vector extensions
 * give + - * / < & | on f32v directly.  Only what the language lacks is here.
 * Nothing is added to this file unless two kernels need it.
 */
#ifndef LCT_SIMD_H
#define LCT_SIMD_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#  include <immintrin.h>
#  define LCT_VBYTES 64
#elif defined(__AVX2__)
#  include <immintrin.h>
#  define LCT_VBYTES 32
#else
#  if defined(__ARM_NEON)
#    include <arm_neon.h>
#  endif
#  define LCT_VBYTES 16
#endif

/* Vectors of int64 become doubles in one instruction. */
#if defined(__AVX512DQ__) || defined(__aarch64__)
#  define LCT_I64_TO_F64
#endif

typedef float f32v __attribute__((vector_size(LCT_VBYTES)));
typedef int32_t i32v __attribute__((vector_size(LCT_VBYTES)));
typedef uint32_t u32v __attribute__((vector_size(LCT_VBYTES)));

/*
 * For memory access only.  Never declare a variable of this type: GCC 12 keeps
 * under-aligned vector variables on the stack, which makes kernels tens of
 * times slower.
 */
typedef float f32v_mem
    __attribute__((vector_size(LCT_VBYTES), aligned(4), may_alias));

enum { VL = LCT_VBYTES / 4 };

static inline f32v f32v_load(const float *p)
{
    return *(const f32v_mem *)p;
}

static inline void f32v_store(float *p, f32v v)
{
    *(f32v_mem *)p = v;
}

/* x in every lane (x - 0 is x, also for -0). */
static inline f32v f32v_splat(float x)
{
    return x - (f32v){ 0 };
}

/* a * b + c, rounded once where the instruction set can. */
static inline f32v f32v_fma(f32v a, f32v b, f32v c)
{
#if defined(__AVX512F__)
    return (f32v)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (f32v)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (f32v)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

/* mask ? a : b, by lane; mask is the result of a comparison. */
static inline f32v f32v_select(i32v mask, f32v a, f32v b)
{
    return (f32v)(((i32v)a & mask) | ((i32v)b & ~mask));
}

/* Lane orders for the two shuffles interleaved channel pairs need. */
#if LCT_VBYTES == 64
#  define LCT_SWAP 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14
#  define LCT_TWICE 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7
#elif LCT_VBYTES == 32
#  define LCT_SWAP 1, 0, 3, 2, 5, 4, 7, 6
#  define LCT_TWICE 0, 0, 1, 1, 2, 2, 3, 3
#else
#  define LCT_SWAP 1, 0, 3, 2
#  define LCT_TWICE 0, 0, 1, 1
#endif

/* (v0, v1, v2, v3, ..) -> (v1, v0, v3, v2, ..) */
static inline f32v f32v_swap_pairs(f32v v)
{
    return __builtin_shufflevector(v, v, LCT_SWAP);
}

/* Load VL/2 floats, each into two neighbouring lanes: (p0, p0, p1, p1, ..) */
static inline f32v f32v_load_twice(const float *p)
{
    typedef float half __attribute__((vector_size(LCT_VBYTES / 2)));
    typedef float half_mem
        __attribute__((vector_size(LCT_VBYTES / 2), aligned(4), may_alias));
    half h = *(const half_mem *)p;

    return __builtin_shufflevector(h, h, LCT_TWICE);
}
#endif

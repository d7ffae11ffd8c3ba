/*
 * simd.h - one vector type, as wide as the instruction set being compiled.
 *
 * Vector extensions of GCC and Clang give + - * / < & | on f32v; this file has
 * the operations that they lack and at least two kernels need.
 */
#ifndef LCT_SIMD_H
#define LCT_SIMD_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#    include <immintrin.h>
#    define LCT_VBYTES 64
#elif defined(__AVX2__)
#    include <immintrin.h>
#    define LCT_VBYTES 32
#else
#    if defined(__ARM_NEON)
#        include <arm_neon.h>
#    endif
#    define LCT_VBYTES 16
#endif

/* Vectors of int64 become doubles in one instruction. */
#if defined(__AVX512DQ__) || defined(__aarch64__)
#    define LCT_I64_TO_F64
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

/* The first n < VL lanes; the others are 0.  Reads no memory beyond them. */
static inline f32v f32v_load_part(const float *p, size_t n)
{
#if defined(__AVX512F__)
    return (f32v)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
#elif defined(__AVX2__)
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);

    return (f32v)_mm256_maskload_ps(
        p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane));
#else
    f32v v = { 0 };

    memcpy(&v, p, n * sizeof(*p));
    return v;
#endif
}

static inline void f32v_store_part(float *p, f32v v, size_t n)
{
#if defined(__AVX512F__)
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), (__m512)v);
#elif defined(__AVX2__)
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);

    _mm256_maskstore_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane),
                        (__m256)v);
#else
    memcpy(p, &v, n * sizeof(*p));
#endif
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

/*
 * Half a vector of 16, for rows that end in half a vector: some CPUs execute
 * two operations on halves in the time of one on a whole vector.
 */
#if defined(__AVX512F__)
typedef float f32h __attribute__((vector_size(32)));
typedef float f32h_mem __attribute__((vector_size(32), aligned(4), may_alias));

static inline f32h f32h_load(const float *p)
{
    return *(const f32h_mem *)p;
}

static inline void f32h_store(float *p, f32h v)
{
    *(f32h_mem *)p = v;
}

/* The first half of the lanes. */
static inline f32h f32v_first(f32v v)
{
    return (f32h)_mm512_castps512_ps256((__m512)v);
}

static inline f32h f32h_fma(f32h a, f32h b, f32h c)
{
    return (f32h)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
#endif

/* mask ? a : b, by lane; mask is the result of a comparison. */
static inline f32v f32v_select(i32v mask, f32v a, f32v b)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    return (f32v)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#else
    return (f32v)(((i32v)a & mask) | ((i32v)b & ~mask));
#endif
}

/* x > y ? x : y, by lane: y where one of them is NaN. */
static inline f32v f32v_larger(f32v x, f32v y)
{
#if defined(__AVX512F__)
    return (f32v)_mm512_max_ps((__m512)x, (__m512)y);
#elif defined(__AVX2__)
    return (f32v)_mm256_max_ps((__m256)x, (__m256)y);
#else
    return f32v_select(x > y, x, y);
#endif
}

/* Is the byte at the lower address the low one? */
enum { LCT_FIRST_IS_LOW = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };

/*
 * Each lane looks up the low three bits of i in a table of 8.  Every set with a
 * fused multiply-add has the instruction, so they share one exponential.
 */
#if defined(__AVX2__)
#    define LCT_LOOKUP
static inline u32v u32v_lookup(const uint32_t table[8], u32v i)
{
    __m256i entries = _mm256_loadu_si256((const void *)table);

#    if defined(__AVX512F__)
    return (u32v)_mm512_permutexvar_epi32((__m512i)i,
                                          _mm512_broadcast_i64x4(entries));
#    else
    return (u32v)_mm256_permutevar8x32_epi32(entries, (__m256i)i);
#    endif
}
#elif defined(__ARM_NEON) && defined(__aarch64__)
#    define LCT_LOOKUP
static inline u32v u32v_lookup(const uint32_t table[8], u32v i)
{
    const uint8x16x2_t bytes = { { vld1q_u8((const uint8_t *)table),
                                   vld1q_u8((const uint8_t *)(table + 4)) } };
    const uint32_t first = LCT_FIRST_IS_LOW ? 0x03020100 : 0x00010203;
    u32v at = (i & 7) * 0x04040404 + first;

    return (u32v)vqtbl2q_u8(bytes, (uint8x16_t)at);
}
#endif

/*
 * Four floats of each of VL/4 rows, 'row' bytes apart: lanes 4k .. 4k+3 are
 * those of row k.  Rows have any address.
 */
static inline f32v f32v_load_rows(const char *p, size_t row)
{
#if defined(__AVX512F__)
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps((const void *)p));

    v = _mm512_insertf32x4(v, _mm_loadu_ps((const void *)(p + row)), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps((const void *)(p + 2 * row)), 2);
    return (f32v)_mm512_insertf32x4(
        v, _mm_loadu_ps((const void *)(p + 3 * row)), 3);
#elif defined(__AVX2__)
    __m256 v = _mm256_castps128_ps256(_mm_loadu_ps((const void *)p));

    return (f32v)_mm256_insertf128_ps(v, _mm_loadu_ps((const void *)(p + row)),
                                      1);
#else
    f32v v;

    (void)row;
    memcpy(&v, p, sizeof(v));
    return v;
#endif
}

/* Shuffle: lanes i, j, k, l of each four; from VL on, of the second vector. */
#if LCT_VBYTES == 64
#    define LCT_FOURS(i, j, k, l)                                              \
        i, j, k, l, i + 4, j + 4, k + 4, l + 4, i + 8, j + 8, k + 8, l + 8,    \
            i + 12, j + 12, k + 12, l + 12
#elif LCT_VBYTES == 32
#    define LCT_FOURS(i, j, k, l) i, j, k, l, i + 4, j + 4, k + 4, l + 4
#else
#    define LCT_FOURS(i, j, k, l) i, j, k, l
#endif

/* The four 4 x 4 blocks side by side in a, b, c, d, transposed in place. */
static inline void f32v_transpose4(f32v *a, f32v *b, f32v *c, f32v *d)
{
    f32v p = __builtin_shufflevector(*a, *b, LCT_FOURS(0, VL, 1, VL + 1));
    f32v q = __builtin_shufflevector(*c, *d, LCT_FOURS(0, VL, 1, VL + 1));
    f32v r = __builtin_shufflevector(*a, *b, LCT_FOURS(2, VL + 2, 3, VL + 3));
    f32v s = __builtin_shufflevector(*c, *d, LCT_FOURS(2, VL + 2, 3, VL + 3));

    *a = __builtin_shufflevector(p, q, LCT_FOURS(0, 1, VL, VL + 1));
    *b = __builtin_shufflevector(p, q, LCT_FOURS(2, 3, VL + 2, VL + 3));
    *c = __builtin_shufflevector(r, s, LCT_FOURS(0, 1, VL, VL + 1));
    *d = __builtin_shufflevector(r, s, LCT_FOURS(2, 3, VL + 2, VL + 3));
}
#endif

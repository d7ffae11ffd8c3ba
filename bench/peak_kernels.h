/* peak_kernels.h - loops that only move or multiply numbers */
#ifndef PEAK_KERNELS_H
#define PEAK_KERNELS_H
#include <stddef.h>

struct peak_kernels {
    const char *isa;
    void (*stream)(float *x, size_t n);      /* x = -x, in place */
    float (*read)(const float *x, size_t n); /* the sum of x */
    float (*fma)(size_t rounds, float a, float b);
    double flops; /* of one round of fma */
    /* bfloat16 dot products; NULL if there is no instruction for them */
    float (*dot)(size_t rounds, float a, float b);
    double dot_flops; /* of one round of dot */
};

extern const struct peak_kernels peak_base, peak_avx2, peak_avx512,
    peak_avx512bf16, peak_neon;
#endif

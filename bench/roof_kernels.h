/* roof_kernels.h - loops that do nothing but move or multiply */
#ifndef ROOF_KERNELS_H
#define ROOF_KERNELS_H
#include <stddef.h>

struct roof_kernels {
    const char *isa;
    void (*stream)(float *x, size_t n);      /* x = -x, in place */
    float (*read)(const float *x, size_t n); /* a sum */
    float (*fma)(size_t rounds, float a, float b);
    double flops; /* of one round of fma */
    /* bfloat16 dot products; NULL where they are no instruction */
    float (*dot)(size_t rounds, float a, float b);
    double dot_flops;
};

extern const struct roof_kernels roof_base, roof_avx2, roof_avx512,
    roof_avx512bf16, roof_neon;
#endif

/* peak_kernels.c - compiled once per instruction set; see peak_kernels.h */
#include "peak_kernels.h"
#include "kernel/halves.h"

/* Two units with a latency of 4 cycles need 8 chains; 12 leave a margin. */
enum { CHAINS = 12 };

static void stream(float *x, size_t n)
{
    size_t i = 0;

    for (; i + 4 * VL <= n; i += 4 * VL) {
        f32v a = f32v_load(x + i);
        f32v b = f32v_load(x + i + VL);
        f32v c = f32v_load(x + i + 2 * VL);
        f32v d = f32v_load(x + i + 3 * VL);

        f32v_store(x + i, -a);
        f32v_store(x + i + VL, -b);
        f32v_store(x + i + 2 * VL, -c);
        f32v_store(x + i + 3 * VL, -d);
    }
    for (; i < n; i++)
        x[i] = -x[i];
}

static float total(f32v v)
{
    float sum = 0;

    for (int k = 0; k < VL; k++)
        sum += v[k];
    return sum;
}

static float read_all(const float *x, size_t n)
{
    f32v a = f32v_splat(0), b = a, c = a, d = a;

    for (size_t i = 0; i + 4 * VL <= n; i += 4 * VL) {
        a += f32v_load(x + i);
        b += f32v_load(x + i + VL);
        c += f32v_load(x + i + 2 * VL);
        d += f32v_load(x + i + 3 * VL);
    }
    return total(a + b + (c + d));
}

static float fma_rounds(size_t rounds, float a, float b)
{
    f32v x[CHAINS];
    f32v va = f32v_splat(a), vb = f32v_splat(b);
    f32v sum = f32v_splat(0);

    for (int k = 0; k < CHAINS; k++)
        x[k] = f32v_splat((float)k);
    for (size_t r = 0; r < rounds; r++)
        for (int k = 0; k < CHAINS; k++)
            x[k] = f32v_fma(x[k], va, vb);
    for (int k = 0; k < CHAINS; k++)
        sum += x[k];
    return total(sum);
}

/* A round has 2 products and 2 sums in each lane and chain.  The numbers of a
   pair are equal. */
static float dot_rounds(size_t rounds, float a, float b)
{
    f32v x[CHAINS];
    u32v va = (u32v)f32v_splat(a), vb = (u32v)f32v_splat(b);
    f32v sum = f32v_splat(0);

    va |= va >> 16;
    vb |= vb >> 16;
    for (int k = 0; k < CHAINS; k++)
        x[k] = f32v_splat((float)k);
    for (size_t r = 0; r < rounds; r++)
        for (int k = 0; k < CHAINS; k++)
            x[k] = f32v_dot2(va, vb, x[k]);
    for (int k = 0; k < CHAINS; k++)
        sum += x[k];
    return total(sum);
}

#define CONCAT_(a, b) a##b
#define CONCAT(a, b)  CONCAT_(a, b)
#define STRING_(a)    #a
#define STRING(a)     STRING_(a)

const struct peak_kernels CONCAT(peak_, LCT_ISA) = {
    .isa = STRING(LCT_ISA),
    .stream = stream,
    .read = read_all,
    .fma = fma_rounds,
    .flops = 2.0 * CHAINS * VL,
    .dot = LCT_DOT_INSTRUCTION ? dot_rounds : NULL,
    .dot_flops = 4.0 * CHAINS * VL,
};

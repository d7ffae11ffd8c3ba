/*
 * dispatch.c - choose the kernels.
 *
 * Compiled with baseline flags: this code must not use instructions that it
 * tests for.  The build defines LCT_HAVE_<ISA> for each kernel object it links;
 * without any there are only the base kernels.
 */
#include "../core/error.h"
#include "kernels.h"
#include <stdatomic.h>
#include <string.h>
#ifdef LCT_HAVE_AVX2
#    include <cpuid.h>
#endif

/* __builtin_cpu_supports() also asks whether the OS saves the registers. */
#ifdef LCT_HAVE_AVX512
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("fma");
}
#endif
#ifdef LCT_HAVE_AVX512BF16
static bool has_avx512bf16(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512bf16");
}
#endif
#ifdef LCT_HAVE_AVX2
/* Clang 14 does not know "f16c"; has_avx2() checks the OS support. */
static bool has_f16c(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           has_f16c();
}
#endif
static bool always(void)
{
    return true;
}

/* Best first. */
static const struct {
    const struct lct_kernels *kernels;
    bool (*available)(void);
} table[] = {
#ifdef LCT_HAVE_AVX512BF16
    { &lct_kernels_avx512bf16, has_avx512bf16 },
#endif
#ifdef LCT_HAVE_AVX512
    { &lct_kernels_avx512, has_avx512 },
#endif
#ifdef LCT_HAVE_AVX2
    { &lct_kernels_avx2, has_avx2 },
#endif
#ifdef LCT_HAVE_NEON
    { &lct_kernels_neon, always },
#else
    { &lct_kernels_base, always },
#endif
};
enum { ROWS = sizeof(table) / sizeof(table[0]) };

static _Atomic(const struct lct_kernels *) in_use;

const struct lct_kernels *lct_kernels(void)
{
    const struct lct_kernels *k =
        atomic_load_explicit(&in_use, memory_order_relaxed);

    /* Concurrent first calls choose the same row: no lock is needed. */
    for (int i = 0; k == NULL; i++) {
        if (table[i].available()) {
            k = table[i].kernels;
            atomic_store_explicit(&in_use, k, memory_order_relaxed);
        }
    }
    return k;
}

locant_status locant_set_isa(const char *name)
{
    if (name == NULL) {
        atomic_store(&in_use, NULL);
        return LOCANT_OK;
    }
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(name, table[i].kernels->isa) != 0)
            continue;
        if (!table[i].available())
            return locant_fail(LOCANT_ERR_UNSUPPORTED,
                               "locant_set_isa: this "
                               "CPU does not run %s",
                               name);
        atomic_store(&in_use, table[i].kernels);
        return LOCANT_OK;
    }
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_set_isa: no kernels named "
                       "'%.32s' in this build",
                       name);
}

const char *locant_isa(void)
{
    return lct_kernels()->isa;
}

const char *locant_isa_at(int i, int *available)
{
    if (i < 0 || i >= ROWS)
        return NULL;
    if (available != NULL)
        *available = table[i].available();
    return table[i].kernels->isa;
}

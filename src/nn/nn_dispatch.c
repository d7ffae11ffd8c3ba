/* nn_dispatch.c - the row operations for the instruction set in use */
#include "nn_kernels.h"
#include <stdatomic.h>
#include <string.h>

#ifdef LCT_HAVE_AVX512BF16
extern const struct lct_nn_kernels lct_nn_kernels_avx512bf16;
#endif
#ifdef LCT_HAVE_AVX512
extern const struct lct_nn_kernels lct_nn_kernels_avx512;
#endif
#ifdef LCT_HAVE_AVX2
extern const struct lct_nn_kernels lct_nn_kernels_avx2;
#endif
#ifdef LCT_HAVE_NEON
extern const struct lct_nn_kernels lct_nn_kernels_neon;
#endif
#ifdef LCT_HAVE_BASE
extern const struct lct_nn_kernels lct_nn_kernels_base;
#endif

/* The last row is what every CPU of this build runs. */
static const struct lct_nn_kernels *const tables[] = {
#ifdef LCT_HAVE_AVX512BF16
    &lct_nn_kernels_avx512bf16,
#endif
#ifdef LCT_HAVE_AVX512
    &lct_nn_kernels_avx512,
#endif
#ifdef LCT_HAVE_AVX2
    &lct_nn_kernels_avx2,
#endif
#ifdef LCT_HAVE_NEON
    &lct_nn_kernels_neon,
#endif
#ifdef LCT_HAVE_BASE
    &lct_nn_kernels_base,
#endif
};

enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

/* The name that a table was found by: rows ask often, and names stay put. */
static _Atomic(const char *) found_by[TABLES];

const struct lct_nn_kernels *lct_nn(void)
{
    const char *isa = locant_isa();

    for (size_t i = 0; i < TABLES; i++)
        if (atomic_load_explicit(&found_by[i], memory_order_relaxed) == isa)
            return tables[i];
    for (size_t i = 0; i < TABLES; i++)
        if (strcmp(tables[i]->isa, isa) == 0) {
            atomic_store_explicit(&found_by[i], isa, memory_order_relaxed);
            return tables[i];
        }
    return tables[TABLES - 1];
}

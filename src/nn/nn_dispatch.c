/* nn_dispatch.c - choose the kernels of nn for the instruction set in use */
#include "nn_kernels.h"
#include <string.h>

extern const struct lct_nn_kernels lct_nn_kernels_base, lct_nn_kernels_avx2,
    lct_nn_kernels_avx512, lct_nn_kernels_avx512bf16, lct_nn_kernels_neon;

/* The last one runs on every CPU. */
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

const struct lct_nn_kernels *lct_nn(void)
{
    const size_t count = sizeof(tables) / sizeof(tables[0]);
    const char *isa = locant_isa();

    for (size_t i = 0; i < count; i++)
        if (strcmp(tables[i]->isa, isa) == 0)
            return tables[i];
    return tables[count - 1];
}

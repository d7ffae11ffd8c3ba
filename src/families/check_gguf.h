/* check_gguf.h - what llama.cpp's code knows of an architecture */
#ifndef LCT_CHECK_GGUF_H
#define LCT_CHECK_GGUF_H
#include "check.h"

struct lct_gguf_arch {
    const char *name;
    bool interleaved; /* pairing of its graph */
    bool permuted;    /* its converter makes half weights interleaved */
    double base;      /* of published models; 0: 10000 or many */
    int64_t period;   /* of full layers, in its code; 0: none */
};
/* NULL if it is unknown. */
const struct lct_gguf_arch *lct_check_gguf_arch(const char *name);

/* Numbers of the key "<architecture>.<rest>". */
double lct_check_gguf_real(const struct lct_check *k, const char *rest,
                           double fallback);
int64_t lct_check_gguf_integer(const struct lct_check *k, const char *rest,
                               int64_t fallback);
/* Of a value for each layer, the first. */
int64_t lct_check_gguf_first(const struct lct_check *k, const char *rest,
                             int64_t fallback);
#endif

/* net_length.c - a rotation whose base depends on the length of a prompt
   (Qwen 1) */
#include "net_length.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char rule[] = "scaling=dynamic(";

static double alpha_of(const struct lct_net_run *r,
                       const struct lct_net_tokens *t, int64_t b)
{
    const int64_t trained = r->n->plan.length_trained;
    int64_t n = t->T;

    if (t->mask != NULL && t->T > trained) {
        n = 0;
        for (int64_t i = 0; i < t->T; i++)
            n += t->mask[b * t->stride + i] != 0;
    }
    if (n <= trained)
        return 1;
    return fmax(exp2(ceil(log2((double)n / (double)trained) + 1)) - 1, 1);
}

locant_status lct_net_length_encoding(locant_encoding **out,
                                      const struct lct_net_run *r,
                                      const struct lct_net_tokens *t)
{
    const char *spec = r->stack->plan->layers[0].spec;
    const char *from = spec != NULL ? strstr(spec, rule) : NULL;
    const char *to = from != NULL ? strchr(from, ')') : NULL;
    const double alpha = alpha_of(r, t, 0);
    char text[256];
    int n;

    *out = NULL;
    if (!r->stack->by_prompt || to == NULL)
        return LOCANT_OK;
    for (int64_t b = 1; b < r->cache->B; b++)
        if (alpha_of(r, t, b) != alpha)
            return locant_fail(LOCANT_ERR_UNSUPPORTED,
                               "locant_model: rows 0 and %d have lengths of "
                               "different bases (use_dynamic_ntk), run them "
                               "one by one",
                               (int)b);
    n = snprintf(text, sizeof(text), "%.*sscaling=ntk(factor=%.0f%s",
                 (int)(from - spec), spec, alpha, to);
    if (n < 0 || (size_t)n >= sizeof(text))
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "locant_model: a spec is too long");
    return locant_encoding_create(out, text);
}

/* convert_gguf_put.c - see convert_gguf_put.h */
#include "convert_gguf_put.h"
#include <stdio.h>

const char *lct_convert_gguf_put_name(char out[LCT_CONVERT_GGUF_KEY],
                                      const struct lct_convert_gguf_keys *k,
                                      const char *name)
{
    snprintf(out, LCT_CONVERT_GGUF_KEY, "%s.%s", k->family->architecture, name);
    return out;
}

void lct_convert_gguf_put_whole(struct lct_convert_gguf_keys *k,
                                const char *name, int64_t value)
{
    char key[LCT_CONVERT_GGUF_KEY];

    if (value < 0 || value > UINT32_MAX) {
        k->large = name;
        k->found = value;
    }
    lct_gguf_write_u32(k->out, lct_convert_gguf_put_name(key, k, name),
                       (uint32_t)value);
}

void lct_convert_gguf_put_real(struct lct_convert_gguf_keys *k,
                               const char *name, double value)
{
    char key[LCT_CONVERT_GGUF_KEY];

    lct_gguf_write_f32(k->out, lct_convert_gguf_put_name(key, k, name),
                       (float)value);
}

void lct_convert_gguf_put_bool(struct lct_convert_gguf_keys *k,
                               const char *name, bool value)
{
    char key[LCT_CONVERT_GGUF_KEY];

    lct_gguf_write_bool(k->out, lct_convert_gguf_put_name(key, k, name), value);
}

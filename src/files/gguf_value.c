/* gguf_value.c - values of a GGUF file that is open: see gguf.h */
#include "gguf_cursor.h"
#include <stdlib.h>
#include <string.h>

/* The order of a text and the name at the start of a value or tensor. */
static int by_text(const void *text, const void *thing)
{
    return lct_text_order(text, thing);
}

const struct lct_gguf_value *lct_gguf_find(const struct lct_gguf *g,
                                           const char *key)
{
    const struct lct_text text = { key, strlen(key) };

    return bsearch(&text, g->values, g->n_values, sizeof *g->values, by_text);
}

const struct lct_gguf_tensor *lct_gguf_tensor(const struct lct_gguf *g,
                                              const char *name)
{
    const struct lct_text text = { name, strlen(name) };

    return bsearch(&text, g->tensors, g->n_tensors, sizeof *g->tensors,
                   by_text);
}

bool lct_gguf_integer(int64_t *out, const struct lct_gguf *g,
                      const struct lct_gguf_value *v, uint64_t i)
{
    const unsigned char *p = g->bytes + v->at;

    if (i >= v->count)
        return false;
    switch (v->type) {
    case LCT_GGUF_U8: *out = p[i]; return true;
    case LCT_GGUF_I8: *out = (int8_t)p[i]; return true;
    case LCT_GGUF_BOOL: *out = p[i] != 0; return true;
    case LCT_GGUF_U16:
        *out = (uint16_t)lct_little_endian(p + 2 * i, 2);
        return true;
    case LCT_GGUF_I16:
        *out = (int16_t)lct_little_endian(p + 2 * i, 2);
        return true;
    case LCT_GGUF_U32:
        *out = (uint32_t)lct_little_endian(p + 4 * i, 4);
        return true;
    case LCT_GGUF_I32:
        *out = (int32_t)lct_little_endian(p + 4 * i, 4);
        return true;
    case LCT_GGUF_I64:
        *out = (int64_t)lct_little_endian(p + 8 * i, 8);
        return true;
    case LCT_GGUF_U64:
        *out = (int64_t)lct_little_endian(p + 8 * i, 8);
        return *out >= 0;
    default: return false;
    }
}

bool lct_gguf_real(double *out, const struct lct_gguf *g,
                   const struct lct_gguf_value *v, uint64_t i)
{
    const unsigned char *p = g->bytes + v->at;
    int64_t integer;
    uint64_t bits;

    if (lct_gguf_integer(&integer, g, v, i)) {
        *out = (double)integer;
        return true;
    }
    if (i >= v->count)
        return false;
    if (v->type == LCT_GGUF_F32) {
        const uint32_t single = (uint32_t)lct_little_endian(p + 4 * i, 4);
        float value;

        memcpy(&value, &single, sizeof value);
        *out = (double)value;
        return true;
    }
    bits = v->type == LCT_GGUF_F64 ? lct_little_endian(p + 8 * i, 8) : 0;
    memcpy(out, &bits, sizeof bits);
    return v->type == LCT_GGUF_F64;
}

bool lct_gguf_text(struct lct_text *out, const struct lct_gguf *g,
                   const struct lct_gguf_value *v, uint64_t i)
{
    const unsigned char *p = g->bytes + v->at;

    if (v->type != LCT_GGUF_TEXT || i >= v->count)
        return false;
    while (i-- > 0)
        p += 8 + lct_little_endian(p, 8);
    out->n = (size_t)lct_little_endian(p, 8);
    out->bytes = (const char *)p + 8;
    return true;
}

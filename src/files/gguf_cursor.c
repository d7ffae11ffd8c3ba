/* gguf_cursor.c - see gguf_cursor.h */
#include "gguf_cursor.h"
#include "path.h"
#include <string.h>

/* Bytes of one element; 0 for texts, whose lengths differ. */
static const unsigned char width[LCT_GGUF_TYPES] = {
    [LCT_GGUF_U8] = 1,  [LCT_GGUF_I8] = 1,   [LCT_GGUF_U16] = 2,
    [LCT_GGUF_I16] = 2, [LCT_GGUF_U32] = 4,  [LCT_GGUF_I32] = 4,
    [LCT_GGUF_F32] = 4, [LCT_GGUF_BOOL] = 1, [LCT_GGUF_U64] = 8,
    [LCT_GGUF_I64] = 8, [LCT_GGUF_F64] = 8,
};

size_t lct_cursor_width(enum lct_gguf_type type)
{
    return width[type];
}

int lct_text_order(const struct lct_text *a, const struct lct_text *b)
{
    const size_t n = a->n < b->n ? a->n : b->n;
    const int order = memcmp(a->bytes, b->bytes, n);

    return order != 0 ? order : (a->n > b->n) - (a->n < b->n);
}

uint64_t lct_little_endian(const unsigned char *p, int n)
{
    uint64_t out = 0;

    for (int i = n - 1; i >= 0; i--)
        out = out << 8 | p[i];
    return out;
}

static locant_status truncated(const struct lct_cursor *c, const char *what,
                               uint64_t need)
{
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: truncated at byte %zu of %zu: %llu bytes needed "
                       "for %s",
                       lct_path_tail(c->name), c->at, c->size,
                       (unsigned long long)need, what);
}

/* Advance by n bytes. */
static locant_status advance(struct lct_cursor *c, uint64_t n, const char *what)
{
    if (n > c->size - c->at)
        return truncated(c, what, n);
    c->at += (size_t)n;
    return LOCANT_OK;
}

locant_status lct_cursor_u64(uint64_t *out, struct lct_cursor *c,
                             const char *what)
{
    LCT_TRY(advance(c, 8, what));
    *out = lct_little_endian(c->bytes + c->at - 8, 8);
    return LOCANT_OK;
}

locant_status lct_cursor_u32(uint32_t *out, struct lct_cursor *c,
                             const char *what)
{
    LCT_TRY(advance(c, 4, what));
    *out = (uint32_t)lct_little_endian(c->bytes + c->at - 4, 4);
    return LOCANT_OK;
}

static locant_status read_text(struct lct_text *out, struct lct_cursor *c,
                               const char *what)
{
    uint64_t n;

    LCT_TRY(lct_cursor_u64(&n, c, what));
    out->bytes = (const char *)c->bytes + c->at;
    LCT_TRY(advance(c, n, what));
    out->n = (size_t)n;
    return LOCANT_OK;
}

locant_status lct_cursor_name(struct lct_text *out, struct lct_cursor *c,
                              const char *what)
{
    LCT_TRY(read_text(out, c, what));
    if (out->n == 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: byte %zu: an empty name of "
                           "a %s",
                           lct_path_tail(c->name), c->at, what);
    return LOCANT_OK;
}

locant_status lct_cursor_skip(struct lct_cursor *c,
                              const struct lct_gguf_value *v)
{
    static const char what[] = "a value";
    struct lct_text text;

    if (v->type != LCT_GGUF_TEXT) {
        if (v->count > (c->size - c->at) / width[v->type])
            return truncated(c, what, v->count);
        return advance(c, v->count * width[v->type], what);
    }
    for (uint64_t i = 0; i < v->count; i++)
        LCT_TRY(read_text(&text, c, what));
    return LOCANT_OK;
}

/* gguf_write.c - see gguf_write.h */
#include "gguf_write.h"
#include "gguf_cursor.h"
#include <string.h>

static void put(struct lct_gguf_write *w, struct lct_gguf_bytes *b,
                const void *data, size_t n)
{
    size_t room = b->room > 0 ? b->room : 4096;
    unsigned char *larger;

    while (room < b->n + n)
        room *= 2;
    if (room != b->room && !w->failed) {
        larger = locant_alloc(room);
        w->failed = larger == NULL;
        if (larger != NULL && b->n > 0)
            memcpy(larger, b->data, b->n);
        if (larger != NULL) {
            locant_release(b->data);
            b->data = larger;
            b->room = room;
        }
    }
    if (w->failed)
        return;
    if (n > 0)
        memcpy(b->data + b->n, data, n);
    b->n += n;
}

static void put_number(struct lct_gguf_write *w, struct lct_gguf_bytes *b,
                       uint64_t number, int n)
{
    unsigned char bytes[8];

    for (int i = 0; i < n; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    put(w, b, bytes, (size_t)n);
}

static void put_text(struct lct_gguf_write *w, struct lct_gguf_bytes *b,
                     const char *text, size_t n)
{
    put_number(w, b, n, 8);
    put(w, b, text, n);
}

static void put_key(struct lct_gguf_write *w, const char *key,
                    enum lct_gguf_type type)
{
    w->n_values++;
    put_text(w, &w->values, key, strlen(key));
    put_number(w, &w->values, type, 4);
}

void lct_gguf_write_u32(struct lct_gguf_write *w, const char *key,
                        uint32_t value)
{
    put_key(w, key, LCT_GGUF_U32);
    put_number(w, &w->values, value, 4);
}

void lct_gguf_write_f32(struct lct_gguf_write *w, const char *key, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    put_key(w, key, LCT_GGUF_F32);
    put_number(w, &w->values, bits, 4);
}

void lct_gguf_write_bool(struct lct_gguf_write *w, const char *key, bool value)
{
    put_key(w, key, LCT_GGUF_BOOL);
    put_number(w, &w->values, value, 1);
}

void lct_gguf_write_text(struct lct_gguf_write *w, const char *key,
                         const char *value)
{
    put_key(w, key, LCT_GGUF_TEXT);
    put_text(w, &w->values, value, strlen(value));
}

void lct_gguf_write_array(struct lct_gguf_write *w, const char *key,
                          enum lct_gguf_type type, const void *values, size_t n)
{
    put_key(w, key, LCT_GGUF_ARRAY);
    put_number(w, &w->values, type, 4);
    put_number(w, &w->values, n, 8);
    put(w, &w->values, values, n * lct_cursor_width(type));
}

void lct_gguf_write_texts(struct lct_gguf_write *w, const char *key, size_t n)
{
    put_key(w, key, LCT_GGUF_ARRAY);
    put_number(w, &w->values, LCT_GGUF_TEXT, 4);
    put_number(w, &w->values, n, 8);
}

void lct_gguf_write_next_text(struct lct_gguf_write *w,
                              const char *const *parts, const size_t *sizes,
                              int n)
{
    size_t all = 0;

    for (int i = 0; i < n; i++)
        all += sizes[i];
    put_number(w, &w->values, all, 8);
    for (int i = 0; i < n; i++)
        put(w, &w->values, parts[i], sizes[i]);
}

void lct_gguf_write_value(struct lct_gguf_write *w, const struct lct_gguf *from,
                          const struct lct_gguf_value *value)
{
    struct lct_cursor c = { .name = from->name,
                            .bytes = from->bytes,
                            .size = from->size,
                            .at = value->at };

    w->n_values++;
    put_text(w, &w->values, value->key.bytes, value->key.n);
    put_number(w, &w->values,
               value->array ? LCT_GGUF_ARRAY : (uint64_t)value->type, 4);
    if (value->array) {
        put_number(w, &w->values, value->type, 4);
        put_number(w, &w->values, value->count, 8);
    }
    /* It was checked when its file was opened, and can be passed. */
    if (lct_cursor_skip(&c, value) == LOCANT_OK)
        put(w, &w->values, from->bytes + value->at, c.at - value->at);
}

uint64_t lct_gguf_write_tensor(struct lct_gguf_write *w, const char *name,
                               const struct lct_number *type, int rank,
                               const int64_t *shape)
{
    uint64_t elements = 1, bytes;

    put_text(w, &w->tensors, name, strlen(name));
    put_number(w, &w->tensors, rank > 0 ? (uint64_t)rank : 1, 4);
    if (rank == 0) /* a number by itself */
        put_number(w, &w->tensors, 1, 8);
    for (int i = rank - 1; i >= 0; i--) {
        put_number(w, &w->tensors, (uint64_t)shape[i], 8);
        elements *= (uint64_t)shape[i];
    }
    bytes = elements / (uint64_t)type->elements * type->bytes;
    put_number(w, &w->tensors, (uint64_t)type->gguf, 4);
    put_number(w, &w->tensors, w->data, 8);
    w->n_tensors++;
    w->data += (bytes + LCT_GGUF_ALIGNMENT - 1) / LCT_GGUF_ALIGNMENT *
               LCT_GGUF_ALIGNMENT;
    return bytes;
}

locant_status lct_gguf_write_header(unsigned char **out, size_t *size,
                                    const struct lct_gguf_write *w)
{
    enum { FRAME = 24 };
    const size_t used = FRAME + w->values.n + w->tensors.n;
    unsigned char *bytes = NULL;

    *size = (used + LCT_GGUF_ALIGNMENT - 1) / LCT_GGUF_ALIGNMENT *
            LCT_GGUF_ALIGNMENT;
    if (!w->failed)
        bytes = locant_alloc(*size);
    *out = bytes;
    if (bytes == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for a GGUF header");
    memcpy(bytes, "GGUF\3\0\0\0", 8);
    for (int i = 0; i < 8; i++) {
        bytes[8 + i] = (unsigned char)(w->n_tensors >> 8 * i);
        bytes[16 + i] = (unsigned char)(w->n_values >> 8 * i);
    }
    if (w->values.n > 0)
        memcpy(bytes + FRAME, w->values.data, w->values.n);
    if (w->tensors.n > 0)
        memcpy(bytes + FRAME + w->values.n, w->tensors.data, w->tensors.n);
    return LOCANT_OK;
}

void lct_gguf_write_free(struct lct_gguf_write *w)
{
    locant_release(w->values.data);
    locant_release(w->tensors.data);
    *w = (struct lct_gguf_write){ 0 };
}

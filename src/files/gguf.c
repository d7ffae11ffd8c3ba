/* gguf.c - see gguf.h; gguf_value.c reads values */
#include "gguf.h"
#include "../core/quote.h"
#include "../core/size.h"
#include "gguf_cursor.h"
#include "number.h"
#include "path.h"
#include "source.h"
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_VALUE = 14,  /* bytes of a value with a key of 1 byte */
    LEAST_TENSOR = 33, /* bytes of a tensor of 1 axis and a name of 1 byte */
    ALIGNMENT = 32     /* of the tensors, unless the file says another */
};

struct quoted {
    char text[LCT_QUOTE_BYTES];
};

static struct quoted quoted(const struct lct_text *t)
{
    struct quoted q;

    lct_quote(q.text, t->bytes, t->n);
    return q;
}

static locant_status no_memory(const struct lct_gguf *g)
{
    return locant_fail(LOCANT_ERR_NOMEM,
                       "%s: no memory for its %zu keys and "
                       "%zu tensors",
                       lct_path_tail(g->name), g->n_values, g->n_tensors);
}

/* ------------------------------------------------------------- the header */

static locant_status check_version(struct lct_gguf *g, uint32_t version)
{
    const char *big =
        __builtin_bswap32(version) <= 3 ? "; it is big-endian" : "";

    if (version != 2 && version != 3)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: version %u of GGUF, 2 or 3 expected%s",
                           lct_path_tail(g->name), version, big);
    g->version = version;
    return LOCANT_OK;
}

/* Fail unless 'count' things of at least 'least' bytes can follow. */
static locant_status check_count(const struct lct_cursor *c, const char *what,
                                 uint64_t count, size_t least)
{
    if (count > (c->size - c->at) / least)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %llu %s, but only %zu bytes follow",
                           lct_path_tail(c->name), (unsigned long long)count,
                           what, c->size - c->at);
    return LOCANT_OK;
}

/* Check the header and allocate the arrays. */
static locant_status allocate(struct lct_gguf *g, struct lct_cursor *c)
{
    uint64_t tensors, values;
    uint32_t version;

    if (!lct_gguf_is(c->bytes, c->size))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: does not begin with \"GGUF\"",
                           lct_path_tail(g->name));
    c->at = 4;
    LCT_TRY(lct_cursor_u32(&version, c, "the version"));
    LCT_TRY(check_version(g, version));
    LCT_TRY(lct_cursor_u64(&tensors, c, "the number of tensors"));
    LCT_TRY(lct_cursor_u64(&values, c, "the number of keys"));
    LCT_TRY(check_count(c, "keys", values, LEAST_VALUE));
    LCT_TRY(check_count(c, "tensors", tensors, LEAST_TENSOR));
    g->n_values = (size_t)values;
    g->n_tensors = (size_t)tensors;
    g->values = locant_alloc(g->n_values * sizeof *g->values + 1);
    g->tensors = locant_alloc(g->n_tensors * sizeof *g->tensors + 1);
    return g->values && g->tensors ? LOCANT_OK : no_memory(g);
}

/* ------------------------------------------------------------ key and value */

/* Advance past a value and check that it lies within the file. */
static locant_status skip_value(struct lct_gguf_value *v, struct lct_cursor *c)
{
    uint32_t type;

    LCT_TRY(lct_cursor_u32(&type, c, "the type of a value"));
    v->count = 1;
    v->array = type == LCT_GGUF_ARRAY;
    if (v->array) {
        LCT_TRY(lct_cursor_u32(&type, c, "the type of an array"));
        LCT_TRY(lct_cursor_u64(&v->count, c, "the length of an array"));
    }
    v->at = c->at;
    if (type >= LCT_GGUF_TYPES || type == LCT_GGUF_ARRAY)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: key '%s': type %u%s, below 13 expected%s",
                           lct_path_tail(c->name), quoted(&v->key).text, type,
                           v->array ? " in an array" : "",
                           v->array ? ", and not 9" : "");
    v->type = (enum lct_gguf_type)type;
    return lct_cursor_skip(c, v);
}

static int by_key(const void *a, const void *b)
{
    return lct_text_order(&((const struct lct_gguf_value *)a)->key,
                          &((const struct lct_gguf_value *)b)->key);
}

static locant_status read_values(struct lct_gguf *g, struct lct_cursor *c)
{
    for (size_t i = 0; i < g->n_values; i++) {
        LCT_TRY(lct_cursor_name(&g->values[i].key, c, "key"));
        LCT_TRY(skip_value(&g->values[i], c));
    }
    qsort(g->values, g->n_values, sizeof *g->values, by_key);
    for (size_t i = 1; i < g->n_values; i++)
        if (by_key(&g->values[i - 1], &g->values[i]) == 0)
            return locant_fail(LOCANT_ERR_FORMAT, "%s: key '%s' is there twice",
                               lct_path_tail(g->name),
                               quoted(&g->values[i].key).text);
    return LOCANT_OK;
}

/* --------------------------------------------------------------- tensors */

static locant_status bad_shape(const struct lct_cursor *c,
                               const struct lct_gguf_tensor *t, const char *why,
                               long long found)
{
    return locant_fail(LOCANT_ERR_FORMAT, "%s: tensor '%s': %s (%lld)",
                       lct_path_tail(c->name), quoted(&t->name).text, why,
                       found);
}

/* Read the axes, innermost first in the file. */
static locant_status read_shape(struct lct_gguf_tensor *t, struct lct_cursor *c)
{
    uint32_t rank;

    LCT_TRY(lct_cursor_u32(&rank, c, "the rank of a tensor"));
    if (rank < 1 || rank > 4)
        return bad_shape(c, t, "its rank should be 1 to 4", rank);
    t->rank = (int)rank;
    for (int i = t->rank - 1; i >= 0; i--) {
        uint64_t n;

        LCT_TRY(lct_cursor_u64(&n, c, "the shape of a tensor"));
        if (n < 1 || n > INT64_MAX)
            return bad_shape(c, t, "each size should be at least 1",
                             (long long)n);
        t->shape[i] = (int64_t)n;
    }
    return LOCANT_OK;
}

static locant_status read_type(struct lct_gguf_tensor *t, struct lct_cursor *c)
{
    const int64_t row = t->shape[t->rank - 1];
    uint32_t id;
    size_t elements, blocks;

    LCT_TRY(lct_cursor_u32(&id, c, "the type of a tensor"));
    t->type = lct_number_gguf(id);
    if (t->type == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: tensor '%s': type %u, one of %s expected",
                           lct_path_tail(c->name), quoted(&t->name).text, id,
                           lct_number_gguf_names());
    if (row % t->type->elements != 0)
        return bad_shape(c, t, "its rows should be whole blocks",
                         (long long)row);
    if (!lct_array_bytes(&elements, t->shape, t->rank, 1))
        return bad_shape(c, t, "its size overflows", (long long)row);
    blocks = elements / (size_t)t->type->elements;
    if (!lct_mul(&t->bytes, blocks, t->type->bytes))
        return bad_shape(c, t, "its size overflows", (long long)row);
    return LOCANT_OK;
}

/* The tensors of the file start at byte 'data'. */
static locant_status place(struct lct_gguf_tensor *t, const struct lct_gguf *g,
                           size_t data, size_t alignment)
{
    const size_t rest = g->size - data;

    if (t->offset % alignment != 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: tensor '%s': its offset %zu should be a "
                           "multiple of %zu",
                           lct_path_tail(g->name), quoted(&t->name).text,
                           t->offset, alignment);
    if (t->offset > rest || t->bytes > rest - t->offset)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: truncated: tensor '%s' has %zu bytes at offset "
                           "%zu, and the file %zu bytes of data",
                           lct_path_tail(g->name), quoted(&t->name).text,
                           t->bytes, t->offset, rest);
    t->data = g->bytes + data + t->offset;
    return LOCANT_OK;
}

static int by_name(const void *a, const void *b)
{
    return lct_text_order(&((const struct lct_gguf_tensor *)a)->name,
                          &((const struct lct_gguf_tensor *)b)->name);
}

static int by_data(const void *a, const void *b)
{
    const unsigned char *x = ((const struct lct_gguf_tensor *)a)->data;
    const unsigned char *y = ((const struct lct_gguf_tensor *)b)->data;

    return (x > y) - (x < y);
}

/* Fail if two tensors share bytes or have one name; sort them by name. */
static locant_status sort_tensors(struct lct_gguf *g)
{
    qsort(g->tensors, g->n_tensors, sizeof *g->tensors, by_data);
    for (size_t i = 1; i < g->n_tensors; i++) {
        const struct lct_gguf_tensor *a = &g->tensors[i - 1], *b = a + 1;

        if (a->bytes > (size_t)(b->data - a->data))
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: tensors '%s' and '%s' overlap",
                               lct_path_tail(g->name), quoted(&a->name).text,
                               quoted(&b->name).text);
    }
    qsort(g->tensors, g->n_tensors, sizeof *g->tensors, by_name);
    for (size_t i = 1; i < g->n_tensors; i++)
        if (by_name(&g->tensors[i - 1], &g->tensors[i]) == 0)
            return locant_fail(
                LOCANT_ERR_FORMAT, "%s: tensor '%s' is there twice",
                lct_path_tail(g->name), quoted(&g->tensors[i].name).text);
    return LOCANT_OK;
}

static locant_status find_alignment(size_t *out, const struct lct_gguf *g)
{
    const struct lct_gguf_value *v = lct_gguf_find(g, "general.alignment");
    int64_t n = ALIGNMENT;

    if (v && (!lct_gguf_integer(&n, g, v, 0) || v->array || n < 1 ||
              n > 1 << 20 || (n & (n - 1)) != 0))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: general.alignment should be a power of 2 up to "
                           "2^20",
                           lct_path_tail(g->name));
    *out = (size_t)n;
    return LOCANT_OK;
}

static locant_status read_tensors(struct lct_gguf *g, struct lct_cursor *c)
{
    size_t alignment = 0, data;

    LCT_TRY(find_alignment(&alignment, g));
    for (size_t i = 0; i < g->n_tensors; i++) {
        struct lct_gguf_tensor *t = &g->tensors[i];
        uint64_t offset;

        LCT_TRY(lct_cursor_name(&t->name, c, "tensor"));
        LCT_TRY(read_shape(t, c));
        LCT_TRY(read_type(t, c));
        LCT_TRY(lct_cursor_u64(&offset, c, "the offset of a tensor"));
        t->offset = (size_t)offset;
    }
    data = (c->at + alignment - 1) / alignment * alignment;
    if (data > g->size)
        data = g->size;
    for (size_t i = 0; i < g->n_tensors; i++)
        LCT_TRY(place(&g->tensors[i], g, data, alignment));
    return sort_tensors(g);
}

/* ---------------------------------------------------------------- a file */

static locant_status read_all(struct lct_gguf *g)
{
    struct lct_cursor c = { .name = g->name,
                            .bytes = g->bytes,
                            .size = g->size };

    LCT_TRY(allocate(g, &c));
    LCT_TRY(read_values(g, &c));
    return read_tensors(g, &c);
}

/* A file whose bytes are those of 'map', which it then owns, or 'bytes'. */
static locant_status open_file(struct lct_gguf **out, const char *name,
                               struct lct_map *map, const void *bytes,
                               size_t size)
{
    const size_t length = strlen(name) + 1;
    struct lct_gguf *g = locant_alloc(sizeof *g + length);
    locant_status status;

    *out = NULL;
    if (g == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to open it",
                           lct_path_tail(name));
    *g = (struct lct_gguf){ .bytes = bytes, .size = size };
    memcpy(g->name, name, length);
    if (map) {
        g->map = *map;
        *map = (struct lct_map){ 0 };
    }
    status = read_all(g);
    if (status != LOCANT_OK) {
        lct_gguf_close(g);
        return status;
    }
    *out = g;
    return LOCANT_OK;
}

bool lct_gguf_is(const void *bytes, size_t n)
{
    return n >= 4 && memcmp(bytes, "GGUF", 4) == 0;
}

locant_status lct_gguf_is_file(bool *out, const char *path)
{
    char start[4];
    locant_status status;
    struct lct_source s;
    size_t n;

    LCT_TRY(lct_source_open(&s, path));
    n = s.size < sizeof start ? s.size : sizeof start;
    status = lct_source_copy(start, &s, 0, n);
    lct_source_close(&s);
    *out = status == LOCANT_OK && lct_gguf_is(start, n);
    return status;
}

locant_status lct_gguf_open(struct lct_gguf **out, const char *path)
{
    struct lct_map map;
    locant_status status;

    *out = NULL;
    LCT_TRY(lct_map_open(&map, path));
    status = open_file(out, path, &map, map.bytes, map.size);
    lct_map_close(&map);
    return status;
}

locant_status lct_gguf_parse(struct lct_gguf **out, const void *bytes,
                             size_t size, const char *name)
{
    return open_file(out, name, NULL, bytes, size);
}

void lct_gguf_close(struct lct_gguf *g)
{
    if (g == NULL)
        return;
    lct_map_close(&g->map);
    locant_release(g->values);
    locant_release(g->tensors);
    locant_release(g);
}

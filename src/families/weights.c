/*
 * weights.c - see weights.h; weights_file.c reads one safetensors file,
 * weights_index.c the index of several
 */
#include "weights.h"
#include "../core/quote.h"
#include "../core/text.h"
#include "../files/path.h"
#include "weights_file.h"
#include "weights_find.h"
#include "weights_gguf.h"
#include "weights_index.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lct_weights {
    char *path;                 /* for messages */
    struct lct_weight *tensors; /* sorted by name */
    size_t n;
    struct lct_weights_file *files;
    size_t n_files;
    struct lct_weights_gguf gguf;
};

static locant_status no_memory(const char *path)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to open it",
                       lct_path_tail(path));
}

/* ------------------------------------------------------------ safetensors */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct lct_weight *)a)->name,
                  ((const struct lct_weight *)b)->name);
}

/* Fail if a tensor is in two shards. */
static locant_status check_twice(const struct lct_weights *w)
{
    char found[LCT_QUOTE_BYTES];

    for (size_t i = 1; i < w->n; i++) {
        const struct lct_weight *a = &w->tensors[i - 1], *b = a + 1;

        if (by_name(a, b) == 0)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: tensor '%s' is also in %s, one of them "
                               "expected",
                               lct_path_tail(a->file),
                               lct_quote(found, a->name, strlen(a->name)),
                               lct_path_tail(b->file));
    }
    return LOCANT_OK;
}

/* The pairing that the metadata of file i says, or "". */
static const char *pairing_of(const struct lct_weights *w, size_t i)
{
    const char *value =
        locant_tensors_metadata(w->files[i].header, LCT_WEIGHTS_PAIRING);

    return value ? value : "";
}

static locant_status check_pairings(const struct lct_weights *w)
{
    char x[LCT_QUOTE_BYTES], y[LCT_QUOTE_BYTES];

    for (size_t i = 1; i < w->n_files; i++) {
        const char *first = pairing_of(w, 0), *here = pairing_of(w, i);

        if (strcmp(here, first) != 0)
            return locant_fail(
                LOCANT_ERR_FORMAT,
                "%s: metadata: " LCT_WEIGHTS_PAIRING " is '%s', but '%s' in %s",
                lct_path_tail(w->files[i].path),
                lct_quote(x, here, strlen(here)),
                lct_quote(y, first, strlen(first)), w->files[0].name);
    }
    return LOCANT_OK;
}

/* List the tensors of all files, whose headers are read. */
static locant_status gather(struct lct_weights *w)
{
    size_t total = 0;

    for (size_t i = 0; i < w->n_files; i++)
        total += w->files[i].header->n;
    w->tensors = locant_alloc((total + 1) * sizeof *w->tensors);
    if (w->tensors == NULL)
        return no_memory(w->path);
    for (size_t i = 0; i < w->n_files; i++)
        for (size_t k = 0; k < w->files[i].header->n; k++)
            w->tensors[w->n++] = lct_weights_file_tensor(&w->files[i], k);
    qsort(w->tensors, w->n, sizeof *w->tensors, by_name);
    LCT_TRY(check_twice(w));
    return check_pairings(w);
}

static locant_status allocate_files(struct lct_weights *w, size_t n)
{
    w->files = locant_alloc((n + 1) * sizeof *w->files);
    return w->files ? LOCANT_OK : no_memory(w->path);
}

static locant_status open_single(struct lct_weights *w, const void *bytes,
                                 size_t size)
{
    LCT_TRY(allocate_files(w, 1));
    w->n_files = 1;
    if (bytes != NULL)
        LCT_TRY(lct_weights_file_parse(&w->files[0], bytes, size, w->path));
    else
        LCT_TRY(lct_weights_file_open(&w->files[0], "", 0, w->path));
    return gather(w);
}

/* ----------------------------------------------------------------- shards */

static locant_status wrong_shard(const struct lct_weights *w,
                                 const struct lct_weight *t, const char *shard)
{
    char name[LCT_QUOTE_BYTES], other[LCT_QUOTE_BYTES];

    lct_quote(name, t->name, strlen(t->name));
    if (shard == NULL)
        return locant_fail(
            LOCANT_ERR_FORMAT, "%s: tensor '%s' is not named by %s",
            lct_path_tail(t->file), name, lct_last_part(w->path));
    return locant_fail(
        LOCANT_ERR_FORMAT, "%s: tensor '%s' is expected in '%s' by %s",
        lct_path_tail(t->file), name, lct_quote(other, shard, strlen(shard)),
        lct_last_part(w->path));
}

/* Fail unless the index names the tensors of the shards, and no other. */
static locant_status check_index(const struct lct_weights *w,
                                 const struct lct_weights_index *x)
{
    char name[LCT_QUOTE_BYTES], shard[LCT_QUOTE_BYTES];

    for (size_t i = 0; i < w->n; i++) {
        const struct lct_weight *t = &w->tensors[i];
        const char *place = lct_weights_index_find(x, t->name);

        if (place == NULL || strcmp(lct_last_part(t->file), place) != 0)
            return wrong_shard(w, t, place);
    }
    for (size_t i = 0; i < x->n; i++) {
        const struct lct_weights_place *p = &x->places[i];

        if (lct_weights_find(w, p->tensor) == NULL)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: weight_map: tensor '%s' is not in '%s'",
                               lct_path_tail(w->path),
                               lct_quote(name, p->tensor, strlen(p->tensor)),
                               lct_quote(shard, p->shard, strlen(p->shard)));
    }
    return LOCANT_OK;
}

static locant_status open_shards(struct lct_weights *w,
                                 const struct lct_weights_index *x)
{
    const size_t folder = (size_t)(lct_last_part(w->path) - w->path);

    LCT_TRY(allocate_files(w, x->n_shards));
    for (size_t i = 0; i < x->n_shards; i++) {
        w->n_files++;
        LCT_TRY(
            lct_weights_file_open(&w->files[i], w->path, folder, x->shards[i]));
    }
    LCT_TRY(gather(w));
    return check_index(w, x);
}

static locant_status open_index(struct lct_weights *w)
{
    struct lct_weights_index x;
    locant_status status = lct_weights_index_read(&x, w->path);

    if (status == LOCANT_OK)
        status = open_shards(w, &x);
    lct_weights_index_free(&x);
    return status;
}

/* ------------------------------------------------------------------- GGUF */

static locant_status open_gguf(struct lct_weights *w, const void *bytes,
                               size_t size)
{
    LCT_TRY(lct_weights_gguf_open(&w->gguf, w->path, bytes, size));
    w->n = w->gguf.file->n_tensors;
    w->tensors = locant_alloc((w->n + 1) * sizeof *w->tensors);
    if (w->tensors == NULL)
        return no_memory(w->path);
    for (size_t i = 0; i < w->n; i++)
        w->tensors[i] = lct_weights_gguf_tensor(&w->gguf, i, w->path);
    qsort(w->tensors, w->n, sizeof *w->tensors, by_name);
    return LOCANT_OK;
}

/* -------------------------------------------------------------- the whole */

static locant_status open_kind(struct lct_weights *w,
                               enum lct_weights_kind kind, const void *bytes,
                               size_t size)
{
    switch (kind) {
    case LCT_WEIGHTS_INDEX: return open_index(w);
    case LCT_WEIGHTS_GGUF: return open_gguf(w, bytes, size);
    default: return open_single(w, bytes, size);
    }
}

/* Open what 'path' is; it is released with *out, or by a failure. */
static locant_status open_path(struct lct_weights **out, char *path,
                               enum lct_weights_kind kind, const void *bytes,
                               size_t size)
{
    struct lct_weights *w = locant_alloc(sizeof *w);
    locant_status status;

    if (w == NULL) {
        status = no_memory(path);
        locant_release(path);
        return status;
    }
    w->path = path;
    status = open_kind(w, kind, bytes, size);
    if (status != LOCANT_OK) {
        lct_weights_close(w);
        return status;
    }
    *out = w;
    return LOCANT_OK;
}

locant_status lct_weights_open(struct lct_weights **out, const char *path)
{
    enum lct_weights_kind kind = LCT_WEIGHTS_SINGLE;
    char *found;

    *out = NULL;
    LCT_TRY(lct_weights_find_file(&found, &kind, path));
    return open_path(out, found, kind, NULL, 0);
}

locant_status lct_weights_parse(struct lct_weights **out, const void *bytes,
                                size_t size, const char *name)
{
    const bool gguf = lct_gguf_is(bytes, size);
    char *copy = lct_copy_text(name, strlen(name));

    *out = NULL;
    if (copy == NULL)
        return no_memory(name);
    return open_path(out, copy, gguf ? LCT_WEIGHTS_GGUF : LCT_WEIGHTS_SINGLE,
                     size > 0 ? bytes : "", size);
}

void lct_weights_close(struct lct_weights *w)
{
    if (w == NULL)
        return;
    for (size_t i = 0; i < w->n_files; i++)
        lct_weights_file_close(&w->files[i]);
    lct_weights_gguf_close(&w->gguf);
    locant_release(w->files);
    locant_release(w->tensors);
    locant_release(w->path);
    locant_release(w);
}

const struct lct_weight *lct_weights_at(const struct lct_weights *w, size_t i)
{
    return i < w->n ? &w->tensors[i] : NULL;
}

const struct lct_weight *lct_weights_find(const struct lct_weights *w,
                                          const char *name)
{
    const struct lct_weight key = { .name = name };

    return bsearch(&key, w->tensors, w->n, sizeof *w->tensors, by_name);
}

const char *lct_weights_metadata(const struct lct_weights *w, const char *key)
{
    for (size_t i = 0; i < w->n_files; i++) {
        const char *value = locant_tensors_metadata(w->files[i].header, key);

        if (value != NULL)
            return value;
    }
    return lct_weights_gguf_text(&w->gguf, key);
}

const struct locant_tensors *lct_weights_header(const struct lct_weights *w,
                                                size_t i, const char **path)
{
    if (i >= w->n_files)
        return NULL;
    *path = w->files[i].path;
    return w->files[i].header;
}

const struct lct_gguf *lct_weights_gguf(const struct lct_weights *w)
{
    return w->gguf.file;
}

locant_status lct_weight_fail(locant_status status, const struct lct_weight *w,
                              const char *format, ...)
{
    char name[LCT_QUOTE_BYTES], text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return locant_fail(status, "%s: tensor '%s': %s", lct_path_tail(w->file),
                       lct_quote(name, w->name, strlen(w->name)), text);
}

/* The block that begins with element 'first'. */
static const unsigned char *block_at(const struct lct_weight *w, int64_t first)
{
    return w->data + (size_t)(first / w->type->elements) * w->type->bytes;
}

void lct_weight_floats(float *out, const struct lct_weight *w, int64_t first,
                       int64_t n)
{
    lct_number_floats(out, w->type, block_at(w, first),
                      (size_t)(n / w->type->elements));
}

void lct_weight_doubles(double *out, const struct lct_weight *w, int64_t first,
                        int64_t n)
{
    lct_number_doubles(out, w->type, block_at(w, first),
                       (size_t)(n / w->type->elements));
}

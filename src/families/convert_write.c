/* convert_write.c - the safetensors files of a conversion */
#include "convert.h"
#include "../core/quote.h"
#include "../core/size.h"
#include "../core/text.h"
#include "../files/path.h"
#include "../files/tensors.h"
#include "weights_find.h"
#include <stdlib.h>
#include <string.h>

static const char fn[] = "locant_model_convert";

/* Write the rows of a tensor in their new order: those that follow each other
   in the old one at once. */
static locant_status write_rows(struct lct_convert *c,
                                const struct lct_weight *w)
{
    const struct lct_convert_part *p = lct_convert_parts_of(&c->parts, w);
    int64_t row = 0;

    if (p == NULL || c->from == c->to)
        return lct_output_write(&c->output, w->data, w->bytes);
    while (row < p->n) {
        const int64_t from = lct_convert_rows_source(&p->rows, row, c->to);
        int64_t n = 1;

        while (row + n < p->n &&
               lct_convert_rows_source(&p->rows, row + n, c->to) == from + n)
            n++;
        LCT_TRY(lct_output_write(&c->output, w->data + (size_t)from * p->bytes,
                                 (size_t)n * p->bytes));
        row += n;
    }
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- one file */

/* The tensors and the metadata of a file to be written. */
struct content {
    struct lct_entry *entries;
    size_t n;
    const char **metadata; /* pairs */
    size_t n_metadata;
};

static void release(struct content *f)
{
    locant_release(f->entries);
    locant_release(f->metadata);
}

/* Add a pair unless the key is there. */
static void put_pair(struct content *f, const char *key, const char *value)
{
    for (size_t i = 0; i < f->n_metadata; i++)
        if (strcmp(f->metadata[2 * i], key) == 0)
            return;
    f->metadata[2 * f->n_metadata] = key;
    f->metadata[2 * f->n_metadata + 1] = value;
    f->n_metadata++;
}

/* Take the tensors and the metadata of an old file. */
static void take(struct content *f, const struct locant_tensors *header)
{
    memcpy(f->entries + f->n, header->entries, header->n * sizeof *f->entries);
    f->n += header->n;
    for (size_t i = 0; i < header->n_metadata; i++)
        put_pair(f, header->metadata[i].key, header->metadata[i].value);
}

static int by_size(const void *a, const void *b)
{
    const struct lct_entry *x = a, *y = b;

    if (x->type->bytes != y->type->bytes)
        return x->type->bytes > y->type->bytes ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Place the tensors of several files in one: each aligned to its elements. */
static locant_status place(struct content *f)
{
    size_t at = 0;

    qsort(f->entries, f->n, sizeof *f->entries, by_size);
    for (size_t i = 0; i < f->n; i++) {
        f->entries[i].begin = at;
        if (!lct_add(&at, at, f->entries[i].bytes))
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: the tensors have more bytes than a file "
                               "can",
                               fn);
    }
    return LOCANT_OK;
}

/* Gather old files first .. first + n - 1. */
static locant_status gather(struct content *f, const struct lct_convert *c,
                            size_t first, size_t n)
{
    const struct locant_tensors *header;
    size_t tensors = 0, pairs = 1;
    const char *path;

    for (size_t i = first; i < first + n; i++) {
        header = lct_weights_header(c->weights, i, &path);
        tensors += header->n;
        pairs += header->n_metadata;
    }
    f->entries = locant_alloc((tensors + 1) * sizeof *f->entries);
    f->metadata = locant_alloc(2 * pairs * sizeof *f->metadata);
    if (f->entries == NULL || f->metadata == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the names", fn);
    put_pair(f, LCT_WEIGHTS_PAIRING, c->to ? "interleaved" : "half");
    for (size_t i = first; i < first + n; i++)
        take(f, lct_weights_header(c->weights, i, &path));
    return n > 1 ? place(f) : LOCANT_OK;
}

static locant_status write_content(struct lct_convert *c,
                                   const struct content *f, const char *name)
{
    size_t size = 0;
    char *text = NULL;
    locant_status status = lct_tensors_text(&text, &size, fn, f->entries, f->n,
                                            f->metadata, f->n_metadata);

    if (status == LOCANT_OK)
        status = lct_output_file(&c->output, name);
    if (status == LOCANT_OK)
        status = lct_output_write(&c->output, text, size);
    locant_release(text);
    for (size_t i = 0; i < f->n && status == LOCANT_OK; i++)
        status =
            write_rows(c, lct_weights_find(c->weights, f->entries[i].name));
    return status;
}

static locant_status write_file(struct lct_convert *c, const char *name,
                                size_t first, size_t n)
{
    struct content f = { 0 };
    locant_status status = gather(&f, c, first, n);

    if (status == LOCANT_OK)
        status = write_content(c, &f, name);
    release(&f);
    return status;
}

/* -------------------------------------------------------------- the whole */

/* Copy the index, which names the shards and their tensors. */
static locant_status copy_index(struct lct_convert *c)
{
    enum lct_weights_kind kind;
    locant_status status;
    char *path;

    LCT_TRY(lct_weights_find_file(&path, &kind, c->model));
    status = kind == LCT_WEIGHTS_INDEX
                 ? lct_output_copy(&c->output, lct_last_part(path), path)
                 : LOCANT_OK;
    locant_release(path);
    return status;
}

locant_status lct_convert_write(struct lct_convert *c)
{
    const char *path;
    size_t n = 0;

    while (lct_weights_header(c->weights, n, &path) != NULL)
        n++;
    if (n > 1 && c->options->one_file)
        return write_file(c, "model.safetensors", 0, n);
    for (size_t i = 0; i < n; i++) {
        lct_weights_header(c->weights, i, &path);
        LCT_TRY(write_file(c, lct_last_part(path), i, 1));
    }
    return copy_index(c);
}

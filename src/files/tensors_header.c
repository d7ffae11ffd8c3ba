/*
 * tensors_header.c - strict parser of the header of a safetensors file.
 *
 * https://github.com/huggingface/safetensors, README, "Format": an object of
 * tensors, each with dtype, shape and data_offsets, and an optional
 * "__metadata__" of strings.  The ranges of tensors must tile the data, without
 * holes or overlaps.  Beyond the rules of the format a name must not be empty,
 * occur twice, or be longer than LCT_TENSORS_NAME_MAX.
 *
 * An entry takes at least ENTRY_MIN bytes of text and a pair of metadata
 * PAIR_MIN, so the text's length bounds the memory.
 */
#include "../core/quote.h"
#include "json.h"
#include "path.h"
#include "tensors.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* "a":{"dtype":"F32","shape":[],"data_offsets":[0,0]}, */
    ENTRY_MIN = 52,
    /* "":"", */
    PAIR_MIN = 6
};

/* A header being read. */
struct header {
    locant_tensors *t;
    struct lct_json r;
    size_t data; /* bytes after the header */
    size_t used; /* of t->strings */
    size_t entries_max, pairs_max;
    bool has_metadata;
};

/* ------------------------------------------------------------------ tensors */

/* Copy the string to t->strings; lct_tensors_header() says why it fits. */
static const char *copy_string(struct header *h, const char *text, size_t n)
{
    char *copy = h->t->strings + h->used;

    memcpy(copy, text, n + 1);
    h->used += n + 1;
    return copy;
}

static locant_status read_tensor(struct header *h, const char *name, size_t n,
                                 size_t at)
{
    struct lct_entry *e = &h->t->entries[h->t->n];
    char found[LCT_QUOTE_BYTES], where[LCT_QUOTE_BYTES + 16];
    locant_status status;

    if (n == 0 || n > LCT_TENSORS_NAME_MAX)
        return lct_json_fail(&h->r, at - h->r.base,
                             "the name of a tensor has "
                             "%zu bytes, 1 to %d allowed",
                             n, LCT_TENSORS_NAME_MAX);
    if (h->t->n == h->entries_max)
        return lct_json_fail(&h->r, at - h->r.base,
                             "more tensors than a "
                             "header of this length can hold");
    e->at = at;
    e->name = copy_string(h, name, n);
    snprintf(where, sizeof where, "tensor '%s': ", lct_quote(found, name, n));
    h->r.where = where;
    status = lct_tensors_entry(e, &h->r, h->data, h->t->any_number);
    h->r.where = "";
    h->t->n += status == LOCANT_OK;
    return status;
}

/* ----------------------------------------------------------------- metadata */

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const struct lct_pair *)a)->key,
                  ((const struct lct_pair *)b)->key);
}

static locant_status read_pair(struct header *h, const json_t *key)
{
    const char *name = json_string_value(key);
    struct lct_pair *pair = &h->t->metadata[h->t->n_metadata];
    char what[LCT_QUOTE_BYTES];
    json_t *value;

    if (h->t->n_metadata == h->pairs_max)
        return lct_json_fail(&h->r, h->r.at, "found more pairs than counted");
    LCT_TRY(lct_json_value(&value, &h->r, JSON_STRING,
                           lct_quote(what, name, json_string_length(key))));
    pair->key = copy_string(h, name, json_string_length(key));
    pair->value =
        copy_string(h, json_string_value(value), json_string_length(value));
    json_decref(value);
    h->t->n_metadata++;
    return LOCANT_OK;
}

static locant_status read_pairs(struct header *h)
{
    locant_status status = LOCANT_OK;
    int state = 0;

    for (;;) {
        json_t *key;
        size_t at;

        LCT_TRY(lct_json_member(&key, &at, &state, &h->r));
        if (key == NULL)
            return LOCANT_OK;
        status = read_pair(h, key);
        json_decref(key);
        LCT_TRY(status);
    }
}

static locant_status no_memory(const struct header *h)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the header",
                       h->r.file);
}

static locant_status read_metadata(struct header *h, size_t at)
{
    struct lct_extent x;
    struct lct_pair *pairs;

    if (h->has_metadata)
        return lct_json_fail(&h->r, at - h->r.base,
                             "'__metadata__' a second time");
    h->has_metadata = true;
    h->r.where = "__metadata__: ";
    if (lct_json_peek(&h->r) != '{')
        return lct_json_fail(&h->r, h->r.at, "an object is required");
    LCT_TRY(lct_json_measure(&x, &h->r));
    h->pairs_max = (x.end - h->r.at) / PAIR_MIN + 1;
    if (h->pairs_max > x.members)
        h->pairs_max = x.members;
    h->t->metadata = pairs = locant_alloc((h->pairs_max + 1) * sizeof *pairs);
    if (pairs == NULL)
        return no_memory(h);
    LCT_TRY(read_pairs(h));
    qsort(pairs, h->t->n_metadata, sizeof *pairs, compare_keys);
    for (size_t i = 1; i < h->t->n_metadata; i++)
        if (strcmp(pairs[i - 1].key, pairs[i].key) == 0) {
            char found[LCT_QUOTE_BYTES];

            return lct_json_fail(
                &h->r, at - h->r.base, "key '%s' a second time",
                lct_quote(found, pairs[i].key, strlen(pairs[i].key)));
        }
    h->r.where = "";
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- layout */

static int compare_ranges(const void *a, const void *b)
{
    const struct lct_entry *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int compare_names(const void *a, const void *b)
{
    const struct lct_entry *x = *(struct lct_entry *const *)a;
    const struct lct_entry *y = *(struct lct_entry *const *)b;
    int order = strcmp(x->name, y->name);

    return order != 0 ? order : x->at < y->at ? -1 : x->at > y->at;
}

static locant_status overlap(const struct header *h, const struct lct_entry *a,
                             const struct lct_entry *b)
{
    char x[LCT_QUOTE_BYTES], y[LCT_QUOTE_BYTES];

    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: data: tensors '%s' [%zu,%zu) "
                       "and '%s' [%zu,%zu) overlap",
                       h->r.file, lct_quote(x, a->name, strlen(a->name)),
                       a->begin, a->begin + a->bytes,
                       lct_quote(y, b->name, strlen(b->name)), b->begin,
                       b->begin + b->bytes);
}

/* Fail unless the ranges, which are sorted, tile the data. */
static locant_status check_tiling(const struct header *h)
{
    struct lct_entry *e = h->t->entries;
    size_t at = 0;

    for (size_t i = 0; i < h->t->n; i++) {
        if (e[i].begin > at)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: data: bytes %zu to %zu belong to no tensor",
                               h->r.file, at, e[i].begin - 1);
        if (e[i].begin < at)
            return overlap(h, &e[i - 1], &e[i]);
        at += e[i].bytes;
    }
    if (at < h->data)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: data: %zu bytes after the "
                           "last tensor, which ends at %zu",
                           h->r.file, h->data - at, at);
    return LOCANT_OK;
}

static locant_status check_names(const struct header *h)
{
    struct lct_entry **names = h->t->by_name;
    char found[LCT_QUOTE_BYTES];

    for (size_t i = 0; i < h->t->n; i++)
        names[i] = &h->t->entries[i];
    qsort(names, h->t->n, sizeof *names, compare_names);
    for (size_t i = 1; i < h->t->n; i++)
        if (strcmp(names[i - 1]->name, names[i]->name) == 0)
            return locant_fail(
                LOCANT_ERR_FORMAT,
                "%s: header: tensor '%s' at bytes %zu and %zu", h->r.file,
                lct_quote(found, names[i]->name, strlen(names[i]->name)),
                names[i - 1]->at, names[i]->at);
    return LOCANT_OK;
}

/* ---------------------------------------------------------------- the whole */

static locant_status check_object(struct lct_extent *x, struct lct_json *r)
{
    unsigned char c = r->end > 0 ? (unsigned char)r->text[0] : 0;

    if (r->end == 0)
        return lct_json_fail(r, 0, "the header is empty, '{' expected");
    if (r->end >= 3 && memcmp(r->text, "\xef\xbb\xbf", 3) == 0)
        return lct_json_fail(r, 0, "a byte order mark, '{' expected");
    if (c == '[')
        return lct_json_fail(r, 0, "an array, an object is required");
    if (c != '{')
        return lct_json_fail(r, 0, "the first byte is 0x%02x, '{' required", c);
    LCT_TRY(lct_json_measure(x, r));
    for (size_t i = x->end; i < r->end; i++)
        if (r->text[i] != ' ')
            return lct_json_fail(r, i,
                                 "byte 0x%02x after the object, only "
                                 "spaces may follow",
                                 (unsigned)(unsigned char)r->text[i]);
    return LOCANT_OK;
}

static locant_status read_members(struct header *h)
{
    int state = 0;

    for (;;) {
        locant_status status;
        json_t *name;
        size_t at;

        LCT_TRY(lct_json_member(&name, &at, &state, &h->r));
        if (name == NULL)
            return LOCANT_OK;
        status = strcmp(json_string_value(name), "__metadata__") == 0
                     ? read_metadata(h, at)
                     : read_tensor(h, json_string_value(name),
                                   json_string_length(name), at);
        json_decref(name);
        LCT_TRY(status);
    }
}

locant_status lct_tensors_header(locant_tensors *t, const char *file,
                                 const char *text, size_t n, size_t data)
{
    struct header h = { .t = t,
                        .r = { lct_path_tail(file), "", text, 0, n, 8 },
                        .data = data };
    struct lct_extent x;

    LCT_TRY(check_object(&x, &h.r));
    h.entries_max = n / ENTRY_MIN + 1;
    if (h.entries_max > x.members)
        h.entries_max = x.members;
    t->entries = locant_alloc((h.entries_max + 1) * sizeof *t->entries);
    t->by_name = locant_alloc((h.entries_max + 1) * sizeof(struct lct_entry *));
    /* Strings fit: two quotes become one zero byte, and escapes get shorter. */
    t->strings = locant_alloc(n);
    if (t->entries == NULL || t->by_name == NULL || t->strings == NULL)
        return no_memory(&h);
    LCT_TRY(read_members(&h));
    qsort(t->entries, t->n, sizeof *t->entries, compare_ranges);
    LCT_TRY(check_names(&h));
    return check_tiling(&h);
}

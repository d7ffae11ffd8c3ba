/* tensors.c - read safetensors files; tensors_header.c parses the header */
#include "tensors.h"
#include "npy.h"
#include "path.h"
#include "source.h"
#include <stdlib.h>
#include <string.h>

static locant_status no_memory(const char *file)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the tensors",
                       lct_path_tail(file));
}

locant_status lct_tensors_frame(size_t *out, const char *file,
                                const unsigned char *frame, size_t size)
{
    uint64_t length = 0, reversed = 0;

    file = lct_path_tail(file);
    if (size < 8)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: truncated: %zu bytes, 8 "
                           "needed for the header length",
                           file, size);
    for (int i = 0; i < 8; i++) {
        length |= (uint64_t)frame[i] << 8 * i;
        reversed |= (uint64_t)frame[i] << 8 * (7 - i);
    }
    if (length > LCT_TENSORS_HEADER_MAX)
        return locant_fail(
            LOCANT_ERR_FORMAT, "%s: header length: %llu, at most %d allowed%s",
            file, (unsigned long long)length, LCT_TENSORS_HEADER_MAX,
            reversed <= size - 8 ? "; it looks big-endian" : "");
    if (length > size - 8)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: truncated: the header has "
                           "%llu bytes, %zu remain",
                           file, (unsigned long long)length, size - 8);
    *out = (size_t)length;
    return LOCANT_OK;
}

static size_t round_up(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* Load the elements.  Each tensor is aligned to 8 bytes, even if it is not in
   the file. */
static locant_status load(locant_tensors *t, const struct lct_source *s)
{
    size_t total = 8, at = 0;
    char *memory;

    LCT_TRY(lct_source_check(s, t->data, s->size - t->data));
    for (size_t i = 0; i < t->n; i++)
        total += round_up(t->entries[i].bytes);
    t->memory = memory = locant_alloc(total);
    if (memory == NULL)
        return no_memory(s->name);
    for (size_t i = 0; i < t->n; i++) {
        struct lct_entry *e = &t->entries[i];

        LCT_TRY(lct_source_copy(memory + at, s, t->data + e->begin, e->bytes));
        e->tensor = locant_dense(memory + at, e->tensor.dtype, e->tensor.rank,
                                 e->tensor.shape);
        at += round_up(e->bytes);
    }
    return LOCANT_OK;
}

static locant_status read_header(locant_tensors *t, const struct lct_source *s)
{
    unsigned char frame[8];
    locant_status status;
    size_t header = 0;
    void *text;

    LCT_TRY(lct_source_copy(frame, s, 0,
                            s->size < sizeof frame ? s->size : sizeof frame));
    LCT_TRY(lct_tensors_frame(&header, s->name, frame, s->size));
    LCT_TRY(lct_source_load(&text, s, sizeof frame, header));
    t->data = sizeof frame + header;
    status = lct_tensors_header(t, s->name, text, header, s->size - t->data);
    locant_release(text);
    return status;
}

static locant_status read_tensors(locant_tensors **out,
                                  const struct lct_source *s)
{
    locant_tensors *t;
    locant_status status;

    if (lct_npy_native() != '<')
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: safetensors is "
                           "little-endian, this machine is not",
                           lct_path_tail(s->name));
    t = locant_alloc(sizeof *t);
    if (t == NULL)
        return no_memory(s->name);
    status = read_header(t, s);
    if (status == LOCANT_OK)
        status = load(t, s);
    if (status != LOCANT_OK) {
        locant_tensors_free(t);
        return status;
    }
    *out = t;
    return LOCANT_OK;
}

locant_status locant_tensors_parse(locant_tensors **out, const void *bytes,
                                   size_t size, const char *name)
{
    LCT_NOT_NULL("locant_tensors_parse", out);
    LCT_NOT_NULL("locant_tensors_parse", name);
    if (size > 0)
        LCT_NOT_NULL("locant_tensors_parse", bytes);
    *out = NULL;
    return read_tensors(
        out, &(struct lct_source){
                 .name = name, .bytes = size > 0 ? bytes : "", .size = size });
}

locant_status locant_tensors_read(locant_tensors **out, const char *path)
{
    struct lct_source s;
    locant_status status;

    LCT_NOT_NULL("locant_tensors_read", out);
    LCT_NOT_NULL("locant_tensors_read", path);
    *out = NULL;
    LCT_TRY(lct_source_open(&s, path));
    status = read_tensors(out, &s);
    lct_source_close(&s);
    return status;
}

void locant_tensors_free(locant_tensors *t)
{
    if (t == NULL)
        return;
    locant_release(t->entries);
    locant_release(t->by_name);
    locant_release(t->metadata);
    locant_release(t->strings);
    locant_release(t->memory);
    locant_release(t);
}

const locant_tensor *locant_tensors_at(const locant_tensors *t, size_t i,
                                       const char **name)
{
    if (t == NULL || i >= t->n)
        return NULL;
    if (name != NULL)
        *name = t->entries[i].name;
    return &t->entries[i].tensor;
}

size_t lct_tensors_offset(const locant_tensors *t, const locant_tensor *tensor)
{
    for (size_t i = 0; i < t->n; i++)
        if (&t->entries[i].tensor == tensor)
            return t->data + t->entries[i].begin;
    return 0;
}

static int compare_name(const void *name, const void *entry)
{
    return strcmp(name, (*(struct lct_entry *const *)entry)->name);
}

const locant_tensor *locant_tensors_find(const locant_tensors *t,
                                         const char *name)
{
    struct lct_entry *const *found;

    if (t == NULL || name == NULL)
        return NULL;
    found = bsearch(name, t->by_name, t->n, sizeof *found, compare_name);
    return found != NULL ? &(*found)->tensor : NULL;
}

static int compare_key(const void *key, const void *pair)
{
    return strcmp(key, ((const struct lct_pair *)pair)->key);
}

const char *locant_tensors_metadata(const locant_tensors *t, const char *key)
{
    const struct lct_pair *found;

    if (t == NULL || key == NULL || t->n_metadata == 0)
        return NULL;
    found =
        bsearch(key, t->metadata, t->n_metadata, sizeof *found, compare_key);
    return found != NULL ? found->value : NULL;
}

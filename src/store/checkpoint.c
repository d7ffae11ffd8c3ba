/*
 * checkpoint.c - the state of a run in a safetensors file.
 *
 * One tensor for each parameter under its name in the model, so that other
 * programs can read them; the two moments of AdamW, flat (of a matrix that Muon
 * updates, the first is its momentum and the second 0); and the memory of each
 * layer. The metadata hold the identity of the run, step, seconds, the
 * checksum of the batches, the CRC-32C of each tensor and a hash of all of
 * these. A flipped bit is detected and the error message names its tensor.
 * Format 1, which can still be read, had one hash of metadata and tensors.
 */
#include "checkpoint.h"
#include "checkpoint_memory.h"
#include "run_sizes.h"
#include "sums.h"
#include "../core/quote.h"
#include "../files/hash.h"
#include "../files/tensors.h"
#include "locant/files.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char format[] = "locant-checkpoint-2";
static const char format_1[] = "locant-checkpoint-1";
static const char name_m[] = "adamw.m", name_v[] = "adamw.v";

/* ------------------------------------------------------------------- write */

enum { PAIRS = 6 }; /* metadata pairs besides the checksums */

/* List parameters, moments and memory. names[l] receives the tensor name of the
   memory of layer l. */
static void list_tensors(locant_named_tensor *list, struct lct_model *model,
                         const struct lct_checkpoint *c,
                         char (*names)[LCT_CHECKPOINT_MEMORY_NAME])
{
    const struct lct_model_tensor *t;
    int n = lct_model_tensors(model, &t);
    int64_t size = (int64_t)lct_model_size(model);

    for (int i = 0; i < n; i++) {
        list[i].name = t[i].name;
        list[i].tensor = locant_dense(lct_model_params(model) + t[i].offset,
                                      LCT_REAL_DTYPE, t[i].rank, t[i].shape);
    }
    list[n].name = name_m;
    list[n].tensor = locant_dense(c->m, LCT_REAL_DTYPE, 1, &size);
    list[n + 1].name = name_v;
    list[n + 1].tensor = locant_dense(c->v, LCT_REAL_DTYPE, 1, &size);
    lct_checkpoint_memory_list(list + n + 2, model, c, names);
}

/* Write the tensors and their metadata: PAIRS pairs, then a checksum of each
   tensor. meta->hash is set here. */
static locant_status write_file(const char *path, const char *key,
                                struct lct_sums_metadata *meta,
                                struct lct_sum *sums, const char **pairs,
                                const locant_named_tensor *list, size_t n)
{
    const char *const fixed[2 * PAIRS] = {
        "format",         format,         "run",     key,
        "step",           meta->step,     "seconds", meta->seconds,
        "batch_checksum", meta->checksum, "hash",    meta->hash
    };
    uint64_t hash = lct_sums_hash(meta, key);

    memcpy(pairs, fixed, sizeof fixed);
    for (size_t i = 0; i < n; i++) {
        if (!lct_sums_compute(&sums[i], list[i].name, &list[i].tensor))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: a parameter has a name of"
                               " %zu bytes",
                               path, strlen(list[i].name));
        hash += lct_sums_hash_one(&sums[i]);
        pairs[2 * (PAIRS + i)] = sums[i].key;
        pairs[2 * (PAIRS + i) + 1] = sums[i].value;
    }
    snprintf(meta->hash, sizeof meta->hash, "%016" PRIx64, hash);
    return locant_tensors_write(path, list, n, pairs, PAIRS + n);
}

locant_status lct_checkpoint_write(const char *path, struct lct_model *model,
                                   const struct lct_checkpoint *c)
{
    const struct lct_model_tensor *t;
    const int64_t layers = lct_checkpoint_memory_layers(model, c);
    size_t n = (size_t)(lct_model_tensors(model, &t) + 2 + layers);
    locant_named_tensor *list = locant_alloc(
        n * sizeof *list + (size_t)layers * LCT_CHECKPOINT_MEMORY_NAME);
    struct lct_sum *sums = locant_alloc(n * sizeof *sums);
    const char **pairs = locant_alloc(2 * (PAIRS + n) * sizeof *pairs);
    struct lct_sums_metadata meta;
    locant_status status;

    snprintf(meta.step, sizeof meta.step, "%" PRId64, c->step);
    snprintf(meta.seconds, sizeof meta.seconds, "%.17g", c->seconds);
    snprintf(meta.checksum, sizeof meta.checksum, "%016" PRIx64, c->checksum);
    if (list && sums && pairs) {
        list_tensors(list, model, c,
                     (char(*)[LCT_CHECKPOINT_MEMORY_NAME])(list + n));
        status = write_file(path, c->key, &meta, sums, pairs, list, n);
    } else {
        status =
            locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to write it", path);
    }
    locant_release(list);
    locant_release(sums);
    locant_release(pairs);
    return status;
}

/* -------------------------------------------------------------------- read */

static locant_status refuse(const char *path, const char *what)
{
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: not a whole checkpoint of this run: %s; remove"
                       " the file to train the run from the start",
                       path, what);
}

/* The file that is read, and the run and model it must belong to. */
struct reading {
    const locant_tensors *file;
    const char *path, *key;
    const struct lct_model *model;
};

/* Check the format and the run, and copy the other metadata as text. */
static locant_status read_metadata(struct lct_sums_metadata *t,
                                   bool *format_is_1, const struct reading *r)
{
    const struct {
        const char *key;
        char *to;
        size_t size;
    } list[] = { { "step", t->step, sizeof t->step },
                 { "seconds", t->seconds, sizeof t->seconds },
                 { "batch_checksum", t->checksum, sizeof t->checksum },
                 { "hash", t->hash, sizeof t->hash } };
    const char *made = locant_tensors_metadata(r->file, "format");
    const char *run = locant_tensors_metadata(r->file, "run");

    *format_is_1 = made && strcmp(made, format_1) == 0;
    if (made == NULL || (!*format_is_1 && strcmp(made, format) != 0))
        return refuse(r->path, "it is not one of locant");
    if (run == NULL || strcmp(run, r->key) != 0)
        return refuse(r->path, "it belongs to another run");
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const char *value = locant_tensors_metadata(r->file, list[i].key);

        if (value == NULL || strlen(value) >= list[i].size)
            return refuse(r->path, value ? "a metadata value is too long"
                                         : "a metadata value is missing");
        memcpy(list[i].to, value, strlen(value) + 1);
    }
    return LOCANT_OK;
}

/* Parse the metadata. Values are checked although the hash matches: a file from
   somewhere else may have any text with the right hash. */
static locant_status parse_metadata(struct lct_checkpoint *c,
                                    const struct lct_sums_metadata *t,
                                    const char *path)
{
    char *end;

    c->step = strtoll(t->step, &end, 10);
    if (end == t->step || *end != 0 || c->step < 0 || c->step > LCT_STEPS_MAX)
        return refuse(path, "its step is not a number of steps");
    c->seconds = strtod(t->seconds, &end);
    if (end == t->seconds || *end != 0 || !isfinite(c->seconds) ||
        c->seconds < 0)
        return refuse(path, "its seconds are not a duration");
    c->checksum = strtoull(t->checksum, NULL, 16);
    if (!lct_sums_match(t->checksum, c->checksum))
        return refuse(path, "its checksum of batches is not 16 hexadecimal"
                            " digits");
    return LOCANT_OK;
}

static locant_status copy_tensor(real *to, const char *name, int rank,
                                 const int64_t *shape, const char *what,
                                 const struct reading *r)
{
    const locant_tensor *t = locant_tensors_find(r->file, name);
    char why[64];

    snprintf(why, sizeof why, "a %s is missing or has another shape", what);
    if (t == NULL || t->dtype != LCT_REAL_DTYPE || t->rank != rank ||
        memcmp(t->shape, shape, (size_t)rank * sizeof *shape) != 0)
        return refuse(r->path, why);
    memcpy(to, t->data, lct_sums_bytes(t));
    return LOCANT_OK;
}

/* Copy parameters and moments to state [3, size]. */
static locant_status read_state(real *state, const struct reading *r)
{
    const struct lct_model_tensor *t;
    const int n = lct_model_tensors(r->model, &t);
    const size_t size = lct_model_size(r->model);
    const int64_t shape = (int64_t)size;

    for (int i = 0; i < n; i++)
        LCT_TRY(copy_tensor(state + t[i].offset, t[i].name, t[i].rank,
                            t[i].shape, "parameter", r));
    LCT_TRY(copy_tensor(state + size, name_m, 1, &shape, "moment", r));
    return copy_tensor(state + 2 * size, name_v, 1, &shape, "moment", r);
}

/* Check the hash of format 1: metadata, parameters, moments, memory. */
static locant_status check_hash_1(const struct lct_sums_metadata *t,
                                  const real *state, const struct reading *r)
{
    uint64_t h = lct_hash(lct_sums_hash(t, r->key), state,
                          3 * lct_model_size(r->model) * sizeof *state);
    const char *wrong = lct_checkpoint_memory_hash(&h, r->file, r->model);

    if (wrong != NULL)
        return refuse(r->path, wrong);
    return lct_sums_match(t->hash, h)
               ? LOCANT_OK
               : refuse(r->path, "its content does not match its hash");
}

static locant_status refuse_tensor(const struct reading *r, const char *name,
                                   const locant_tensor *t)
{
    size_t at = lct_tensors_offset(r->file, t);
    char found[LCT_QUOTE_BYTES], what[256];

    snprintf(what, sizeof what,
             "tensor '%s', bytes %zu to %zu, does not"
             " match its checksum",
             lct_quote(found, name, strlen(name)), at,
             at + lct_sums_bytes(t) - 1);
    return refuse(r->path, what);
}

/* Compare the checksum of every tensor with the recorded one, and the hash. */
static locant_status check_sums(const struct lct_sums_metadata *meta,
                                const struct reading *r)
{
    uint64_t hash = lct_sums_hash(meta, r->key);
    const locant_tensor *t;
    const char *name;

    for (size_t i = 0; (t = locant_tensors_at(r->file, i, &name)) != NULL;
         i++) {
        struct lct_sum sum;
        const char *want;

        if (!lct_sums_compute(&sum, name, t))
            return refuse(r->path, "a tensor has a name too long");
        want = locant_tensors_metadata(r->file, sum.key);
        if (want == NULL || strcmp(want, sum.value) != 0)
            return refuse_tensor(r, name, t);
        hash += lct_sums_hash_one(&sum);
    }
    return lct_sums_match(meta->hash, hash)
               ? LOCANT_OK
               : refuse(r->path, "its metadata do not match their hash");
}

static locant_status read_checked(struct lct_checkpoint *c,
                                  struct lct_model *model, real *state,
                                  const struct reading *r)
{
    const size_t n = lct_model_size(model);
    struct lct_checkpoint read = *c;
    struct lct_sums_metadata meta;
    const char *wrong = NULL;
    bool format_is_1;

    LCT_TRY(read_metadata(&meta, &format_is_1, r));
    if (!format_is_1)
        LCT_TRY(check_sums(&meta, r));
    LCT_TRY(read_state(state, r));
    if (format_is_1)
        LCT_TRY(check_hash_1(&meta, state, r));
    LCT_TRY(parse_metadata(&read, &meta, r->path));
    if (c->m) /* the run will be continued */
        wrong = lct_checkpoint_memory_read(model, c, r->file);
    if (wrong != NULL)
        return refuse(r->path, wrong);
    *c = read;
    memcpy(lct_model_params(model), state, n * sizeof *state);
    if (c->m)
        memcpy(c->m, state + n, n * sizeof *state);
    if (c->v)
        memcpy(c->v, state + 2 * n, n * sizeof *state);
    return LOCANT_OK;
}

locant_status lct_checkpoint_read(struct lct_checkpoint *c,
                                  struct lct_model *model, const char *path)
{
    size_t bytes = lct_model_size(model) * sizeof(real) * 3;
    real *state = locant_alloc(bytes);
    locant_tensors *file = NULL;
    locant_status status;

    if (state == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to read it", path);
    status = locant_tensors_read(&file, path);
    if (status == LOCANT_OK) {
        const struct reading r = { file, path, c->key, model };

        status = read_checked(c, model, state, &r);
    }
    locant_tensors_free(file);
    locant_release(state);
    return status;
}

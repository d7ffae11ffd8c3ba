/*
 * checkpoint.c - the state of a run in a safetensors file.
 *
 * One tensor for each parameter under its name in the model, so that other
 * programs can read them; the two moments of AdamW, flat; and the memory of
 * each layer. The metadata hold the identity of the run, step, seconds, the
 * checksum of the batches, the CRC-32C of each tensor and a hash of all these
 * texts. A flipped bit is detected and the error message names its tensor.
 * Format 1 had one hash of texts and tensors; it can still be read.
 */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"
#include "run_sizes.h"
#include "../core/quote.h"
#include "../files/crc32c.h"
#include "../files/tensors.h"
#include "locant/files.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char format[] = "locant-checkpoint-2";
static const char format_1[] = "locant-checkpoint-1";
static const char name_m[] = "adamw.m", name_v[] = "adamw.v";

double lct_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Source: Fowler, Noll, Vo; draft-eastlake-fnv, 64-bit FNV-1a. */
uint64_t lct_hash(uint64_t h, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < size; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

static uint64_t hash_text(uint64_t h, const char *text)
{
    return lct_hash(h, text, strlen(text) + 1);
}

/* ------------------------------------------------------------------- write */

struct texts {
    char step[24], seconds[40], checksum[17], hash[17];
};

enum { PAIRS = 6 }; /* metadata pairs besides the checksums */

/* A metadata pair "crc32c.<tensor>". */
struct sum {
    char key[160], value[9];
};

static void name_memory(char out[40], int64_t layer)
{
    snprintf(out, 40, "layer%" PRId64 ".memory", layer);
}

/* The number of layers that have memory. */
static int64_t remembering(const struct lct_model *model)
{
    return lct_model_memory(model).tokens > 0
               ? lct_model_config_of(model)->layers
               : 0;
}

/* The memory of layer l as a tensor. */
static locant_tensor remembered(struct lct_model *model, int64_t l)
{
    const struct lct_memory size = lct_model_memory(model);
    const int64_t shape[3] = { size.rows, size.tokens,
                               lct_model_config_of(model)->width };

    return locant_dense(lct_model_remembered(model, l), LCT_REAL_DTYPE, 3,
                        shape);
}

static size_t bytes_of(const locant_tensor *t)
{
    size_t n = locant_dtype_size(t->dtype);

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

/* names[l] receives the tensor name of the memory of layer l. */
static void list_tensors(locant_named_tensor *list, struct lct_model *model,
                         real *m, real *v, char (*names)[40])
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
    list[n].tensor = locant_dense(m, LCT_REAL_DTYPE, 1, &size);
    list[n + 1].name = name_v;
    list[n + 1].tensor = locant_dense(v, LCT_REAL_DTYPE, 1, &size);
    for (int64_t l = 0; l < remembering(model); l++) {
        name_memory(names[l], l);
        list[n + 2 + l].name = names[l];
        list[n + 2 + l].tensor = remembered(model, l);
    }
}

static uint64_t hash_texts(const struct texts *t, const char *key)
{
    uint64_t h = hash_text(LCT_HASH_BEGIN, key);

    h = hash_text(h, t->step);
    h = hash_text(h, t->seconds);
    return hash_text(h, t->checksum);
}

/* Contribution of one text to the hash of all, which ignores their order. */
static uint64_t hash_sum(const struct sum *sum)
{
    return hash_text(hash_text(LCT_HASH_BEGIN, sum->key), sum->value);
}

static bool sum_tensor(struct sum *out, const char *name,
                       const locant_tensor *t)
{
    int n = snprintf(out->key, sizeof out->key, "crc32c.%s", name);

    snprintf(out->value, sizeof out->value, "%08" PRIx32,
             lct_crc32c(0, t->data, bytes_of(t)));
    return n > 0 && (size_t)n < sizeof out->key;
}

/* Metadata: six pairs, then a checksum of each tensor. */
static locant_status write(const char *path, const char *key,
                           struct texts *text, struct sum *sums,
                           const char **pairs, const locant_named_tensor *list,
                           size_t n)
{
    const char *const fixed[2 * PAIRS] = {
        "format",         format,         "run",     key,
        "step",           text->step,     "seconds", text->seconds,
        "batch_checksum", text->checksum, "hash",    text->hash
    };
    uint64_t hash = hash_texts(text, key);

    memcpy(pairs, fixed, sizeof fixed);
    for (size_t i = 0; i < n; i++) {
        if (!sum_tensor(&sums[i], list[i].name, &list[i].tensor))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: a parameter has a name of"
                               " %zu bytes",
                               path, strlen(list[i].name));
        hash += hash_sum(&sums[i]);
        pairs[2 * (PAIRS + i)] = sums[i].key;
        pairs[2 * (PAIRS + i) + 1] = sums[i].value;
    }
    snprintf(text->hash, sizeof text->hash, "%016" PRIx64, hash);
    return locant_tensors_write(path, list, n, pairs, PAIRS + n);
}

locant_status lct_checkpoint_write(const char *path, struct lct_model *model,
                                   const struct lct_checkpoint *c)
{
    const struct lct_model_tensor *t;
    const int64_t layers = remembering(model);
    size_t n = (size_t)(lct_model_tensors(model, &t) + 2 + layers);
    locant_named_tensor *list =
        locant_alloc(n * sizeof *list + (size_t)layers * 40);
    struct sum *sums = locant_alloc(n * sizeof *sums);
    const char **pairs = locant_alloc(2 * (PAIRS + n) * sizeof *pairs);
    struct texts text;
    locant_status status;

    snprintf(text.step, sizeof text.step, "%" PRId64, c->step);
    snprintf(text.seconds, sizeof text.seconds, "%.17g", c->seconds);
    snprintf(text.checksum, sizeof text.checksum, "%016" PRIx64, c->checksum);
    if (list && sums && pairs) {
        list_tensors(list, model, c->m, c->v, (char(*)[40])(list + n));
        status = write(path, c->key, &text, sums, pairs, list, n);
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
                       "%s: not a whole checkpoint of this run: %s; with"
                       " the file removed it is trained again",
                       path, what);
}

/* Copy a metadata value to 'out', without parsing it. */
static locant_status metadata(char *out, size_t size, const locant_tensors *f,
                              const char *key, const char *path)
{
    const char *value = locant_tensors_metadata(f, key);

    if (value == NULL || strlen(value) >= size)
        return refuse(path, value ? "a metadata value is too long"
                                  : "a metadata value is missing");
    memcpy(out, value, strlen(value) + 1);
    return LOCANT_OK;
}

static locant_status check_metadata(struct texts *t, int *version,
                                    const locant_tensors *f, const char *key,
                                    const char *path)
{
    const char *made = locant_tensors_metadata(f, "format");
    const char *run = locant_tensors_metadata(f, "run");

    *version = made && strcmp(made, format_1) == 0 ? 1 : 2;
    if (made == NULL || (*version == 2 && strcmp(made, format) != 0))
        return refuse(path, "it is not one of locant");
    if (run == NULL || strcmp(run, key) != 0)
        return refuse(path, "it belongs to another run");
    LCT_TRY(metadata(t->step, sizeof t->step, f, "step", path));
    LCT_TRY(metadata(t->seconds, sizeof t->seconds, f, "seconds", path));
    LCT_TRY(
        metadata(t->checksum, sizeof t->checksum, f, "batch_checksum", path));
    return metadata(t->hash, sizeof t->hash, f, "hash", path);
}

/* The hash only detects damage: a file from somewhere else may have any text
   with the right hash. */
static locant_status read_texts(struct lct_checkpoint *c, const struct texts *t,
                                const char *path)
{
    char *end;

    c->step = strtoll(t->step, &end, 10);
    if (end == t->step || *end != 0 || c->step < 0 || c->step > LCT_STEPS_MAX)
        return refuse(path, "its step is not one of a run");
    c->seconds = strtod(t->seconds, NULL);
    if (!isfinite(c->seconds) || c->seconds < 0)
        return refuse(path, "its seconds are not those of a run");
    c->checksum = strtoull(t->checksum, NULL, 16);
    return LOCANT_OK;
}

static bool same_shape(const locant_tensor *t, int rank, const int64_t *shape)
{
    if (t == NULL || t->dtype != LCT_REAL_DTYPE || t->rank != rank)
        return false;
    for (int i = 0; i < rank; i++)
        if (t->shape[i] != shape[i])
            return false;
    return true;
}

/* Gather parameters and moments into state [3, size]. */
static locant_status gather(real *state, const locant_tensors *f,
                            const struct lct_model *model, const char *path)
{
    const struct lct_model_tensor *t;
    int n = lct_model_tensors(model, &t);
    size_t size = lct_model_size(model);
    int64_t shape = (int64_t)size;

    for (int i = 0; i < n; i++) {
        const locant_tensor *got = locant_tensors_find(f, t[i].name);

        if (!same_shape(got, t[i].rank, t[i].shape))
            return refuse(path, "a parameter is missing or has another shape");
        memcpy(state + t[i].offset, got->data, t[i].size * sizeof *state);
    }
    for (int i = 0; i < 2; i++) {
        const locant_tensor *got = locant_tensors_find(f, i ? name_v : name_m);

        if (!same_shape(got, 1, &shape))
            return refuse(path, "a moment is missing or has another shape");
        memcpy(state + (size_t)(i + 1) * size, got->data, size * sizeof *state);
    }
    return LOCANT_OK;
}

/*
 * The memory of layer l in the file; *out is NULL if there is none. The memory
 * of all layers has the size of the first.
 */
static locant_status find_memory(const locant_tensor **out, int64_t l,
                                 const locant_tensors *f,
                                 const struct lct_model *model,
                                 const char *path)
{
    const struct lct_model_config *config = lct_model_config_of(model);
    const locant_tensor *first;
    char name[40];

    name_memory(name, 0);
    first = locant_tensors_find(f, name);
    name_memory(name, l);
    *out = locant_tensors_find(f, name);
    if (first == NULL && *out == NULL)
        return LOCANT_OK;
    if (first == NULL || first->rank != 3 || first->shape[0] < 1 ||
        first->shape[1] < 1 || first->shape[1] > config->memory ||
        first->shape[2] != config->width || !same_shape(*out, 3, first->shape))
        return refuse(path, "memory is missing or has another shape");
    return LOCANT_OK;
}

/* Copy into the model. Nothing is changed until everything has been found. */
static locant_status restore_memory(struct lct_model *model,
                                    const locant_tensors *f, const char *path)
{
    const struct lct_model_config *config = lct_model_config_of(model);
    const int64_t layers = config->memory > 0 ? config->layers : 0;
    const locant_tensor *t = NULL;
    struct lct_memory size = { 0, 0 };

    for (int64_t l = 0; l < layers; l++)
        LCT_TRY(find_memory(&t, l, f, model, path));
    if (t != NULL)
        size = (struct lct_memory){ t->shape[0], t->shape[1] };
    if (lct_model_remind(model, size) != LOCANT_OK)
        return refuse(path, "memory has more rows than a batch");
    for (int64_t l = 0; t != NULL && l < layers; l++) {
        LCT_TRY(find_memory(&t, l, f, model, path));
        memcpy(lct_model_remembered(model, l), t->data, bytes_of(t));
    }
    return LOCANT_OK;
}

/* The hash of format 1: texts, parameters, moments, memory. */
static locant_status check_hash_1(const struct texts *t, const char *key,
                                  const real *state, const locant_tensors *f,
                                  const struct lct_model *model,
                                  const char *path)
{
    const struct lct_model_config *config = lct_model_config_of(model);
    uint64_t h = lct_hash(hash_texts(t, key), state,
                          3 * lct_model_size(model) * sizeof *state);
    const locant_tensor *memory;
    char found[17];

    for (int64_t l = 0; config->memory > 0 && l < config->layers; l++) {
        LCT_TRY(find_memory(&memory, l, f, model, path));
        if (memory != NULL)
            h = lct_hash(h, memory->data, bytes_of(memory));
    }
    snprintf(found, sizeof found, "%016" PRIx64, h);
    if (strcmp(found, t->hash) != 0)
        return refuse(path, "its content does not match its hash");
    return LOCANT_OK;
}

static locant_status refuse_tensor(const char *path, const char *name,
                                   const locant_tensors *f,
                                   const locant_tensor *t)
{
    size_t at = lct_tensors_place(f, t);
    char found[LCT_QUOTE_BYTES], what[256];

    snprintf(what, sizeof what,
             "tensor '%s', bytes %zu to %zu, does not"
             " match its checksum",
             lct_quote(found, name, strlen(name)), at, at + bytes_of(t) - 1);
    return refuse(path, what);
}

/* Compare the sum of every tensor with the recorded one, and the hash of the
   texts. */
static locant_status check_sums(const struct texts *text, const char *key,
                                const locant_tensors *f, const char *path)
{
    uint64_t hash = hash_texts(text, key);
    const locant_tensor *t;
    const char *name;
    char found[17];

    for (size_t i = 0; (t = locant_tensors_at(f, i, &name)) != NULL; i++) {
        struct sum sum;
        const char *want;

        if (!sum_tensor(&sum, name, t))
            return refuse(path, "a tensor has a name too long");
        want = locant_tensors_metadata(f, sum.key);
        if (want == NULL || strcmp(want, sum.value) != 0)
            return refuse_tensor(path, name, f, t);
        hash += hash_sum(&sum);
    }
    snprintf(found, sizeof found, "%016" PRIx64, hash);
    if (strcmp(found, text->hash) != 0)
        return refuse(path, "its metadata do not match their hash");
    return LOCANT_OK;
}

static locant_status accept(struct lct_checkpoint *c, struct lct_model *model,
                            real *state, const locant_tensors *f,
                            const char *path)
{
    size_t n = lct_model_size(model);
    struct lct_checkpoint read = { .key = c->key };
    struct texts text;
    int version;

    LCT_TRY(check_metadata(&text, &version, f, c->key, path));
    if (version > 1)
        LCT_TRY(check_sums(&text, c->key, f, path));
    LCT_TRY(gather(state, f, model, path));
    if (version == 1)
        LCT_TRY(check_hash_1(&text, c->key, state, f, model, path));
    LCT_TRY(read_texts(&read, &text, path));
    if (c->m) /* the run will be continued */
        LCT_TRY(restore_memory(model, f, path));
    c->step = read.step;
    c->seconds = read.seconds;
    c->checksum = read.checksum;
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
    locant_tensors *f = NULL;
    locant_status status;

    if (state == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to read it", path);
    status = locant_tensors_read(&f, path);
    if (status == LOCANT_OK)
        status = accept(c, model, state, f, path);
    locant_tensors_free(f);
    locant_release(state);
    return status;
}

/*
 * checkpoint.c - the state of a run in a safetensors file.
 *
 * One tensor for each parameter under its name in the model, so that other
 * programs can read them, the two moments of AdamW flat, and what each layer
 * remembers.  The metadata hold the identity of the run, step, seconds, the
 * checksum of the batches and a hash of all of it: a flipped bit is refused,
 * not trained on.
 */
#define _POSIX_C_SOURCE 200809L
#include "run.h"
#include "locant/files.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char format[] = "locant-checkpoint-1";
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

/* Of metadata, parameters, moments; what is remembered comes after them. */
static uint64_t hash_state(const struct texts *t, const char *key,
                           const real *params, const real *m, const real *v,
                           size_t n)
{
    uint64_t h = hash_text(LCT_HASH_BEGIN, key);

    h = hash_text(h, t->step);
    h = hash_text(h, t->seconds);
    h = hash_text(h, t->checksum);
    h = lct_hash(h, params, n * sizeof *params);
    h = lct_hash(h, m, n * sizeof *m);
    return lct_hash(h, v, n * sizeof *v);
}

static void name_memory(char out[40], int64_t layer)
{
    snprintf(out, 40, "layer%" PRId64 ".memory", layer);
}

/* Layers that remember something. */
static int64_t remembering(const struct lct_model *model)
{
    return lct_model_memory(model).tokens > 0
               ? lct_model_config_of(model)->layers
               : 0;
}

/* What layer l remembers, as a tensor. */
static locant_tensor remembered(struct lct_model *model, int64_t l)
{
    const struct lct_memory size = lct_model_memory(model);
    const int64_t shape[3] = {size.rows, size.tokens,
                              lct_model_config_of(model)->width};

    return locant_dense(lct_model_remembered(model, l), LCT_REAL_DTYPE, 3,
                        shape);
}

static uint64_t hash_tensor(uint64_t h, const locant_tensor *t)
{
    size_t n = sizeof(real);

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return lct_hash(h, t->data, n);
}

/* 'names' is of the layers that remember. */
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

locant_status lct_checkpoint_write(const char *path, struct lct_model *model,
                                   const struct lct_checkpoint *c)
{
    const struct lct_model_tensor *t;
    const int64_t layers = remembering(model);
    size_t n = (size_t)(lct_model_tensors(model, &t) + 2 + layers);
    locant_named_tensor *list =
        locant_alloc(n * sizeof *list + (size_t)layers * 40);
    struct texts text;
    uint64_t hash;
    const char *const metadata[] = {
        "format", format, "run", c->key, "step", text.step, "seconds",
        text.seconds, "batch_checksum", text.checksum, "hash", text.hash};
    locant_status status;

    if (list == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to write it", path);
    snprintf(text.step, sizeof text.step, "%" PRId64, c->step);
    snprintf(text.seconds, sizeof text.seconds, "%.17g", c->seconds);
    snprintf(text.checksum, sizeof text.checksum, "%016" PRIx64, c->checksum);
    list_tensors(list, model, c->m, c->v, (char (*)[40])(list + n));
    hash = hash_state(&text, c->key, lct_model_params(model), c->m, c->v,
                      lct_model_size(model));
    for (int64_t l = layers; l > 0; l--)
        hash = hash_tensor(hash, &list[n - (size_t)l].tensor);
    snprintf(text.hash, sizeof text.hash, "%016" PRIx64, hash);
    status = locant_tensors_write(path, list, n, metadata,
                                  sizeof metadata / sizeof metadata[0] / 2);
    locant_release(list);
    return status;
}

/* -------------------------------------------------------------------- read */

static locant_status refuse(const char *path, const char *what)
{
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: cannot continue from this checkpoint: %s; remove"
                       " the run to train it again", path, what);
}

/* A metadata value into text of fixed size; the text is as it was written. */
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

static locant_status check_metadata(struct texts *t, char hash[17],
                                    const locant_tensors *f, const char *key,
                                    const char *path)
{
    const char *made = locant_tensors_metadata(f, "format");
    const char *run = locant_tensors_metadata(f, "run");

    if (made == NULL || strcmp(made, format) != 0)
        return refuse(path, "it is not one of locant");
    if (run == NULL || strcmp(run, key) != 0)
        return refuse(path, "it belongs to another run");
    LCT_TRY(metadata(t->step, sizeof t->step, f, "step", path));
    LCT_TRY(metadata(t->seconds, sizeof t->seconds, f, "seconds", path));
    LCT_TRY(metadata(t->checksum, sizeof t->checksum, f, "batch_checksum",
                     path));
    return metadata(hash, sizeof t->hash, f, "hash", path);
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
        memcpy(state + (size_t)(i + 1) * size, got->data,
               size * sizeof *state);
    }
    return LOCANT_OK;
}

/*
 * What layer l remembers in the file; *out is NULL if there is nothing.  All
 * layers remember as much as the first.
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
        first->shape[2] != config->width ||
        !same_shape(*out, 3, first->shape))
        return refuse(path, "memory is missing or has another shape");
    return LOCANT_OK;
}

static locant_status hash_memory(uint64_t *hash, const locant_tensors *f,
                                 const struct lct_model *model,
                                 const char *path)
{
    const struct lct_model_config *config = lct_model_config_of(model);
    const locant_tensor *t;

    for (int64_t l = 0; config->memory > 0 && l < config->layers; l++) {
        LCT_TRY(find_memory(&t, l, f, model, path));
        if (t != NULL)
            *hash = hash_tensor(*hash, t);
    }
    return LOCANT_OK;
}

/* Into the model, which has room for as many rows. */
static locant_status restore_memory(struct lct_model *model,
                                    const locant_tensors *f, const char *path)
{
    const struct lct_model_config *config = lct_model_config_of(model);
    const locant_tensor *t = NULL;

    lct_model_forget(model);
    for (int64_t l = 0; config->memory > 0 && l < config->layers; l++) {
        LCT_TRY(find_memory(&t, l, f, model, path));
        if (t == NULL)
            return LOCANT_OK;
        if (l == 0)
            LCT_TRY(lct_model_remind(model, (struct lct_memory){
                                                t->shape[0], t->shape[1]}));
        memcpy(lct_model_remembered(model, l), t->data,
               (size_t)(t->shape[0] * t->shape[1] * t->shape[2]) *
                   sizeof(real));
    }
    return LOCANT_OK;
}

static locant_status accept(struct lct_checkpoint *c, struct lct_model *model,
                            real *state, const locant_tensors *f,
                            const char *path)
{
    size_t n = lct_model_size(model);
    struct texts text;
    uint64_t found;
    char hash[17];

    LCT_TRY(check_metadata(&text, hash, f, c->key, path));
    LCT_TRY(gather(state, f, model, path));
    found = hash_state(&text, c->key, state, state + n, state + 2 * n, n);
    LCT_TRY(hash_memory(&found, f, model, path));
    snprintf(text.hash, sizeof text.hash, "%016" PRIx64, found);
    if (strcmp(text.hash, hash) != 0)
        return refuse(path, "its content does not match its hash");
    c->step = strtoll(text.step, NULL, 10);
    c->seconds = strtod(text.seconds, NULL);
    c->checksum = strtoull(text.checksum, NULL, 16);
    memcpy(lct_model_params(model), state, n * sizeof *state);
    if (c->m) /* to be continued */
        LCT_TRY(restore_memory(model, f, path));
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

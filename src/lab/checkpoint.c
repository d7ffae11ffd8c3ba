/*
 * checkpoint.c - the state of a run in a safetensors file.
 *
 * One tensor for each parameter under its name in the model, so that other
 * programs can read them, and the two moments of AdamW flat.  The metadata hold
 * the identity of the run, step, seconds, the checksum of the batches and a
 * hash of all of it: a flipped bit is refused, not trained on.
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

static void hash_state(struct texts *t, const char *key, const real *params,
                       const real *m, const real *v, size_t n)
{
    uint64_t h = hash_text(LCT_HASH_BEGIN, key);

    h = hash_text(h, t->step);
    h = hash_text(h, t->seconds);
    h = hash_text(h, t->checksum);
    h = lct_hash(h, params, n * sizeof *params);
    h = lct_hash(h, m, n * sizeof *m);
    h = lct_hash(h, v, n * sizeof *v);
    snprintf(t->hash, sizeof t->hash, "%016" PRIx64, h);
}

static void list_tensors(locant_named_tensor *list, struct lct_model *model,
                         real *m, real *v)
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
}

locant_status lct_checkpoint_write(const char *path, struct lct_model *model,
                                   const struct lct_checkpoint *c)
{
    const struct lct_model_tensor *t;
    size_t n = (size_t)lct_model_tensors(model, &t) + 2;
    locant_named_tensor *list = locant_alloc(n * sizeof *list);
    struct texts text;
    const char *const metadata[] = {
        "format", format, "run", c->key, "step", text.step, "seconds",
        text.seconds, "batch_checksum", text.checksum, "hash", text.hash};
    locant_status status;

    if (list == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to write it", path);
    snprintf(text.step, sizeof text.step, "%" PRId64, c->step);
    snprintf(text.seconds, sizeof text.seconds, "%.17g", c->seconds);
    snprintf(text.checksum, sizeof text.checksum, "%016" PRIx64, c->checksum);
    hash_state(&text, c->key, lct_model_params(model), c->m, c->v,
               lct_model_size(model));
    list_tensors(list, model, c->m, c->v);
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

static locant_status accept(struct lct_checkpoint *c, struct lct_model *model,
                            real *state, const locant_tensors *f,
                            const char *path)
{
    size_t n = lct_model_size(model);
    struct texts text;
    char hash[17];

    LCT_TRY(check_metadata(&text, hash, f, c->key, path));
    LCT_TRY(gather(state, f, model, path));
    hash_state(&text, c->key, state, state + n, state + 2 * n, n);
    if (strcmp(text.hash, hash) != 0)
        return refuse(path, "its content does not match its hash");
    c->step = strtoll(text.step, NULL, 10);
    c->seconds = strtod(text.seconds, NULL);
    c->checksum = strtoull(text.checksum, NULL, 16);
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

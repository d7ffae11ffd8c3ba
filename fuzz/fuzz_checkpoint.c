/*
 * fuzz_checkpoint.c - any bytes as the checkpoint of a run: rejected with an
 * error message and no change, or the model has the values of the file.  No
 * mutation matches a checksum, so the tensors and texts of a file are tried
 * again in a file with the right checksums.
 */
#define _GNU_SOURCE
#include "files/crc32c.h"
#include "fuzz.h"
#include "store/checkpoint.h"
#include "files/hash.h"
#include "locant/files.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TENSORS = 32, TEXTS = 6, VOCAB = 3, WIDTH = 2, MEMORY = 3, ROWS = 2 };

static const char key[] = "fuzz";
static locant_encoding *encoding;
static struct lct_model *model;
static real *old; /* [size] parameters of the model before reading */
static struct lct_checkpoint c;
static char path[80], memory_path[32];
static int memory_file;

static void remove_all(void)
{
    locant_set_allocator(NULL);
    unlink(path);
    close(memory_file);
    lct_model_free(model);
    locant_encoding_free(encoding);
    locant_release(c.m);
    locant_release(c.v);
    locant_release(old);
}

/* A model of some hundred bytes: a checkpoint is mostly its header. */
static void set_up(void)
{
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".";
    struct lct_model_config config = { .layers = 2,
                                       .width = WIDTH,
                                       .heads = 1,
                                       .kv_heads = 1,
                                       .ff = 1,
                                       .vocab = VOCAB,
                                       .memory = MEMORY };

    snprintf(path, sizeof path, "%s/fuzz_checkpoint.%ld", folder,
             (long)getpid());
    memory_file = memfd_create("checkpoint", MFD_CLOEXEC);
    HOLDS(memory_file >= 0);
    snprintf(memory_path, sizeof memory_path, "/proc/self/fd/%d", memory_file);
    HOLDS(locant_encoding_create(&encoding, "alibi") == LOCANT_OK);
    config.encoding = encoding;
    HOLDS(lct_model_create(&model, &config, ROWS, 4, true) == LOCANT_OK);
    c.m = locant_alloc(lct_model_size(model) * sizeof(real));
    c.v = locant_alloc(lct_model_size(model) * sizeof(real));
    old = locant_alloc(lct_model_size(model) * sizeof(real));
    HOLDS(c.m && c.v && old);
    atexit(remove_all);
}

/* ----------------------------------------------------------------- reading */

static const locant_tensor *tensor_of(const locant_tensors *t, const char *name)
{
    const locant_tensor *found = locant_tensors_find(t, name);

    HOLDS(found != NULL && found->dtype == LCT_REAL_DTYPE);
    return found;
}

/* Accepted values must be those of the file. */
static void check_accepted(const char *file)
{
    const struct lct_model_tensor *list;
    int n = lct_model_tensors(model, &list);
    const struct lct_memory_size kept = lct_model_memory_size(model);
    size_t size = lct_model_size(model) * sizeof(real);
    locant_tensors *t;

    HOLDS(c.step >= 0 && c.seconds >= 0);
    HOLDS(kept.rows <= ROWS && kept.tokens <= MEMORY);
    HOLDS(locant_tensors_read(&t, file) == LOCANT_OK);
    for (int i = 0; i < n; i++)
        HOLDS(memcmp(lct_model_params(model) + list[i].offset,
                     tensor_of(t, list[i].name)->data,
                     list[i].size * sizeof(real)) == 0);
    HOLDS(memcmp(c.m, tensor_of(t, "adamw.m")->data, size) == 0);
    HOLDS(memcmp(c.v, tensor_of(t, "adamw.v")->data, size) == 0);
    if (kept.tokens > 0)
        HOLDS(memcmp(lct_model_layer_memory(model, 1),
                     tensor_of(t, "layer1.memory")->data,
                     (size_t)(kept.rows * kept.tokens) * WIDTH *
                         sizeof(real)) == 0);
    locant_tensors_free(t);
}

static void check_refused(void)
{
    const struct lct_memory_size kept = lct_model_memory_size(model);
    size_t n = lct_model_size(model);

    fuzz_sentence();
    HOLDS(c.step == 7 && c.seconds == 7 && c.checksum == 7);
    HOLDS(kept.rows == 1 && kept.tokens == 1);
    HOLDS(memcmp(lct_model_params(model), old, n * sizeof(real)) == 0);
    for (size_t i = 0; i < n; i++)
        HOLDS(c.m[i] == 7 && c.v[i] == 7);
}

/* Read a file of 'size' bytes into a model whose state is known. */
static void try_file(const char *file, size_t size)
{
    const size_t n = lct_model_size(model);
    locant_status status;

    for (size_t i = 0; i < n; i++)
        old[i] = lct_model_params(model)[i] = c.m[i] = c.v[i] = 7;
    HOLDS(lct_model_set_memory_size(model, (struct lct_memory_size){ 1, 1 }) ==
          LOCANT_OK);
    c = (struct lct_checkpoint){ key, 7, 7, 7, c.m, c.v, NULL };
    fuzz_begin();
    status = lct_checkpoint_read(&c, model, file);
    fuzz_end(fuzz_limit(size) + 3 * n * sizeof(real));
    if (status == LOCANT_OK)
        check_accepted(file);
    else
        check_refused();
}

/* ------------------------------------------------ with the right checksums */

static uint64_t hash_text(uint64_t h, const char *text)
{
    return lct_hash(h, text, strlen(text) + 1);
}

/* The texts of the file; missing ones are those of a valid checkpoint. */
static uint64_t collect_texts(const char **pairs, const locant_tensors *t)
{
    static const char *const whole[TEXTS][2] = {
        { "format", "locant-checkpoint-2" },
        { "run", key },
        { "step", "4" },
        { "seconds", "1.5" },
        { "batch_checksum", "00000000000000ff" },
        { "hash", "" }
    };
    uint64_t h = LCT_HASH_BEGIN;

    for (int i = 0; i < TEXTS; i++) {
        const char *found = locant_tensors_metadata(t, whole[i][0]);

        pairs[2 * i] = whole[i][0];
        pairs[2 * i + 1] = i > 1 && found != NULL ? found : whole[i][1];
        if (i > 0 && i < TEXTS - 1)
            h = hash_text(h, pairs[2 * i + 1]);
    }
    return h;
}

/* Write the tensors with their checksums; the size of the file, or 0. */
static size_t write_with_sums(const locant_tensors *t)
{
    static char keys[TENSORS][160], sums[TENSORS][9];
    char hash[17];
    const char *pairs[2 * (TEXTS + TENSORS)];
    locant_named_tensor named[TENSORS];
    uint64_t h = collect_texts(pairs, t);
    const locant_tensor *x;
    size_t n = 0, size = 4096;

    for (; n < TENSORS; n++) {
        x = locant_tensors_at(t, n, &named[n].name);
        if (x == NULL)
            break;
        if (strlen(named[n].name) > 140)
            return 0;
        named[n].tensor = *x;
        size += fuzz_bytes(x);
        snprintf(keys[n], sizeof keys[n], "crc32c.%s", named[n].name);
        snprintf(sums[n], sizeof sums[n], "%08" PRIx32,
                 lct_crc32c(0, x->data, fuzz_bytes(x)));
        h += hash_text(hash_text(LCT_HASH_BEGIN, keys[n]), sums[n]);
        pairs[2 * (TEXTS + n)] = keys[n];
        pairs[2 * (TEXTS + n) + 1] = sums[n];
    }
    snprintf(hash, sizeof hash, "%016" PRIx64, h);
    pairs[2 * TEXTS - 1] = hash;
    HOLDS(locant_tensors_write(path, named, n, pairs, TEXTS + n) == LOCANT_OK);
    return size + 400 * n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    locant_tensors *t;

    json_set_alloc_funcs(fuzz_malloc, fuzz_free);
    if (model == NULL)
        set_up();
    HOLDS(ftruncate(memory_file, 0) == 0);
    HOLDS(pwrite(memory_file, data, size, 0) == (ssize_t)size);
    try_file(memory_path, size);
    if (locant_tensors_parse(&t, data, size, "fuzz") == LOCANT_OK) {
        size = write_with_sums(t);
        locant_tensors_free(t);
        if (size > 0)
            try_file(path, size);
    }
    return 0;
}

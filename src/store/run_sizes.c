/* run_sizes.c - the sizes of a run: checked, and as text */
#include "run_sizes.h"
#include "../core/tree.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------- sizes */

locant_status lct_check_struct(const char *fn, size_t size, size_t expected)
{
    if (size == expected)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: options->struct_size is %zu, expected %zu", fn,
                       size, expected);
}

locant_status lct_check_range(const char *fn, const char *name, int64_t value,
                              int64_t low, int64_t high)
{
    if (value >= low && value <= high)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: %s is %" PRId64 ", expected %" PRId64
                       " .. %" PRId64,
                       fn, name, value, low, high);
}

/* A leaf has whole rows of the batch, or whole tiles of the tokens of a row. */
static locant_status check_leaves(const locant_train_options *o)
{
    const int64_t leaves = o->leaves, of_row = leaves / o->batch;

    if (leaves != 0 && !lct_tree_is_size(leaves))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: leaves is %" PRId64
                           ", expected 0 or a power of two up to %d",
                           leaves, LCT_TREE_LEAVES);
    if (leaves == 0 || o->batch % leaves == 0)
        return LOCANT_OK;
    if (leaves % o->batch != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: leaves is %" PRId64
                           ", expected a divisor or a multiple of the batch,"
                           " %" PRId64,
                           leaves, o->batch);
    if (o->memory > 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: memory is %" PRId64
                           ", expected 0 where %" PRId64
                           " leaves divide the tokens of %" PRId64 " rows",
                           o->memory, leaves, o->batch);
    if (o->length % (of_row * LCT_LEAF_TOKENS) != 0)
        return locant_fail(
            LOCANT_ERR_PARAM,
            "locant_train: length is %" PRId64
            ", expected a multiple of %" PRId64 ": each row has %" PRId64
            " leaves, of whole multiples of %d tokens",
            o->length, of_row * LCT_LEAF_TOKENS, of_row, LCT_LEAF_TOKENS);
    return LOCANT_OK;
}

locant_status lct_check_sizes(const locant_train_options *o)
{
    const struct {
        const char *name;
        int64_t value, max;
    } size[] = {
        { "layers", o->layers, 1024 },        { "width", o->width, 1 << 20 },
        { "heads", o->heads, 1 << 16 },       { "ff", o->ff, 1 << 24 },
        { "batch", o->batch, 1 << 20 },       { "length", o->length, 1 << 20 },
        { "steps", o->steps, LCT_STEPS_MAX },
    };

    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        LCT_TRY(lct_check_range("locant_train", size[i].name, size[i].value, 1,
                                size[i].max));
    if (o->kv_heads < 0 || o->kv_heads > o->heads)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: kv_heads is %" PRId64
                           ", expected 0 .. heads, which is %" PRId64,
                           o->kv_heads, o->heads);
    LCT_TRY(lct_check_range("locant_train", "memory", o->memory, 0, 1 << 20));
    LCT_TRY(check_leaves(o));
    LCT_TRY(lct_check_range("locant_train", "gather_limit", o->gather_limit, 0,
                            INT64_MAX));
    if (o->parent < 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: parent is %" PRId64
                           ", expected the number of a run, or 0",
                           o->parent);
    if (o->checkpoint_every < 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: checkpoint_every is %" PRId64
                           ", expected at least 0",
                           o->checkpoint_every);
    return LOCANT_OK;
}

locant_status lct_encoding_create_at(locant_encoding **out, const char *spec,
                                     int64_t length)
{
    locant_encoding *e;
    locant_status status;

    *out = NULL;
    LCT_TRY(locant_encoding_create(&e, spec));
    status = locant_encoding_resolve(out, e, length);
    locant_encoding_free(e);
    return status;
}

/* ------------------------------------------------------------------- model */

void lct_model_print(char out[128], const struct lct_model_config *c)
{
    int n = snprintf(out, 128,
                     "layers=%" PRId64 ",width=%" PRId64 ",heads=%" PRId64
                     ",kv_heads=%" PRId64 ",ff=%" PRId64 ",norm=%s",
                     c->layers, c->width, c->heads, c->kv_heads, c->ff,
                     c->norm == LCT_RMS_NORM ? "rms" : "layer");

    if (c->memory > 0)
        n += snprintf(out + n, 128 - (size_t)n, ",memory=%" PRId64, c->memory);
    if (c->vocab != LCT_VOCAB)
        snprintf(out + n, 128 - (size_t)n, ",vocab=%" PRId64, c->vocab);
}

void lct_set_sizes(locant_train_options *o, const struct lct_model_config *c)
{
    o->layers = c->layers;
    o->width = c->width;
    o->heads = c->heads;
    o->kv_heads = c->kv_heads;
    o->ff = c->ff;
    o->rms_norm = c->norm == LCT_RMS_NORM;
}

/* Check the sizes of a model like the options of training. */
static locant_status check_config(const struct lct_model_config *c)
{
    locant_train_options o = LOCANT_TRAIN_INIT;

    lct_set_sizes(&o, c);
    o.memory = c->memory;
    LCT_TRY(lct_check_sizes(&o));
    if (c->kv_heads < 1)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "kv_heads is 0, expected 1 .. "
                           "heads, which is %" PRId64,
                           c->heads);
    if (c->vocab < 1 || c->vocab > LCT_VOCABULARY_MOST)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "vocab is %" PRId64 ", expected 1 .. %d", c->vocab,
                           LCT_VOCABULARY_MOST);
    return LOCANT_OK;
}

locant_status lct_model_parse(struct lct_model_config *c, const char *text)
{
    const char *vocab = strstr(text, ",vocab="), *rms = strstr(text, ",norm=r");
    char printed[128];

    *c = (struct lct_model_config){ .vocab = LCT_VOCAB };
    c->norm = rms ? LCT_RMS_NORM : LCT_LAYER_NORM;
    sscanf(text,
           "layers=%" SCNd64 ",width=%" SCNd64 ",heads=%" SCNd64
           ",kv_heads=%" SCNd64 ",ff=%" SCNd64 ",norm=%*[a-z],memory=%" SCNd64,
           &c->layers, &c->width, &c->heads, &c->kv_heads, &c->ff, &c->memory);
    if (vocab)
        sscanf(vocab, ",vocab=%" SCNd64, &c->vocab);
    LCT_TRY(check_config(c));
    lct_model_print(printed, c);
    if (strcmp(text, printed) != 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "the model of a run reads '%s',"
                           " expected '%s'",
                           text, printed);
    return LOCANT_OK;
}

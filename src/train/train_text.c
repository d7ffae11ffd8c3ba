/*
 * train_text.c - the options of a run as JSON, and a run continued from them.
 *
 * The text holds what locant_train() needs to find the run again, so every
 * option that decides the bits is in 'fields', and checkpoint_every.
 */
#define _POSIX_C_SOURCE 200809L
#include "load_trained.h"
#include "train.h"
#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum kind { INT64, UINT64, INT, REAL };

static const struct field {
    const char *name;
    enum kind kind;
    size_t offset;
} fields[] = {
#define FIELD(name, kind) {#name, kind, offsetof(locant_train_options, name)}
    FIELD(seed, UINT64),  FIELD(layers, INT64),
    FIELD(width, INT64),  FIELD(heads, INT64),
    FIELD(kv_heads, INT64), FIELD(ff, INT64),
    FIELD(rms_norm, INT), FIELD(batch, INT64),
    FIELD(length, INT64), FIELD(steps, INT64),
    FIELD(memory, INT64), FIELD(learning_rate, REAL),
    FIELD(checkpoint_every, INT64), FIELD(parent, INT64),
    FIELD(constant_rate, INT), /* the last: left out when 0 */
#undef FIELD
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

/* An unsigned number keeps its bits, as in the column 'seed'. */
static json_t *get(const locant_train_options *o, const struct field *f)
{
    const char *at = (const char *)o + f->offset;

    switch (f->kind) {
    case REAL:
        return json_real(*(const double *)at);
    case INT:
        return json_integer(*(const int *)at);
    case UINT64:
        return json_integer((json_int_t)*(const uint64_t *)at);
    default:
        return json_integer(*(const int64_t *)at);
    }
}

static bool set(locant_train_options *o, const struct field *f,
                const json_t *value)
{
    char *at = (char *)o + f->offset;

    if (f->kind == REAL ? !json_is_number(value) : !json_is_integer(value))
        return false;
    if (f->kind == REAL)
        *(double *)at = json_number_value(value);
    else if (f->kind == INT)
        *(int *)at = (int)json_integer_value(value);
    else if (f->kind == UINT64)
        *(uint64_t *)at = (uint64_t)json_integer_value(value);
    else
        *(int64_t *)at = json_integer_value(value);
    return true;
}

locant_status lct_options_text(char **out, const locant_train_options *o,
                               const char *encoding)
{
    json_t *root = json_object();
    char *text = NULL;
    size_t size;
    bool good = root && json_object_set_new(root, "encoding",
                                            json_string(encoding)) == 0;

    if (good && o->source)
        good = json_object_set_new(root, "task",
                                   json_string(o->source->name)) == 0;
    for (int i = 0; i < FIELDS - !o->constant_rate && good; i++)
        good = json_object_set_new(root, fields[i].name, get(o, &fields[i])) ==
               0;
    if (good)
        text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    size = text ? strlen(text) + 1 : 0;
    *out = text ? locant_alloc(size) : NULL;
    if (*out)
        memcpy(*out, text, size);
    free(text);
    return *out ? LOCANT_OK
                : locant_fail(LOCANT_ERR_NOMEM,
                              "locant_train: no memory for the options");
}

/* 'root' stays, and with it the spec that o points to. */
static bool parse(locant_train_options *o, const json_t *root,
                  const struct lct_train_hooks *hooks)
{
    const char *task = json_string_value(json_object_get(root, "task"));

    if (task && hooks->task(o, task) != LOCANT_OK)
        return false;
    o->encoding = json_string_value(json_object_get(root, "encoding"));
    o->constant_rate = 0;
    for (int i = 0; i < FIELDS - !json_object_get(root, "constant_rate"); i++)
        if (!set(o, &fields[i], json_object_get(root, fields[i].name)))
            return false;
    return o->encoding != NULL;
}

/* ------------------------------------------------------------------ resume */

static locant_status check_text(const locant_run_info *run,
                                const locant_corpus *corpus)
{
    const char *sha = corpus ? locant_corpus_info_of(corpus)->sha256 : "";

    if (strcmp(sha, run->corpus_sha256) == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "locant_resume: run %" PRId64 " was trained on the text"
                       " of SHA-256 %.12s.., this one has %.12s..", run->id,
                       run->corpus_sha256, sha);
}

/*
 * Memory is taken by the options, before the key tells that they are those of
 * another run: the row has to say the same, and its checkpoint to be as large.
 */
static locant_status check_options(const locant_train_options *o,
                                   const locant_run_info *run,
                                   const locant_store *store)
{
    const struct lct_model_config c = {
        .layers = o->layers, .width = o->width, .heads = o->heads,
        .kv_heads = o->kv_heads, .ff = o->ff, .memory = o->memory,
        .vocab = o->source ? o->source->vocab : LCT_VOCAB,
        .norm = o->rms_norm ? LCT_RMS_NORM : LCT_LAYER_NORM};
    locant_status status;
    char model[128], *path;

    LCT_TRY(lct_store_blame(lct_check_sizes(o), store, "run %" PRId64,
                            run->id));
    lct_model_text(model, &c);
    if (strcmp(model, run->model) != 0 || o->batch != run->batch ||
        o->length != run->length || o->steps != run->steps)
        return locant_fail(LOCANT_ERR_FORMAT, "%s: run %" PRId64 ": its options"
                           " are those of another run", store->path, run->id);
    LCT_TRY(lct_store_run_path(&path, store, run->id, "safetensors"));
    status = access(path, F_OK) == 0 ? lct_check_room(run, path, store)
                                     : LOCANT_OK;
    locant_release(path);
    return status;
}

static locant_status resume(locant_store *store, const locant_run_info *run,
                            const locant_corpus *corpus, const char *text,
                            locant_progress_fn progress, void *context,
                            const struct lct_train_hooks *hooks)
{
    locant_train_options o = LOCANT_TRAIN_INIT;
    json_t *root = json_loads(text, 0, NULL);
    int64_t id = 0;
    locant_status status = LOCANT_OK;

    if (root == NULL || !parse(&o, root, hooks)) {
        status = locant_fail(LOCANT_ERR_FORMAT, "%s: run %" PRId64 " has"
                             " options this locant does not read", store->path,
                             run->id);
    } else {
        o.progress = progress;
        o.context = context;
        status = check_options(&o, run, store);
    }
    if (status == LOCANT_OK)
        status = lct_train(&id, store, corpus, &o, run->id, hooks);
    json_decref(root);
    return status;
}

locant_status lct_resume(locant_store *store, int64_t run,
                         const locant_corpus *corpus,
                         locant_progress_fn progress, void *context,
                         const struct lct_train_hooks *hooks)
{
    locant_run_info info;
    locant_status status;
    char *text;

    if (store == NULL)
        return locant_fail(LOCANT_ERR_NULL, "locant_resume: store is NULL");
    LCT_TRY(locant_store_run(&info, store, run));
    if (corpus == NULL && strcmp(info.source, "text") == 0)
        return locant_fail(LOCANT_ERR_NULL, "locant_resume: corpus is NULL");
    LCT_TRY(check_text(&info, corpus));
    LCT_TRY(lct_store_run_options(&text, store, run));
    if (text == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "locant_resume: run %" PRId64 " was begun by an"
                           " older locant, which did not record its options;"
                           " the command that began it continues it", run);
    status = resume(store, &info, corpus, text, progress, context, hooks);
    locant_release(text);
    return status;
}

/*
 * probe.c - measure a trained run on fixed text, part by part, and keep each
 * part in the store.
 */
#include "probe.h"
#include "../corpus/tokens.h"
#include "../store/run_vocabulary.h"
#include "../train/load_trained.h"
#include "../train/train.h"
#include "tasks.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The text is generated, so it is the same everywhere and figures that show it
   need no licence. Its seed differs from those of corpora. */
enum { TEXT_SEED = 7, TEXT_BYTES = 256 << 10 };

/* Increase the version of a part when it measures something else. */
static const struct part {
    const char *name;
    int version;
    locant_status (*measure)(json_t *out, struct lct_probe *p);
} parts[] = {
    { "attention", 1, lct_probe_attention },
    { "maps", 2, lct_probe_maps },
    { "field", 2, lct_probe_field },
    { "states", 2, lct_probe_states },
    { "usage", 1, lct_probe_usage },
    { "partial", 1, lct_probe_partial },
    { "tables", 2, lct_probe_tables },
};
enum { PARTS = sizeof parts / sizeof parts[0] };

/* --------------------------------------------------------------------- open */

static locant_status check_run(const locant_run_info *run,
                               const struct lct_model_config *c)
{
    LCT_TRY(lct_check_done("locant_probe", run));
    if (strcmp(run->source, "text") != 0)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "locant_probe: run %" PRId64
                           " is one of task %s, expected one of text",
                           run->id, run->source);
    if (c->memory > 0)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "locant_probe: run %" PRId64 " remembers %" PRId64
                           " tokens, expected a model "
                           "without memory",
                           run->id, c->memory);
    return LOCANT_OK;
}

static locant_status load(struct lct_probe *p)
{
    const struct lct_model_config *config;

    LCT_TRY(lct_load_for_backward(&p->model, &p->encoding, p->store, &p->run,
                                  LCT_PROBE_LONG));
    config = lct_model_config_of(p->model);
    p->layers = config->layers;
    p->heads = config->heads;
    p->longest =
        lct_check_length_limit(p->encoding, LCT_PROBE_LONG) == LOCANT_OK
            ? LCT_PROBE_LONG
            : p->length;
    p->trained = locant_alloc(lct_model_size(p->model) * sizeof(real));
    if (p->trained == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_probe: no memory for the "
                           "parameters of run %" PRId64,
                           p->run.id);
    return LOCANT_OK;
}

locant_status lct_probe_create_text(locant_corpus **out)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;

    o.kind = LOCANT_CORPUS_GENERATED;
    o.seed = TEXT_SEED;
    o.max_bytes = TEXT_BYTES;
    return locant_corpus_create(out, &o);
}

int64_t lct_probe_length(int64_t length)
{
    return length < 256 ? length : 256;
}

static locant_status read_text(struct lct_probe *p)
{
    const struct lct_split *text;
    struct lct_vocabulary *v;
    locant_status status;

    LCT_TRY(lct_run_vocabulary(&v, p->store, &p->run));
    status = lct_probe_create_text(&p->corpus);
    if (status == LOCANT_OK)
        status = lct_tokens_of(&text, p->corpus, v);
    locant_release(v);
    LCT_TRY(status);
    p->text = &text[LCT_TRAIN];
    return LOCANT_OK;
}

static void close_probe(struct lct_probe *p)
{
    lct_model_free(p->model);
    locant_encoding_free(p->encoding);
    locant_corpus_free(p->corpus);
    locant_release(p->trained);
}

/* ------------------------------------------------------------------ measure */

static int report_part(struct lct_probe *p, int done)
{
    locant_progress progress = {
        .phase = "probe",
        .encoding = p->run.encoding,
        .seed = p->run.seed,
        .step = done,
        .steps = PARTS,
        .loss = NAN,
        .done = done,
        .total = PARTS,
        .left = NAN,
    };

    return p->progress ? p->progress(&progress, p->context) : 0;
}

static void setting_of(char out[128], const struct lct_probe *p,
                       const struct part *part)
{
    snprintf(out, 128, "version=%d;text=%s", part->version,
             locant_corpus_info_of(p->corpus)->sha256);
}

/* The result of the part, stored earlier or measured now; NULL if it is not
   stored and must not be measured. */
static locant_status find_part(json_t **out, struct lct_probe *p,
                               const struct part *part)
{
    char setting[128], *stored;
    locant_status status;

    setting_of(setting, p, part);
    LCT_TRY(lct_store_read_probe(&stored, p->store, p->run.id, part->name,
                                 setting));
    if (stored != NULL)
        return lct_probe_parse_part(out, p, part->name, stored);
    if (!p->measure)
        return LOCANT_OK;
    LCT_TRY(lct_store_check_writable(p->store, "locant_probe"));
    if (report_part(p, (int)(part - parts)) != 0)
        return locant_fail(LOCANT_ERR_INTERRUPTED,
                           "locant_probe: stopped "
                           "before '%s'",
                           part->name);
    if (p->model == NULL)
        LCT_TRY(load(p));
    if ((*out = json_object()) == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_probe: no memory");
    status = part->measure(*out, p);
    return status == LOCANT_OK
               ? lct_probe_keep_part(p, part->name, setting, *out)
               : status;
}

static locant_status add_parts(json_t *out, struct lct_probe *p)
{
    json_t *training;

    for (int i = 0; i < PARTS; i++) {
        json_t *found = NULL;
        locant_status status = find_part(&found, p, &parts[i]);

        if (status == LOCANT_OK && found != NULL)
            json_object_set(out, parts[i].name, found);
        json_decref(found);
        LCT_TRY(status);
    }
    LCT_TRY(lct_probe_load_heads(&training, p));
    json_object_set_new(out, "training", training);
    return LOCANT_OK;
}

/* With a vocabulary, put the bytes that each of the first tokens of the text
   stands for. */
static void add_spans(json_t *out, const struct lct_split *text)
{
    json_t *list;

    if (text->ids == NULL)
        return;
    list = json_array();
    for (size_t i = 0; i < LCT_PROBE_LONG; i++)
        json_array_append_new(
            list, json_integer((json_int_t)lct_tokens_bytes(text, i, 1)));
    json_object_set_new(out, "spans", list);
}

locant_status lct_probe_read(json_t **out, locant_store *store, int64_t run,
                             bool measure, locant_progress_fn progress,
                             void *context)
{
    struct lct_probe p = { .store = store,
                           .measure = measure && !store->readonly,
                           .progress = progress,
                           .context = context };
    const locant_task_info *task;
    struct lct_model_config config;
    locant_status status;

    *out = NULL;
    LCT_TRY(locant_store_run(&p.run, store, run));
    LCT_TRY(lct_model_parse(&config, p.run.model));
    LCT_TRY(lct_task_of(&task, store, &p.run));
    LCT_TRY(check_run(&p.run, &config));
    p.length = lct_probe_length(p.run.length);
    status = read_text(&p);
    if (status != LOCANT_OK) {
        close_probe(&p);
        return status;
    }
    *out = json_pack(
        "{s:I, s:s, s:I, s:I, s:I, s:I, s:s}", "run", (json_int_t)run,
        "encoding", p.run.encoding, "seed", (json_int_t)p.run.seed, "layers",
        (json_int_t)config.layers, "heads", (json_int_t)config.heads,
        "trained_length", (json_int_t)p.run.length, "text_sha256",
        locant_corpus_info_of(p.corpus)->sha256);
    if (*out)
        add_spans(*out, p.text);
    status = *out ? add_parts(*out, &p)
                  : locant_fail(LOCANT_ERR_NOMEM, "locant_probe: no memory");
    close_probe(&p);
    if (status != LOCANT_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return status;
}

locant_status locant_probe(char **json, locant_store *store, int64_t run,
                           locant_progress_fn progress, void *context)
{
    const size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(6);
    json_t *found;
    size_t bytes;

    LCT_NOT_NULL("locant_probe", json);
    LCT_NOT_NULL("locant_probe", store);
    *json = NULL;
    LCT_TRY(lct_probe_read(&found, store, run, true, progress, context));
    bytes = json_dumpb(found, NULL, 0, flags);
    *json = locant_alloc(bytes + 1);
    if (*json != NULL)
        (*json)[json_dumpb(found, *json, bytes, flags)] = 0;
    json_decref(found);
    if (*json == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_probe: no memory for %zu "
                           "bytes",
                           bytes);
    return LOCANT_OK;
}

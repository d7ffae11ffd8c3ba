/* study.c - the study of a finished report, and its comparison with an imported
   one */
#define _POSIX_C_SOURCE 200809L
#include "study.h"
#include "../corpus/corpus_kept.h"
#include "losses.h"
#include "../store/notice.h"
#include "probe.h"
#include "../store/store.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------- description */

static json_t *specs_of(const struct lct_results *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(list, json_string(r->groups[i].spec));
    return list;
}

/* The parts of a report that --with asked for. */
static json_t *parts_of(unsigned with)
{
    json_t *list = json_array();

    if (with & LOCANT_WITH_EXTENSION)
        json_array_append_new(list, json_string("extension"));
    if (with & LOCANT_WITH_SURFACE)
        json_array_append_new(list, json_string("surface"));
    if (with & LOCANT_WITH_TASKS)
        json_array_append_new(list, json_string("tasks"));
    return list;
}

/* Set what was chosen: a preset, or runs. */
static void set_choice(json_t *c, const struct lct_results *r)
{
    char *runs;

    if (r->preset != NULL) {
        json_object_set_new(c, "preset", json_string(r->preset));
    } else if (lct_results_list_runs(&runs, r) == LOCANT_OK) {
        json_object_set_new(c, "runs", json_string(runs));
        locant_release(runs);
    }
}

static json_t *configuration_of(const struct lct_results *r,
                                const locant_report_options *o)
{
    json_t *c =
        json_pack("{s:I, s:o, s:o}", "seeds", (json_int_t)lct_losses_seeds(r),
                  "encodings", specs_of(r), "with", parts_of(o->with));

    set_choice(c, r);
    if (c != NULL && o->tasks != NULL)
        json_object_set_new(c, "tasks", json_string(o->tasks));
    if (c != NULL && r->n > 0)
        json_object_set_new(c, "optimizer",
                            json_string(r->groups[0].results[0].run.optimizer));
    if (c != NULL)
        json_object_set_new(c, "vocabulary", json_integer(r->vocabulary));
    return c;
}

static json_t *run_of(const struct lct_result *result)
{
    json_t *losses =
        lct_reals_json(result->eval.same_targets, LOCANT_EVAL_LENGTHS);

    return json_pack("{s:s, s:I, s:s, s:o}", "encoding", result->run.encoding,
                     "seed", (json_int_t)result->run.seed, "batches",
                     result->batch_checksum, "losses", losses);
}

static json_t *runs_of(const struct lct_results *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < r->groups[i].n; s++)
            json_array_append_new(list, run_of(&r->groups[i].results[s]));
    return list;
}

static json_t *describe(const struct lct_results *r,
                        const locant_corpus *corpus,
                        const locant_report_options *o)
{
    return json_pack("{s:s, s:i, s:s, s:o, s:o, s:o, s:O}", "format",
                     "locant study", "version", 1, "locant", locant_version(),
                     "configuration", configuration_of(r, o), "corpus",
                     lct_corpus_about(corpus), "runs", runs_of(r), "numbers",
                     r->numbers);
}

char *lct_study_key(const json_t *configuration)
{
    return json_dumps(configuration, JSON_COMPACT | JSON_SORT_KEYS);
}

/* --------------------------------------------------------------- comparison */

struct difference {
    size_t losses, differ; /* losses compared; those that differ */
    double most;           /* largest difference in nats per byte */
};

static void compare_run(struct difference *d, const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(a, "losses");
    const json_t *y = json_object_get(b, "losses"), *one;
    size_t k;

    json_array_foreach(x, k, one) {
        const json_t *other = json_array_get(y, k);
        const double gap =
            json_is_null(one) && json_is_null(other) ? 0
            : json_is_null(one) || json_is_null(other)
                ? INFINITY
                : fabs(json_real_value(one) - json_real_value(other));

        d->losses++;
        d->differ += gap != 0;
        d->most = fmax(d->most, gap);
    }
}

static void notify(const struct difference *d, size_t batches, size_t runs,
                   const locant_report_options *o)
{
    char message[256], batch[64];

    if (d->differ == 0)
        snprintf(message, sizeof message,
                 "the imported study is repeated: "
                 "all %zu losses are the same to the last bit",
                 d->losses);
    else
        snprintf(message, sizeof message,
                 "the imported study is repeated: "
                 "%zu of %zu losses differ, by at most %.2g nats per byte",
                 d->differ, d->losses, d->most);
    snprintf(batch, sizeof batch, "; %zu of %zu runs saw other batches",
             batches, runs);
    if (batches > 0)
        strncat(message, batch, sizeof message - strlen(message) - 1);
    lct_notice("report", message, o->progress, o->context);
}

/* Both studies have the same configuration, so the same runs in the same
   order. */
static void compare(const json_t *own, const json_t *imported,
                    const locant_report_options *o)
{
    const json_t *a = json_object_get(own, "runs"), *one;
    const json_t *b = json_object_get(imported, "runs");
    struct difference d = { 0 };
    size_t i, batches = 0;

    if (json_array_size(a) != json_array_size(b))
        return;
    json_array_foreach(a, i, one) {
        const json_t *other = json_array_get(b, i);

        compare_run(&d, one, other);
        batches += !json_equal(json_object_get(one, "batches"),
                               json_object_get(other, "batches"));
    }
    notify(&d, batches, json_array_size(a), o);
}

static locant_status compare_imported(locant_store *store, const char *key,
                                      const char *sha256, const json_t *own,
                                      const locant_report_options *o)
{
    json_t *imported;
    char *text;

    LCT_TRY(lct_store_read_string(
        &text, store,
        "SELECT study FROM studies WHERE configuration = ?1"
        " AND corpus_sha256 = ?2 AND origin = 'imported'",
        "ss", key, sha256));
    if (text == NULL)
        return LOCANT_OK;
    imported = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    locant_release(text);
    if (lct_study_check(imported, store->path) == LOCANT_OK)
        compare(own, imported, o);
    json_decref(imported);
    return LOCANT_OK;
}

/* --------------------------------------------------------------------- keep */

locant_status lct_study_record(locant_store *store, const json_t *study,
                               const char *key, const char *origin)
{
    char *text = json_dumps(study, JSON_COMPACT), made[32];
    locant_status status;

    if (text == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for a study",
                           store->path);
    lct_store_now(made);
    status = lct_store_begin(store, "locant_study_import");
    if (status == LOCANT_OK)
        status = lct_store_end(
            store,
            lct_store_exec(store,
                           "INSERT OR REPLACE INTO studies (configuration,"
                           " corpus_sha256, origin, study, made)"
                           " VALUES (?1, ?2, ?3, ?4, ?5)",
                           "sssss", key,
                           json_string_value(json_object_get(
                               json_object_get(study, "corpus"), "sha256")),
                           origin, text, made));
    free(text);
    return status;
}

locant_status lct_study_keep(locant_store *store, const struct lct_results *r,
                             const locant_corpus *corpus,
                             const locant_report_options *o)
{
    json_t *study = describe(r, corpus, o);
    char *key = lct_study_key(json_object_get(study, "configuration"));
    locant_status status;

    if (study == NULL || key == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "locant_report_run: no memory for the study");
    else
        status = lct_study_record(store, study, key, "here");
    if (status == LOCANT_OK)
        status = compare_imported(store, key, r->corpus.sha256, study, o);
    free(key);
    json_decref(study);
    return status;
}

/* train_resume.c - continue a run with the options in the store */
#define _POSIX_C_SOURCE 200809L
#include "load_trained.h"
#include "train.h"
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

static locant_status check_text(const locant_run_info *run,
                                const locant_corpus *corpus)
{
    const char *sha = corpus ? locant_corpus_info_of(corpus)->sha256 : "";

    if (strcmp(sha, run->corpus_sha256) == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "locant_resume: run %" PRId64 " was trained on the text"
                       " of SHA-256 %.12s.., this one has %.12s..",
                       run->id, run->corpus_sha256, sha);
}

/*
 * Fail unless the options agree with the run's row and its checkpoint, if there
 * is one, is large enough. The key would show options of another run only after
 * the model is allocated, and damaged options can ask for any size.
 */
static locant_status check_options(const locant_train_options *o,
                                   const locant_run_info *run,
                                   const locant_store *store)
{
    const struct lct_model_config c = lct_train_config(o, NULL);
    locant_status status;
    char model[128], *path;

    LCT_TRY(
        lct_store_blame(lct_check_sizes(o), store, "run %" PRId64, run->id));
    lct_model_print(model, &c);
    if (strcmp(model, run->model) != 0 || o->batch != run->batch ||
        o->length != run->length || o->steps != run->steps)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: run %" PRId64 ": its options"
                           " are those of another run",
                           store->path, run->id);
    LCT_TRY(lct_store_run_path(&path, store, run->id, "safetensors"));
    status = access(path, F_OK) == 0
                 ? lct_check_checkpoint_size(run, path, store)
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

    if (root == NULL || !lct_options_from_json(&o, root, hooks)) {
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "%s: run %" PRId64 " has"
                             " options this locant does not read",
                             store->path, run->id);
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

    LCT_NOT_NULL("locant_resume", store);
    LCT_TRY(locant_store_run(&info, store, run));
    if (corpus == NULL && strcmp(info.source, "text") == 0)
        return locant_fail(LOCANT_ERR_NULL, "locant_resume: corpus is NULL");
    LCT_TRY(check_text(&info, corpus));
    LCT_TRY(lct_store_read_run_options(&text, store, run));
    if (text == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "locant_resume: run %" PRId64 " was begun by an"
                           " older locant, which did not record its options;"
                           " the command that began it continues it",
                           run);
    status = resume(store, &info, corpus, text, progress, context, hooks);
    locant_release(text);
    return status;
}

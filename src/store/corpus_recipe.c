/* corpus_recipe.c - records how a corpus was made, and makes it again */
#define _GNU_SOURCE
#include "../corpus/corpus_kept.h"
#include "store_texts.h"
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

bool lct_corpus_recipe(struct lct_recipe *out, const locant_corpus *c)
{
    *out = (struct lct_recipe){ .sha256 = c->info.sha256,
                                .kind = lct_corpus_kind_name(c->info.kind),
                                .paths = c->paths,
                                .seed = c->seed,
                                .max_bytes = (int64_t)c->max_bytes };
    return c->paths != NULL;
}

/* -------------------------------------------------------------- make again */

/* 'list' has the paths; NULL or of any type, because the store is not trusted.
   */
static locant_status create_again(locant_corpus **out,
                                  const struct lct_recipe *r,
                                  const json_t *list, const locant_store *s)
{
    size_t n = json_array_size(list);
    const char **paths = locant_alloc((n + 1) * sizeof *paths);
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    locant_status status = LOCANT_OK;

    if (paths == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %zu paths",
                           s->path, n);
    for (size_t i = 0; i < n; i++)
        paths[i] = json_string_value(json_array_get(list, i));
    o.paths = paths;
    o.n_paths = n;
    o.seed = r->seed;
    o.max_bytes = (size_t)r->max_bytes;
    if (!json_is_array(list) || !lct_corpus_kind_read(&o.kind, r->kind))
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "%s: a corpus of a kind this"
                             " locant does not know",
                             s->path);
    else if (r->max_bytes < 1) /* in options 0 is valid: the default limit */
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "%s: text %.12s..: max_bytes is"
                             " %" PRId64 ", expected at least 1",
                             s->path, r->sha256, r->max_bytes);
    else
        status = lct_store_blame(locant_corpus_create(out, &o), s,
                                 "text %.12s..", r->sha256);
    locant_release(paths);
    return status;
}

static locant_status check_unchanged(const locant_corpus *c,
                                     const locant_run_info *run)
{
    if (strcmp(c->info.sha256, run->corpus_sha256) == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "locant_store_corpus: the text of run %" PRId64 " has"
                       " changed since: its SHA-256 is %.12s.., was %.12s..",
                       run->id, c->info.sha256, run->corpus_sha256);
}

/* Read the text again from where it came from; it must be the same. */
static locant_status read_again(locant_corpus **out, locant_store *s,
                                const locant_run_info *run)
{
    char kind[16], *paths = NULL;
    struct lct_recipe r = { .sha256 = run->corpus_sha256, .kind = kind };
    int64_t seed;
    locant_status status;
    bool found = false;
    json_t *list;

    if (s->version >= 2)
        LCT_TRY(
            lct_store_read(&found, s,
                           "SELECT kind, paths, seed, max_bytes FROM corpora"
                           " WHERE sha256 = ?1",
                           "s>tsii", r.sha256, kind, sizeof kind, &paths, &seed,
                           &r.max_bytes));
    if (!found)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "locant_store_corpus: where the text of run %" PRId64
                           " came from was not recorded; the command that began"
                           " it continues it",
                           run->id);
    r.seed = (uint64_t)seed;
    list = paths ? json_loads(paths, 0, NULL) : NULL;
    locant_release(paths);
    status = create_again(out, &r, list, s);
    json_decref(list);
    return status == LOCANT_OK ? check_unchanged(*out, run) : status;
}

locant_status locant_store_corpus(locant_corpus **out, locant_store *store,
                                  int64_t run)
{
    locant_corpus *c = NULL;
    locant_run_info info;
    locant_status status;

    LCT_NOT_NULL(__func__, out);
    LCT_NOT_NULL(__func__, store);
    *out = NULL;
    LCT_TRY(locant_store_run(&info, store, run));
    status = lct_store_read_corpus(&c, store, info.corpus_sha256);
    if (status == LOCANT_OK && c == NULL)
        status = read_again(&c, store, &info);
    if (status != LOCANT_OK)
        locant_corpus_free(c);
    else
        *out = c;
    return status;
}

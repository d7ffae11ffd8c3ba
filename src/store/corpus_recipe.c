/* corpus_recipe.c - how a corpus was made, and making it again */
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

/* ------------------------------------------------------------------- again */

/* Missing members are read as 0 or NULL, which is refused. */
static locant_status create(locant_corpus **out, const json_t *root,
                            const locant_store *s, const char *sha256)
{
    const json_t *list = json_object_get(root, "paths");
    const char *kind = json_string_value(json_object_get(root, "kind"));
    size_t n = json_array_size(list);
    const char **paths = locant_alloc((n + 1) * sizeof *paths);
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    const json_int_t most =
        json_integer_value(json_object_get(root, "max_bytes"));
    locant_status status = LOCANT_OK;

    if (paths == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %zu paths",
                           s->path, n);
    for (size_t i = 0; i < n; i++)
        paths[i] = json_string_value(json_array_get(list, i));
    o.paths = paths;
    o.n_paths = n;
    o.seed = (uint64_t)json_integer_value(json_object_get(root, "seed"));
    o.max_bytes = (size_t)most;
    if (!lct_corpus_kind_read(&o.kind, kind))
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "%s: a corpus of a kind this"
                             " locant does not know",
                             s->path);
    else if (most < 1) /* 0 means "no limit" in options, so it has to be refused
                          here */
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "%s: text %.12s..: max_bytes is"
                             " %" JSON_INTEGER_FORMAT ", expected at least 1",
                             s->path, sha256, most);
    else
        status = lct_store_blame(locant_corpus_create(out, &o), s,
                                 "text %.12s..", sha256);
    locant_release(paths);
    return status;
}

static locant_status read_recipe(char **text, locant_store *s,
                                 const char *sha256)
{
    *text = NULL;
    if (s->version < 2)
        return LOCANT_OK;
    return lct_store_text(
        text, s,
        "SELECT '{\"kind\":\"' || kind || '\",\"paths\":' || paths ||"
        " ',\"seed\":' || seed || ',\"max_bytes\":' || max_bytes || '}'"
        " FROM corpora WHERE sha256 = ?1",
        "s", sha256);
}

static locant_status check_again(const locant_corpus *c,
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
static locant_status read_again(locant_corpus **out, locant_store *store,
                                const locant_run_info *run)
{
    locant_status status;
    json_t *root;
    char *text;

    LCT_TRY(read_recipe(&text, store, run->corpus_sha256));
    if (text == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "locant_store_corpus: where the text of run %" PRId64
                           " came from was not recorded; the command that began"
                           " it continues it",
                           run->id);
    root = json_loads(text, 0, NULL);
    locant_release(text);
    status = create(out, root, store, run->corpus_sha256);
    json_decref(root);
    return status == LOCANT_OK ? check_again(*out, run) : status;
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

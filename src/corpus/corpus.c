/*
 * corpus.c - text to train and test on: the public functions.
 *
 * The same options on the same files give the same bytes, and info.sha256 names
 * them: losses may only be compared where it agrees.
 */
#include "corpus.h"
#include "tokens.h"
#include <string.h>

enum {
    DEFAULT_BYTES = 16 << 20,
    GENERATED_BYTES = 4 << 20,
    HEADERS_MINIMUM = 1 << 20,
    TEXT_MINIMUM = 64 << 10
};

static size_t minimum_of(locant_corpus_kind kind)
{
    return kind == LOCANT_CORPUS_HEADERS ? HEADERS_MINIMUM : TEXT_MINIMUM;
}

static locant_status check_paths(const locant_corpus_options *o)
{
    if (o->n_paths == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_corpus_create: n_paths is "
                           "0, kind FILES needs at least one path");
    if (o->paths == NULL)
        return locant_fail(LOCANT_ERR_NULL,
                           "locant_corpus_create: paths is "
                           "NULL, expected %zu paths",
                           o->n_paths);
    for (size_t i = 0; i < o->n_paths; i++)
        if (o->paths[i] == NULL)
            return locant_fail(LOCANT_ERR_NULL,
                               "locant_corpus_create: "
                               "paths[%zu] is NULL",
                               i);
    return LOCANT_OK;
}

static locant_status check_options(const locant_corpus_options *o)
{
    if (o->struct_size < sizeof *o)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_corpus_create: "
                           "struct_size is %zu, expected %zu: start from "
                           "LOCANT_CORPUS_INIT",
                           o->struct_size, sizeof *o);
    if ((unsigned)o->kind > LOCANT_CORPUS_GENERATED)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_corpus_create: kind is "
                           "%d, expected 0, 1 or 2",
                           (int)o->kind);
    if ((unsigned)o->keep > LOCANT_KEEP_HASH)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_corpus_create: keep is "
                           "%d, expected 0, 1 or 2",
                           (int)o->keep);
    if (o->max_bytes != 0 && (o->max_bytes < minimum_of(o->kind) ||
                              o->max_bytes > LCT_CORPUS_MAX_BYTES))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_corpus_create: max_bytes "
                           "is %zu, expected 0 or %zu .. %d",
                           o->max_bytes, minimum_of(o->kind),
                           LCT_CORPUS_MAX_BYTES);
    return o->kind == LOCANT_CORPUS_FILES ? check_paths(o) : LOCANT_OK;
}

static locant_status gather_listed(struct lct_gather *g,
                                   const locant_corpus_options *o)
{
    struct lct_listing l = { .info = g->info };
    locant_status status = o->kind == LOCANT_CORPUS_HEADERS
                               ? lct_list_headers(&l)
                               : lct_list_files(&l, o);

    if (status == LOCANT_OK) {
        lct_listing_shuffle(&l, o->seed);
        status = lct_gather_files(g, &l);
    }
    lct_listing_free(&l);
    return status;
}

/* Gather the text into g, and split it into c. */
static locant_status build(locant_corpus *c, struct lct_gather *g,
                           const locant_corpus_options *o)
{
    static const char *const what[] = { "C headers in the compiler's folders",
                                        "text in the given paths",
                                        "generated text" };
    size_t minimum = minimum_of(o->kind), found;

    if (o->kind == LOCANT_CORPUS_GENERATED)
        LCT_TRY(lct_generate(g, o->seed));
    else
        LCT_TRY(gather_listed(g, o));
    found = g->used + g->n;
    /* Text that reaches the caller's limit is accepted even just below the
       minimum. */
    if (found < minimum && lct_gather_left(g) > LCT_TEST_FILE_MIN)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "locant_corpus_create: found %zu "
                           "bytes of %s, at least %zu are needed",
                           found, what[o->kind], minimum);
    lct_folders_keep(c, &g->folders);
    return lct_corpus_assemble(c, g);
}

locant_status locant_corpus_create(locant_corpus **out,
                                   const locant_corpus_options *options)
{
    struct lct_gather g = { 0 };
    locant_status status;
    locant_corpus *c;

    LCT_NOT_NULL("locant_corpus_create", out);
    *out = NULL;
    LCT_NOT_NULL("locant_corpus_create", options);
    LCT_TRY(check_options(options));
    c = locant_alloc(sizeof *c);
    if (c == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_corpus_create: no memory "
                                             "for the handle");
    c->info.kind = options->kind;
    g.info = &c->info;
    g.max_bytes = options->max_bytes ? options->max_bytes
                  : options->kind == LOCANT_CORPUS_GENERATED ? GENERATED_BYTES
                                                             : DEFAULT_BYTES;
    c->seed = options->seed;
    c->keep = options->keep;
    c->max_bytes = g.max_bytes;
    status = lct_recipe_paths(&c->paths, options);
    if (status == LOCANT_OK)
        status = build(c, &g, options);
    lct_gather_free(&g);
    if (status != LOCANT_OK) {
        locant_corpus_free(c);
        return status;
    }
    *out = c;
    return LOCANT_OK;
}

void locant_corpus_free(locant_corpus *corpus)
{
    if (corpus == NULL)
        return;
    lct_tokens_free(corpus->tokens);
    locant_release(corpus->text);
    locant_release(corpus->starts);
    locant_release(corpus->paths);
    locant_release(corpus);
}

const locant_corpus_info *locant_corpus_info_of(const locant_corpus *corpus)
{
    return corpus != NULL ? &corpus->info : NULL;
}

/* run_vocabulary.c - the byte-pair vocabulary of a run */
#include "run_vocabulary.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Parse the merges among the options; 'name' is for error messages. */
static locant_status parse(struct lct_vocabulary **out, const char *options,
                           const char *name)
{
    json_t *root = options ? json_loads(options, 0, NULL) : NULL;
    const char *merges = json_string_value(json_object_get(root, "vocabulary"));
    const locant_status status =
        merges ? lct_vocabulary_parse(out, merges, name)
               : locant_fail(LOCANT_ERR_FORMAT,
                             "%s: its options have no vocabulary, which its"
                             " model needs",
                             name);

    json_decref(root);
    return status;
}

/* Is this the vocabulary that the run was trained with? */
static locant_status check(const struct lct_vocabulary *v, int64_t vocab,
                           const char *key, const char *name)
{
    const char *hash = strstr(key, LCT_KEY_VOCABULARY);

    if (v->size == vocab && hash &&
        strncmp(hash + strlen(LCT_KEY_VOCABULARY), v->hash, strlen(v->hash)) ==
            0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: its vocabulary has %d tokens and hash %s, expected"
                       " %" PRId64 " tokens and the hash in its key",
                       name, v->size, v->hash, vocab);
}

locant_status lct_run_vocabulary(struct lct_vocabulary **out, locant_store *s,
                                 const locant_run_info *run)
{
    struct lct_model_config c;
    struct lct_run_extra extra;
    locant_status status;
    char *options, name[512];

    *out = NULL;
    LCT_TRY(lct_model_parse(&c, run->model));
    if (c.vocab <= LCT_VOCAB)
        return LOCANT_OK;
    LCT_TRY(lct_store_read_run_extra(&extra, s, run->id));
    LCT_TRY(lct_store_read_run_options(&options, s, run->id));
    snprintf(name, sizeof name, "%s: run %" PRId64, s->path, run->id);
    status = parse(out, options, name);
    locant_release(options);
    if (status == LOCANT_OK)
        status = check(*out, c.vocab, extra.key, name);
    if (status != LOCANT_OK) {
        locant_release(*out);
        *out = NULL;
    }
    return status;
}

/* study_read.c - reads and checks the file of a study, which is not trusted */
#include "../corpus/corpus_kept.h"
#include "study.h"
#include "../files/base64.h"
#include "../files/io.h"
#include "locant/tasks.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEEDS = 1000, MOST_TASK_BYTES = 200 };

static locant_status refuse(const char *name, const char *what)
{
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: is not a study as this locant writes it: %s", name,
                       what);
}

/* ------------------------------------------------------------ configuration */

/* Refuse what is not a canonical spec. Canonical specs without ' are safe in a
   command. */
static locant_status check_spec(const char *spec, const char *name)
{
    locant_encoding *e = NULL;
    locant_status status = LOCANT_ERR_FORMAT;
    bool canonical = false;

    if (spec != NULL && strlen(spec) <= 255 && strchr(spec, '\'') == NULL)
        status = locant_encoding_create(&e, spec);
    if (status == LOCANT_ERR_NOMEM)
        return status;
    if (status == LOCANT_OK)
        canonical = strcmp(locant_encoding_spec(e), spec) == 0;
    locant_encoding_free(e);
    return canonical
               ? LOCANT_OK
               : refuse(name, "one of 'encodings' is not a canonical spec");
}

static locant_status check_specs(const json_t *list, const char *name)
{
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one)
        LCT_TRY(check_spec(json_string_value(one), name));
    return LOCANT_OK;
}

/* Is this a list of parts of a report, each at most once and in this order? */
static bool are_parts(const json_t *list)
{
    static const char *const parts[] = { "extension", "surface", "tasks" };
    const size_t n = sizeof parts / sizeof parts[0];
    const json_t *one;
    size_t i, at = 0;

    json_array_foreach(list, i, one) {
        const char *part = json_string_value(one);

        while (part && at < n && strcmp(parts[at], part) != 0)
            at++;
        if (part == NULL || at++ >= n)
            return false;
    }
    return json_is_array(list);
}

/* Is this a list of known tasks, as "T1,T12"? It may be missing. */
static bool are_tasks(const json_t *value)
{
    const char *list = json_string_value(value);

    if (value == NULL)
        return true;
    if (list == NULL || strlen(list) > MOST_TASK_BYTES)
        return false;
    for (;;) {
        const size_t n = strcspn(list, ",");
        char id[24];

        if (n == 0 || n >= sizeof id)
            return false;
        memcpy(id, list, n);
        id[n] = '\0';
        if (locant_task_find(id) == NULL)
            return false;
        if (list[n] == '\0')
            return true;
        list += n + 1;
    }
}

/* It may be missing: the first studies were of AdamW, and of bytes. */
static bool is_optimizer(const char *name)
{
    return name == NULL ||
           strcmp(name, locant_optimizer_name(LOCANT_ADAMW)) == 0 ||
           strcmp(name, locant_optimizer_name(LOCANT_MUON)) == 0;
}

static bool is_vocabulary(json_int_t size)
{
    return size == 0 || (size > LCT_VOCAB && size <= LCT_VOCABULARY_MOST);
}

/* Is this a preset, or a list of runs as "3,5,7-20"? */
static bool is_choice(const char *preset, const char *runs)
{
    if (runs == NULL)
        return lct_is_preset(preset);
    return preset == NULL && *runs != '\0' &&
           strspn(runs, "0123456789,-") == strlen(runs);
}

static bool is_configuration(const json_t *c)
{
    const json_t *encodings, *with, *tasks = NULL;
    const char *preset = NULL, *runs = NULL, *optimizer = NULL;
    json_int_t seeds, vocabulary = 0;

    return json_unpack_ex((json_t *)c, NULL, JSON_STRICT,
                          "{s?s, s?s, s:I, s:o, s:o, s?o, s?s, s?I}", "preset",
                          &preset, "runs", &runs, "seeds", &seeds, "encodings",
                          &encodings, "with", &with, "tasks", &tasks,
                          "optimizer", &optimizer, "vocabulary",
                          &vocabulary) == 0 &&
           is_optimizer(optimizer) && is_vocabulary(vocabulary) && seeds >= 1 &&
           seeds <= MOST_SEEDS && is_choice(preset, runs) &&
           json_array_size(encodings) >= 1 &&
           json_array_size(encodings) <= LCT_MOST_ENCODINGS &&
           are_parts(with) && are_tasks(tasks);
}

/* --------------------------------------------------------------------- runs */

static bool are_losses(const json_t *list)
{
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one)
        if (!json_is_null(one) && !json_is_real(one))
            return false;
    return json_array_size(list) == LOCANT_EVAL_LENGTHS;
}

static bool is_run(const json_t *run)
{
    const char *spec, *batches;
    const json_t *losses;
    json_int_t seed;

    return json_unpack_ex((json_t *)run, NULL, JSON_STRICT,
                          "{s:s, s:I, s:s, s:o}", "encoding", &spec, "seed",
                          &seed, "batches", &batches, "losses", &losses) == 0 &&
           strlen(spec) < 256 && strlen(batches) <= 16 &&
           strspn(batches, "0123456789abcdef") == strlen(batches) &&
           are_losses(losses);
}

static bool are_runs(const json_t *runs, const json_t *configuration)
{
    const json_t *one;
    size_t i, n;

    json_array_foreach(runs, i, one)
        if (!is_run(one))
            return false;
    n = json_array_size(json_object_get(configuration, "encodings")) *
        (size_t)json_integer_value(json_object_get(configuration, "seeds"));
    return json_object_get(configuration, "runs")
               ? json_array_size(runs) >= 1 && json_array_size(runs) <= n
               : json_array_size(runs) == n;
}

locant_status lct_study_check(const json_t *root, const char *name)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *configuration = json_object_get(root, "configuration");
    const json_int_t version =
        json_integer_value(json_object_get(root, "version"));
    locant_corpus c = { .text = NULL };

    if (format == NULL || strcmp(format, "locant study") != 0)
        return refuse(name, "'format' is not 'locant study'");
    if (version != 1)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: is a study of version %lld, "
                           "this locant knows version 1",
                           name, (long long)version);
    if (json_unpack_ex((json_t *)root, NULL, JSON_STRICT | JSON_VALIDATE_ONLY,
                       "{s?o, s?o, s?o, s?o, s?o, s?o, s?o, s?o}", "format",
                       "version", "locant", "configuration", "corpus", "runs",
                       "numbers", "text") != 0)
        return refuse(name, "it has a member of another name");
    if (!is_configuration(configuration))
        return refuse(name, "'configuration' has a preset, runs, seeds, jobs, "
                            "tasks, an optimizer or a vocabulary that are "
                            "unknown");
    LCT_TRY(check_specs(json_object_get(configuration, "encodings"), name));
    if (!lct_corpus_read_about(&c, json_object_get(root, "corpus")))
        return refuse(name, "'corpus' has a kind, SHA-256 or size that cannot "
                            "be");
    if (!are_runs(json_object_get(root, "runs"), configuration))
        return refuse(name, "'runs' are not one for each encoding and seed");
    if (!json_is_object(json_object_get(root, "numbers")))
        return refuse(name, "it has no 'numbers'");
    return LOCANT_OK;
}

/* --------------------------------------------------------------------- text */

static locant_status read_text(locant_corpus **out, const json_t *root,
                               const char *name)
{
    const json_t *text = json_object_get(root, "text");
    const size_t n = json_string_length(text);
    struct lct_packed packed = { .name = name };
    locant_status status;
    void *bytes;

    if (text == NULL)
        return LOCANT_OK;
    bytes = locant_alloc(n / 4 * 3 + 1);
    if (bytes == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for its text",
                           name);
    packed.bytes = bytes;
    status = json_is_string(text) && lct_base64_read(bytes, &packed.size,
                                                     json_string_value(text), n)
                 ? lct_corpus_of_text(out, json_object_get(root, "corpus"),
                                      "[]", &packed)
                 : refuse(name, "'text' is not base64");
    locant_release(bytes);
    return status;
}

static locant_status read_all(struct lct_study *s, const char *bytes,
                              size_t size, const char *name)
{
    json_error_t error;

    s->root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    if (s->root == NULL)
        return locant_fail(json_error_code(&error) == json_error_out_of_memory
                               ? LOCANT_ERR_NOMEM
                               : LOCANT_ERR_FORMAT,
                           "%s: is not JSON: line %d, column %d", name,
                           error.line, error.column);
    LCT_TRY(lct_study_check(s->root, name));
    LCT_TRY(read_text(&s->corpus, s->root, name));
    s->configuration = lct_study_key(json_object_get(s->root, "configuration"));
    json_object_del(s->root, "text");
    return s->configuration
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_NOMEM,
                             "%s: no memory for its configuration", name);
}

locant_status lct_study_read(struct lct_study *out, const char *bytes,
                             size_t size, const char *name)
{
    locant_status status;

    *out = (struct lct_study){ .root = NULL };
    status = read_all(out, bytes, size, name);
    if (status != LOCANT_OK)
        lct_study_free(out);
    return status;
}

locant_status lct_study_open(struct lct_study *out, const char *path)
{
    locant_status status;
    void *bytes;
    size_t size;

    LCT_TRY(lct_read_file(&bytes, &size, path, LCT_STUDY_MOST));
    status = lct_study_read(out, bytes, size, path);
    locant_release(bytes);
    return status;
}

void lct_study_free(struct lct_study *s)
{
    json_decref(s->root);
    free(s->configuration);
    locant_corpus_free(s->corpus);
    *s = (struct lct_study){ .root = NULL };
}

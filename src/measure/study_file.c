/* study_file.c - export and import of studies as files */
#define _POSIX_C_SOURCE 200809L
#include "../files/base64.h"
#include "../files/html.h"
#include "../files/io.h"
#include "../corpus/corpus_kept.h"
#include "../store/store_texts.h"
#include "study.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- text */

/* End the text and pass it to the caller, who releases it. */
static locant_status finish(char **out, struct lct_html *text)
{
    size_t size;

    return lct_html_finish(out, &size, text, LOCANT_OK);
}

static const char *string_at(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

/* Append the strings of a list, separated by 'between'. Other values count
   as empty strings. */
static void add_list(struct lct_html *text, const json_t *list,
                     const char *between)
{
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one) {
        lct_html_raw(text, i > 0 ? between : "");
        lct_html_raw(text, json_is_string(one) ? json_string_value(one) : "");
    }
}

static void add_text_option(struct lct_html *text, const json_t *corpus,
                            bool kept)
{
    const char *kind = string_at(corpus, "kind");

    if (strcmp(kind, "generated") == 0) {
        lct_html_raw(text, " --generated");
    } else if (kept) {
        lct_html_raw(text, " --kept-text ");
        lct_html_append(text, string_at(corpus, "sha256"), 12);
    } else if (strcmp(kind, "files") == 0) {
        lct_html_raw(text, " --text PATH...");
    }
}

locant_status lct_study_command(char **out, const json_t *root, bool kept)
{
    const json_t *c = json_object_get(root, "configuration");
    const json_t *with = json_object_get(c, "with");
    struct lct_html text = { .data = NULL };
    const int vocabulary =
        (int)json_integer_value(json_object_get(c, "vocabulary"));
    const char *optimizer = string_at(c, "optimizer");
    char seeds[32], tokens[32] = " --vocabulary bytes";

    if (json_object_get(c, "runs")) {
        lct_html_raw(&text, "locant report --runs ");
        lct_html_raw(&text, string_at(c, "runs"));
        return finish(out, &text);
    }
    if (vocabulary)
        snprintf(tokens, sizeof tokens, " --vocabulary %d", vocabulary);
    snprintf(seeds, sizeof seeds, " --seeds %d",
             (int)json_integer_value(json_object_get(c, "seeds")));
    lct_html_raw(&text, "locant report --preset ");
    lct_html_raw(&text, string_at(c, "preset"));
    lct_html_raw(&text, seeds);
    lct_html_raw(&text, tokens);
    add_text_option(&text, json_object_get(root, "corpus"), kept);
    lct_html_raw(&text, " --optimizer ");
    lct_html_raw(&text,
                 *optimizer ? optimizer : locant_optimizer_name(LOCANT_ADAMW));
    lct_html_raw(&text, json_array_size(with) > 0 ? " --with " : "");
    add_list(&text, with, ",");
    lct_html_raw(&text, json_object_get(c, "tasks") ? " --tasks " : "");
    lct_html_raw(&text, string_at(c, "tasks"));
    lct_html_raw(&text, " --encodings '");
    add_list(&text, json_object_get(c, "encodings"), "; ");
    lct_html_raw(&text, "'");
    return finish(out, &text);
}

/* List the largest folders of a text of headers, or the paths of its files.
   They will be printed, so control characters are replaced. */
static locant_status list_sources(char **out, const json_t *about)
{
    const json_t *folders = json_object_get(about, "folders"), *one;
    json_t *paths = json_loads(string_at(about, "paths"), 0, NULL);
    json_t *names = json_array();
    struct lct_html text = { .data = NULL };
    size_t i;

    json_array_foreach(folders, i, one)
        json_array_append(names, json_array_get(one, 0));
    json_array_extend(names, paths);
    add_list(&text, names, ", ");
    json_decref(names);
    json_decref(paths);
    for (char *c = text.data; c != NULL && c < text.data + text.size; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    return finish(out, &text);
}

/* ------------------------------------------------------ studies of a store */

static locant_status no_study(const locant_store *s, int64_t id)
{
    if (id == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: has no study; a finished "
                           "'locant report' makes one",
                           s->directory);
    return locant_fail(LOCANT_ERR_PARAM, "%s: has no study %" PRId64,
                       s->directory, id);
}

/* Find study 'id'; 0: the last one made here, or else the last one imported. */
static locant_status find_id(int64_t *found, locant_store *s, int64_t id)
{
    bool any; /* always true: the query has one row, perhaps NULL */

    *found = 0;
    if (s->version >= 5)
        LCT_TRY(lct_store_read(
            &any, s,
            "SELECT CASE WHEN ?1 > 0 THEN (SELECT id FROM studies"
            " WHERE id = ?1) ELSE coalesce((SELECT max(id) FROM studies"
            " WHERE origin = 'here'), (SELECT max(id) FROM studies)) END",
            "i>i", id, found));
    return *found ? LOCANT_OK : no_study(s, id);
}

static locant_status load(json_t **out, locant_store *s, int64_t id)
{
    locant_status status;
    char *text;

    LCT_TRY(lct_store_read_string(
        &text, s, "SELECT study FROM studies WHERE id = ?1", "i", id));
    *out = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    locant_release(text);
    status = lct_study_check(*out, s->path);
    if (status == LOCANT_OK)
        return LOCANT_OK;
    json_decref(*out);
    *out = NULL;
    return status;
}

locant_status lct_study_load(json_t **out, locant_store *store, int64_t id)
{
    int64_t found;

    *out = NULL;
    LCT_TRY(find_id(&found, store, id));
    return load(out, store, found);
}

static locant_status fill(locant_study *out, locant_store *s,
                          const json_t *root, const struct lct_text_file *text)
{
    const json_t *corpus = json_object_get(root, "corpus");
    json_t *about = text->about ? json_loads(text->about, 0, NULL) : NULL;
    char *made = NULL;
    locant_corpus c = { .text = NULL };
    locant_status status = lct_store_read_string(
        &made, s, "SELECT made || ' ' || origin FROM studies WHERE id = ?1",
        "i", out->id);

    if (status == LOCANT_OK && made != NULL)
        snprintf(out->made, sizeof out->made, "%.31s", made);
    locant_release(made);
    (void)lct_corpus_read_about(&c, corpus); /* load() has checked it */
    out->corpus = c.info;
    out->packed_bytes = text->size;
    if (status == LOCANT_OK)
        status = lct_study_command(&out->command, root, text->size > 0);
    if (status == LOCANT_OK)
        status = list_sources(&out->sources, about ? about : corpus);
    json_decref(about);
    return status;
}

locant_status locant_store_study(locant_study *out, locant_store *store,
                                 int64_t id)
{
    struct lct_text_file text = { 0 };
    json_t *root = NULL;
    locant_status status;

    LCT_NOT_NULL(__func__, out);
    LCT_NOT_NULL(__func__, store);
    *out = (locant_study){ .id = 0 };
    LCT_TRY(find_id(&out->id, store, id));
    LCT_TRY(load(&root, store, out->id));
    status = lct_store_text_file(
        &text, store, string_at(json_object_get(root, "corpus"), "sha256"));
    if (status == LOCANT_OK)
        status = fill(out, store, root, &text);
    lct_text_file_free(&text);
    json_decref(root);
    if (status != LOCANT_OK)
        locant_study_free(out);
    return status;
}

void locant_study_free(locant_study *study)
{
    if (study == NULL)
        return;
    locant_release(study->command);
    locant_release(study->sources);
    *study = (locant_study){ .id = 0 };
}

/* ------------------------------------------------------------------- export */

/* Check the text that the store keeps, then add it to the study. */
static locant_status add_text(json_t *root, locant_store *s, const char *sha256)
{
    struct lct_text_file f;
    locant_corpus *corpus = NULL;
    locant_status status = lct_store_read_corpus(&corpus, s, sha256);
    char *text = NULL;
    size_t chars;

    if (status == LOCANT_OK && corpus == NULL)
        status =
            locant_fail(LOCANT_ERR_PARAM, "%s: does not keep the text %.12s..",
                        s->directory, sha256);
    locant_corpus_free(corpus);
    LCT_TRY(status);
    status = lct_store_text_file(&f, s, sha256);
    chars = LCT_BASE64_CHARS(f.size);
    if (status == LOCANT_OK && (text = locant_alloc(chars + 1)) != NULL)
        lct_base64(text, f.bytes, f.size);
    if (status == LOCANT_OK &&
        json_object_set_new(root, "text", json_stringn(text, text ? chars : 0)))
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "%s: no memory for a text of %zu bytes",
                             s->directory, f.size);
    locant_release(text);
    lct_text_file_free(&f);
    return status;
}

static locant_status write_study(const char *path, const json_t *root,
                                 bool private)
{
    char *text = json_dumps(root, JSON_COMPACT);
    struct lct_piece pieces[2] = { { text, text ? strlen(text) : 0 },
                                   { "\n", 1 } };
    locant_status status;

    if (text == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the study",
                           path);
    if (pieces[0].size >= LCT_STUDY_MOST)
        status = locant_fail(LOCANT_ERR_UNSUPPORTED,
                             "%s: would have %zu bytes,"
                             " and at most %d are read",
                             path, pieces[0].size, LCT_STUDY_MOST);
    else
        status = private ? lct_write_private(path, pieces, 2)
                         : lct_write_file(path, pieces, 2);
    free(text);
    return status;
}

locant_status locant_study_export(locant_store *store, int64_t id,
                                  const char *path, int with_text)
{
    json_t *root = NULL;
    locant_status status = LOCANT_OK;
    int64_t found = 0;

    LCT_NOT_NULL(__func__, store);
    LCT_NOT_NULL(__func__, path);
    LCT_TRY(find_id(&found, store, id));
    LCT_TRY(load(&root, store, found));
    if (with_text)
        status = add_text(root, store,
                          string_at(json_object_get(root, "corpus"), "sha256"));
    if (status == LOCANT_OK)
        status = write_study(path, root, with_text != 0);
    json_decref(root);
    return status;
}

/* ------------------------------------------------------------------- import */

/* The text is stored before the study that refers to it. */
static locant_status store_study(locant_store *store,
                                 const struct lct_study *study)
{
    if (study->corpus)
        LCT_TRY(lct_store_keep_source(store, study->corpus, NULL, NULL));
    return lct_study_record(store, study->root, study->configuration,
                            "imported");
}

static locant_status import_into(int64_t *id, const char *directory,
                                 const struct lct_study *study)
{
    locant_store *store = NULL;
    locant_status status;
    bool found;

    *id = 0;
    LCT_TRY(locant_store_open(&store, directory));
    status = store_study(store, study);
    if (status == LOCANT_OK)
        status = lct_store_read(&found, store, "SELECT max(id) FROM studies",
                                ">i", id);
    locant_store_close(store);
    return status;
}

locant_status locant_study_import(int64_t *id, const char *directory,
                                  const char *path)
{
    struct lct_study study;
    locant_status status;

    LCT_NOT_NULL(__func__, id);
    LCT_NOT_NULL(__func__, directory);
    LCT_NOT_NULL(__func__, path);
    LCT_TRY(lct_study_open(&study, path));
    if (json_object_get(json_object_get(study.root, "configuration"), "runs"))
        status = locant_fail(LOCANT_ERR_UNSUPPORTED,
                             "%s: is a study of chosen runs, which no command "
                             "repeats in another store; 'locant study compare' "
                             "reads it",
                             path);
    else
        status = import_into(id, directory, &study);
    lct_study_free(&study);
    return status;
}

locant_status locant_study_corpus(locant_corpus **out, const char *path)
{
    struct lct_study study;

    LCT_NOT_NULL(__func__, out);
    LCT_NOT_NULL(__func__, path);
    *out = NULL;
    LCT_TRY(lct_study_open(&study, path));
    *out = study.corpus;
    study.corpus = NULL;
    lct_study_free(&study);
    return *out ? LOCANT_OK
                : locant_fail(LOCANT_ERR_UNSUPPORTED,
                              "%s: has no text; 'locant study export"
                              " --with-text' writes it",
                              path);
}

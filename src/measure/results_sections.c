/*
 * results_sections.c - the numbers of extension and surface, kept in the store
 * with one of their runs, so that figures can be drawn without the corpus.
 *
 * Reports share runs, so run ids do not tell which numbers are the latest. Each
 * time numbers are kept, "kept" counts up within their section.
 */
#define _POSIX_C_SOURCE 200809L
#include "extension.h"
#include "results.h"
#include "surface.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kind of these texts in the store. */
static const char kind[] = "section, nats";

/* ------------------------------------------------------------------ writing */

static locant_status store_section(locant_store *store, int64_t run,
                                   const char *section,
                                   const struct lct_results *r)
{
    char *text = json_dumps(json_object_get(r->numbers, section), JSON_COMPACT);
    locant_status status;

    if (text == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for the numbers of %s",
                           section);
    status = lct_store_keep_latest_probe(store, run, kind, section, text);
    free(text);
    return status;
}

locant_status lct_sections_keep(locant_store *store,
                                const struct lct_results *r)
{
    if (r->extension)
        LCT_TRY(store_section(store, r->extension->base[0], "extension", r));
    if (r->surface)
        LCT_TRY(store_section(store, r->surface->encodings[0].run[0][0],
                              "surface", r));
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- checking */

/* Is this a list of 1 .. most increasing lengths, none above the longest that a
   report reads? */
static bool are_lengths(const json_t *list, size_t most)
{
    const json_int_t longest = 1 << 20;
    json_int_t last = 0;
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one) {
        const json_int_t length = json_integer_value(one); /* 0: no integer */

        if (length <= last || length > longest)
            return false;
        last = length;
    }
    return json_array_size(list) > 0 && json_array_size(list) <= most;
}

/* Is this a list of objects, each with a text of each name? */
static bool have_texts(const json_t *list, const char *const names[2])
{
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one)
        for (int k = 0; k < 2 && names[k]; k++)
            if (!json_is_string(json_object_get(one, names[k])))
                return false;
    return json_array_size(list) > 0 &&
           json_array_size(list) <= LCT_MOST_ENCODINGS;
}

/*
 * Is every number small enough for differences and squares to be finite? The
 * model's last normalization bounds the loss of a diverging run by some
 * thousand times the learning rate times the steps. If activations are not
 * finite, the loss is null.
 */
static bool are_moderate(const json_t *x)
{
    const double most = 1e15;
    const char *key;
    json_t *one;
    size_t i;

    json_array_foreach(x, i, one)
        if (!are_moderate(one))
            return false;
    json_object_foreach((json_t *)x, key, one)
        if (!are_moderate(one))
            return false;
    return json_number_value(x) <= most && json_number_value(x) >= -most;
}

/* What figures rely on: at 'key' a list of at most 'lengths' lengths or, if
   that is 0, a list of objects that have these texts. */
static const struct part {
    const char *section, *key;
    size_t lengths;
    const char *texts[2];
} parts[] = {
    { "surface", "trained", LCT_SURFACE_TRAINED, { NULL } },
    { "surface", "lengths", LCT_SURFACE_LENGTHS, { NULL } },
    { "surface", "encodings", 0, { "encoding" } },
    { "extension", "lengths", LCT_EXT_FACTORS, { NULL } },
    { "extension", "methods", 0, { "title", "spec" } },
    { "extension", "tuned", 0, { "title", "spec" } },
};

/* What is wrong with a section, or NULL; a store is not trusted. Missing
   numbers are not wrong: they were not measured. */
static const char *find_fault(const json_t *x, const char *section)
{
    if (!are_moderate(x))
        return "a number beyond 1e15";
    for (const struct part *p = parts;
         p < parts + sizeof parts / sizeof parts[0]; p++) {
        const json_t *list = json_object_get(x, p->key);

        if (strcmp(p->section, section) == 0 &&
            !(p->lengths > 0 ? are_lengths(list, p->lengths)
                             : have_texts(list, p->texts)))
            return p->key;
    }
    return NULL;
}

/* ------------------------------------------------------------------ reading */

/* Read the section of one run; NULL if it has none. */
static locant_status read_one(json_t **out, locant_store *store,
                              const char *section, int64_t run)
{
    const char *wrong;
    json_error_t error;
    char *text, why[96];

    *out = NULL;
    LCT_TRY(lct_store_read_probe(&text, store, run, kind, section));
    if (text == NULL)
        return LOCANT_OK;
    *out = json_loads(text, 0, &error);
    locant_release(text);
    wrong = *out ? find_fault(*out, section) : NULL;
    if (*out != NULL && wrong == NULL)
        return LOCANT_OK;
    json_decref(*out);
    *out = NULL;
    if (wrong)
        snprintf(why, sizeof why, "%s is not what a report writes", wrong);
    else /* the message of jansson quotes the text unescaped */
        snprintf(why, sizeof why, "byte %d is not valid JSON", error.position);
    return locant_fail(LOCANT_ERR_FORMAT,
                       "locant_figure_of_runs: run %lld: what the store kept of"
                       " %s cannot be used: %s; a report --with %s that begins"
                       " with this run writes it again, and other runs alone"
                       " leave it out",
                       (long long)run, section, why, section);
}

/* Sections of older builds have no "kept": of those, take that of the last
   run. */
locant_status lct_section_read(json_t **numbers, locant_store *store,
                               const char *section, const int64_t *runs,
                               size_t n)
{
    json_t *last = NULL, *one;
    locant_status status = LOCANT_OK;

    *numbers = NULL;
    for (size_t i = n; i-- > 0 && status == LOCANT_OK;) {
        status = read_one(&one, store, section, runs[i]);
        if (one && (last == NULL ||
                    json_integer_value(json_object_get(one, "kept")) >
                        json_integer_value(json_object_get(last, "kept")))) {
            json_decref(last);
            last = one;
        } else {
            json_decref(one);
        }
    }
    if (status == LOCANT_OK && last == NULL)
        status = locant_fail(LOCANT_ERR_PARAM,
                             "locant_figure_of_runs: none of these runs is of"
                             " a report --with %s, expected one",
                             section);
    if (status != LOCANT_OK) {
        json_decref(last);
        return status;
    }
    *numbers = json_pack("{s:o}", section, last);
    return *numbers ? LOCANT_OK
                    : locant_fail(LOCANT_ERR_NOMEM,
                                  "locant_figure_of_runs: no memory for %s",
                                  section);
}

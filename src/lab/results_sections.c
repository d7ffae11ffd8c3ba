/*
 * results_sections.c - the numbers of a long job beside a report, kept with a
 * run that it began from, so that its figures can be drawn without the corpus.
 */
#define _POSIX_C_SOURCE 200809L
#include "extension.h"
#include "surface.h"
#include <jansson.h>
#include <stdlib.h>
#include <time.h>

static const char name[] = "section";

static locant_status keep(locant_store *store, int64_t run, const char *section,
                          const struct lct_results *r)
{
    json_t *value = json_copy(json_object_get(r->numbers, section));
    char *text = NULL;
    struct timespec now;
    locant_status status;

    clock_gettime(CLOCK_REALTIME, &now);
    if (json_object_set_new(value, "kept", json_real((double)now.tv_sec +
                                                     1e-9 * now.tv_nsec)) == 0)
        text = json_dumps(value, JSON_COMPACT);
    json_decref(value);
    if (text == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for the numbers of %s",
                           section);
    status = lct_store_keep_probe(store, run, name, section, text);
    free(text);
    return status;
}

locant_status lct_sections_keep(locant_store *store,
                                const struct lct_results *r)
{
    if (r->extension)
        LCT_TRY(keep(store, r->extension->base[0], "extension", r));
    if (r->surface)
        LCT_TRY(keep(store, r->surface->of[0].run[0][0], "surface", r));
    return LOCANT_OK;
}

/* What run has of it, where that was kept no earlier than *numbers. */
static locant_status take_later(json_t **numbers, locant_store *store,
                                const char *section, int64_t run)
{
    char *text;
    json_t *found;

    LCT_TRY(lct_store_probe(&text, store, run, name, section));
    if (text == NULL)
        return LOCANT_OK;
    found = json_loads(text, 0, NULL);
    locant_release(text);
    if (found == NULL)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "locant_figure_of_runs: what the store kept of %s"
                           " cannot be read", section);
    if (json_real_value(json_object_get(found, "kept")) >=
        json_real_value(json_object_get(*numbers, "kept"))) {
        json_decref(*numbers);
        *numbers = found;
    } else {
        json_decref(found);
    }
    return LOCANT_OK;
}

locant_status lct_section_read(json_t **numbers, locant_store *store,
                               const char *section, const int64_t *runs,
                               size_t n)
{
    json_t *last = NULL;
    locant_status status = LOCANT_OK;

    *numbers = NULL;
    for (size_t i = 0; i < n && status == LOCANT_OK; i++)
        status = take_later(&last, store, section, runs[i]);
    if (status == LOCANT_OK && last == NULL)
        status = locant_fail(LOCANT_ERR_PARAM,
                             "locant_figure_of_runs: none of these runs is of"
                             " a report --with %s, expected one", section);
    if (status == LOCANT_OK)
        *numbers = json_pack("{s:O}", section, last);
    if (status == LOCANT_OK && *numbers == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "locant_figure_of_runs: no memory for %s",
                             section);
    json_decref(last);
    return status;
}

/*
 * results_sections.c - the numbers of a long job beside a report, kept with a
 * run that it began from, so that its figures can be drawn without the corpus.
 */
#include "extension.h"
#include "surface.h"
#include <jansson.h>
#include <stdlib.h>

static const char name[] = "section";

static locant_status keep(locant_store *store, int64_t run, const char *section,
                          const struct lct_results *r)
{
    const json_t *value = json_object_get(r->numbers, section);
    char *text = json_dumps(value, JSON_COMPACT);
    locant_status status;

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

locant_status lct_section_read(json_t **numbers, locant_store *store,
                               const char *section, const int64_t *runs,
                               size_t n)
{
    char *text = NULL;

    *numbers = NULL;
    for (size_t i = n; i-- > 0 && text == NULL;)
        LCT_TRY(lct_store_probe(&text, store, runs[i], name, section));
    if (text == NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_figure_of_runs: none of these runs is of a"
                           " report --with %s, expected one", section);
    *numbers = json_pack("{s:o}", section, json_loads(text, 0, NULL));
    locant_release(text);
    if (*numbers == NULL)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "locant_figure_of_runs: what the store kept of %s"
                           " cannot be read", section);
    return LOCANT_OK;
}

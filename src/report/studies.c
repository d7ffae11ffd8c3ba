/* studies.c - compares two studies, from their files or stores to the page */
#include "../files/io.h"
#include "../measure/study_compare.h"
#include "../store/store.h"
#include "page_studies.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* What a reader calls the study: its file, or its number. */
static void print_name(char *out, size_t size, const locant_study_source *s)
{
    if (s->path)
        snprintf(out, size, "%s", s->path);
    else
        snprintf(out, size, "study %" PRId64 " of %s", s->id,
                 s->store ? s->store->directory : "");
}

static locant_status read_file(json_t **out, const char *path)
{
    struct lct_study study;

    LCT_TRY(lct_study_open(&study, path));
    *out = json_incref(study.root);
    lct_study_free(&study);
    return LOCANT_OK;
}

static locant_status read_study(json_t **out, const locant_study_source *s)
{
    *out = NULL;
    if (s->path)
        return read_file(out, s->path);
    LCT_NOT_NULL("locant_study_compare", s->store);
    return lct_study_load(out, s->store, s->id);
}

/* The document as text of locant_alloc(). */
static locant_status print_numbers(char **out, const json_t *numbers)
{
    const size_t bytes = json_dumpb(numbers, NULL, 0, JSON_COMPACT);

    *out = bytes > 0 ? locant_alloc(bytes + 1) : NULL;
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_study_compare: no memory for %zu bytes of "
                           "numbers",
                           bytes);
    (*out)[json_dumpb(numbers, *out, bytes, JSON_COMPACT)] = '\0';
    return LOCANT_OK;
}

static locant_status compare(char **json, const json_t *const study[2],
                             const char *name_a, const char *name_b,
                             const char *page)
{
    json_t *numbers = NULL;
    locant_status status =
        lct_study_compare(&numbers, study[0], study[1], name_a, name_b);

    if (status == LOCANT_OK && page != NULL)
        status = lct_page_studies_write(page, numbers);
    if (status == LOCANT_OK)
        status = print_numbers(json, numbers);
    json_decref(numbers);
    return status;
}

locant_status locant_study_compare(char **json, const locant_study_source *a,
                                   const locant_study_source *b,
                                   const char *page)
{
    json_t *study[2] = { NULL, NULL };
    char name[2][256];
    locant_status status;

    LCT_NOT_NULL(__func__, json);
    LCT_NOT_NULL(__func__, a);
    LCT_NOT_NULL(__func__, b);
    *json = NULL;
    print_name(name[0], sizeof name[0], a);
    print_name(name[1], sizeof name[1], b);
    status = read_study(&study[0], a);
    if (status == LOCANT_OK)
        status = read_study(&study[1], b);
    if (status == LOCANT_OK)
        status =
            compare(json, (const json_t *const *)study, name[0], name[1], page);
    json_decref(study[0]);
    json_decref(study[1]);
    return status;
}

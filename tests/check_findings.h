/* check_findings.h - which checks fire on a model, as one text */
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H
#include "locant/models.h"
#include "scratch_case.h"
#include <stdbool.h>

/* "D01 L02": the ids that were found, each once, in the order of letters. */
static inline const char *ids_of(const locant_findings *f)
{
    static char text[512];
    const locant_check_info *info;
    const char *sorted[128];
    size_t n = 0;

    for (size_t i = 0; (info = locant_model_check_at(i)) != NULL; i++) {
        bool found = false;

        for (size_t j = 0; j < f->n; j++)
            found |= strcmp(f->at[j].id, info->id) == 0;
        if (found)
            sorted[n++] = info->id;
    }
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && strcmp(sorted[j - 1], sorted[j]) > 0; j--) {
            const char *other = sorted[j];

            sorted[j] = sorted[j - 1];
            sorted[j - 1] = other;
        }
    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                 i > 0 ? " " : "", sorted[i]);
    return text;
}

/* Exactly these checks fire on the model. */
static inline void finds(const char *path, const locant_check_options *o,
                         const char *want)
{
    locant_findings f;

    CHECK_OK(locant_model_check(&f, path, o));
    if (strcmp(ids_of(&f), want) != 0)
        FAIL("%s: got '%s', want '%s'\n", path, ids_of(&f), want);
    locant_findings_free(&f);
}
#endif

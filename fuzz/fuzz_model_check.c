/*
 * fuzz_model_check.c - any bytes: rejected with an error message, or checked:
 * every finding has a key, a sentence that ends, and a severity.
 */
#include "fuzz.h"
#include "locant/models.h"
#include <jansson.h>
#include <string.h>

static void read_findings(const locant_findings *f)
{
    HOLDS(f->checked != NULL && f->n < 10000);
    for (size_t i = 0; i < f->n; i++) {
        const locant_finding *x = &f->at[i];
        const size_t n = strlen(x->sentence);

        HOLDS(strlen(x->id) == 3 && x->stacks != 0);
        HOLDS(x->severity <= LOCANT_FINDING_ERROR);
        HOLDS(i == 0 || x->severity <= x[-1].severity);
        HOLDS(n > 1 && x->sentence[n - 1] == '.');
        HOLDS(x->key[0] != '\0' && x->mend != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    locant_check_options o = LOCANT_CHECK_OPTIONS_INIT;
    locant_findings f;

    o.length = size > 0 ? data[0] : 0;
    json_set_alloc_funcs(fuzz_malloc, fuzz_free);
    fuzz_begin();
    if (locant_model_check_text(&f, (const char *)data, size, "fuzz", &o) ==
        LOCANT_OK) {
        read_findings(&f);
        locant_findings_free(&f);
    } else {
        HOLDS(strncmp(locant_last_error(), "fuzz: ", 6) == 0);
        fuzz_sentence();
    }
    /* jansson takes up to 200 bytes for the "[]," of an array, and a finding
       of two kilobytes may come from a key of ten bytes; the plan that is tried
       at the end has up to 4096 layers of some kilobytes, whatever the size */
    fuzz_end(400 * size + 64 * 1024 * 1024);
    return 0;
}

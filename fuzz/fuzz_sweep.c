/*
 * fuzz_sweep.c - any bytes as the plan of a sweep: rejected with an error
 * message, or a plan whose values are in range.  Memory of jansson is not
 * counted.
 */
#include "fuzz.h"
#include "measure/sweep.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lct_sweep s;

    fuzz_begin();
    if (lct_sweep_read(&s, (const char *)data, size, "plan") == LOCANT_OK) {
        HOLDS(s.n > 0 && s.n <= LCT_MOST_ENCODINGS && s.seeds > 0);
        HOLDS(lct_preset_name((int)s.preset) != NULL);
        for (size_t i = 0; i < s.n; i++) {
            HOLDS(strlen(s.specs[i]) <= 255);
            HOLDS(s.rates == NULL || s.rates[i] > 0);
        }
        lct_sweep_free(&s);
    } else {
        fuzz_sentence();
    }
    fuzz_end(64 * size + (1 << 20));
    return 0;
}

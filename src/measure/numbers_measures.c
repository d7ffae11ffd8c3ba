/* numbers_measures.c - the other protocols, and evaluation under other specs */
#include "numbers.h"

/* A part of rows: a measure from length 'first' on, or less P1 there. */
static const struct part {
    const char *name;
    enum lct_measure measure;
    int first;
    bool difference;
} parts[] = {
    { "non_overlapping", LCT_P3, 0, false },
    { "gains", LCT_P4, 0, true },
    { "logn", LCT_LOGN, 1, false },
    { "logn_change", LCT_LOGN, 1, true },
    { "clamp", LCT_CLAMP, 1, false },
    { "wrap", LCT_WRAP, 1, false },
    { "resample", LCT_RESAMPLE, 1, false },
};

locant_status lct_put_measures(struct lct_numbers *n)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (int k = parts[i].first;
             k < LOCANT_EVAL_LENGTHS && lct_has_measure(n->r, parts[i].measure);
             k++) {
            const struct lct_term term = { parts[i].measure, k },
                                  plain = { LCT_P1, k };

            LCT_TRY(lct_put_losses(n, parts[i].name, term,
                                   parts[i].difference ? &plain : NULL));
        }
    return LOCANT_OK;
}

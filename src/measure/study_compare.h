/*
 * study_compare.h - the numbers of the comparison of two studies.
 *
 *     {"names": {"a", "b"},
 *      "settings": [{"setting", "a", "b", "differs"}], texts; null: not known,
 *      "same_text", "same_tokens", "same_protocol", "claims": booleans,
 *      "lengths": [128, ..], "comparisons": tests that are corrected together,
 *      "tested_seeds": seeds that a test needs,
 *      "identical": losses that are the same to the last bit, "losses": all,
 *      "rows": [{"encoding", "seeds_a", "seeds_b", "paired", "pairs",
 *                "loss": {"128": {"a", "b", "mean", "half", "p", "corrected",
 *                                 "sign"}}}], of encodings in both,
 *      "only_a", "only_b": [encodings of one],
 *      "orders": [{"length", "encodings", "pairs", "tau", "swapped", "agreed",
 *                  "opposed": [{"first", "second"}]}]}
 *
 * mean is b - a. agreed and opposed count pairs that the tests of both studies
 * order: in the same way, and in opposite ways.
 */
#ifndef LCT_STUDY_COMPARE_H
#define LCT_STUDY_COMPARE_H
#include "study.h"

/* Compare two studies that lct_study_check() accepts. PARAM if they have no
   encoding in common. */
locant_status lct_study_compare(struct json_t **out, const struct json_t *a,
                                const struct json_t *b, const char *name_a,
                                const char *name_b);
/* Its parts in files of their own: the table of settings, and the orders at
   each length. */
struct lct_numbers;
void lct_study_put_settings(struct lct_numbers *n, const struct json_t *a,
                            const struct json_t *b);
void lct_study_put_orders(struct lct_numbers *n, const struct json_t *a,
                          const struct json_t *b);
#endif

/* page_task.h - access to one task in the document of numbers */
#ifndef LCT_PAGE_TASK_H
#define LCT_PAGE_TASK_H
#include "page.h"
#include <jansson.h>

/* Of task t of the document: string 'key', the number of tests, test k. */
const char *lct_page_task_text(const struct lct_results *r, size_t t,
                               const char *key);
size_t lct_page_task_tests(const struct lct_results *r, size_t t);
const json_t *lct_page_test(const struct lct_results *r, size_t t, size_t k);

/* The row of an encoding in a test; false if it has no score there. */
bool lct_page_task_row(size_t *out, const json_t *test, const char *spec);

/* Whether group i has a score in any test of task t. */
bool lct_page_task_has(const struct lct_results *r, size_t t, size_t i);
#endif

/* page_task.c - access to one task in the document of numbers */
#include "page_task.h"
#include <string.h>

const char *lct_page_task_text(const struct lct_results *r, size_t t,
                               const char *key)
{
    const char *text = lct_page_text(r, "tasks.%zu.%s", t, key);

    return text ? text : "";
}

size_t lct_page_task_tests(const struct lct_results *r, size_t t)
{
    return lct_page_size(r, "tasks.%zu.tests", t);
}

const json_t *lct_page_test(const struct lct_results *r, size_t t, size_t k)
{
    return lct_page_at(r, "tasks.%zu.tests.%zu", t, k);
}

bool lct_page_task_row(size_t *out, const json_t *test, const char *spec)
{
    const json_t *rows = json_object_get(test, "rows");

    for (size_t i = 0; i < json_array_size(rows); i++) {
        const char *own = json_string_value(
            json_object_get(json_array_get(rows, i), "encoding"));

        if (own && strcmp(own, spec) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

bool lct_page_task_has(const struct lct_results *r, size_t t, size_t i)
{
    size_t unused;

    for (size_t k = 0; k < lct_page_task_tests(r, t); k++)
        if (lct_page_task_row(&unused, lct_page_test(r, t, k),
                              r->groups[i].spec))
            return true;
    return false;
}

/*
 * test_oracles_content.c - scores of content and hooks, and what has no door,
 * against their papers.
 */
#include "oracle/rows.h"

static int belongs(const struct oracle *o)
{
    return o->score != NULL || o->value != NULL ||
           (o->entry == NULL && o->rotated == NULL && o->bias == NULL);
}

int main(void)
{
    struct rows_cases usual = { .attend = 2, .doors = 3, .company = 2 };

    return rows_main(belongs, usual);
}

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
    struct rows_cases usual = { .attend = 3, .doors = 4, .company = 3 };

    return rows_main(belongs, usual);
}

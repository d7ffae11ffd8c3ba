/*
 * test_oracles_input.c - encodings of the input door against their papers, and
 * angles, resized tables and ids.
 */
#include "oracle/rows.h"

static int belongs(const struct oracle *o)
{
    return o->entry != NULL;
}

int main(void)
{
    struct rows_cases usual = { .attend = 3, .doors = 12, .others = 4 };

    return rows_main(belongs, usual);
}

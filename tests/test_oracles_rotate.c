/* test_oracles_rotate.c - encodings of the rotate door against their papers. */
#include "oracle/rows.h"

static int belongs(const struct oracle *o)
{
    return o->rotated != NULL && o->score == NULL;
}

int main(void)
{
    struct rows_cases usual = { .attend = 2, .doors = 4, .company = 1 };

    return rows_main(belongs, usual);
}

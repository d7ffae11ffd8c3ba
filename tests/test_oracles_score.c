/* test_oracles_score.c - encodings of the score door against their papers. */
#include "oracle/rows.h"

static int belongs(const struct oracle *o)
{
    return o->bias != NULL && o->score == NULL;
}

int main(void)
{
    struct rows_cases usual = { .attend = 3, .doors = 12, .company = 2 };

    return rows_main(belongs, usual);
}

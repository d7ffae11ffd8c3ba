/* test_whole_score.c - encodings of the score door against their papers. */
#include "oracle/whole_main.h"

static int belongs(const struct whole_oracle *o)
{
    return o->bias != NULL && o->score == NULL;
}

int main(void)
{
    struct whole_rounds usual = { .attention = 8, .doors = 24, .runs = 4 };

    return whole_main(belongs, usual);
}

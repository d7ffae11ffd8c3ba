/* test_whole_rotate.c - encodings of the rotate door against their papers. */
#include "oracle/whole_main.h"

static int belongs(const struct whole_oracle *o)
{
    return o->turned != NULL && o->score == NULL;
}

int main(void)
{
    struct whole_rounds usual = { .attention = 5, .doors = 40, .runs = 4 };

    return whole_main(belongs, usual);
}

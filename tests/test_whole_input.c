/* test_whole_input.c - encodings of the input door against their papers. */
#include "oracle/whole_main.h"

static int belongs(const struct whole_oracle *o)
{
    return o->entry != NULL;
}

int main(void)
{
    struct whole_rounds usual = { .attention = 1, .doors = 24, .runs = 0 };

    return whole_main(belongs, usual);
}

/* test_whole_content.c - scores of content and hooks against their papers. */
#include "oracle/whole_main.h"

static int belongs(const struct whole_oracle *o)
{
    return o->score != NULL || o->value != NULL;
}

int main(void)
{
    struct whole_rounds usual = { .attention = 5, .doors = 4, .runs = 6 };

    return whole_main(belongs, usual);
}

/* keys.c - the keys of an encoding, and their values in a spec */
#include "encoding.h"
#include <math.h>
#include <string.h>

int lct_key_count(const struct lct_encoding *row)
{
    int n = 0;

    while (row->keys != NULL && row->keys[n].name != NULL)
        n++;
    return n;
}

int lct_key_find(const struct lct_encoding *row, const char *name)
{
    for (int k = lct_key_count(row); k-- > 0;)
        if (strcmp(row->keys[k].name, name) == 0)
            return k;
    return -1;
}

double lct_value(const locant_encoding *e, const char *key)
{
    int k = lct_key_find(e->row, key);

    return k < 0 ? NAN : e->value[k];
}

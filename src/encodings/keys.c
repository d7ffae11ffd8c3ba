/* keys.c - the value that a spec gave a key */
#include "encoding.h"
#include <math.h>
#include <string.h>

double lct_value(const locant_encoding *e, const char *key)
{
    for (int k = 0; e->row->keys != NULL && e->row->keys[k].name != NULL; k++)
        if (strcmp(e->row->keys[k].name, key) == 0)
            return e->value[k];
    return NAN;
}

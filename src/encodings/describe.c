/* describe.c - keys of an encoding as text for users */
#include "spec.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct lct_encoding *find(const char *name)
{
    if (name != NULL)
        for (int i = 0; lct_encodings[i] != NULL; i++)
            if (strcmp(lct_encodings[i]->info.name, name) == 0)
                return lct_encodings[i];
    return NULL;
}

/* size >= LCT_NUMBER_BYTES */
static void describe_default(char *out, size_t size, const struct lct_key *key)
{
    out[0] = '\0';
    if (isnan(key->def))
        return;
    if (key->kind == LCT_SWITCH)
        snprintf(out, size, "%s", key->def != 0 ? "yes" : "no");
    else if (key->kind == LCT_WORD)
        snprintf(out, size, "%s", key->words[(int)key->def]);
    else if (key->kind == LCT_SPEC)
        snprintf(out, size, "%s", key->family[(int)key->def]->info.name);
    else if (key->kind != LCT_LIST)
        lct_number_print(out, key->def);
}

int locant_encoding_key(locant_key_info *out, const char *name, int i)
{
    static const char *const kinds[] = {
        [LCT_NUMBER] = "number",
        [LCT_INTEGER] = "integer",
        [LCT_WORD] = "word",
        [LCT_SWITCH] = "switch",
        [LCT_SPEC] = "spec",
        [LCT_LIST] = "list",
        [LCT_EXPRESSION] = "expression",
    };
    static _Thread_local char range[256], fallback[64];
    const struct lct_encoding *row = find(name);

    if (out == NULL || row == NULL || i < 0 || i >= lct_key_count(row))
        return 0;
    lct_key_range(range, sizeof(range), &row->keys[i]);
    describe_default(fallback, sizeof(fallback), &row->keys[i]);
    *out = (locant_key_info){ .name = row->keys[i].name,
                              .kind = kinds[row->keys[i].kind],
                              .fallback = fallback,
                              .range = range,
                              .doc = row->keys[i].doc };
    return 1;
}

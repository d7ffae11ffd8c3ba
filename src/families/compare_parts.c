/* compare_parts.c - the parts of a spec, and values of their keys, as text */
#include "compare.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lct_spec_split(struct lct_spec_parts *out, const char *spec)
{
    int depth = 0;

    (void)snprintf(out->text, sizeof(out->text), "%s", spec);
    out->part[0] = out->text;
    out->n = 1;
    for (char *p = out->text; *p != 0; p++) {
        depth += (*p == '(') - (*p == ')');
        if (*p != '+' || depth > 0 || out->n == LCT_COMPARE_PARTS)
            continue;
        *p = 0;
        out->part[out->n++] = p + 1;
    }
}

const char *lct_spec_part(const struct lct_spec_parts *p, const char *name)
{
    size_t n = strlen(name);

    for (int i = 0; i < p->n; i++)
        if (strncmp(p->part[i], name, n) == 0 &&
            (p->part[i][n] == 0 || p->part[i][n] == '('))
            return p->part[i];
    return NULL;
}

bool lct_spec_value(char *out, size_t size, const char *part, const char *key)
{
    size_t n = strlen(key);
    int depth = 0;
    const char *p = part, *end;

    while ((p = strstr(p, key)) != NULL) {
        if (p > part && (p[-1] == '(' || p[-1] == ',') && p[n] == '=')
            break;
        p += n;
    }
    if (p == NULL)
        return false;
    p += n + 1;
    for (end = p; *end != 0 && (depth > 0 || (*end != ',' && *end != ')'));
         end++)
        depth += (*end == '(') - (*end == ')');
    (void)snprintf(out, size, "%.*s", (int)(end - p), p);
    return true;
}

double lct_spec_number(const char *part, const char *key, double fallback)
{
    char text[64];

    if (part == NULL || !lct_spec_value(text, sizeof(text), part, key))
        return fallback;
    return strtod(text, NULL);
}

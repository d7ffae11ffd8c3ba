/* spec_key.c - parts of canonical specs, as text */
#include "spec_key.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t lct_spec_key_length(const char *value)
{
    size_t n = 0;

    for (int depth = 0; value[n] != '\0'; n++) {
        depth += value[n] == '(' ? 1 : value[n] == ')' ? -1 : 0;
        if (depth < 0 || (depth == 0 && (value[n] == ',' || value[n] == '+')))
            break;
    }
    return n;
}

static int is_rope(const char *term, size_t n)
{
    size_t name = strcspn(term, "(+,)");

    return name <= n && ((name == 4 && strncmp(term, "rope", 4) == 0) ||
                         (name == 5 && strncmp(term, "mrope", 5) == 0));
}

size_t lct_spec_key_rope(const char **term, const char *spec)
{
    for (;;) {
        size_t n = lct_spec_key_length(spec);

        if (is_rope(spec, n)) {
            *term = spec;
            return n;
        }
        if (spec[n] != '+')
            return 0;
        spec += n + 1;
    }
}

size_t lct_spec_key_value(const char **value, const char *spec, const char *key)
{
    const char *at;
    size_t n = strlen(key), length = lct_spec_key_rope(&at, spec);

    if (length == 0 || (at = memchr(at, '(', length)) == NULL)
        return 0;
    at++;
    while (strncmp(at, key, n) != 0 || at[n] != '=') {
        at += lct_spec_key_length(at);
        if (*at != ',')
            return 0;
        at++;
    }
    *value = at + n + 1;
    return lct_spec_key_length(*value);
}

void lct_spec_split(struct lct_spec_parts *out, const char *spec)
{
    int depth = 0;

    (void)snprintf(out->text, sizeof(out->text), "%s", spec);
    out->part[0] = out->text;
    out->n = 1;
    for (char *p = out->text; *p != 0; p++) {
        depth += (*p == '(') - (*p == ')');
        if (*p != '+' || depth > 0 || out->n == LCT_SPEC_PARTS)
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

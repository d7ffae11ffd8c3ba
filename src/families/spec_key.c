/* spec_key.c - parts of canonical specs, as text */
#include "spec_key.h"
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

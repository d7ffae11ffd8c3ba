/* json.c - values as JSON and as short text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

int cli_json(json_t *value)
{
    if (value == NULL || cli_no_memory()) {
        json_decref(value);
        return cli_fail(CLI_INPUT, "%s", cli_no_memory()
                            ? "out of memory"
                            : "the result has text that is not UTF-8");
    }
    /* A failing stdout is reported once, by cli_finish(). */
    json_dumpf(value, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(value);
    return CLI_OK;
}

json_t *cli_real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *cli_shape(const locant_tensor *t)
{
    json_t *shape = json_array();

    for (int i = 0; i < t->rank; i++)
        json_array_append_new(shape, json_integer(t->shape[i]));
    return shape;
}

void cli_shape_text(char *out, size_t size, const locant_tensor *t)
{
    size_t n = (size_t)snprintf(out, size, "[");

    for (int i = 0; i < t->rank && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%lld", i ? ", " : "",
                              (long long)t->shape[i]);
    if (n < size)
        snprintf(out + n, size - n, "]");
}

static void join_bits(char *out, size_t size, unsigned bits,
                      const char *const *names)
{
    size_t n = 0;

    snprintf(out, size, "none");
    for (unsigned i = 0; names[i] != NULL && n < size; i++) {
        if (bits >> i & 1)
            n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "",
                                  names[i]);
    }
}

void cli_doors(char *out, size_t size, unsigned doors)
{
    static const char *const names[] = { "input", "rotate", "score", "content",
                                         NULL };

    join_bits(out, size, doors, names);
}

void cli_traits(char *out, size_t size, unsigned traits)
{
    static const char *const names[] = { "relative", "isometric", "learned",
                                         "wall", "monotone", "length",
                                         "reads-x", "real", "causal", NULL };

    join_bits(out, size, traits, names);
}

/* params.c - an encoding from its spec, its parameters from --param files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* Index of the parameter that "NAME=FILE" names, or -1. */
static int find_param(const locant_encoding *e, const char *text)
{
    locant_param_info info;
    size_t            n = strcspn(text, "=");

    for (int i = 0; locant_encoding_param(&info, e, i, 0, 0); i++) {
        if (strlen(info.name) == n && memcmp(info.name, text, n) == 0)
            return i;
    }
    return -1;
}

static int unknown_param(const locant_encoding *e, const char *text)
{
    locant_param_info info;
    char              list[256] = "none";
    size_t            n = 0;

    for (int i = 0; locant_encoding_param(&info, e, i, 0, 0) &&
                    n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s %s",
                              i ? ", " : "", info.name, info.dims);
    return cli_fail(CLI_USAGE, "--param '%s': '%.*s' is no parameter of %s; it "
                    "has %s", text, (int)strcspn(text, "="), text,
                    locant_encoding_spec(e), list);
}

static int check_finite(const locant_tensor *t, const char *text)
{
    size_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    for (size_t i = 0; i < n; i++) {
        double x = t->dtype == LOCANT_F64 ? ((const double *)t->data)[i]
                                          : ((const float *)t->data)[i];

        if (!isfinite(x))
            return cli_fail(CLI_INPUT, "--param '%s': entry %zu is %g, should "
                            "be a finite number", text, i, x);
    }
    return CLI_OK;
}

static int read_param(struct cli_encoding *out, const char *text)
{
    const char *equals = strchr(text, '=');
    const locant_tensor *t;
    int i, failed;

    if (equals == NULL || equals == text || equals[1] == '\0')
        return cli_fail(CLI_USAGE, "--param '%s': should be NAME=FILE.npy",
                        text);
    i = find_param(out->e, text);
    if (i < 0 || i >= CLI_MAX_PARAMS)
        return unknown_param(out->e, text);
    if (out->arrays[i].memory != NULL)
        return cli_fail(CLI_USAGE, "--param '%s': %.*s is given twice", text,
                        (int)(equals - text), text);
    failed = cli_read(&out->arrays[i], "param", equals + 1);
    if (failed)
        return failed;
    t = &out->arrays[i].tensor;
    if (t->dtype != LOCANT_F32 && t->dtype != LOCANT_F64)
        return cli_fail(CLI_INPUT, "--param '%s': has dtype %s, expected f32 "
                        "or f64", text, locant_dtype_name(t->dtype));
    out->params[i] = *t;
    return check_finite(t, text);
}

/*
 * A wall stands at the end of the table: a table that was read says the length
 * that the spec leaves out.
 */
static int resolve(struct cli_encoding *out, int64_t length)
{
    locant_encoding *resolved = NULL;
    locant_status    s;

    if ((out->info->traits & LOCANT_TRAIT_WALL) &&
        out->arrays[0].memory != NULL && out->params[0].rank > 0)
        length = out->params[0].shape[0];
    s = locant_encoding_resolve(&resolved, out->e, length > 0 ? length : 1);
    if (s != LOCANT_OK)
        return cli_error(s);
    locant_encoding_free(out->e);
    out->e    = resolved;
    out->info = locant_encoding_info_of(resolved);
    return CLI_OK;
}

static int check_shape(const struct cli_encoding *c, int i,
                       const locant_param_info *want)
{
    const locant_tensor *t = &c->params[i];
    locant_tensor wanted;
    char found[160], expected[160];
    int  same = t->rank == want->rank;

    for (int d = 0; d < want->rank && same; d++)
        same = t->shape[d] == want->shape[d] || want->shape[d] == 0;
    if (same)
        return CLI_OK;
    wanted = locant_dense(NULL, LOCANT_F32, want->rank, want->shape);
    cli_shape_text(found, sizeof found, t);
    cli_shape_text(expected, sizeof expected, &wanted);
    return cli_fail(CLI_INPUT, "--param %s: has shape %s, expected %s = %s for "
                    "%s", want->name, found, want->dims, expected,
                    locant_encoding_spec(c->e));
}

static int check_params(struct cli_encoding *c, int64_t heads, int64_t dim,
                        int optional)
{
    locant_param_info info;
    int               failed = CLI_OK, i;

    for (i = 0; i < CLI_MAX_PARAMS &&
                locant_encoding_param(&info, c->e, i, heads, dim); i++) {
        if (c->arrays[i].memory != NULL)
            failed = check_shape(c, i, &info);
        else if (!optional)
            failed = cli_fail(CLI_USAGE, "%s has the learned parameter %s %s: "
                              "give it by --param %s=FILE.npy",
                              locant_encoding_spec(c->e), info.name, info.dims,
                              info.name);
        else
            i = CLI_MAX_PARAMS; /* all or none */
        if (failed)
            return failed;
    }
    c->n_params = i <= CLI_MAX_PARAMS ? i : 0;
    return CLI_OK;
}

int cli_check_door(const char *spec, unsigned doors)
{
    locant_encoding *e = NULL;
    locant_status    s = locant_encoding_create(&e, spec);
    char             wanted[64], found[64];
    unsigned         own;

    if (s != LOCANT_OK)
        return cli_error(s);
    own = locant_encoding_info_of(e)->doors;
    locant_encoding_free(e);
    if (own & doors)
        return CLI_OK;
    cli_doors(wanted, sizeof wanted, doors);
    cli_doors(found, sizeof found, own);
    return cli_fail(CLI_USAGE, "'%s' enters by these doors: %s; expected an "
                    "encoding of the doors: %s", spec, found, wanted);
}

int cli_encoding_open(struct cli_encoding *out, const char *spec,
                      const struct cli_list *params, int64_t length,
                      int64_t heads, int64_t dim, int optional)
{
    locant_status s;
    int           failed = CLI_OK;

    memset(out, 0, sizeof *out);
    s = locant_encoding_create(&out->e, spec);
    if (s != LOCANT_OK)
        return cli_error(s);
    out->info = locant_encoding_info_of(out->e);
    for (size_t i = 0; i < params->n && !failed; i++)
        failed = read_param(out, params->items[i]);
    if (!failed)
        failed = resolve(out, length);
    if (!failed)
        failed = check_params(out, heads, dim, optional);
    return failed;
}

const locant_tensor *cli_params(const struct cli_encoding *encoding)
{
    return encoding->n_params > 0 ? encoding->params : NULL;
}

void cli_encoding_close(struct cli_encoding *encoding)
{
    locant_encoding_free(encoding->e);
    for (int i = 0; i < CLI_MAX_PARAMS; i++)
        locant_array_free(&encoding->arrays[i]);
}

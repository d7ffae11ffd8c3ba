/* params.c - an encoding from its spec, its parameters from --param files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* Index of the parameter named in "NAME=FILE", or -1. */
static int find_param(const locant_encoding *e, const char *text)
{
    locant_param_info info;
    size_t n = strcspn(text, "=");

    for (int i = 0; locant_encoding_param(&info, e, i, NULL); i++) {
        if (strlen(info.name) == n && memcmp(info.name, text, n) == 0)
            return i;
    }
    return -1;
}

static int unknown_param(const locant_encoding *e, const char *text)
{
    locant_param_info info;
    char list[256] = "none";
    size_t n = 0;

    for (int i = 0; locant_encoding_param(&info, e, i, NULL) && n < sizeof list;
         i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s %s",
                              i ? ", " : "", info.name, info.dims);
    return cli_fail(CLI_USAGE,
                    "--param '%s': unknown parameter '%.*s' of %s; "
                    "it has: %s",
                    text, (int)strcspn(text, "="), text,
                    locant_encoding_spec(e), list);
}

static int check_finite(const locant_tensor *t, const char *text)
{
    const size_t n = cli_elements(t);

    for (size_t i = 0; i < n; i++) {
        double x = t->dtype == LOCANT_F64 ? ((const double *)t->data)[i]
                                          : ((const float *)t->data)[i];

        if (!isfinite(x))
            return cli_fail(CLI_INPUT,
                            "--param '%s': entry %zu is %g, should "
                            "be a finite number",
                            text, i, x);
    }
    return CLI_OK;
}

/* Convert I64 to F64 in the same memory: the hops of a graph are integers. */
static void widen(locant_tensor *t)
{
    const size_t n = cli_elements(t);

    for (size_t i = 0; i < n; i++) {
        int64_t count;
        double x;

        memcpy(&count, (const char *)t->data + i * sizeof count, sizeof count);
        x = (double)count;
        memcpy((char *)t->data + i * sizeof x, &x, sizeof x);
    }
    t->dtype = LOCANT_F64;
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
        return cli_fail(CLI_USAGE, "--param '%s': %.*s was given already", text,
                        (int)(equals - text), text);
    failed = cli_read(&out->arrays[i], "param", equals + 1);
    if (failed)
        return failed;
    t = &out->arrays[i].tensor;
    if (t->dtype == LOCANT_I64)
        widen(&out->arrays[i].tensor);
    if (t->dtype != LOCANT_F32 && t->dtype != LOCANT_F64)
        return cli_fail(CLI_INPUT,
                        "--param '%s': has dtype %s, expected f32, "
                        "f64 or i64",
                        text, locant_dtype_name(t->dtype));
    out->params[i] = *t;
    return check_finite(t, text);
}

/*
 * Set a length that the spec leaves out, unless a file determines it: then the
 * library takes the length from that parameter.
 */
static int resolve(struct cli_encoding *out, int64_t length,
                   const locant_sizes *sizes)
{
    locant_encoding *resolved = NULL;
    locant_param_info info;
    locant_status s;

    for (int i = 0; locant_encoding_param(&info, out->e, i, sizes); i++) {
        if (i == CLI_MAX_PARAMS)
            return cli_fail(CLI_USAGE, "'%s' has more than %d parameters",
                            locant_encoding_spec(out->e), CLI_MAX_PARAMS);
        for (int d = 0; d < info.rank; d++)
            if (info.shape[d] == 0 && out->arrays[i].memory != NULL)
                return CLI_OK;
    }
    s = locant_encoding_resolve(&resolved, out->e, length > 0 ? length : 1);
    if (s != LOCANT_OK)
        return cli_error(s);
    locant_encoding_free(out->e);
    out->e = resolved;
    out->info = locant_encoding_info_of(resolved);
    return CLI_OK;
}

/* A shape as "[32, any]": the size 0 means not known. */
static void wanted_text(char *out, size_t size, const locant_param_info *want)
{
    size_t n = (size_t)snprintf(out, size, "[");

    for (int d = 0; d < want->rank && n < size; d++)
        n += (size_t)(want->shape[d] == 0
                          ? snprintf(out + n, size - n, "%sany", d ? ", " : "")
                          : snprintf(out + n, size - n, "%s%lld", d ? ", " : "",
                                     (long long)want->shape[d]));
    if (n < size)
        snprintf(out + n, size - n, "]");
}

static int check_shape(const struct cli_encoding *c, int i,
                       const locant_param_info *want)
{
    const locant_tensor *t = &c->params[i];
    char found[160], expected[160];
    int same = t->rank == want->rank;

    for (int d = 0; d < want->rank && same; d++)
        same = t->shape[d] == want->shape[d] || want->shape[d] == 0;
    if (same)
        return CLI_OK;
    cli_shape_text(found, sizeof found, t);
    wanted_text(expected, sizeof expected, want);
    return cli_fail(CLI_INPUT,
                    "--param %s: has shape %s, expected %s = %s for "
                    "%s",
                    want->name, found, want->dims, expected,
                    locant_encoding_spec(c->e));
}

/* Draws the initial value of parameter i. */
static int draw_param(struct cli_encoding *c, int i,
                      const locant_param_info *info, int64_t seed)
{
    locant_status s;
    int failed;

    for (int d = 0; d < info->rank; d++)
        if (info->shape[d] == 0)
            return cli_fail(CLI_USAGE,
                            "parameter %s %s of %s cannot be "
                            "initialized: its size is not known here",
                            info->name, info->dims, locant_encoding_spec(c->e));
    failed = cli_new(&c->arrays[i], LOCANT_F64, info->rank, info->shape);
    if (failed)
        return failed;
    c->drawn[i] = 1;
    c->params[i] = c->arrays[i].tensor;
    s = locant_encoding_param_init(&c->params[i], c->e, i, (uint64_t)seed);
    return s == LOCANT_OK ? CLI_OK : cli_error(s);
}

static int check_params(struct cli_encoding *c, const struct cli_params *from,
                        const locant_sizes *sizes)
{
    locant_param_info info;
    int failed = CLI_OK, i, given = 0;

    for (i = 0; i < CLI_MAX_PARAMS; i++)
        given += c->arrays[i].memory != NULL;
    for (i = 0;
         i < CLI_MAX_PARAMS && locant_encoding_param(&info, c->e, i, sizes);
         i++) {
        if (c->arrays[i].memory != NULL)
            failed = check_shape(c, i, &info);
        else if (from->seed >= 0 || (info.rate == 0 && !from->optional))
            failed = draw_param(c, i, &info, from->seed < 0 ? 0 : from->seed);
        else if (from->optional && given == 0)
            return CLI_OK;
        else
            failed = cli_fail(CLI_USAGE,
                              "%s has the learned parameter %s %s: "
                              "pass --param %s=FILE.npy, or --init SEED",
                              locant_encoding_spec(c->e), info.name, info.dims,
                              info.name);
        if (failed)
            return failed;
    }
    c->n_params = i;
    return CLI_OK;
}

int cli_check_door(const char *spec, unsigned doors)
{
    locant_encoding *e = NULL;
    locant_status s = locant_encoding_create(&e, spec);
    char wanted[64], found[64];
    unsigned own;

    if (s != LOCANT_OK)
        return cli_error(s);
    own = locant_encoding_doors(e);
    locant_encoding_free(e);
    if (own & doors)
        return CLI_OK;
    cli_doors(wanted, sizeof wanted, doors);
    cli_doors(found, sizeof found, own);
    return cli_fail(CLI_USAGE,
                    "'%s' uses the doors: %s; expected an encoding "
                    "that uses: %s",
                    spec, found, wanted);
}

int cli_encoding_open(struct cli_encoding *out, const char *spec,
                      const struct cli_params *params, int64_t length,
                      const locant_sizes *sizes)
{
    locant_status s;
    int failed = CLI_OK;

    memset(out, 0, sizeof *out);
    s = locant_encoding_create(&out->e, spec);
    if (s != LOCANT_OK)
        return cli_error(s);
    out->info = locant_encoding_info_of(out->e);
    for (size_t i = 0; i < params->files.n && !failed; i++)
        failed = read_param(out, params->files.items[i]);
    if (!failed)
        failed = resolve(out, length, sizes);
    if (!failed)
        failed = check_params(out, params, sizes);
    return failed;
}

const locant_tensor *cli_params(const struct cli_encoding *encoding)
{
    return encoding->n_params > 0 ? encoding->params : NULL;
}

void cli_encoding_close(struct cli_encoding *encoding)
{
    locant_encoding_free(encoding->e);
    for (int i = 0; i < CLI_MAX_PARAMS; i++) {
        if (encoding->drawn[i])
            cli_free(&encoding->arrays[i]);
        else
            locant_array_free(&encoding->arrays[i]);
    }
}

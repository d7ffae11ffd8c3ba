/* params.c - create an encoding, read or draw its parameters. */
#include <stdio.h>
#include <string.h>

#include "params.h"

static int is_given(const struct cli_encoding *c, int i)
{
    return c->params[i].data != NULL;
}

/* Find the parameter named in "NAME=FILE". */
static int find_param(int *out, const locant_encoding *e, const char *text)
{
    const char *name = cli_text("%.*s", (int)strcspn(text, "="), text);
    const char *list = "";
    locant_param_info info;

    for (int i = 0; locant_encoding_param(&info, e, i, NULL); i++) {
        *out = i;
        if (strcmp(info.name, name) == 0 && i < CLI_MAX_PARAMS)
            return CLI_OK;
        list = cli_join(list, cli_text("%s %s", info.name, info.dims));
    }
    return cli_refuse("--param '%s': unknown parameter '%s' of %s; it has: %s",
                      text, name, locant_encoding_spec(e),
                      *list ? list : "none");
}

/* Convert I64, which the hops of a graph have, to F64. */
static int convert_to_f64(locant_tensor *t)
{
    const locant_tensor from = *t;

    CLI_TRY(cli_new(t, LOCANT_F64, from.rank, from.shape));
    for (size_t i = 0; i < cli_elements(t); i++)
        ((double *)t->data)[i] = cli_value(&from, (int64_t)i);
    return CLI_OK;
}

static int read_param(struct cli_encoding *out, const char *text)
{
    const char *equals = strchr(text, '=');
    locant_tensor *t;
    int64_t entry;
    int i = 0;

    if (equals == NULL || equals == text || equals[1] == '\0')
        return cli_refuse("--param '%s': should be NAME=FILE.npy", text);
    CLI_TRY(find_param(&i, out->e, text));
    t = &out->params[i];
    if (is_given(out, i))
        return cli_refuse("--param '%s': %.*s was given already", text,
                          (int)(equals - text), text);
    CLI_TRY(cli_read(t, "param", equals + 1));
    if (t->dtype == LOCANT_I64)
        CLI_TRY(convert_to_f64(t));
    if (t->dtype != LOCANT_F32 && t->dtype != LOCANT_F64)
        return cli_fail(CLI_INPUT,
                        "--param '%s': has dtype %s, expected f32, f64 or i64",
                        text, locant_dtype_name(t->dtype));
    entry = cli_not_finite(t);
    if (entry >= 0)
        return cli_fail(CLI_INPUT,
                        "--param '%s': entry %lld is %g, should be a finite "
                        "number",
                        text, (long long)entry, cli_value(t, entry));
    return CLI_OK;
}

/*
 * Set a length that the spec leaves out, unless a parameter from a file has
 * this length: then the library takes it from there.
 */
static int resolve(struct cli_encoding *out, int64_t length,
                   const locant_sizes *sizes)
{
    locant_param_info info;

    for (int i = 0; locant_encoding_param(&info, out->e, i, sizes); i++) {
        if (i == CLI_MAX_PARAMS)
            return cli_refuse("'%s' has more than %d parameters",
                              locant_encoding_spec(out->e), CLI_MAX_PARAMS);
        for (int d = 0; d < info.rank; d++)
            if (info.shape[d] == 0 && is_given(out, i))
                return CLI_OK;
    }
    return cli_encoding_resolve(&out->e, out->e, length > 0 ? length : 1);
}

/* A shape as "[32, any]"; a size of 0 is not known. */
static const char *wanted_text(const locant_param_info *want)
{
    const char *sizes = "";

    for (int d = 0; d < want->rank; d++)
        sizes =
            cli_join(sizes, want->shape[d] == 0
                                ? "any"
                                : cli_text("%lld", (long long)want->shape[d]));
    return cli_text("[%s]", sizes);
}

static int check_shape(const struct cli_encoding *c, int i,
                       const locant_param_info *want)
{
    const locant_tensor *t = &c->params[i];
    int same = t->rank == want->rank;

    for (int d = 0; d < want->rank && same; d++)
        same = t->shape[d] == want->shape[d] || want->shape[d] == 0;
    if (same)
        return CLI_OK;
    return cli_fail(CLI_INPUT,
                    "--param %s: has shape %s, expected %s = %s for %s",
                    want->name, cli_shape_text(t), want->dims,
                    wanted_text(want), locant_encoding_spec(c->e));
}

/* Draw the initial value of parameter i. */
static int draw_param(struct cli_encoding *c, int i,
                      const locant_param_info *info, int64_t seed)
{
    for (int d = 0; d < info->rank; d++)
        if (info->shape[d] == 0)
            return cli_refuse("parameter %s %s of %s cannot be initialized: "
                              "its size is not known here",
                              info->name, info->dims,
                              locant_encoding_spec(c->e));
    CLI_TRY(cli_new(&c->params[i], LOCANT_F64, info->rank, info->shape));
    return cli_status(
        locant_encoding_param_init(&c->params[i], c->e, i, (uint64_t)seed));
}

static int check_params(struct cli_encoding *c, const struct cli_params *from,
                        const locant_sizes *sizes)
{
    locant_param_info info;
    int i, given = 0;

    for (i = 0; i < CLI_MAX_PARAMS; i++)
        given += is_given(c, i);
    for (i = 0;
         i < CLI_MAX_PARAMS && locant_encoding_param(&info, c->e, i, sizes);
         i++) {
        if (is_given(c, i))
            CLI_TRY(check_shape(c, i, &info));
        else if (from->seed >= 0 || (info.rate == 0 && !from->optional))
            CLI_TRY(draw_param(c, i, &info, from->seed < 0 ? 0 : from->seed));
        else if (from->optional && given == 0)
            return CLI_OK;
        else
            return cli_refuse("%s has the learned parameter %s %s: pass "
                              "--param %s=FILE.npy, or --init SEED",
                              locant_encoding_spec(c->e), info.name, info.dims,
                              info.name);
    }
    c->n_params = i;
    return CLI_OK;
}

int cli_check_door(const char *spec, unsigned doors)
{
    locant_encoding *e;
    unsigned own;

    CLI_TRY(cli_encoding_create(&e, spec));
    own = locant_encoding_doors(e);
    if (own & doors)
        return CLI_OK;
    return cli_refuse("'%s' uses the doors: %s; expected an encoding that "
                      "uses: %s",
                      spec, cli_doors(own), cli_doors(doors));
}

int cli_encoding_open(struct cli_encoding *out, const char *spec,
                      const struct cli_params *params, int64_t length,
                      const locant_sizes *sizes)
{
    memset(out, 0, sizeof *out);
    CLI_TRY(cli_encoding_create(&out->e, spec));
    for (size_t i = 0; i < params->files.n; i++)
        CLI_TRY(read_param(out, params->files.items[i]));
    CLI_TRY(resolve(out, length, sizes));
    return check_params(out, params, sizes);
}

const locant_tensor *cli_params(const struct cli_encoding *encoding)
{
    return encoding->n_params > 0 ? encoding->params : NULL;
}

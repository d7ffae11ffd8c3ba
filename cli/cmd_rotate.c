/* cmd_rotate.c - locant rotate: rotate queries or keys by their positions. */
#include "cli.h"

struct options {
    const char *in, *out, *positions;
    int64_t     offset;
    int         inverse, key;
    struct cli_params params;
};

static const struct cli_option options[] = {
    OPT_FILE("input", in, "X.npy", "[..., T, D] of f32, f16, bf16 or f64",
        .letter = 'i', .required = 1),
    OPT_FILE("output", out, "Y.npy", "shape and dtype of X", .letter = 'o',
        .required = 1),
    OPT_INTEGER("offset", offset, "N", INT64_MIN, INT64_MAX,
        "row t is at position N + t"),
    OPT_FILE("positions", positions, "P.npy",
        "row t is at P[t]: i64 [T], f64 [T] or [T, axes]"),
    OPT_FLAG("inverse", inverse, "rotate back"),
    OPT_FLAG("key", key,
        "X holds keys, which xpos and pope rotate differently"),
    OPT_PARAMS(params),
    OPT_END
};

static int get_positions(locant_array *out, const struct options *o,
                         const locant_tensor *x)
{
    if (o->positions != NULL)
        return cli_read_positions(out, o->positions);
    return cli_count(out, o->offset, x->shape[x->rank - 2]);
}

/* Memory for the result if its rows are longer than those of X, which
   otherwise holds the result. */
static int make_room(locant_array *longer, const struct cli_encoding *c,
                     const locant_tensor *x)
{
    const int64_t dim = x->shape[x->rank - 1];
    const int64_t width = locant_encoding_rotated_width(c->e, dim);
    int64_t       shape[LOCANT_MAX_RANK];

    if (width == dim)
        return CLI_OK;
    for (int i = 0; i < x->rank; i++)
        shape[i] = x->shape[i];
    shape[x->rank - 1] = width;
    return cli_new(longer, x->dtype, x->rank, shape);
}

static int rotate(const struct cli *cli, const struct cli_encoding *c,
                  locant_array *x)
{
    const struct options *o = cli->options;
    locant_array   positions = { 0 }, longer = { 0 };
    locant_tensor *out = &x->tensor;
    locant_status  s;
    int            status = get_positions(&positions, o, &x->tensor);

    if (status == CLI_OK)
        status = make_room(&longer, c, &x->tensor);
    if (longer.memory != NULL)
        out = &longer.tensor;
    if (status == CLI_OK) {
        s = locant_encoding_rotate(out, &x->tensor, c->e, &positions.tensor,
                                   cli_params(c),
                                   (o->inverse ? LOCANT_ROTATE_INVERSE : 0) |
                                       (o->key ? LOCANT_ROTATE_KEY : 0));
        status = s == LOCANT_OK ? cli_write(cli, o->out, out)
                                : cli_error_input(s);
    }
    cli_free(&longer);
    cli_free(&positions);
    return status;
}

static int open_and_rotate(const struct cli *cli, locant_array *x)
{
    const struct options *o = cli->options;
    const locant_tensor  *t = &x->tensor;
    struct cli_encoding   c = { 0 };
    locant_sizes          sizes = { 0 };
    int                   status;

    if (t->rank < 2)
        return cli_fail(CLI_INPUT, "--input: %s: has rank %d, expected "
                        "[..., T, D]", o->in, (int)t->rank);
    sizes.head_dim = t->shape[t->rank - 1];
    sizes.heads = t->rank > 2 ? t->shape[t->rank - 3] : 1;
    sizes.width = sizes.heads * sizes.head_dim;
    status = cli_encoding_open(&c, cli->words[0], &o->params,
                               t->shape[t->rank - 2], &sizes);
    if (status == CLI_OK)
        status = rotate(cli, &c, x);
    cli_encoding_close(&c);
    return status;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_array x = { 0 };
    int          status;

    if (o->positions != NULL && cli_given(cli, "offset"))
        return cli_fail(CLI_USAGE, "--offset and --positions both set the "
                        "positions; give only one");
    status = cli_check_door(cli->words[0], LOCANT_DOOR_ROTATE);
    if (status == CLI_OK)
        status = cli_read_as(&x, "input", o->in, CLI_FLOATS);
    if (status == CLI_OK)
        status = open_and_rotate(cli, &x);
    locant_array_free(&x);
    return status;
}

const struct cli_command cli_rotate = {
    .name = "rotate", .summary = "rotate door: rotate queries or keys",
    .usage = "SPEC -i X.npy -o Y.npy [--offset N | --positions P.npy]\n"
             "       [--inverse] [--key] [--param NAME=FILE.npy]... "
             "[--init SEED]",
    .doc = "Rotates every row of X by the angles of its position; exact at "
           "any\nposition.",
    .examples = "locant rotate rope -i Q.npy -o Y.npy\n"
                "locant rotate 'rope(pairing=interleaved)' -i Q.npy -o Y.npy "
                "--offset 1000000\n"
                "locant rotate rope -i Y.npy -o Q2.npy --inverse",
    .options = options, .options_size = sizeof(struct options),
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};

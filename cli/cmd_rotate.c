/* cmd_rotate.c - locant rotate: rotate queries or keys by their positions. */
#include "cli.h"

struct options {
    const char *in, *out, *positions, *limits;
    int64_t offset;
    int inverse, key;
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
    OPT_FILE(
        "limits", limits, "L.npy",
        "i64 [B], or [B, T] for X of [B, ..., T, D]: 1 + the longest position "
        "of the document of each row, or token; frequencies that depend on the "
        "length are those of that document"),
    OPT_FLAG("inverse", inverse, "rotate back"),
    OPT_FLAG("key", key,
             "X holds keys, which xpos and pope rotate differently"),
    OPT_PARAMS(params),
    OPT_END
};

/* The arrays, besides X, that the output depends on. */
struct inputs {
    locant_array positions, limits; /* limits.memory is NULL without --limits */
};

static int read_inputs(struct inputs *in, const struct options *o,
                       const locant_tensor *x)
{
    const int status =
        o->positions != NULL
            ? cli_read_positions(&in->positions, o->positions)
            : cli_count(&in->positions, o->offset, x->shape[x->rank - 2]);

    if (status != CLI_OK || o->limits == NULL)
        return status;
    return cli_read_as(&in->limits, "limits", o->limits, CLI_IS(LOCANT_I64));
}

/* Memory for the result if its rows are longer than those of X; otherwise the
   result overwrites X. */
static int new_longer(locant_array *longer, const struct cli_encoding *c,
                      const locant_tensor *x)
{
    const int64_t dim = x->shape[x->rank - 1];
    const int64_t width = locant_encoding_rotated_width(c->e, dim);
    int64_t shape[LOCANT_MAX_RANK];

    if (width == dim)
        return CLI_OK;
    for (int i = 0; i < x->rank; i++)
        shape[i] = x->shape[i];
    shape[x->rank - 1] = width;
    return cli_new(longer, x->dtype, x->rank, shape);
}

static locant_status rotate_rows(locant_tensor *out, const locant_tensor *x,
                                 const struct cli_encoding *c,
                                 const struct inputs *in,
                                 const struct options *o)
{
    locant_rotation rotation = LOCANT_ROTATION_INIT;

    rotation.encoding = c->e;
    rotation.positions = &in->positions.tensor;
    rotation.limits = &in->limits.tensor;
    rotation.params = cli_params(c);
    rotation.flags = (o->inverse ? LOCANT_ROTATE_INVERSE : 0) |
                     (o->key ? LOCANT_ROTATE_KEY : 0);
    if (o->limits != NULL)
        return locant_encoding_rotate_ragged(out, x, &rotation);
    return locant_encoding_rotate(out, x, c->e, rotation.positions,
                                  rotation.params, rotation.flags);
}

static int rotate(const struct cli *cli, const struct cli_encoding *c,
                  locant_array *x)
{
    const struct options *o = cli->options;
    struct inputs in = { 0 };
    locant_array longer = { 0 };
    locant_tensor *out = &x->tensor;
    locant_status s;
    int status = read_inputs(&in, o, &x->tensor);

    if (status == CLI_OK)
        status = new_longer(&longer, c, &x->tensor);
    if (longer.memory != NULL)
        out = &longer.tensor;
    if (status == CLI_OK) {
        s = rotate_rows(out, &x->tensor, c, &in, o);
        status =
            s == LOCANT_OK ? cli_write(cli, o->out, out) : cli_error_input(s);
    }
    cli_free(&longer);
    cli_free(&in.limits);
    cli_free(&in.positions);
    return status;
}

static int open_and_rotate(const struct cli *cli, locant_array *x)
{
    const struct options *o = cli->options;
    const locant_tensor *t = &x->tensor;
    struct cli_encoding c = { 0 };
    locant_sizes sizes = { 0 };
    int status;

    if (t->rank < 2)
        return cli_fail(CLI_INPUT,
                        "--input: %s: has rank %d, expected "
                        "[..., T, D]",
                        o->in, (int)t->rank);
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
    int status;

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

/* clang-format off */
const struct cli_command cli_rotate = {
    .name = "rotate", .summary = "rotate door: rotate queries or keys",
    .usage = "SPEC -i X.npy -o Y.npy [--offset N | --positions P.npy]\n"
             "       [--limits L.npy] [--inverse] [--key]\n"
             "       [--param NAME=FILE.npy]... [--init SEED]",
    .doc = "Rotates every row of X by the angles of its position, which are\n"
           "exact at any position.",
    .examples = "locant rotate rope -i Q.npy -o Y.npy\n"
                "locant rotate 'rope(pairing=interleaved)' -i Q.npy -o Y.npy "
                "--offset 1000000\n"
                "locant rotate rope -i Y.npy -o Q2.npy --inverse",
    .options = options, .options_size = sizeof(struct options),
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */

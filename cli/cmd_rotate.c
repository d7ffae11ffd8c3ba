/* cmd_rotate.c - locant rotate: rotate queries or keys by their positions. */
#include "cli.h"
#include "params.h"

struct options {
    const char *in, *out, *positions, *limits;
    int64_t offset;
    int inverse, key;
    struct cli_params params;
};

static const struct cli_option options[] = {
    OPT_FILE("input", in, "X.npy", "[..., T, D] of f32, f16, bf16 or f64",
             .letter = 'i', .required = 1),
    OPT_OUTPUT(out, "Y.npy", "shape and dtype of X"),
    OPT_INTEGER("offset", offset, "N", INT64_MIN, INT64_MAX,
                "row t is at position N + t"),
    OPT_FILE("positions", positions, "P.npy",
             "row t is at P[t]: i64 [T], f64 [T] or [T, axes]"),
    OPT_FILE(
        "limits", limits, "L.npy",
        "i64 [B], or [B, T] for X of [B, ..., T, D]: length of the document of "
        "each row, or token, which is 1 + its longest position; sets the "
        "frequencies that depend on the length"),
    OPT_FLAG("inverse", inverse, "rotate back"),
    OPT_FLAG("key", key,
             "X holds keys, which xpos and pope rotate differently"),
    OPT_PARAMS(params),
    OPT_END
};

/* Make memory for the result if its rows are longer than those of X; otherwise
   the result overwrites X. */
static int make_output(locant_tensor *out, const locant_tensor *x,
                       const struct cli_encoding *c)
{
    const int last = x->rank - 1;

    *out = *x;
    out->shape[last] = locant_encoding_rotated_width(c->e, x->shape[last]);
    return out->shape[last] == x->shape[last]
               ? CLI_OK
               : cli_new(out, x->dtype, x->rank, out->shape);
}

static int rotate(const struct cli *cli, const struct cli_encoding *c,
                  const locant_tensor *x)
{
    const struct options *o = cli->options;
    locant_rotation r = LOCANT_ROTATION_INIT;
    locant_tensor out, positions, limits;

    CLI_TRY(o->positions != NULL
                ? cli_read_positions(&positions, o->positions)
                : cli_range(&positions, o->offset, x->shape[x->rank - 2]));
    if (o->limits != NULL)
        CLI_TRY(
            cli_read_as(&limits, "limits", o->limits, CLI_DTYPE(LOCANT_I64)));
    CLI_TRY(make_output(&out, x, c));
    r.encoding = c->e;
    r.positions = &positions;
    r.limits = &limits;
    r.params = cli_params(c);
    r.flags = (o->inverse ? LOCANT_ROTATE_INVERSE : 0) |
              (o->key ? LOCANT_ROTATE_KEY : 0);
    CLI_TRY(cli_status_input(
        o->limits != NULL ? locant_encoding_rotate_ragged(&out, x, &r)
                          : locant_encoding_rotate(&out, x, c->e, &positions,
                                                   r.params, r.flags)));
    return cli_write(cli, o->out, &out);
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct cli_encoding c;
    locant_sizes sizes = { 0 };
    locant_tensor x;

    if (o->positions != NULL && cli_given(cli, "offset"))
        return cli_refuse("--offset and --positions both set the positions; "
                          "give only one");
    CLI_TRY(cli_check_door(cli->words[0], LOCANT_DOOR_ROTATE));
    CLI_TRY(cli_read_as(&x, "input", o->in, CLI_FLOATS));
    if (x.rank < 2)
        return cli_fail(CLI_INPUT,
                        "--input: %s: has rank %d, expected [..., T, D]", o->in,
                        (int)x.rank);
    sizes.head_dim = x.shape[x.rank - 1];
    sizes.heads = x.rank > 2 ? x.shape[x.rank - 3] : 1;
    sizes.width = sizes.heads * sizes.head_dim;
    CLI_TRY(cli_encoding_open(&c, cli->words[0], &o->params,
                              x.shape[x.rank - 2], &sizes));
    return rotate(cli, &c, &x);
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
    CLI_OPTIONS,
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */

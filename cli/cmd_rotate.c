/* cmd_rotate.c - locant rotate: queries or keys turned by their positions. */
#include "cli.h"

struct options {
    const char *in, *out, *positions;
    int64_t     offset;
    int         inverse;
};

static const struct cli_option options[] = {
    { "input", 'i', CLI_FILE, offsetof(struct options, in), "X.npy", NULL, 0, 0,
      1, "[..., T, D] of f32, f16, bf16 or f64" },
    { "output", 'o', CLI_FILE, offsetof(struct options, out), "Y.npy", NULL, 0,
      0, 1, "shape and dtype of X" },
    { "offset", 0, CLI_INTEGER, offsetof(struct options, offset), "N", "0",
      INT64_MIN, INT64_MAX, 0, "row t sits at position N + t" },
    { "positions", 0, CLI_FILE, offsetof(struct options, positions), "P.npy",
      NULL, 0, 0, 0, "row t sits at P[t]: i64 [T], or f64 [T]" },
    { "inverse", 0, CLI_FLAG, offsetof(struct options, inverse), NULL, NULL, 0,
      0, 0, "turn back" },
    { NULL, 0, CLI_FLAG, 0, NULL, NULL, 0, 0, 0, NULL }
};

static int get_positions(locant_array *out, const struct options *o,
                         const locant_tensor *x)
{
    if (o->positions != NULL)
        return cli_read_positions(out, o->positions, 1);
    if (x->rank < 2)
        return cli_fail(CLI_INPUT, "--input: %s: has rank %d, expected "
                        "[..., T, D]", o->in, (int)x->rank);
    return cli_count(out, o->offset, x->shape[x->rank - 2]);
}

static int rotate(const struct cli *cli, const locant_encoding *e,
                  locant_array *x)
{
    const struct options *o = cli->options;
    locant_array  positions = { 0 };
    locant_status s;
    int           status = get_positions(&positions, o, &x->tensor);

    if (status == CLI_OK) {
        s = locant_encoding_rotate(&x->tensor, &x->tensor, e,
                                   &positions.tensor, o->inverse);
        status = s == LOCANT_OK ? cli_write(cli, o->out, &x->tensor)
                                : cli_error_input(s);
    }
    cli_free(&positions);
    return status;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_encoding *e = NULL;
    locant_array     x = { 0 };
    locant_status    s;
    int              status;

    if (o->positions != NULL && cli_given(cli, "offset"))
        return cli_fail(CLI_USAGE, "--offset and --positions both say where "
                        "the rows sit; give one of them");
    status = cli_check_door(cli->words[0], LOCANT_DOOR_ROTATE);
    if (status != CLI_OK)
        return status;
    s = locant_encoding_create(&e, cli->words[0]);
    if (s != LOCANT_OK)
        return cli_error(s);
    status = cli_read(&x, "input", o->in);
    if (status == CLI_OK)
        status = rotate(cli, e, &x);
    locant_array_free(&x);
    locant_encoding_free(e);
    return status;
}

const struct cli_command cli_rotate = {
    .name = "rotate", .summary = "rotate door: turn queries or keys",
    .usage = "SPEC -i X.npy -o Y.npy [--offset N | --positions P.npy] "
             "[--inverse]",
    .doc = "Turns every row of X by the angles of its position; exact at any\n"
           "position.",
    .examples = "locant rotate rope -i Q.npy -o Y.npy\n"
                "locant rotate 'rope(pairing=interleaved)' -i Q.npy -o Y.npy "
                "--offset 1000000\n"
                "locant rotate rope -i Y.npy -o Q2.npy --inverse",
    .options = options, .options_size = sizeof(struct options),
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};

/* cmd_similarity.c - locant similarity: cosine between positions. */
#include "cli.h"

struct options {
    int64_t length, dim;
    struct cli_params params;
    const char *out;
};

static const struct cli_option options[] = {
    OPT_INTEGER("length", length, "L", 1, INT64_C(1) << 24,
                "positions 0 .. L-1", .required = 1),
    OPT_INTEGER("dim", dim, "D", 1, INT64_C(1) << 30, "channels",
                .required = 1),
    OPT_PARAMS(params),
    OPT_FILE("output", out, "OUT.npy", "float32 [L, L]", .letter = 'o',
             .required = 1),
    OPT_END
};

static int write_similarity(const struct cli *cli, const struct cli_encoding *c)
{
    const struct options *o = cli->options;
    const int64_t shape[] = { o->length, o->length };
    locant_array positions = { 0 }, out = { 0 };
    locant_status s;
    int status = cli_new(&out, LOCANT_F32, 2, shape);

    if (status == CLI_OK)
        status = cli_count(&positions, 0, o->length);
    if (status == CLI_OK) {
        s = locant_encoding_similarity(&out.tensor, c->e, &positions.tensor,
                                       o->dim, cli_params(c));
        status =
            s == LOCANT_OK ? cli_write(cli, o->out, &out.tensor) : cli_error(s);
    }
    cli_free(&positions);
    cli_free(&out);
    return status;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct cli_encoding c = { 0 };
    int status =
        cli_check_door(cli->words[0], LOCANT_DOOR_INPUT | LOCANT_DOOR_ROTATE);

    if (status == CLI_OK)
        status = cli_encoding_open(
            &c, cli->words[0], &o->params, o->length,
            &(locant_sizes){ .width = o->dim, .heads = 1, .head_dim = o->dim });
    if (status == CLI_OK)
        status = write_similarity(cli, &c);
    cli_encoding_close(&c);
    return status;
}

/* clang-format off */
const struct cli_command cli_similarity = {
    .name = "similarity", .summary = "cosine between positions",
    .usage = "SPEC --length L --dim D [--param NAME=FILE.npy]...\n"
             "           [--init SEED] -o OUT.npy",
    .doc = "For the input door: cosine between rows of the table.  For the "
           "rotate\ndoor: cosine between vectors of ones rotated by each "
           "position.",
    .examples = "locant similarity sinusoidal --length 128 --dim 64 "
                "-o S.npy\nlocant similarity rope --length 128 --dim 64 "
                "-o S.npy",
    .options = options, .options_size = sizeof(struct options),
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */

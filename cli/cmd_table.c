/* cmd_table.c - locant table: what the input door adds to embeddings. */
#include "cli.h"

struct options {
    int64_t length, dim;
    struct cli_params params;
    const char *out;
};

static const struct cli_option options[] = {
    OPT_INTEGER("length", length, "L", 1, INT64_C(1) << 40,
                "positions 0 .. L-1", .required = 1),
    OPT_INTEGER("dim", dim, "D", 1, INT64_C(1) << 30, "channels",
                .required = 1),
    OPT_PARAMS(params),
    OPT_FILE("output", out, "OUT.npy", "float32 [L, D]", .letter = 'o',
             .required = 1),
    OPT_END
};

static int write_table(const struct cli *cli, const struct cli_encoding *c)
{
    const struct options *o = cli->options;
    const int64_t shape[] = { o->length, o->dim };
    locant_array positions = { 0 }, table = { 0 };
    locant_status s;
    int status = cli_new(&table, LOCANT_F32, 2, shape);

    if (status == CLI_OK)
        status = cli_count(&positions, 0, o->length);
    if (status == CLI_OK) {
        s = locant_encoding_table(&table.tensor, c->e, &positions.tensor,
                                  cli_params(c));
        status = s == LOCANT_OK ? cli_write(cli, o->out, &table.tensor)
                                : cli_error(s);
    }
    cli_free(&table);
    cli_free(&positions);
    return status;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct cli_encoding c = { 0 };
    int status = cli_check_door(cli->words[0], LOCANT_DOOR_INPUT);

    if (status == CLI_OK)
        status = cli_encoding_open(&c, cli->words[0], &o->params, o->length,
                                   &(locant_sizes){ .width = o->dim });
    if (status == CLI_OK)
        status = write_table(cli, &c);
    cli_encoding_close(&c);
    return status;
}

/* clang-format off */
const struct cli_command cli_table = {
    .name = "table", .summary = "input door: the table added to embeddings",
    .usage = "SPEC --length L --dim D [--param NAME=FILE.npy]...\n"
             "      [--init SEED] -o OUT.npy",
    .doc = "Writes P[0 .. L-1] of an encoding of the input door as float32 "
           "[L, D].",
    .examples = "locant table sinusoidal --length 2048 --dim 512 -o P.npy\n"
                "locant table learned --length 128 --dim 64 "
                "--param table=T.npy -o P.npy",
    .options = options, .options_size = sizeof(struct options),
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */

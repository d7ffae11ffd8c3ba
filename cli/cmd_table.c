/* cmd_table.c - locant table: what the input door adds to embeddings. */
#include "cli.h"
#include "params.h"

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
    OPT_PARAMS(params), OPT_OUTPUT(out, "OUT.npy", "float32 [L, D]"), OPT_END
};

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    const int64_t shape[] = { o->length, o->dim };
    locant_tensor positions, table;
    struct cli_encoding c;

    CLI_TRY(cli_check_door(cli->words[0], LOCANT_DOOR_INPUT));
    CLI_TRY(cli_encoding_open(&c, cli->words[0], &o->params, o->length,
                              &(locant_sizes){ .width = o->dim }));
    CLI_TRY(cli_new(&table, LOCANT_F32, 2, shape));
    CLI_TRY(cli_range(&positions, 0, o->length));
    CLI_TRY(cli_status(
        locant_encoding_table(&table, c.e, &positions, cli_params(&c))));
    return cli_write(cli, o->out, &table);
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
    CLI_OPTIONS,
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */

/* cmd_bias.c - locant bias: what the score door adds to scores. */
#include "cli.h"
#include "params.h"

struct options {
    int64_t heads, queries, keys, offset;
    struct cli_params params;
    const char *out;
};

static const struct cli_option options[] = {
    OPT_INTEGER("heads", heads, "H", 1, 1 << 20, "heads", .required = 1),
    OPT_INTEGER("queries", queries, "T", 1, INT64_C(1) << 40, "queries",
                .required = 1),
    OPT_INTEGER("keys", keys, "S", 1, INT64_C(1) << 40,
                "keys; key j is at position j", .required = 1),
    OPT_INTEGER("offset", offset, "N", INT64_MIN, INT64_MAX,
                "query i is at position N + i"),
    OPT_PARAMS(params),
    OPT_OUTPUT(out, "B.npy", "float32 [H, T, S]"),
    OPT_END
};

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    const int64_t shape[] = { o->heads, o->queries, o->keys };
    locant_tensor q, k, bias;
    struct cli_encoding c;

    CLI_TRY(cli_check_door(cli->words[0], LOCANT_DOOR_SCORE));
    CLI_TRY(cli_encoding_open(&c, cli->words[0], &o->params, o->keys,
                              &(locant_sizes){ .heads = o->heads }));
    /* Allocate the largest array first, so that a refusal comes early. */
    CLI_TRY(cli_new(&bias, LOCANT_F32, 3, shape));
    CLI_TRY(cli_range(&q, o->offset, o->queries));
    CLI_TRY(cli_range(&k, 0, o->keys));
    CLI_TRY(
        cli_status(locant_encoding_bias(&bias, c.e, &q, &k, cli_params(&c))));
    return cli_write(cli, o->out, &bias);
}

/* clang-format off */
const struct cli_command cli_bias = {
    .name = "bias", .summary = "score door: the bias added to scores",
    .usage = "SPEC --heads H --queries T --keys S [--offset N]\n"
             "     [--param NAME=FILE.npy]... [--init SEED] -o B.npy",
    .doc = "Writes b(head, N + i, j) of an encoding of the score door as "
           "float32\n[H, T, S].  It holds no mask: every entry is finite.",
    .examples = "locant bias alibi --heads 8 --queries 128 --keys 128 "
                "-o B.npy\n"
                "locant bias t5 --heads 8 --queries 1 --keys 512 --offset 511 "
                "\\\n    --param table=T.npy -o B.npy",
    CLI_OPTIONS,
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */

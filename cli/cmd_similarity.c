/* cmd_similarity.c - locant similarity: cosine between positions. */
#include "cli.h"
#include "params.h"

struct options {
    int64_t length, dim;
    struct cli_params params;
    const char *out;
    int color;
};

static const struct cli_option options[] = {
    OPT_INTEGER("length", length, "L", 1, INT64_C(1) << 24,
                "positions 0 .. L-1", .required = 1),
    OPT_INTEGER("dim", dim, "D", 1, INT64_C(1) << 30, "channels",
                .required = 1),
    OPT_PARAMS(params),
    OPT_FILE("output", out, "OUT.npy",
             "write float32 [L, L] instead of a picture", .letter = 'o'),
    OPT_COLOR(color),
    OPT_END
};

static int show(const struct cli *cli, const locant_tensor *cosines)
{
    const struct options *o = cli->options;
    locant_figure f = LOCANT_FIGURE_INIT;

    f.title = "Cosine between positions";
    f.title_zh = "位置之间的余弦";
    f.x_label = f.y_label = "position";
    f.x_label_zh = f.y_label_zh = "位置";
    return cli_show_cells(cli, &f, cosines, o->color);
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    const int64_t shape[] = { o->length, o->length };
    const locant_sizes sizes = { .width = o->dim,
                                 .heads = 1,
                                 .head_dim = o->dim };
    locant_tensor positions, out;
    struct cli_encoding c;

    CLI_TRY(
        cli_check_door(cli->words[0], LOCANT_DOOR_INPUT | LOCANT_DOOR_ROTATE));
    CLI_TRY(
        cli_encoding_open(&c, cli->words[0], &o->params, o->length, &sizes));
    CLI_TRY(cli_new(&out, LOCANT_F32, 2, shape));
    CLI_TRY(cli_range(&positions, 0, o->length));
    CLI_TRY(cli_status(locant_encoding_similarity(&out, c.e, &positions, o->dim,
                                                  cli_params(&c))));
    return o->out != NULL ? cli_write(cli, o->out, &out) : show(cli, &out);
}

/* clang-format off */
const struct cli_command cli_similarity = {
    .name = "similarity", .summary = "cosine between positions",
    .usage = "SPEC --length L --dim D [--param NAME=FILE.npy]...\n"
             "           [--init SEED] [-o OUT.npy]",
    .doc = "For the input door: cosine between rows of the table.  For the "
           "rotate\ndoor: cosine between vectors of ones rotated by each "
           "position.\nWithout -o, draws them in the terminal.",
    .examples = "locant similarity sinusoidal --length 128 --dim 64 "
                "-o S.npy\nlocant similarity rope --length 128 --dim 64",
    CLI_OPTIONS,
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */

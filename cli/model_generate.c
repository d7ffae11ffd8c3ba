/* model_generate.c - locant model generate: continue texts */
#include "launcher.h"
#include "model.h"
#include "model_input.h"

struct options {
    struct cli_model_files files;
    const char *out;
    int64_t tokens, top_k, seed;
    double top_p, temperature;
    int ignore_eos, dtype;
};

static const struct cli_option options[] = {
    OPT_MODEL_INPUT(files),
    OPT_INTEGER("tokens", tokens, "N", 1, 1 << 30, "how many new tokens",
                .required = 1),
    OPT_INTEGER("top-k", top_k, "K", 1, INT64_MAX,
                "draw from the K most likely tokens"),
    OPT_REAL("top-p", top_p, "P",
             "draw from the fewest tokens that have probability P together"),
    OPT_REAL("temperature", temperature, "X",
             "divide logits by X before the draw; 1 unless given"),
    OPT_INTEGER("seed", seed, "N", 0, INT64_MAX, "of the draws",
                .fallback = "0"),
    OPT_FLAG("ignore-eos", ignore_eos, "go on after the end token"),
    OPT_MODEL_DTYPE(dtype, "as of 'model logits'"),
    OPT_OUTPUT(out, "IDS.npy", "i64 [B, T + N]"),
    OPT_END
};

/* The most likely tokens, unless some option asks for a draw. */
static locant_generation choice(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_generation g = LOCANT_GENERATION_INIT;
    const bool drawn = cli_given(cli, "top-k") || cli_given(cli, "top-p") ||
                       cli_given(cli, "temperature");

    g.top_k = o->top_k;
    g.top_p = cli_given(cli, "top-p") ? o->top_p : 1;
    g.temperature = cli_given(cli, "temperature") ? o->temperature : drawn;
    g.seed = (uint64_t)o->seed;
    g.ignore_end = o->ignore_eos;
    return g;
}

static int check_options(const struct cli *cli)
{
    const struct options *o = cli->options;

    if (cli_given(cli, "top-p") && !(o->top_p > 0 && o->top_p <= 1))
        return cli_refuse("--top-p '%g': should be above 0 and at most 1",
                          o->top_p);
    if (cli_given(cli, "temperature") && o->temperature < 0)
        return cli_refuse("--temperature '%g': should be 0 or more",
                          o->temperature);
    return CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    const locant_generation g = choice(cli);
    struct cli_model_input in;
    locant_model *model;
    locant_tensor out;
    int64_t shape[2];

    CLI_TRY(check_options(cli));
    CLI_TRY(cli_check_alone());
    CLI_TRY(cli_model_begin(&model, &in, &o->files, cli->words[0],
                            cli_model_dtype(o->dtype)));
    CLI_TRY(cli_status_input(locant_model_prompt(shape, model, &in.input)));
    shape[1] += o->tokens;
    CLI_TRY(cli_new(&out, LOCANT_I64, 2, shape));
    CLI_TRY(
        cli_status_input(locant_model_generate(&out, model, &in.input, &g)));
    return cli_write(cli, o->out, &out);
}

/* clang-format off */
const struct cli_command cli_model_generate = {
    .name = "model generate", .summary = "continue texts with a checkpoint",
    .usage = "MODEL -i IDS.npy --tokens N [--mask M.npy]\n"
             "       [--positions P.npy]\n"
             "       [--types T.npy] [--decoder-ids D.npy]\n"
             "       [--pixels X.npy] [--grid G.npy]\n"
             "       [--top-k K] [--top-p P] [--temperature X] [--seed N]\n"
             "       [--ignore-eos] [--dtype f32|f64|bf16] -o IDS.npy",
    .doc =
        "Writes the ids and N new ones, the most likely tokens unless\n"
        "--top-k, --top-p or --temperature asks for a draw.  After the end\n"
        "token of the configuration a row is padded.  Encoder-decoders read\n"
        "the ids and write [B, 1 + N], from the start token of the\n"
        "configuration on, or continue --decoder-ids.  Qwen-VL continues\n"
        "texts with images: --pixels and --grid are those of 'model logits'.\n"
        "\n"
        "It runs in one process, because a token needs the one before it.",
    .examples = "locant model generate ~/mine -i ids.npy --tokens 64 \\\n"
                "    -o out.npy\n"
                "locant model generate mine.gguf -i ids.npy --tokens 64 \\\n"
                "    --top-k 40 --temperature 0.8 --seed 7 -o out.npy\n"
                "locant model generate ~/qwen2-vl -i ids.npy --tokens 64 \\\n"
                "    --pixels patches.npy --grid grid.npy -o out.npy",
    CLI_OPTIONS,
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */

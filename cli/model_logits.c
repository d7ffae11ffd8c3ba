/* model_logits.c - locant model logits: run a checkpoint */
#include "model.h"
#include "model_input.h"
#include "ranks.h"

struct options {
    struct cli_model_files files;
    const char *out;
    int hidden, profile, dtype;
    struct cli_ranks ranks;
};

static const struct cli_option options[] = {
    OPT_MODEL_INPUT(files),
    OPT_FLAG("hidden", hidden,
             "write the states after the final norm, [B, T, width]"),
    OPT_MODEL_DTYPE(dtype,
                    "compute in float32, in float64 throughout, or in float32 "
                    "with matrices rounded to bfloat16"),
    OPT_FLAG("profile", profile, "print the time of each layer"),
    OPT_RANKS(ranks, "share the rows, or the tokens of each, out among the "
                     "processes that mpirun started"),
    OPT_OUTPUT(out, "OUT.npy", "f32 [B, T, vocabulary]; f64 with --dtype f64"),
    OPT_END
};

/* To stderr if the result is JSON. */
static void print_profile(const locant_tensor *seconds, int64_t layers,
                          bool json)
{
    const double *s = seconds->data;
    FILE *to = json ? stderr : stdout;
    double sum = 0;

    for (int64_t i = 0; i < layers + 2; i++)
        sum += s[i];
    fprintf(to, "%-10s %9.3f ms\n", "input", 1e3 * s[layers]);
    for (int64_t i = 0; i < layers; i++)
        fprintf(to, "layer %-4d %9.3f ms %5.1f %%\n", (int)i, 1e3 * s[i],
                sum > 0 ? 100 * s[i] / sum : 0);
    fprintf(to, "%-10s %9.3f ms\n", "head", 1e3 * s[layers + 1]);
}

/* What is run, and where its results go; only rank 0 has 'out'. */
struct job {
    const locant_group *group; /* NULL: one process */
    locant_model *model;
    struct cli_model_input in;
    locant_tensor out, seconds;
    int flags;
};

static int prepare(struct job *j, const struct cli *cli)
{
    const struct options *o = cli->options;
    const locant_dtype dtype = cli_model_dtype(o->dtype);
    int64_t shape[3], counters;
    int rank;

    CLI_TRY(
        cli_model_begin(&j->model, &j->in, &o->files, cli->words[0], dtype));
    j->flags = o->hidden ? LOCANT_MODEL_HIDDEN : 0;
    counters = locant_model_info_of(j->model).layers + 2;
    CLI_TRY(cli_new(&j->seconds, LOCANT_F64, 1, &counters));
    CLI_TRY(cli_status_input(
        locant_model_shape(shape, &rank, j->model, &j->in.input, j->flags)));
    return cli_ranks_speaks(j->group)
               ? cli_new(&j->out, dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32,
                         rank, shape)
               : CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct job j = { .group = NULL };
    locant_status status;

    CLI_TRY(cli_ranks_open(&j.group, cli, &o->ranks));
    CLI_TRY(cli_ranks_agree(j.group, prepare(&j, cli)));
    j.in.input.group = j.group;
    status = locant_model_logits(&j.out, o->profile ? &j.seconds : NULL,
                                 j.model, &j.in.input, j.flags);
    CLI_TRY(j.group != NULL ? cli_ranks_status(j.group, status)
                            : cli_status_input(status));
    if (!cli_ranks_speaks(j.group))
        return CLI_OK;
    CLI_TRY(cli_write(cli, o->out, &j.out));
    if (o->profile)
        print_profile(&j.seconds, locant_model_info_of(j.model).layers,
                      cli->json != 0);
    return CLI_OK;
}

/* clang-format off */
const struct cli_command cli_model_logits = {
    .name = "model logits",
    .summary = "run a checkpoint: logits of every token",
    .usage = "MODEL -i IDS.npy [--mask M.npy] [--positions P.npy]\n"
             "       [--types T.npy] [--decoder-ids D.npy]\n"
             "       [--pixels X.npy] [--grid G.npy]\n"
             "       [--hidden] [--dtype f32|f64|bf16] [--profile]\n"
             "       [--ranks mpi] -o OUT.npy",
    .doc =
        "MODEL is a folder with config.json and safetensors, or a .gguf.  Its\n"
        "weights are mapped, and read as they are stored.  With f64 all is\n"
        "computed in double, angles, norms and softmax too: the true value to\n"
        "nine digits.  Encoder-decoders read -i with the encoder and give the\n"
        "logits of --decoder-ids.  Models of images take --pixels instead of\n"
        "-i, and give [B, classes], or states with --hidden.  Qwen-VL takes\n"
        "them beside -i, whose tokens image_token_id they replace: images\n"
        "[N, C, H, W] of one size, or of any sizes the pixel_values and, as\n"
        "--grid, the image_grid_thw that a processor of transformers makes.\n\n"
        "With --ranks mpi the processes that mpirun or srun has started share\n"
        "the rows out or, if there are fewer rows than processes, the tokens\n"
        "of each, to the bits of one process.  All read MODEL and the inputs;\n"
        "process 0 writes OUT, and prints its own times.",
    .examples = "locant model logits ~/models/mine -i ids.npy -o logits.npy\n"
                "locant model logits mine.gguf -i ids.npy --mask mask.npy \\\n"
                "    --dtype f64 -o logits.npy\n"
                "locant model logits ~/models/t5 -i ids.npy \\\n"
                "    --decoder-ids start.npy -o logits.npy\n"
                "locant model logits ~/models/vit --pixels x.npy -o out.npy\n"
                "locant model logits ~/models/qwen2-vl -i ids.npy \\\n"
                "    --pixels patches.npy --grid grid.npy -o logits.npy\n"
                "mpirun -n 4 locant model logits ~/models/mine -i ids.npy \\\n"
                "    --ranks mpi -o logits.npy",
    CLI_OPTIONS,
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */

/* cmd_attend.c - locant attend: softmax attention with an encoding. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "cli.h"

struct options {
    const char *q, *k, *v, *x, *out;
    const char *q_pos, *k_pos, *q_docs, *k_docs, *sinks;
    int causal;
    int64_t window;
    double scale, softcap;
    struct cli_params params;
};

static const struct cli_option options[] = {
    OPT_FILE("query", q, "Q.npy", "[B, H, T, D] of f32, f16, bf16 or f64",
             .letter = 'q', .required = 1),
    OPT_FILE("key", k, "K.npy", "[B, Hkv, S, D]; Hkv divides H", .letter = 'k',
             .required = 1),
    OPT_FILE("value", v, "V.npy", "[B, Hkv, S, D]", .letter = 'v',
             .required = 1),
    OPT_FILE("output", out, "O.npy", "shape and dtype of Q", .letter = 'o',
             .required = 1),
    OPT_FILE("input", x, "X.npy",
             "[B, S, W]: input of the layer, for encodings that read it (fox)",
             .letter = 'x'),
    OPT_FILE("query-positions", q_pos, "P.npy",
             "i64 [T] or [B, T]; S - T + i if left out"),
    OPT_FILE("key-positions", k_pos, "P.npy",
             "i64 [S] or [B, S]; j if left out"),
    OPT_FILE(
        "query-documents", q_docs, "N.npy",
        "i64 [T] or [B, T]: which document a query is of; below 0: padding"),
    OPT_FILE("key-documents", k_docs, "N.npy", "i64 [S] or [B, S]"),
    OPT_FLAG("causal", causal, "a query sees keys up to its own position"),
    OPT_REAL("scale", scale, "X", "factor of q.k; D^(-1/2) if left out"),
    OPT_INTEGER("window", window, "N", 0, INT64_MAX,
                "a query sees keys nearer than N positions; 0: all"),
    OPT_REAL("softcap", softcap, "C",
             "hold scores between -C and C, C tanh(s / C); 0: as they are"),
    OPT_FILE(
        "sinks", sinks, "S.npy",
        "[H] of f32 (f64 where Q is): a logit of each head that takes weight "
        "and has no value"),
    OPT_PARAMS(params),
    OPT_END
};

struct arrays {
    locant_array q, k, v, out, lse, scratch;
    locant_array x, q_pos, k_pos, q_docs, k_docs, sinks;
};

/* Read a file that may be left out; *t is its tensor, or NULL. */
static int read_optional(locant_array *a, const locant_tensor **t,
                         const char *option, const char *path, unsigned dtypes)
{
    int status = path == NULL ? CLI_OK : cli_read_as(a, option, path, dtypes);

    *t = path == NULL ? NULL : &a->tensor;
    return status;
}

static int read_extras(struct arrays *a, locant_attention *p,
                       const struct options *o)
{
    const unsigned whole = CLI_IS(LOCANT_I64), q = CLI_IS(a->q.tensor.dtype);
    int status = read_optional(&a->x, &p->x, "input", o->x, q);

    if (status == CLI_OK)
        status = read_optional(&a->q_pos, &p->q_pos, "query-positions",
                               o->q_pos, whole);
    if (status == CLI_OK)
        status = read_optional(&a->k_pos, &p->k_pos, "key-positions", o->k_pos,
                               whole);
    if (status == CLI_OK)
        status = read_optional(&a->q_docs, &p->q_docs, "query-documents",
                               o->q_docs, whole);
    if (status == CLI_OK)
        status = read_optional(&a->k_docs, &p->k_docs, "key-documents",
                               o->k_docs, whole);
    if (status == CLI_OK)
        status =
            read_optional(&a->sinks, &p->sinks, "sinks", o->sinks,
                          q == CLI_IS(LOCANT_F64) ? q : CLI_IS(LOCANT_F32));
    return status;
}

static int read_inputs(struct arrays *a, const struct options *o)
{
    const locant_dtype *dtype = &a->q.tensor.dtype;
    int status = cli_read_as(&a->q, "query", o->q, CLI_FLOATS);

    if (status == CLI_OK)
        status = cli_read_as(&a->k, "key", o->k, CLI_IS(*dtype));
    if (status == CLI_OK)
        status = cli_read_as(&a->v, "value", o->v, CLI_IS(*dtype));
    if (status == CLI_OK && a->q.tensor.rank != 4)
        status = cli_fail(CLI_INPUT,
                          "--query: %s: has rank %d, expected "
                          "[B, H, T, D]",
                          o->q, (int)a->q.tensor.rank);
    return status;
}

static int attend(const struct cli *cli, struct arrays *a,
                  const locant_attention *problem)
{
    const struct options *o = cli->options;
    const locant_tensor *q = &a->q.tensor;
    locant_status s;
    size_t bytes;
    int64_t scratch;
    int status;

    s = locant_attention_workspace(&bytes, problem);
    if (s == LOCANT_ERR_NULL && problem->x == NULL)
        return cli_fail(CLI_USAGE,
                        "'%s' reads the input of its layer: --input "
                        "X.npy is missing",
                        cli->words[0]);
    if (s == LOCANT_ERR_PARAM) /* an option is wrong, not a file */
        return cli_error(s);
    if (s != LOCANT_OK)
        return cli_error_input(s);
    scratch = (int64_t)(bytes / sizeof(double) + 1);
    status = cli_new(&a->scratch, LOCANT_F64, 1, &scratch);
    if (status == CLI_OK)
        status = cli_new(&a->out, q->dtype, 4, q->shape);
    if (status == CLI_OK)
        status =
            cli_new(&a->lse, q->dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32,
                    3, q->shape);
    if (status != CLI_OK)
        return status;
    s = locant_attention_forward(&a->out.tensor, &a->lse.tensor, problem,
                                 a->scratch.memory, bytes);
    return s == LOCANT_OK ? cli_write(cli, o->out, &a->out.tensor)
                          : cli_error_input(s);
}

static int run_encoding(const struct cli *cli, struct arrays *a, unsigned doors)
{
    const struct options *o = cli->options;
    const locant_tensor *q = &a->q.tensor, *k = &a->k.tensor;
    locant_attention problem = LOCANT_ATTENTION_INIT;
    struct cli_encoding c = { 0 };
    struct cli_params params = o->params;
    locant_sizes sizes = { 0 };
    int here = doors != LOCANT_DOOR_INPUT, status;

    params.optional = !here;
    sizes.heads = q->shape[1];
    sizes.head_dim = q->shape[3];
    sizes.kv_heads = k->rank == 4 ? k->shape[1] : 0;
    status = read_extras(a, &problem, o);
    sizes.width = problem.x != NULL && problem.x->rank == 3
                      ? problem.x->shape[2]
                      : q->shape[1] * q->shape[3];
    if (status == CLI_OK)
        status = cli_encoding_open(&c, cli->words[0], &params,
                                   k->rank == 4 ? k->shape[2] : 0, &sizes);
    problem.q = q;
    problem.k = k;
    problem.v = &a->v.tensor;
    problem.encoding = here ? c.e : NULL;
    problem.params = here ? cli_params(&c) : NULL;
    problem.mask = o->causal ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE;
    problem.window = o->window;
    problem.softcap = o->softcap;
    if (cli_given(cli, "scale"))
        problem.scale = o->scale;
    if (status == CLI_OK)
        status = attend(cli, a, &problem);
    cli_encoding_close(&c);
    return status;
}

static int check_options(const struct cli *cli)
{
    const struct options *o = cli->options;

    if (fabs(o->scale) > FLT_MAX)
        return cli_fail(CLI_USAGE,
                        "--scale '%g': should be at most 3.4e38 in "
                        "magnitude",
                        o->scale);
    if ((o->q_docs == NULL) != (o->k_docs == NULL))
        return cli_fail(CLI_USAGE, "--query-documents and --key-documents must "
                                   "be given together");
    return CLI_OK;
}

/* Report a typo in the spec before large files are read. */
static int check_spec(unsigned *doors, const char *spec)
{
    locant_encoding *e = NULL;
    locant_status s = locant_encoding_create(&e, spec);

    if (s != LOCANT_OK)
        return cli_error(s);
    *doors = locant_encoding_doors(e);
    locant_encoding_free(e);
    if (*doors == LOCANT_DOOR_INPUT)
        fprintf(stderr,
                "note: %s acts on embeddings, before attention, and "
                "does nothing here\n",
                spec);
    return CLI_OK;
}

static int run(const struct cli *cli)
{
    struct arrays a = { 0 };
    unsigned doors = 0;
    int status = check_spec(&doors, cli->words[0]);

    if (status == CLI_OK)
        status = check_options(cli);
    if (status == CLI_OK)
        status = read_inputs(&a, cli->options);
    if (status == CLI_OK)
        status = run_encoding(cli, &a, doors);
    locant_array_free(&a.q);
    locant_array_free(&a.k);
    locant_array_free(&a.v);
    locant_array_free(&a.x);
    locant_array_free(&a.q_pos);
    locant_array_free(&a.k_pos);
    locant_array_free(&a.q_docs);
    locant_array_free(&a.k_docs);
    locant_array_free(&a.sinks);
    cli_free(&a.scratch);
    cli_free(&a.lse);
    cli_free(&a.out);
    return status;
}

/* clang-format off */
const struct cli_command cli_attend = {
    .name = "attend", .summary = "softmax attention with an encoding inside",
    .usage = "SPEC -q Q.npy -k K.npy -v V.npy [--causal] [--scale X]\n"
             "       [--param NAME=FILE.npy]... [--init SEED] [-x X.npy]\n"
             "       [--query-positions P.npy] [--key-positions P.npy]\n"
             "       [--query-documents N.npy --key-documents N.npy]\n"
             "       [--window N] [--softcap C] [--sinks S.npy] -o O.npy",
    .doc = "Query i is at position S - T + i, key j at j.  Takes no array of "
           "T x S.",
    .examples = "locant attend rope -q Q.npy -k K.npy -v V.npy --causal "
                "-o O.npy\n"
                "locant attend kerple -q Q.npy -k K.npy -v V.npy \\\n"
                "    --param p=P.npy --param a=A.npy -o O.npy\n"
                "locant attend rope -q Q.npy -k K.npy -v V.npy --causal \\\n"
                "    --window 4096 --softcap 50 -o O.npy",
    .options = options, .options_size = sizeof(struct options),
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */

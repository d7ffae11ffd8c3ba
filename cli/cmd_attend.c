/* cmd_attend.c - locant attend: softmax attention with an encoding. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "params.h"

struct options {
    const char *q, *k, *v, *x, *out;
    const char *q_pos, *k_pos, *q_docs, *k_docs, *sinks;
    int causal, rotate_values;
    int64_t window;
    double scale, softcap;
    struct cli_params params;
};

static const struct cli_option options[] = {
    OPT_FILE("query", q, "Q.npy", "[B, H, T, D] of f32, f16, bf16 or f64",
             .letter = 'q', .required = 1),
    OPT_FILE("key", k, "K.npy", "[B, Hkv, S, D]; Hkv divides H", .letter = 'k',
             .required = 1),
    OPT_FILE("value", v, "V.npy", "[B, Hkv, S, Dv]", .letter = 'v',
             .required = 1),
    OPT_OUTPUT(out, "O.npy", "[B, H, T, Dv], dtype of Q"),
    OPT_FILE("input", x, "X.npy",
             "[B, S, W]: input of the layer, for encodings that read it (fox)",
             .letter = 'x'),
    OPT_FILE("query-positions", q_pos, "P.npy",
             "i64 [T] or [B, T]; S - T + i if left out"),
    OPT_FILE("key-positions", k_pos, "P.npy",
             "i64 [S] or [B, S]; j if left out"),
    OPT_FILE("query-documents", q_docs, "N.npy",
             "i64 [T] or [B, T]: document of each query; below 0: padding"),
    OPT_FILE("key-documents", k_docs, "N.npy", "i64 [S] or [B, S]"),
    OPT_FLAG("causal", causal, "a query sees keys up to its own position"),
    OPT_FLAG("rotate-values", rotate_values,
             "values rotate like keys, and outputs rotate back"),
    OPT_REAL("scale", scale, "X", "factor of q.k; D^(-1/2) if left out"),
    OPT_INTEGER("window", window, "N", 0, INT64_MAX,
                "a query sees keys nearer than N positions; 0: all"),
    OPT_REAL("softcap", softcap, "C",
             "limit each score s to C tanh(s / C); 0: no limit"),
    OPT_FILE(
        "sinks", sinks, "S.npy",
        "f32 [H] (f64 if Q is f64): for each head a logit that takes weight "
        "but has no value"),
    OPT_PARAMS(params),
    OPT_END
};

/* Read a file that may be left out; *t becomes its tensor, or NULL. */
static int read_optional(const locant_tensor **t, locant_tensor *array,
                         const char *option, const char *path, unsigned dtypes)
{
    *t = path == NULL ? NULL : array;
    return path == NULL ? CLI_OK : cli_read_as(array, option, path, dtypes);
}

/* Read all inputs into the request; 'arrays' has room for nine. */
static int read_inputs(locant_attention *a, locant_tensor *arrays,
                       const struct options *o)
{
    unsigned same, sinks;

    CLI_TRY(read_optional(&a->q, &arrays[0], "query", o->q, CLI_FLOATS));
    same = CLI_DTYPE(a->q->dtype);
    sinks = a->q->dtype == LOCANT_F64 ? same : CLI_DTYPE(LOCANT_F32);
    CLI_TRY(read_optional(&a->k, &arrays[1], "key", o->k, same));
    CLI_TRY(read_optional(&a->v, &arrays[2], "value", o->v, same));
    if (a->q->rank != 4)
        return cli_fail(CLI_INPUT,
                        "--query: %s: has rank %d, expected [B, H, T, D]", o->q,
                        (int)a->q->rank);
    CLI_TRY(read_optional(&a->x, &arrays[3], "input", o->x, same));
    CLI_TRY(read_optional(&a->q_pos, &arrays[4], "query-positions", o->q_pos,
                          CLI_DTYPE(LOCANT_I64)));
    CLI_TRY(read_optional(&a->k_pos, &arrays[5], "key-positions", o->k_pos,
                          CLI_DTYPE(LOCANT_I64)));
    CLI_TRY(read_optional(&a->q_docs, &arrays[6], "query-documents", o->q_docs,
                          CLI_DTYPE(LOCANT_I64)));
    CLI_TRY(read_optional(&a->k_docs, &arrays[7], "key-documents", o->k_docs,
                          CLI_DTYPE(LOCANT_I64)));
    return read_optional(&a->sinks, &arrays[8], "sinks", o->sinks, sinks);
}

static int attend(const struct cli *cli, const locant_attention *a)
{
    const struct options *o = cli->options;
    const locant_dtype dtype =
        a->q->dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32;
    locant_tensor out, lse, scratch;
    size_t bytes;
    int64_t n, shape[4];
    const locant_status s = locant_attention_workspace(&bytes, a);

    if (s == LOCANT_ERR_NULL && a->x == NULL)
        return cli_refuse("'%s' reads the input of its layer: --input X.npy is "
                          "missing",
                          cli->words[0]);
    /* PARAM is the error of an option, not of a file. */
    CLI_TRY(s == LOCANT_ERR_PARAM ? cli_status(s) : cli_status_input(s));
    n = (int64_t)(bytes / sizeof(double) + 1);
    CLI_TRY(cli_new(&scratch, LOCANT_F64, 1, &n));
    memcpy(shape, a->q->shape, sizeof(shape));
    shape[3] = a->v->shape[3];
    CLI_TRY(cli_new(&out, a->q->dtype, 4, shape));
    CLI_TRY(cli_new(&lse, dtype, 3, a->q->shape));
    CLI_TRY(cli_status_input(
        locant_attention_forward(&out, &lse, a, scratch.data, bytes)));
    return cli_write(cli, o->out, &out);
}

static int check_options(const struct cli *cli)
{
    const struct options *o = cli->options;

    if (fabs(o->scale) > FLT_MAX)
        return cli_refuse("--scale '%g': should be at most 3.4e38 in magnitude",
                          o->scale);
    if ((o->q_docs == NULL) != (o->k_docs == NULL))
        return cli_refuse("--query-documents and --key-documents must be given "
                          "together");
    return CLI_OK;
}

/* Report a typo in the spec before large files are read.  *acts is 0 if the
   encoding does nothing in attention. */
static int check_spec(int *acts, const char *spec)
{
    locant_encoding *e;

    CLI_TRY(cli_encoding_create(&e, spec));
    *acts = locant_encoding_doors(e) != LOCANT_DOOR_INPUT;
    if (!*acts)
        fprintf(stderr,
                "note: %s acts on embeddings, before attention, and does "
                "nothing here\n",
                spec);
    return CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_tensor arrays[9];
    struct cli_encoding c;
    struct cli_params params = o->params;
    locant_sizes sizes = { 0 };
    int acts;

    CLI_TRY(check_spec(&acts, cli->words[0]));
    CLI_TRY(check_options(cli));
    CLI_TRY(read_inputs(&a, arrays, o));
    params.optional = !acts;
    sizes.heads = a.q->shape[1];
    sizes.head_dim = a.q->shape[3];
    sizes.kv_heads = a.k->rank == 4 ? a.k->shape[1] : 0;
    sizes.width = a.x != NULL && a.x->rank == 3 ? a.x->shape[2]
                                                : sizes.heads * sizes.head_dim;
    CLI_TRY(cli_encoding_open(&c, cli->words[0], &params,
                              a.k->rank == 4 ? a.k->shape[2] : 0, &sizes));
    a.encoding = acts ? c.e : NULL;
    a.params = acts ? cli_params(&c) : NULL;
    a.mask = o->causal ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE;
    a.flags = o->rotate_values ? LOCANT_ATTENTION_ROTATE_VALUES : 0;
    a.window = o->window;
    a.softcap = o->softcap;
    if (cli_given(cli, "scale"))
        a.scale = o->scale;
    return attend(cli, &a);
}

/* clang-format off */
const struct cli_command cli_attend = {
    .name = "attend", .summary = "softmax attention with an encoding inside",
    .usage = "SPEC -q Q.npy -k K.npy -v V.npy [--causal] [--scale X]\n"
             "       [--param NAME=FILE.npy]... [--init SEED] [-x X.npy]\n"
             "       [--query-positions P.npy] [--key-positions P.npy]\n"
             "       [--query-documents N.npy --key-documents N.npy]\n"
             "       [--window N] [--softcap C] [--sinks S.npy]\n"
             "       [--rotate-values] -o O.npy",
    .doc = "Query i is at position S - T + i, key j at j.  Needs no memory for "
           "an array\nof T x S.",
    .examples = "locant attend rope -q Q.npy -k K.npy -v V.npy --causal "
                "-o O.npy\n"
                "locant attend kerple -q Q.npy -k K.npy -v V.npy \\\n"
                "    --param p=P.npy --param a=A.npy -o O.npy\n"
                "locant attend rope -q Q.npy -k K.npy -v V.npy --causal \\\n"
                "    --window 4096 --softcap 50 -o O.npy",
    CLI_OPTIONS,
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */

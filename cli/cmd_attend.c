/* cmd_attend.c - locant attend: attention with an encoding, and gradients */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "params.h"

struct options {
    const char *q, *k, *v, *x, *out, *lse, *dout, *gradients;
    const char *q_pos, *k_pos, *q_docs, *k_docs, *q_coords, *k_coords;
    const char *sinks, *bias, *mask;
    int causal, keys_rotated, rotate_values, reference;
    int64_t channels, window;
    double scale, softcap;
    struct cli_params params;
};

static const struct cli_option options[] = {
    OPT_FILE("query", q, "Q.npy", "[B, H, T, D] of f32, f16, bf16 or f64",
             .letter = 'q', .required = 1),
    OPT_FILE("key", k, "K.npy", "[B, Hkv, S, D]; Hkv divides H", .letter = 'k',
             .required = 1),
    OPT_FILE("value", v, "V.npy", "[B, Hkv, S, Dv]", .letter = 'v'),
    OPT_INTEGER("value-channels", channels, "N", 1, INT64_MAX,
                "instead of V: the first N channels of K, as in latent "
                "attention"),
    OPT_OUTPUT(out, "O.npy", "[B, H, T, Dv], dtype of Q"),
    OPT_FILE("lse", lse, "L.npy",
             "also write the logarithm of each row's denominator, [B, H, T]"),
    OPT_FILE("input", x, "X.npy",
             "[B, S, W]: input of the layer, for encodings that read it (fox)",
             .letter = 'x'),
    OPT_FILE("query-positions", q_pos, "P.npy",
             "i64 [T] or [B, T]; S - T + i if left out"),
    OPT_FILE("key-positions", k_pos, "P.npy",
             "i64 [S] or [B, S]; j if left out"),
    OPT_FILE("query-coordinates", q_coords, "C.npy",
             "f64 [T, axes], [B, T, axes] or [B, H, T, axes]: real positions"),
    OPT_FILE("key-coordinates", k_coords, "C.npy",
             "f64 [S, axes], [B, S, axes] or [B, Hkv, S, axes]"),
    OPT_FILE("query-documents", q_docs, "N.npy",
             "i64 [T] or [B, T]: document of each query; below 0: padding"),
    OPT_FILE("key-documents", k_docs, "N.npy", "i64 [S] or [B, S]"),
    OPT_FILE("bias", bias, "B.npy",
             "[B or 1, H or 1, T or 1, S or 1]: added to the scores"),
    OPT_FILE("mask", mask, "M.npy",
             "bool or u8 of such a shape: a query does not see a key where it "
             "is 0"),
    OPT_FLAG("causal", causal, "a query sees keys up to its own position"),
    OPT_FLAG("keys-rotated", keys_rotated,
             "K is already rotated, by locant rotate --key"),
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
    OPT_FILE(
        "output-gradient", dout, "G.npy",
        "gradient of a loss with respect to O, of its shape; dtype of Q, or "
        "with --reference f32 or f64"),
    OPT_FILE("gradients", gradients, "PREFIX",
             "write the gradients of all floating inputs: PREFIXquery.npy, .., "
             "PREFIXparam.NAME.npy; needs --output-gradient"),
    OPT_FLAG("reference", reference,
             "compute in double, row by row, and write O as f64: slow, to "
             "compare with"),
    OPT_PARAMS(params),
    OPT_END
};

/* ------------------------------------------------------------------ inputs */

enum kind { LIKE_Q, WIDE, FLOATS, WHOLE, REAL, BYTES }; /* dtypes */

/* Members of struct options, of the request, and of its gradients (0: none). */
static const struct input {
    const char *option;
    size_t path, tensor, gradient;
    enum kind kind;
} inputs[] = {
/* clang-format off */
#define INPUT(option, member, tensor, kind)                                  \
    { option, offsetof(struct options, member),                              \
      offsetof(locant_attention, tensor), 0, kind }
#define LEARNS(option, member, kind)                                         \
    { option, offsetof(struct options, member),                              \
      offsetof(locant_attention, member),                                    \
      offsetof(locant_attention_gradients, d##member), kind }
    LEARNS("query", q, LIKE_Q),
    LEARNS("key", k, LIKE_Q),
    LEARNS("value", v, LIKE_Q),
    LEARNS("input", x, LIKE_Q),
    LEARNS("sinks", sinks, WIDE),
    LEARNS("bias", bias, FLOATS),
    LEARNS("query-coordinates", q_coords, REAL),
    LEARNS("key-coordinates", k_coords, REAL),
    INPUT("mask", mask, visible, BYTES),
    INPUT("query-positions", q_pos, q_pos, WHOLE),
    INPUT("key-positions", k_pos, k_pos, WHOLE),
    INPUT("query-documents", q_docs, q_docs, WHOLE),
    INPUT("key-documents", k_docs, k_docs, WHOLE),
    /* clang-format on */
};
enum { INPUTS = sizeof inputs / sizeof inputs[0] };

/* What the command computes with. */
struct job {
    const struct cli *cli;
    const struct options *o;
    locant_attention a;
    struct cli_encoding c;
    locant_tensor in[INPUTS], of_keys; /* in their order; values in K */
    locant_attention_gradients g;
    locant_tensor gradient[INPUTS], dparam[CLI_MAX_PARAMS];
    locant_tensor out, lse, scratch;
    struct cli_output list[2 + INPUTS + CLI_MAX_PARAMS];
    size_t n; /* outputs in it */
};

static unsigned dtypes_of(enum kind kind, const locant_tensor *q)
{
    switch (kind) {
    case LIKE_Q: return q == NULL ? CLI_FLOATS : CLI_DTYPE(q->dtype);
    case WIDE:
        return CLI_DTYPE(q->dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32);
    case FLOATS:
        return q->dtype == LOCANT_F64 ? CLI_FLOATS
                                      : CLI_FLOATS & ~CLI_DTYPE(LOCANT_F64);
    case REAL: return CLI_DTYPE(LOCANT_F64);
    case BYTES: return CLI_DTYPE(LOCANT_U8);
    default: return CLI_DTYPE(LOCANT_I64);
    }
}

static int read_inputs(struct job *j)
{
    for (int i = 0; i < INPUTS; i++) {
        const char *path =
            *(const char *const *)((const char *)j->o + inputs[i].path);

        if (path == NULL)
            continue;
        CLI_TRY(cli_read_as(&j->in[i], inputs[i].option, path,
                            dtypes_of(inputs[i].kind, j->a.q)));
        *(const locant_tensor **)((char *)&j->a + inputs[i].tensor) = &j->in[i];
        if (i == 0 && j->a.q->rank != 4)
            return cli_fail(CLI_INPUT,
                            "--query: %s: has rank %d, expected [B, H, T, D]",
                            path, (int)j->a.q->rank);
    }
    if (j->o->channels == 0)
        return CLI_OK;
    if (j->a.k->rank != 4 || j->a.k->shape[3] < j->o->channels)
        return cli_fail(CLI_INPUT,
                        "--value-channels %lld: %s has shape %s, expected "
                        "[B, Hkv, S, D] with at least as many channels D",
                        (long long)j->o->channels, j->o->k,
                        cli_shape_text(j->a.k));
    j->of_keys = *j->a.k;
    j->of_keys.shape[3] = j->o->channels;
    j->a.v = &j->of_keys;
    return CLI_OK;
}

/* ------------------------------------------------------------- computation */

static void deliver(struct job *j, const char *path, const locant_tensor *t)
{
    j->list[j->n++] = (struct cli_output){ path, t };
}

static int forward(struct job *j)
{
    const locant_attention *a = &j->a;
    const bool wide = j->o->reference || a->q->dtype == LOCANT_F64;
    size_t bytes;
    int64_t n, shape[4];
    const locant_status s = locant_attention_workspace(&bytes, a);

    if (s == LOCANT_ERR_NULL && a->x == NULL)
        return cli_refuse("'%s' reads the input of its layer: --input X.npy is "
                          "missing",
                          j->cli->words[0]);
    /* PARAM is the error of an option, not of a file. */
    CLI_TRY(s == LOCANT_ERR_PARAM ? cli_status(s) : cli_status_input(s));
    n = (int64_t)(bytes / sizeof(double) + 1);
    CLI_TRY(cli_new(&j->scratch, LOCANT_F64, 1, &n));
    memcpy(shape, a->q->shape, sizeof(shape));
    shape[3] = a->v->shape[3];
    CLI_TRY(cli_new(&j->out, wide ? LOCANT_F64 : a->q->dtype, 4, shape));
    CLI_TRY(cli_new(&j->lse, wide ? LOCANT_F64 : LOCANT_F32, 3, a->q->shape));
    deliver(j, j->o->out, &j->out);
    if (j->o->lse != NULL)
        deliver(j, j->o->lse, &j->lse);
    return cli_status_input(
        j->o->reference
            ? locant_attention_reference(&j->out, &j->lse, a)
            : locant_attention_forward(&j->out, &j->lse, a, j->scratch.data,
                                       (size_t)n * sizeof(double)));
}

/* Zeros like 'x', to be written as PREFIXname.npy. */
static int new_gradient(struct job *j, locant_tensor *out,
                        const locant_tensor *x, const char *kind,
                        const char *name)
{
    const char *text = cli_text("%s%s%s.npy", j->o->gradients, kind, name);
    char *path = cli_copy(text, strlen(text));
    /* The reference writes no halves. */
    const locant_dtype dtype =
        j->o->reference && locant_dtype_size(x->dtype) == 2 ? LOCANT_F32
                                                            : x->dtype;

    if (path == NULL)
        return CLI_INPUT;
    CLI_TRY(cli_new(out, dtype, x->rank, x->shape));
    if (cli_elements(out) > 0)
        memset(out->data, 0, cli_elements(out) * locant_dtype_size(out->dtype));
    deliver(j, path, out);
    return CLI_OK;
}

static int new_gradients(struct job *j)
{
    locant_param_info info;

    for (int i = 0; i < INPUTS; i++) {
        if (inputs[i].gradient == 0 || j->in[i].rank == 0)
            continue;
        CLI_TRY(
            new_gradient(j, &j->gradient[i], &j->in[i], "", inputs[i].option));
        *(locant_tensor **)((char *)&j->g + inputs[i].gradient) =
            &j->gradient[i];
    }
    for (int i = 0; j->a.params != NULL && i < j->c.n_params; i++) {
        (void)locant_encoding_param(&info, j->c.e, i, NULL);
        CLI_TRY(new_gradient(j, &j->dparam[i], &j->c.params[i], "param.",
                             info.name));
        j->g.dparams = j->dparam;
    }
    return CLI_OK;
}

static int backward(struct job *j)
{
    const locant_attention *a = &j->a;
    unsigned dtypes = CLI_DTYPE(a->q->dtype);
    locant_tensor dout;

    if (j->o->reference)
        dtypes |= CLI_DTYPE(LOCANT_F32) | CLI_DTYPE(LOCANT_F64);
    CLI_TRY(cli_read_as(&dout, "output-gradient", j->o->dout, dtypes));
    if (j->o->reference && j->o->q_coords != NULL &&
        locant_dtype_size(a->q->dtype) == 2)
        return cli_refuse("--reference has gradients of coordinates for Q of "
                          "f32 or f64, not %s",
                          locant_dtype_name(a->q->dtype));
    CLI_TRY(new_gradients(j));
    CLI_TRY(cli_status_input(
        j->o->reference
            ? locant_attention_reference_backward(&j->g, &dout, &j->out,
                                                  &j->lse, a)
            : locant_attention_backward(
                  &j->g, &dout, &j->out, &j->lse, a, j->scratch.data,
                  cli_elements(&j->scratch) * sizeof(double))));
    if (j->g.dq_coords == NULL || a->encoding == NULL ||
        !(locant_encoding_doors(a->encoding) & LOCANT_DOOR_ROTATE))
        return CLI_OK;
    /* Add what flows through the rotation. */
    CLI_TRY(cli_status_input(locant_coordinates_backward(
        j->g.dq_coords, j->g.dq, a->q, a->encoding, 0)));
    return cli_status_input(locant_coordinates_backward(j->g.dk_coords, j->g.dk,
                                                        a->k, a->encoding, 0));
}

/* --------------------------------------------------------------------- run */

static int together(const char *a, const char *b, const char *names)
{
    return (a == NULL) == (b == NULL)
               ? CLI_OK
               : cli_refuse("%s must be given together", names);
}

static int check_options(const struct cli *cli)
{
    const struct options *o = cli->options;

    if ((o->v == NULL) == (o->channels == 0))
        return cli_refuse("attend: give one of --value V.npy and "
                          "--value-channels N");
    if (fabs(o->scale) > FLT_MAX)
        return cli_refuse("--scale '%g': should be at most 3.4e38 in magnitude",
                          o->scale);
    CLI_TRY(together(o->q_docs, o->k_docs,
                     "--query-documents and --key-documents"));
    CLI_TRY(together(o->q_coords, o->k_coords,
                     "--query-coordinates and --key-coordinates"));
    CLI_TRY(
        together(o->dout, o->gradients, "--output-gradient and --gradients"));
    if (o->gradients != NULL && o->q_coords != NULL &&
        (o->rotate_values || o->keys_rotated))
        return cli_refuse("--gradients: coordinates have no gradient with "
                          "--rotate-values or --keys-rotated");
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

static void set_options(locant_attention *a, const struct cli *cli)
{
    const struct options *o = cli->options;

    a->mask = o->causal ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE;
    a->flags = (o->keys_rotated ? LOCANT_ATTENTION_KEYS_ROTATED : 0) |
               (o->channels > 0 ? LOCANT_ATTENTION_VALUES_OF_KEYS : 0) |
               (o->rotate_values ? LOCANT_ATTENTION_ROTATE_VALUES : 0);
    a->window = o->window;
    a->softcap = o->softcap;
    if (cli_given(cli, "scale"))
        a->scale = o->scale;
}

static int run(const struct cli *cli)
{
    struct job j = { .cli = cli,
                     .o = cli->options,
                     .a = LOCANT_ATTENTION_INIT,
                     .g = LOCANT_ATTENTION_GRADIENTS_INIT };
    struct cli_params params = j.o->params;
    locant_sizes sizes = { 0 };
    int acts;

    CLI_TRY(check_spec(&acts, cli->words[0]));
    CLI_TRY(check_options(cli));
    CLI_TRY(read_inputs(&j));
    params.optional = !acts;
    sizes.heads = j.a.q->shape[1];
    sizes.head_dim = j.a.q->shape[3];
    sizes.kv_heads = j.a.k->rank == 4 ? j.a.k->shape[1] : 0;
    sizes.width = j.a.x != NULL && j.a.x->rank == 3
                      ? j.a.x->shape[2]
                      : sizes.heads * sizes.head_dim;
    CLI_TRY(cli_encoding_open(&j.c, cli->words[0], &params,
                              j.a.k->rank == 4 ? j.a.k->shape[2] : 0, &sizes));
    j.a.encoding = acts ? j.c.e : NULL;
    j.a.params = acts ? cli_params(&j.c) : NULL;
    set_options(&j.a, cli);
    CLI_TRY(forward(&j));
    if (j.o->gradients != NULL)
        CLI_TRY(backward(&j));
    return cli_write_all(cli, j.list, j.n);
}

/* clang-format off */
const struct cli_command cli_attend = {
    .name = "attend", .summary = "softmax attention with an encoding inside",
    .usage = "SPEC -q Q.npy -k K.npy -v V.npy [--causal] [--scale X]\n"
             "       [--param NAME=FILE.npy]... [--init SEED] [-x X.npy]\n"
             "       [--query-positions P.npy] [--key-positions P.npy]\n"
             "       [--query-coordinates C.npy --key-coordinates C.npy]\n"
             "       [--query-documents N.npy --key-documents N.npy]\n"
             "       [--bias B.npy] [--mask M.npy] [--window N] [--softcap C]\n"
             "       [--sinks S.npy] [--keys-rotated] [--rotate-values]\n"
             "       [--output-gradient G.npy --gradients PREFIX]\n"
             "       [--lse L.npy] [--reference] -o O.npy",
    .doc = "Query i is at position S - T + i, key j at j.  Needs no memory for "
           "an array\nof T x S.",
    .examples = "locant attend rope -q Q.npy -k K.npy -v V.npy --causal "
                "-o O.npy\n"
                "locant attend kerple -q Q.npy -k K.npy -v V.npy \\\n"
                "    --param p=P.npy --param a=A.npy -o O.npy\n"
                "locant attend rope -q Q.npy -k K.npy -v V.npy --causal \\\n"
                "    --window 4096 --softcap 50 -o O.npy\n"
                "locant attend alibi -q Q.npy -k K.npy -v V.npy \\\n"
                "    --bias B.npy --output-gradient G.npy --gradients d- "
                "-o O.npy",
    CLI_OPTIONS,
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */

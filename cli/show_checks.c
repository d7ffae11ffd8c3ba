/* show_checks.c - check values, computed from small inputs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "language.h"
#include "show.h"

enum { TOKENS = 8 };

static const char *quoted(const locant_encoding *e)
{
    return cli_quoted(locant_encoding_spec(e));
}

/* An encoding for sequences of 8. */
struct opened {
    struct cli_encoding c;
    const char *option; /* where its parameters come from: " --init 0" or "" */
    const char *words;  /* the same in words */
};

static int open(struct opened *o, const locant_encoding *e,
                const locant_sizes *sizes)
{
    locant_param_info p;
    int filled;

    CLI_TRY(show_open(&o->c, &filled, e, TOKENS, sizes, SHOW_STEPS));
    o->option = o->c.n_params > 0 ? " --init 0" : "";
    o->words = o->c.n_params > 0 ? cli_translate(", parameters of seed 0") : "";
    if (filled && locant_encoding_param(&p, o->c.e, 0, NULL)) {
        o->option = cli_text(" --param %s=T.npy", p.name);
        o->words = cli_text(cli_translate(", %s of 0, 0.01, 0.02, .."), p.name);
    }
    return CLI_OK;
}

/* Show that the library refused the inputs, unless memory ran out. */
static int refused(struct show_block *b, const char *what, locant_status s)
{
    if (s == LOCANT_ERR_NOMEM)
        return cli_status(s);
    b->what = cli_text(cli_translate("%s: refused for these inputs (%.150s)"),
                       what, locant_last_error());
    return CLI_OK;
}

/* Copy the first channels of some rows, which start 'stride' values apart. */
static void add_rows(struct show_block *b, int rows, const double *values,
                     int64_t stride)
{
    b->rows = rows;
    b->columns = SHOW_COLUMNS;
    for (int i = 0; i < rows; i++)
        memcpy(b->value[i], values + i * stride, sizeof b->value[i]);
}

/* ------------------------------------------------------------- input door */

/* Rows 0 .. 3 with 8 channels; for real positions, rows 0, 1/2, 1, 3/2. */
static int table(struct show_block *b, const locant_encoding *e)
{
    const int real = locant_encoding_traits(e) & LOCANT_TRAIT_REAL;
    const double step = real ? 0.5 : 1;
    double out[4 * SHOW_COLUMNS];
    locant_tensor pos, t = locant_dense(out, LOCANT_F64, 2,
                                        (const int64_t[]){ 4, SHOW_COLUMNS });
    struct opened o;
    locant_status s;

    CLI_TRY(open(&o, e, &(locant_sizes){ .width = SHOW_COLUMNS }));
    CLI_TRY(show_positions(&pos, e, 4, step));
    s = locant_encoding_table(&t, o.c.e, &pos, cli_params(&o.c));
    if (s != LOCANT_OK)
        return refused(b, cli_translate("rows of the table"), s);
    b->what = cli_text(cli_translate("rows of the table, %d channels%s"),
                       SHOW_COLUMNS, o.words);
    if (!real) /* the command takes only whole positions */
        b->command = cli_text("locant table %s --length %d --dim %d%s -o P.npy",
                              quoted(e), TOKENS, SHOW_COLUMNS, o.option);
    add_rows(b, 4, out, SHOW_COLUMNS);
    for (int i = 0; i < 4; i++)
        b->label[i] = cli_text(cli_translate("position %g"), step * i);
    return CLI_OK;
}

/* ------------------------------------------------------------ rotate door */

/* The vector 1, 2, .. D rotated by positions 1, 2, 1000, in the smallest head
   that the encoding accepts. */
static int rotate(struct show_block *b, const locant_encoding *e)
{
    int64_t id[] = { 1, 2, 1000 };
    const locant_tensor pos =
        locant_dense(id, LOCANT_I64, 1, (const int64_t[]){ 3 });

    for (const int64_t *D = show_dims; *D != 0; D++) {
        const locant_sizes sizes = show_one_head(*D);
        struct opened o;
        locant_tensor out;
        locant_status s;

        CLI_TRY(open(&o, e, &sizes));
        CLI_TRY(show_rotate(&s, &out, &o.c, *D, &pos, SHOW_COUNTING, 0));
        if (s != LOCANT_OK) {
            CLI_TRY(refused(b, cli_translate("rotated vectors"), s));
            continue;
        }
        b->what = cli_text(cli_translate("the query 1, 2, .. %d rotated%s%s"),
                           (int)*D, o.words,
                           out.shape[2] > SHOW_COLUMNS
                               ? cli_translate(" (its first 8 channels)")
                               : "");
        b->command = cli_text("locant rotate %s -i X.npy --positions P.npy%s "
                              "-o Y.npy",
                              quoted(e), o.option);
        add_rows(b, 3, out.data, out.shape[2]);
        for (int i = 0; i < 3; i++)
            b->label[i] = cli_text(cli_translate("position %d"), (int)id[i]);
        break;
    }
    return CLI_OK;
}

/* ------------------------------------------------------------- score door */

/* The bias of the last of 8 queries in four heads. */
static int bias(struct show_block *b, const locant_encoding *e)
{
    enum { HEADS = 4 };
    const int64_t shape[] = { HEADS, 1, TOKENS };
    double out[HEADS * TOKENS];
    locant_tensor q_pos, k_pos, t = locant_dense(out, LOCANT_F64, 3, shape);
    struct opened o;
    locant_status s;

    CLI_TRY(open(&o, e, &(locant_sizes){ .heads = HEADS, .kv_heads = HEADS }));
    CLI_TRY(cli_range(&q_pos, TOKENS - 1, 1));
    CLI_TRY(cli_range(&k_pos, 0, TOKENS));
    s = locant_encoding_bias(&t, o.c.e, &q_pos, &k_pos, cli_params(&o.c));
    if (s != LOCANT_OK)
        return refused(b, cli_translate("bias"), s);
    b->what = cli_text(
        cli_translate("bias of the query at 7 for keys at 0 .. 7%s"), o.words);
    b->command = cli_text("locant bias %s --heads %d --queries %d --keys %d%s "
                          "-o B.npy",
                          quoted(e), HEADS, TOKENS, TOKENS, o.option);
    add_rows(b, HEADS, out, TOKENS);
    for (int i = 0; i < HEADS; i++)
        b->label[i] = cli_text(cli_translate("head %d"), i);
    return CLI_OK;
}

/* ------------------------------------------------------ content, and hooks */

/* Attention of tokens 1, 4 and 7 of 8. */
static int attend(struct show_block *b, const locant_encoding *e, int layer)
{
    const int64_t distance = show_stride(e);
    struct show_attention how = { .tokens = TOKENS,
                                  .stride = distance > 1 ? 8 * distance : 1,
                                  .layer = layer };
    const int reads_x = locant_encoding_traits(e) & LOCANT_TRAIT_READS_X;
    const char *positions = "", *far = "", *wide = "";
    locant_sizes sizes;
    struct opened o;
    double *out;
    int first;

    CLI_TRY(show_dim(&how.dim, e, layer, TOKENS, SHOW_COLUMNS));
    sizes = show_one_head(how.dim);
    CLI_TRY(open(&o, e, &sizes));
    CLI_TRY(show_attend(&out, &o.c, &how));
    if (how.dim > SHOW_COLUMNS)
        wide = cli_text(cli_translate(", heads of %d (their first 8 channels)"),
                        (int)how.dim);
    if (how.stride > 1) {
        far = cli_text(cli_translate(" (token t is at %d t)"), (int)how.stride);
        positions = " --query-positions P.npy --key-positions P.npy";
    }
    b->what = cli_text(cli_translate("attention%s over keys up to the query%s: "
                                     "q_i[d] = sin(i + d), k_j[d] = cos(j - d)"
                                     "%s, v the identity%s%s"),
                       layer > 0 ? cli_translate(" of a global layer") : "",
                       far, reads_x ? cli_translate(", x_j[d] = sin(j d)") : "",
                       wide, o.words);
    b->command = cli_text("locant attend %s -q Q.npy -k K.npy -v V.npy "
                          "--causal%s%s%s -o O.npy",
                          quoted(locant_encoding_layer(&first, e, layer)),
                          positions, reads_x ? " -x X.npy" : "", o.option);
    add_rows(b, 3, out + how.dim, 3 * how.dim);
    for (int i = 0; i < 3; i++)
        b->label[i] = cli_text(cli_translate("token %d"), 3 * i + 1);
    return CLI_OK;
}

/* The first layer that differs from layer 0; 0 if none does. */
static int other_layer(const locant_encoding *e)
{
    int first;
    const char *zero =
        locant_encoding_spec(locant_encoding_layer(&first, e, 0));

    for (int l = 1; l < 64; l++)
        if (strcmp(locant_encoding_spec(locant_encoding_layer(&first, e, l)),
                   zero) != 0)
            return l;
    return 0;
}

/* The positions that the encoding chooses in training. */
static int ids(struct show_block *b, const locant_encoding *e)
{
    locant_encoding *resolved;
    locant_status s;
    locant_tensor t;

    CLI_TRY(cli_encoding_resolve(&resolved, e, TOKENS));
    b->what = cli_translate("positions of 8 tokens in training, by the seed of "
                            "the batch (locant_encoding_ids)");
    b->columns = TOKENS;
    for (int seed = 0; seed < 3; seed++) {
        CLI_TRY(show_training_positions(&s, &t, resolved, TOKENS, seed));
        if (s != LOCANT_OK)
            return refused(b, cli_translate("positions in training"), s);
        b->label[seed] = cli_text(cli_translate("seed %d"), seed);
        b->whole = t.dtype == LOCANT_I64;
        for (int i = 0; i < TOKENS; i++)
            b->value[seed][i] = cli_value(&t, i);
    }
    b->rows = 3;
    return CLI_OK;
}

/* -------------------------------------------------------------- all of them */

int show_checks(struct show_block *out, int *n, const locant_encoding *e)
{
    const int other = other_layer(e);
    int first;
    const locant_encoding *own = locant_encoding_layer(&first, e, 0);
    const unsigned doors = locant_encoding_doors(own);

    memset(out, 0, SHOW_BLOCKS * sizeof *out);
    *n = 0;
    if (locant_encoding_chooses_positions(e))
        CLI_TRY(ids(&out[(*n)++], e));
    if (doors & LOCANT_DOOR_INPUT)
        CLI_TRY(table(&out[(*n)++], own));
    if (doors & LOCANT_DOOR_ROTATE)
        CLI_TRY(rotate(&out[(*n)++], own));
    if (doors & LOCANT_DOOR_SCORE)
        CLI_TRY(bias(&out[(*n)++], own));
    if (doors & LOCANT_DOOR_CONTENT || doors == 0)
        CLI_TRY(attend(&out[(*n)++], e, 0));
    if (other > 0)
        CLI_TRY(attend(&out[(*n)++], e, other));
    return CLI_OK;
}

void show_rows(const struct show_block *b, const char *indent)
{
    for (int r = 0; r < b->rows; r++) {
        printf("%s%s", indent, cli_padded(b->label[r], 13));
        for (int i = 0; i < b->columns; i++) {
            const double x = b->value[r][i];

            if (b->whole)
                printf(" %.0f", x);
            else /* not -0.000000 */
                printf(" %s", fabs(x) < 5e-7 ? "0" : cli_text("%.6f", x));
        }
        putchar('\n');
    }
}

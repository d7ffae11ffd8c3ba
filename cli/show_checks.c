/*
 * show_checks.c - check values: what the library computes from a few small
 * fixed inputs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "show.h"

enum { TOKENS = 8 };

/* The spec as the user types it in a shell. */
static void quoted(char *out, size_t size, const locant_encoding *e)
{
    const char *spec = locant_encoding_spec(e);
    int plain = strpbrk(spec, "()") == NULL;

    snprintf(out, size, plain ? "%s" : "'%s'", spec);
}

/* Where parameters come from: the option, and a description. */
struct origin {
    char option[80], words[80];
};

/* Open the encoding for sequences of 8. */
static int open(struct cli_encoding *c, struct origin *from,
                const locant_encoding *e, const locant_sizes *sizes)
{
    locant_param_info p;
    int filled, failed = show_open(c, &filled, e, TOKENS, sizes, 0);

    memset(from, 0, sizeof *from);
    if (failed || c->n_params == 0)
        return failed;
    snprintf(from->option, sizeof from->option, " --init 0");
    snprintf(from->words, sizeof from->words, ", parameters of seed 0");
    if (filled && locant_encoding_param(&p, c->e, 0, NULL)) {
        snprintf(from->option, sizeof from->option, " --param %.30s=T.npy",
                 p.name);
        snprintf(from->words, sizeof from->words,
                 ", %.30s of 0, 0.01, 0.02, "
                 "..",
                 p.name);
    }
    return CLI_OK;
}

/* Show that the library refused the inputs, unless memory ran out. */
static int refused(struct show_block *b, const char *what, locant_status s)
{
    if (s == LOCANT_ERR_NOMEM)
        return cli_error(s);
    snprintf(b->what, sizeof b->what, "%s: refused for these inputs (%.150s)",
             what, locant_last_error());
    b->rows = 0;
    return CLI_OK;
}

/* ------------------------------------------------------------- input door */

/* Rows 0 .. 3 with 8 channels; for real positions, rows 0, 1/2, 1, 3/2. */
static int table(struct show_block *b, const locant_encoding *e)
{
    const int64_t shape[] = { 4, SHOW_COLUMNS };
    int64_t id[4] = { 0, 1, 2, 3 };
    double at[4] = { 0, 0.5, 1, 1.5 }, out[4 * SHOW_COLUMNS];
    int real = locant_encoding_traits(e) & LOCANT_TRAIT_REAL;
    locant_tensor t = locant_dense(out, LOCANT_F64, 2, shape);
    locant_tensor pos = locant_dense(real ? (void *)at : (void *)id,
                                     real ? LOCANT_F64 : LOCANT_I64, 1, shape);
    struct cli_encoding c;
    struct origin from;
    char spec[500];
    locant_status s = LOCANT_OK;
    int failed = open(&c, &from, e, &(locant_sizes){ .width = SHOW_COLUMNS });

    if (!failed)
        s = locant_encoding_table(&t, c.e, &pos, cli_params(&c));
    if (s != LOCANT_OK) {
        failed = refused(b, "rows of the table", s);
    } else if (!failed) {
        quoted(spec, sizeof spec, e);
        snprintf(b->what, sizeof b->what, "rows of the table, %d channels%s",
                 SHOW_COLUMNS, from.words);
        snprintf(b->command, sizeof b->command,
                 "locant table %s --length %d "
                 "--dim %d%s -o P.npy",
                 spec, TOKENS, SHOW_COLUMNS, from.option);
        b->rows = 4;
        b->columns = SHOW_COLUMNS;
        for (int i = 0; i < 4 * SHOW_COLUMNS; i++)
            b->value[i / SHOW_COLUMNS][i % SHOW_COLUMNS] = out[i];
        for (int i = 0; i < 4; i++)
            snprintf(b->label[i], sizeof b->label[i], "position %g",
                     real ? at[i] : (double)id[i]);
    }
    if (real) /* the command takes only whole positions */
        b->command[0] = '\0';
    cli_encoding_close(&c);
    return failed;
}

/* ------------------------------------------------------------ rotate door */

enum { MOST = 512 };

/* out [3, width] = the vector 1, 2, .. D, rotated by positions 1, 2, 1000. */
static locant_status rotate_rows(double *out, const struct cli_encoding *c,
                                 int64_t D)
{
    const int64_t shape[] = { 1, 3, D };
    const int64_t wide[] = { 1, 3, locant_encoding_rotated_width(c->e, D) };
    static const int64_t id[3] = { 1, 2, 1000 };
    double x[3 * MOST];
    int64_t at[3];
    locant_tensor to = locant_dense(out, LOCANT_F64, 3, wide);
    locant_tensor start = locant_dense(x, LOCANT_F64, 3, shape);
    locant_tensor pos = locant_dense(at, LOCANT_I64, 1, shape + 1);

    memcpy(at, id, sizeof at);
    for (int64_t i = 0; i < 3 * D; i++)
        x[i] = (double)(i % D + 1);
    return locant_encoding_rotate(&to, &start, c->e, &pos, cli_params(c), 0);
}

/* Uses the smallest head that the encoding accepts. */
static int rotate(struct show_block *b, const locant_encoding *e)
{
    static const int64_t sizes[] = { 8,  12, 16,  24,  32,  48,
                                     64, 96, 128, 192, 256, 512 };
    static const int id[3] = { 1, 2, 1000 };
    double out[3 * 2 * MOST];
    char spec[300];

    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        struct cli_encoding c;
        struct origin from;
        int64_t D = sizes[k], wide;
        locant_status s = LOCANT_ERR_PARAM;
        int failed = open(&c, &from, e, &(locant_sizes){ D, 1, 1, D });

        if (!failed)
            s = rotate_rows(out, &c, D);
        wide = locant_encoding_rotated_width(e, D);
        quoted(spec, sizeof spec, e);
        snprintf(b->command, sizeof b->command,
                 "locant rotate %s -i X.npy "
                 "--positions P.npy%s -o Y.npy",
                 spec, from.option);
        cli_encoding_close(&c);
        if (!failed && s != LOCANT_OK)
            failed = refused(b, "rotated vectors", s);
        if (failed)
            return failed;
        if (s != LOCANT_OK)
            continue;
        snprintf(b->what, sizeof b->what, "the query 1, 2, .. %d rotated%s%s",
                 (int)D, from.words,
                 wide > SHOW_COLUMNS ? " (its first 8 channels)" : "");
        b->rows = 3;
        b->columns = SHOW_COLUMNS;
        for (int i = 0; i < 3 * SHOW_COLUMNS; i++)
            b->value[i / SHOW_COLUMNS][i % SHOW_COLUMNS] =
                out[i / SHOW_COLUMNS * wide + i % SHOW_COLUMNS];
        for (int i = 0; i < 3; i++)
            snprintf(b->label[i], sizeof b->label[i], "position %d", id[i]);
        return CLI_OK;
    }
    b->command[0] = '\0';
    return CLI_OK;
}

/* ------------------------------------------------------------- score door */

/* The bias of the last of 8 queries in four heads. */
static int bias(struct show_block *b, const locant_encoding *e)
{
    enum { HEADS = 4 };
    const int64_t shape[] = { HEADS, 1, TOKENS };
    int64_t id[TOKENS] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    double out[HEADS * TOKENS];
    locant_tensor t = locant_dense(out, LOCANT_F64, 3, shape);
    locant_tensor k_pos = locant_dense(id, LOCANT_I64, 1, shape + 2);
    locant_tensor q_pos =
        locant_dense(id + TOKENS - 1, LOCANT_I64, 1, shape + 1);
    struct cli_encoding c;
    struct origin from;
    char spec[500];
    locant_status s = LOCANT_OK;
    int failed = open(&c, &from, e,
                      &(locant_sizes){ .heads = HEADS, .kv_heads = HEADS });

    if (!failed)
        s = locant_encoding_bias(&t, c.e, &q_pos, &k_pos, cli_params(&c));
    if (s != LOCANT_OK) {
        failed = refused(b, "bias", s);
    } else if (!failed) {
        quoted(spec, sizeof spec, e);
        snprintf(b->what, sizeof b->what,
                 "bias of the query at 7 for keys at "
                 "0 .. 7%s",
                 from.words);
        snprintf(b->command, sizeof b->command,
                 "locant bias %s --heads %d "
                 "--queries %d --keys %d%s -o B.npy",
                 spec, HEADS, TOKENS, TOKENS, from.option);
        b->rows = HEADS;
        b->columns = TOKENS;
        for (int i = 0; i < HEADS * TOKENS; i++)
            b->value[i / TOKENS][i % TOKENS] = out[i];
        for (int i = 0; i < HEADS; i++)
            snprintf(b->label[i], sizeof b->label[i], "head %d", i);
    }
    cli_encoding_close(&c);
    return failed;
}

/* ------------------------------------------------------ content, and hooks */

static int attend(struct show_block *b, const locant_encoding *e, int layer)
{
    struct show_attention how = {
        TOKENS, SHOW_COLUMNS, 8 * show_stride(e), layer, 0, 0
    };
    static double out[TOKENS * SHOW_MOST_DIM];
    struct cli_encoding c;
    struct origin from;
    char spec[500], more[60] = "", far[60] = "", wide[60] = "";
    int first, failed = show_dim(&how.dim, e, layer, TOKENS, SHOW_COLUMNS);
    int reads_x = locant_encoding_traits(e) & LOCANT_TRAIT_READS_X;

    if (how.stride == 8)
        how.stride = 1;
    if (failed)
        return failed;
    failed = open(&c, &from, e, &(locant_sizes){ how.dim, 1, 1, how.dim });
    if (!failed)
        failed = show_attend(out, &c, &how);
    if (failed) {
        cli_encoding_close(&c);
        return failed;
    }
    quoted(spec, sizeof spec, locant_encoding_layer(&first, e, layer));
    if (how.dim > SHOW_COLUMNS)
        snprintf(wide, sizeof wide, ", heads of %d (their first 8 channels)",
                 (int)how.dim);
    if (how.stride > 1) {
        snprintf(far, sizeof far, " (token t is at %d t)", (int)how.stride);
        snprintf(more, sizeof more,
                 " --query-positions P.npy "
                 "--key-positions P.npy");
    }
    snprintf(b->what, sizeof b->what,
             "attention%s over keys up to the "
             "query%s: q_i[d] = sin(i + d), k_j[d] = cos(j - d)%s, v the "
             "identity%s%s",
             layer > 0 ? " of a global layer" : "", far,
             reads_x ? ", x_j[d] = sin(j d)" : "", wide, from.words);
    snprintf(b->command, sizeof b->command,
             "locant attend %s -q Q.npy -k "
             "K.npy -v V.npy --causal%s%s%s -o O.npy",
             spec, more, reads_x ? " -x X.npy" : "", from.option);
    b->rows = 3;
    b->columns = SHOW_COLUMNS;
    for (int i = 0; i < 3; i++) {
        snprintf(b->label[i], sizeof b->label[i], "token %d", 3 * i + 1);
        memcpy(b->value[i], out + (3 * i + 1) * how.dim, sizeof b->value[i]);
    }
    cli_encoding_close(&c);
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

/* The positions that the encoding draws in training. */
static int ids(struct show_block *b, const locant_encoding *e)
{
    const int64_t shape[] = { 1, TOKENS };
    double real[TOKENS];
    int64_t id[TOKENS];
    int floats = locant_encoding_traits(e) & LOCANT_TRAIT_REAL;
    locant_tensor t = locant_dense(floats ? (void *)real : (void *)id,
                                   floats ? LOCANT_F64 : LOCANT_I64, 2, shape);
    locant_encoding *resolved = NULL;
    locant_status s = locant_encoding_resolve(&resolved, e, TOKENS);

    if (s != LOCANT_OK)
        return cli_error(s);
    b->columns = TOKENS;
    b->whole = !floats;
    snprintf(b->what, sizeof b->what,
             "positions of 8 tokens in training, by "
             "the seed of the batch (locant_encoding_ids)");
    for (int seed = 0; seed < 3 && s == LOCANT_OK; seed++) {
        s = locant_encoding_ids(&t, resolved, (uint64_t)seed, 1);
        snprintf(b->label[seed], sizeof b->label[seed], "seed %d", seed);
        for (int i = 0; i < TOKENS; i++)
            b->value[seed][i] = floats ? real[i] : (double)id[i];
    }
    b->rows = 3;
    locant_encoding_free(resolved);
    return s == LOCANT_OK ? CLI_OK : refused(b, "positions in training", s);
}

/* -------------------------------------------------------------- all of them */

int show_checks(struct show_block *out, int *n, const locant_encoding *e)
{
    int first, failed = CLI_OK, other = other_layer(e);
    const locant_encoding *own = locant_encoding_layer(&first, e, 0);
    const unsigned doors = locant_encoding_doors(own);

    memset(out, 0, SHOW_BLOCKS * sizeof *out);
    *n = 0;
    if (locant_encoding_chooses_positions(e))
        failed = ids(&out[(*n)++], e);
    if (!failed && doors & LOCANT_DOOR_INPUT)
        failed = table(&out[(*n)++], own);
    if (!failed && doors & LOCANT_DOOR_ROTATE)
        failed = rotate(&out[(*n)++], own);
    if (!failed && doors & LOCANT_DOOR_SCORE)
        failed = bias(&out[(*n)++], own);
    if (!failed && (doors & LOCANT_DOOR_CONTENT || doors == 0))
        failed = attend(&out[(*n)++], e, 0);
    if (!failed && other > 0)
        failed = attend(&out[(*n)++], e, other);
    return failed;
}

void show_number(char *out, size_t size, double x, int whole)
{
    if (whole)
        snprintf(out, size, "%.0f", x);
    else if (fabs(x) < 5e-7)
        snprintf(out, size, "0");
    else
        snprintf(out, size, "%.6f", x);
}

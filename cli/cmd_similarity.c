/*
 * cmd_similarity.c - locant similarity: cosine between positions.
 *
 * Of the input door: between rows of its table.  Of the rotate door: between
 * vectors of ones turned by each position, <R_i 1, R_j 1> / D, which is the
 * mean of cos((i - j) f_c) over the pairs.
 */
#include <math.h>

#include "cli.h"

struct options {
    int64_t         length, dim;
    struct cli_params params;
    const char     *out;
};

static const struct cli_option options[] = {
    { "length", 0, CLI_INTEGER, offsetof(struct options, length), "L", NULL, 1,
      INT64_C(1) << 24, 1, "positions 0 .. L-1" },
    { "dim", 0, CLI_INTEGER, offsetof(struct options, dim), "D", NULL, 1,
      INT64_C(1) << 30, 1, "channels" },
    CLI_PARAM_OPTIONS(struct options, params),
    { "output", 'o', CLI_FILE, offsetof(struct options, out), "OUT.npy", NULL,
      0, 0, 1, "float32 [L, L]" },
    { NULL, 0, CLI_FLAG, 0, NULL, NULL, 0, 0, 0, NULL }
};

/* Rows [L, D] in double, one vector per position. */
static int make_rows(locant_array *rows, const struct cli_encoding *c,
                     const struct options *o)
{
    const int64_t shape[] = { o->length, o->dim };
    locant_array  positions = { 0 };
    locant_status s;
    int           status = cli_count(&positions, 0, o->length);

    if (status == CLI_OK)
        status = cli_new(rows, LOCANT_F64, 2, shape);
    if (status == CLI_OK &&
        (locant_encoding_doors(c->e) & LOCANT_DOOR_INPUT)) {
        s = locant_encoding_table(&rows->tensor, c->e, &positions.tensor,
                                  cli_params(c));
        status = s == LOCANT_OK ? CLI_OK : cli_error(s);
    } else if (status == CLI_OK) {
        double *x = rows->memory;

        for (int64_t i = 0; i < o->length * o->dim; i++)
            x[i] = 1;
        s = locant_encoding_rotate(&rows->tensor, &rows->tensor, c->e,
                                   &positions.tensor, cli_params(c), 0);
        status = s == LOCANT_OK ? CLI_OK : cli_error(s);
    }
    cli_free(&positions);
    return status;
}

struct gram {
    float        *out;
    const double *rows;
    int64_t       L, D;
};

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Row i of the result; a vector of zeros is like nothing, itself included. */
static void gram_row(void *context, size_t task, int slot)
{
    const struct gram *g = context;
    int64_t       i = (int64_t)task, D = g->D;
    const double *x = g->rows + i * D;
    double        xx = dot(x, x, D);

    (void)slot;
    for (int64_t j = 0; j < g->L; j++) {
        const double *y = g->rows + j * D;
        double        scale = sqrt(xx * dot(y, y, D));

        g->out[i * g->L + j] = scale > 0 ? (float)(dot(x, y, D) / scale) : 0;
    }
}

static int write_similarity(const struct cli *cli, const struct cli_encoding *c)
{
    const struct options *o = cli->options;
    const int64_t shape[] = { o->length, o->length };
    locant_array  rows = { 0 }, out = { 0 };
    int           status = cli_new(&out, LOCANT_F32, 2, shape);

    if (status == CLI_OK)
        status = make_rows(&rows, c, o);
    if (status == CLI_OK) {
        struct gram g = { out.memory, rows.memory, o->length, o->dim };

        locant_parallel_for((size_t)o->length, gram_row, &g);
        status = cli_write(cli, o->out, &out.tensor);
    }
    cli_free(&rows);
    cli_free(&out);
    return status;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct cli_encoding   c = { 0 };
    int status = cli_check_door(cli->words[0],
                                LOCANT_DOOR_INPUT | LOCANT_DOOR_ROTATE);

    if (status == CLI_OK)
        status = cli_encoding_open(&c, cli->words[0], &o->params, o->length,
                                   &(locant_sizes){ .width = o->dim,
                                                    .heads = 1,
                                                    .head_dim = o->dim });
    if (status == CLI_OK)
        status = write_similarity(cli, &c);
    cli_encoding_close(&c);
    return status;
}

const struct cli_command cli_similarity = {
    .name = "similarity", .summary = "cosine between positions",
    .usage = "SPEC --length L --dim D [--param NAME=FILE.npy]... "
             "[--init SEED]\n           -o OUT.npy",
    .doc = "Of the input door: cosine between rows of the table.  Of the "
           "rotate\ndoor: cosine between vectors of ones turned by each "
           "position.",
    .examples = "locant similarity sinusoidal --length 128 --dim 64 "
                "-o S.npy\nlocant similarity rope --length 128 --dim 64 "
                "-o S.npy",
    .options = options, .options_size = sizeof(struct options),
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};

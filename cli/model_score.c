/* model_score.c - locant model score: loss by position and by length, with and
 * without an extension */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "locant/models.h"
#include "model.h"
#include "model_input.h"
#include "model_losses.h"
#include "model_text.h"
#include "ranks.h"

struct options {
    const char *ids, *figure;
    struct cli_model_text text;
    struct cli_list with;
    int by, dtype, color;
    struct cli_ranks ranks;
};

static const struct cli_option options[] = {
    OPT_FILE("input", ids, "IDS.npy", "ids of tokens, i64 [B, T] or [T]",
             .letter = 'i'),
    OPT_MODEL_TEXT(text),
    OPT_MODEL_TEXT_LENGTH(text),
    OPT_MODEL_TEXT_FIRST(text),
    OPT_LIST("with", with, "EXTENSION",
             "also with this: 'yarn(factor=4)', 'rerope(window=512)'"),
    OPT_CHOICE("by", by, "position|length",
               "mean loss of tokens at these positions; or of the last quarter "
               "of texts of these lengths",
               .fallback = "position"),
    OPT_MODEL_DTYPE(dtype, "compute in this type"),
    OPT_FILE("figure", figure, "PICTURE",
             "draw the losses into a file: .svg, .png or .pdf"),
    OPT_COLOR(color),
    OPT_RANKS(ranks, "share the texts, or the tokens of each, out among the "
                     "processes that mpirun started"),
    OPT_END
};

/* ----------------------------------------------------------------- printing */

static void print_row_name(const struct model_losses_row *r, int by)
{
    if (by == 1)
        printf("%10" PRId64 "        ", r->last);
    else if (r->first == r->last)
        printf("%10" PRId64 "        ", r->first);
    else
        printf("%10" PRId64 "-%-7" PRId64, r->first, r->last);
}

static void print_table(const struct model_losses *t, int by)
{
    printf("loss in nats of a token, %s\n\n",
           by ? "in the last quarter of texts of so many tokens"
              : "by its position");
    printf("%18s %10s", by ? "length" : "positions", "as it is");
    for (int m = 1; m < t->models; m++)
        printf("   %*s", m < t->models - 1 ? -28 : 0, cli_safe(t->names[m]));
    putchar('\n');
    for (int r = 0; r < t->n; r++) {
        print_row_name(&t->rows[r], by);
        for (int m = 0; m < t->models; m++) {
            struct model_losses_cell c = model_losses_cell_of(&t->rows[r], m);

            if (m == 0)
                printf(" %10.4f", c.mean);
            else if (isnan(c.error))
                printf("   %8.4f (%+.4f)%*s", c.mean, c.change,
                       m < t->models - 1 ? 10 : 0, "");
            else
                printf("   %8.4f (%+.4f +- %.4f)", c.mean, c.change, c.error);
        }
        putchar('\n');
    }
    putchar('\n');
}

static json_t *table_json(const struct model_losses *t, int by)
{
    json_t *rows = json_array();

    for (int r = 0; r < t->n; r++) {
        json_t *row = json_pack(
            "{s:I, s:I, s:I}", by ? "scored_from" : "first",
            (json_int_t)t->rows[r].first, by ? "length" : "last",
            (json_int_t)t->rows[r].last, "texts", (json_int_t)t->rows[r].units);
        json_t *cells = json_array();

        for (int m = 0; m < t->models; m++) {
            struct model_losses_cell c = model_losses_cell_of(&t->rows[r], m);

            json_array_append_new(
                cells, json_pack("{s:s, s:o, s:o, s:o}", "with",
                                 m > 0 ? t->names[m] : "", "loss",
                                 cli_real(c.mean), "change", cli_real(c.change),
                                 "error", cli_real(c.error)));
        }
        json_object_set_new(row, "models", cells);
        json_array_append_new(rows, row);
    }
    return json_pack("{s:s, s:o}", "by", by ? "length" : "position", "rows",
                     rows);
}

struct picture {
    locant_figure figure;
    locant_series series[MODEL_LOSSES_MODELS];
    double x[MODEL_LOSSES_ROWS], y[MODEL_LOSSES_MODELS][MODEL_LOSSES_ROWS];
};

static struct picture *picture_of(const struct model_losses *t, int by)
{
    struct picture *p = cli_alloc(1, sizeof *p);

    if (p == NULL)
        return NULL;
    p->figure = (locant_figure)LOCANT_FIGURE_INIT;
    p->figure.title = by ? "Loss by length of the text" : "Loss by position";
    p->figure.x_label = by ? "tokens" : "position";
    p->figure.y_label = "loss, nats";
    p->figure.log_x = 1;
    p->figure.series = p->series;
    p->figure.n_series = (size_t)t->models;
    for (int m = 0; m < t->models; m++) {
        for (int r = 0; r < t->n; r++) {
            p->x[r] = (double)(by ? t->rows[r].last : t->rows[r].first);
            p->y[m][r] = model_losses_cell_of(&t->rows[r], m).mean;
        }
        p->series[m] = (locant_series){ .label = t->names[m],
                                        .n = (size_t)t->n,
                                        .x = p->x,
                                        .y = p->y[m],
                                        .marks = 1,
                                        .color = -1 };
    }
    return p;
}

/* --------------------------------------------------------------------- run */

static int read_ids(locant_tensor *ids, const struct cli *cli)
{
    const struct options *o = cli->options;
    const char *path = o->ids;

    if ((path == NULL) == (o->text.path == NULL))
        return cli_refuse("expected either --input IDS.npy or --text FILE");
    if (path == NULL)
        return cli_model_text_read(ids, &o->text, cli->words[0]);
    if (o->text.length > 0 || o->text.first > 0)
        return cli_refuse("--length and --first-byte are of --text");
    CLI_TRY(cli_read_as(ids, "input", path, CLI_DTYPE(LOCANT_I64)));
    if (ids->rank == 1) {
        const int64_t shape[] = { 1, ids->shape[0] };

        *ids = locant_dense(ids->data, LOCANT_I64, 2, shape);
    }
    if (ids->rank != 2 || ids->shape[0] < 1 || ids->shape[1] < 2)
        return cli_fail(CLI_INPUT,
                        "--input %s: has the shape %s, expected [B, T] or [T] "
                        "with two tokens or more",
                        path, cli_shape_text(ids));
    return CLI_OK;
}

/* All that may fail on one rank alone. */
static int prepare(struct model_losses *t, locant_tensor *ids,
                   const struct cli *cli)
{
    const struct options *o = cli->options;

    if (o->with.n > MODEL_LOSSES_MODELS - 1)
        return cli_refuse("--with: %zu of them, at most %d", o->with.n,
                          MODEL_LOSSES_MODELS - 1);
    t->names[t->models++] = "as it is";
    for (size_t i = 0; i < o->with.n; i++)
        t->names[t->models++] = o->with.items[i];
    if (o->figure != NULL && cli_ranks_speaks(t->group))
        CLI_TRY(cli_check_output(o->figure));
    CLI_TRY(read_ids(ids, cli));
    CLI_TRY(model_losses_begin(t, o->by, ids->shape[0], ids->shape[1]));
    return model_losses_check(t, cli->words[0], ids);
}

/* A model whose weights are no numbers has losses that are none. */
static bool has_loss(const struct picture *p)
{
    for (size_t m = 0; m < p->figure.n_series; m++)
        for (size_t r = 0; r < p->series[m].n; r++)
            if (isfinite(p->y[m][r]))
                return true;
    return false;
}

static int show(const struct model_losses *t, const struct cli *cli)
{
    const struct options *o = cli->options;
    struct picture *p = picture_of(t, o->by);

    if (p == NULL)
        return CLI_INPUT;
    if (!has_loss(p))
        return cli_fail(CLI_INPUT, "%s: no loss is a finite number",
                        cli->words[0]);
    if (o->figure != NULL)
        CLI_TRY(cli_status_input(locant_figure_write(&p->figure, o->figure)));
    if (cli->json)
        return cli_json(table_json(t, o->by));
    print_table(t, o->by);
    return cli_status(cli_show_figure(&p->figure, o->color, NULL));
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct model_losses *t = cli_alloc(1, sizeof *t);
    locant_tensor ids;

    if (t == NULL)
        return CLI_INPUT;
    CLI_TRY(cli_ranks_open(&t->group, cli, &o->ranks));
    CLI_TRY(cli_ranks_agree(t->group, prepare(t, &ids, cli)));
    CLI_TRY(model_losses_fill(t, cli->words[0], &ids, o->by,
                              cli_model_dtype(o->dtype)));
    return cli_ranks_speaks(t->group) ? show(t, cli) : CLI_OK;
}

const struct cli_command cli_model_score = {
    .name = "model score",
    .summary = "loss by position and length, with extensions",
    .usage = "MODEL -i IDS.npy [--with EXTENSION]...\n"
             "       [--by position|length] [--dtype f32|f64|bf16]\n"
             "       [--figure PICTURE] [--ranks mpi]\n"
             "MODEL --text FILE [--length N] [--first-byte ID] ..",
    .doc =
        "What a model loses on your own tokens, in nats, as it is and with "
        "extensions\nthat its file does not have.  --text takes the bytes of a "
        "file, for models whose\nvocabulary is bytes and at most 256 other "
        "tokens.\n\n"
        "  pi(factor=4), ntk(..), dynamic(..), yarn(..), longrope(..), "
        "llama3(..)\n"
        "                  a scaling; 'original' is the trained length unless "
        "given\n"
        "  rope(base=1e6)  another rope\n"
        "  selfextend(..), rerope(..), streaming(..)\n"
        "                  in the place of a rope of whole heads\n"
        "  window(size=N)  beside it\n\n"
        "Layers with a window of their own stay as they are.\n\n"
        "By position: rows of IDS are texts, whose losses are averaged over "
        "positions\n1, 2-3, 4-7 and so on.  By length: rows are cut into texts "
        "of T, T/2, T/4 ..\ntokens, and the losses of the last quarter of each "
        "are averaged.  Changes are\npaired by text; +- is their standard "
        "error over texts.\n\nWith --ranks mpi the processes that mpirun or "
        "srun has started share the texts\nout or, where there are fewer texts "
        "than processes, the tokens of each, to the\nbits of one process.  All "
        "read MODEL and the texts; process 0 prints.",
    .examples = "locant model score ~/models/mine -i ids.npy --by length\n"
                "locant model score mine.gguf -i ids.npy --with "
                "'yarn(factor=4)'\n"
                "locant model score bytes-model --text book.txt --length 4096\n"
                "mpirun -n 4 locant model score ~/models/mine -i ids.npy "
                "--ranks mpi",
    CLI_OPTIONS,
    .min_words = 1,
    .max_words = 1,
    .computes = 1,
    .run = run
};

/* show_picture.c - draws a small picture of what an encoding does. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "language.h"
#include "locant/figure.h"
#include "show.h"

enum {
    TABLE = 64,    /* positions of a table */
    CHANNELS = 64, /* of a row of the table */
    REACH = 128,   /* largest distance */
    HEADS = 8,     /* at most so many are drawn */
    GRID = 16,     /* rows and columns of a grid */
    WEIGHTS = 32,  /* queries and keys */
    DRAWS = 3      /* random choices of positions */
};

static int draw(const char *path, locant_figure *f)
{
    locant_status s;

    f->chinese = cli_chinese();
    f->width = 420;
    f->height = 320;
    s = locant_figure_write(f, path);
    /* PARAM is the error of the option -o: the ending of the file name. */
    return s == LOCANT_ERR_PARAM ? cli_status(s) : cli_status_input(s);
}

static int draw_cells(const char *path, locant_figure *f, const double *cells,
                      int64_t rows, int64_t cols)
{
    f->kind = LOCANT_FIGURE_HEATMAP;
    f->cells = cells;
    f->rows = rows;
    f->cols = cols;
    return draw(path, f);
}

/* Draws curves of n values y[i] at 0 .. n-1. */
static int draw_lines(const char *path, locant_figure *f, int lines,
                      double *const *y, const char *const *labels, size_t n)
{
    static double x[GRID * GRID];
    locant_series series[HEADS] = { { 0 } };

    for (size_t i = 0; i < n; i++)
        x[i] = (double)i;
    for (int k = 0; k < lines; k++)
        series[k] = (locant_series){ .label = labels ? labels[k] : NULL,
                                     .n = n,
                                     .x = x,
                                     .y = y[k],
                                     .color = k };
    f->series = series;
    f->n_series = (size_t)lines;
    return draw(path, f);
}

static int open(struct cli_encoding *c, const locant_encoding *e,
                int64_t length, const locant_sizes *sizes)
{
    int filled;

    return show_open(c, &filled, e, length, sizes, SHOW_RANDOM);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------- input door */

static int table(const char *path, const locant_encoding *e)
{
    locant_figure f = LOCANT_FIGURE_INIT;
    int64_t shape[2] = { TABLE, CHANNELS };
    locant_tensor t, pos;
    struct cli_encoding c;

    CLI_TRY(open(&c, e, TABLE, &(locant_sizes){ .width = CHANNELS }));
    shape[0] = smaller(TABLE, locant_encoding_length_limit(c.e));
    CLI_TRY(cli_new(&t, LOCANT_F64, 2, shape));
    CLI_TRY(show_positions(&pos, e, shape[0], 1));
    CLI_TRY(cli_status(locant_encoding_table(&t, c.e, &pos, cli_params(&c))));
    f.title = cli_translate("What is added to the embeddings");
    f.x_label = cli_translate("channel");
    f.y_label = cli_translate("position");
    f.diverging = 1;
    return draw_cells(path, &f, t.data, shape[0], CHANNELS);
}

/* ------------------------------------------------------------ rotate door */

/*
 * Make positions 0 .. n-1 of queries, and 'key' of one key.  With several axes
 * the queries are at all cells of a grid, and the key is in its middle.
 */
static int make_positions(locant_tensor *q, locant_tensor *k, int axes,
                          int64_t n, int64_t key)
{
    const int64_t all[] = { GRID * GRID, axes }, one[] = { 1, axes };

    if (axes < 2) {
        CLI_TRY(cli_range(k, key, 1));
        return cli_range(q, 0, n);
    }
    CLI_TRY(cli_new(q, LOCANT_F64, 2, all));
    CLI_TRY(cli_new(k, LOCANT_F64, 2, one));
    for (int a = axes - 2; a < axes; a++) { /* row and column; others are 0 */
        for (int i = 0; i < GRID * GRID; i++)
            ((double *)q->data)[i * axes + a] =
                a == axes - 2 ? i / GRID : i % GRID;
        ((double *)k->data)[a] = GRID / 2;
    }
    return CLI_OK;
}

/* g[i] = <query i, key>, both rotated from vectors of ones. */
static int dot_products(locant_status *s, double *g,
                        const struct cli_encoding *c, int64_t D,
                        const locant_tensor *q, const locant_tensor *k)
{
    locant_tensor rows, key;
    locant_status key_status;

    CLI_TRY(show_rotate(s, &rows, c, D, q, SHOW_ONES, 0));
    CLI_TRY(
        show_rotate(&key_status, &key, c, D, k, SHOW_ONES, LOCANT_ROTATE_KEY));
    *s = *s != LOCANT_OK ? *s : key_status;
    for (int64_t i = 0; i < rows.shape[1] && *s == LOCANT_OK; i++) {
        const double *row = (const double *)rows.data + i * rows.shape[2];

        g[i] = 0;
        for (int64_t d = 0; d < rows.shape[2]; d++)
            g[i] += row[d] * ((const double *)key.data)[d];
    }
    return CLI_OK;
}

/* The same with the first head size that the encoding accepts. */
static int measure(double *g, const locant_encoding *e, int axes)
{
    static const int64_t dims[] = { 64, 48, 96, 128, 192, 256, 512 };
    locant_status s = LOCANT_ERR_PARAM;
    locant_tensor q, k;

    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) {
        const int64_t D = dims[i];
        const locant_sizes sizes = show_one_head(D);
        struct cli_encoding c;

        CLI_TRY(open(&c, e, REACH, &sizes));
        CLI_TRY(make_positions(&q, &k, axes, REACH + 1, 0));
        CLI_TRY(dot_products(&s, g, &c, D, &q, &k));
        if (s != LOCANT_OK && axes > 1) { /* e takes only whole numbers */
            CLI_TRY(make_positions(&q, &k, 1, GRID * GRID,
                                   GRID / 2 * GRID + GRID / 2));
            CLI_TRY(dot_products(&s, g, &c, D, &q, &k));
        }
        if (s == LOCANT_OK)
            return CLI_OK;
    }
    return cli_status(s);
}

static int similarity(const char *path, const locant_encoding *e)
{
    /* M-RoPE is shown with equal coordinates, as for text, because h and w
       rotate too slowly for 16 patches. */
    const int text = strcmp(locant_encoding_info_of(e)->name, "mrope") == 0;
    const int axes = text ? 1 : locant_encoding_axes(e), grid = axes > 1;
    const int n = grid ? GRID * GRID : REACH + 1;
    locant_figure f = LOCANT_FIGURE_INIT;
    double g[GRID * GRID], largest = 0;

    CLI_TRY(measure(g, e, axes));
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(g[i]));
    for (int i = 0; i < n; i++)
        g[i] /= largest > 0 ? largest : 1;
    f.title =
        grid
            ? cli_translate("Rotated vectors of ones: similarity to the middle")
            : cli_translate("Rotated vectors of ones: similarity by distance");
    f.x_label = grid ? cli_translate("column") : cli_translate("distance");
    f.y_label = grid ? cli_translate("row") : cli_translate("similarity");
    f.diverging = grid;
    return grid ? draw_cells(path, &f, g, GRID, GRID)
                : draw_lines(path, &f, 1, (double *[]){ g }, NULL, (size_t)n);
}

/* ------------------------------------------------------------- score door */

/* Draws the bias of each head by distance from the last query; if the length is
   limited, the matrix of the first head. */
static int score(const char *path, const locant_encoding *e)
{
    const unsigned traits = locant_encoding_traits(e);
    const int limited = traits & LOCANT_TRAIT_LIMIT;
    const int64_t heads = traits & LOCANT_TRAIT_LEARNED ? 3 : HEADS;
    static double curves[HEADS][REACH];
    locant_figure f = LOCANT_FIGURE_INIT;
    struct cli_encoding c;
    locant_tensor t, pos;
    double *y[HEADS];
    const char *labels[HEADS];
    int64_t n;

    CLI_TRY(open(&c, e, TABLE,
                 &(locant_sizes){ .heads = heads, .kv_heads = heads }));
    n = smaller(limited ? TABLE : REACH, locant_encoding_length_limit(c.e));
    CLI_TRY(cli_new(&t, LOCANT_F64, 3, (const int64_t[]){ heads, n, n }));
    CLI_TRY(cli_range(&pos, 0, n));
    CLI_TRY(
        cli_status(locant_encoding_bias(&t, c.e, &pos, &pos, cli_params(&c))));
    f.title = limited ? cli_translate("Bias of the first head")
                      : cli_translate("Bias by distance to the key");
    f.x_label = limited ? cli_translate("key") : cli_translate("distance");
    f.y_label =
        limited ? cli_translate("query") : cli_translate("added to the score");
    f.diverging = limited != 0;
    if (limited)
        return draw_cells(path, &f, t.data, n, n);
    for (int64_t h = 0; h < heads; h++) {
        const double *last = (const double *)t.data + (h + 1) * n * n - n;

        labels[h] = cli_text(cli_translate("head %d"), (int)h);
        y[h] = curves[h];
        for (int64_t d = 0; d < n; d++)
            y[h][d] = last[n - 1 - d] == -INFINITY ? NAN : last[n - 1 - d];
    }
    return draw_lines(path, &f, (int)heads, y, labels, (size_t)n);
}

/* ------------------------------------------------------ content, and hooks */

static int weights(const char *path, const locant_encoding *e)
{
    struct show_attention how = { .tokens = WEIGHTS,
                                  .stride = show_stride(e),
                                  .random = 1 };
    const int64_t length = WEIGHTS * how.stride;
    double cells[WEIGHTS * WEIGHTS], *out;
    locant_figure f = LOCANT_FIGURE_INIT;
    struct cli_encoding c;
    locant_sizes sizes;

    CLI_TRY(show_dim(&how.dim, e, 0, length, WEIGHTS));
    sizes = show_one_head(how.dim);
    CLI_TRY(open(&c, e, length, &sizes));
    CLI_TRY(show_weights(&out, &c, &how));
    for (int64_t i = 0; i < WEIGHTS; i++) /* v[j] is the j-th unit vector */
        memcpy(cells + i * WEIGHTS, out + i * how.dim, WEIGHTS * sizeof *out);
    f.title = cli_translate("Attention of random queries and keys");
    f.x_label = cli_translate("key");
    f.y_label = cli_translate("query");
    f.x_step = f.y_step = (double)how.stride;
    return draw_cells(path, &f, cells, WEIGHTS, WEIGHTS);
}

static int positions(const char *path, const locant_encoding *e)
{
    double values[DRAWS][TABLE], *y[DRAWS];
    locant_figure f = LOCANT_FIGURE_INIT;
    locant_status s;
    locant_tensor t;

    for (int k = 0; k < DRAWS; k++) {
        CLI_TRY(show_training_positions(&s, &t, e, TABLE, k));
        CLI_TRY(cli_status(s));
        y[k] = values[k];
        for (int i = 0; i < TABLE; i++)
            y[k][i] = cli_value(&t, i);
    }
    f.title = cli_translate("Positions of 64 tokens in training, three draws");
    f.x_label = cli_translate("token");
    f.y_label = cli_translate("position");
    return draw_lines(path, &f, DRAWS, y, NULL, TABLE);
}

/* The first layer that has a door, or layer 0. */
static const locant_encoding *shown_layer(const locant_encoding *e)
{
    int first;

    for (int l = 0; l < 64; l++) {
        const locant_encoding *one = locant_encoding_layer(&first, e, l);

        if (locant_encoding_doors(one) != 0)
            return one;
    }
    return locant_encoding_layer(&first, e, 0);
}

int show_picture(const struct cli *cli, const locant_encoding *e,
                 const char *path)
{
    const locant_encoding *shown = shown_layer(e);
    const unsigned doors = locant_encoding_doors(shown);
    int (*picture)(const char *, const locant_encoding *) = weights;

    if (doors & LOCANT_DOOR_CONTENT)
        picture = weights; /* even if the encoding has another door */
    else if (doors & LOCANT_DOOR_SCORE)
        picture = score;
    else if (doors & LOCANT_DOOR_ROTATE)
        picture = similarity;
    else if (doors & LOCANT_DOOR_INPUT)
        picture = table;
    else if (locant_encoding_chooses_positions(shown))
        picture = positions;
    CLI_TRY(picture(path, shown));
    return cli_report_file(cli, path);
}

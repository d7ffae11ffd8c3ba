/* show_picture.c - draws a small picture of what an encoding does. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "locant/figure.h"
#include "show.h"

enum {
    TABLE = 64,
    CHANNELS = 64,
    REACH = 128,
    HEADS = 8,
    GRID = 16,
    WEIGHTS = 32,
    DRAWS = 3
};

static int draw(const char *path, locant_figure *f)
{
    locant_status s;

    f->width = 420;
    f->height = 320;
    s = locant_figure_write(f, path);
    if (s == LOCANT_ERR_PARAM) /* the file name's ending is wrong */
        return cli_error(s);
    return s == LOCANT_OK ? CLI_OK : cli_error_input(s);
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

static int open(struct cli_encoding *c, const locant_encoding *e,
                int64_t length, const locant_sizes *sizes)
{
    int filled;

    return show_open(c, &filled, e, length, sizes, 1);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------- input door */

static int table(const char *path, const locant_encoding *e)
{
    locant_figure f = LOCANT_FIGURE_INIT;
    double out[TABLE * CHANNELS], at[TABLE];
    int64_t id[TABLE], shape[2] = { TABLE, CHANNELS };
    int real = locant_encoding_traits(e) & LOCANT_TRAIT_REAL;
    locant_tensor t, pos;
    locant_status s;
    struct cli_encoding c;
    int failed = open(&c, e, TABLE, &(locant_sizes){ .width = CHANNELS });

    if (!failed) {
        shape[0] = least(TABLE, locant_encoding_length_limit(c.e));
        t = locant_dense(out, LOCANT_F64, 2, shape);
        pos = locant_dense(real ? (void *)at : (void *)id,
                           real ? LOCANT_F64 : LOCANT_I64, 1, shape);
        for (int i = 0; i < TABLE; i++)
            at[i] = (double)(id[i] = i);
        s = locant_encoding_table(&t, c.e, &pos, cli_params(&c));
        failed = s == LOCANT_OK ? CLI_OK : cli_error(s);
    }
    f.title = "What is added to the embeddings";
    f.x_label = "channel";
    f.y_label = "position";
    f.diverging = 1;
    if (!failed)
        failed = draw_cells(path, &f, out, shape[0], CHANNELS);
    cli_encoding_close(&c);
    return failed;
}

/* ------------------------------------------------------------ rotate door */

/* out [n, width] = vectors of ones rotated by n positions. */
static locant_status ones(double *out, const struct cli_encoding *c, int64_t n,
                          int64_t D, const locant_tensor *places, int flags)
{
    const int64_t shape[] = { 1, n, D };
    const int64_t wide[] = { 1, n, locant_encoding_rotated_width(c->e, D) };
    double *x = locant_alloc((size_t)(n * D) * sizeof *x);
    locant_tensor to = locant_dense(out, LOCANT_F64, 3, wide);
    locant_tensor from = locant_dense(x, LOCANT_F64, 3, shape);
    locant_status s;

    if (x == NULL)
        return LOCANT_ERR_NOMEM;
    for (int64_t i = 0; i < n * D; i++)
        x[i] = 1;
    s = locant_encoding_rotate(&to, &from, c->e, places, cli_params(c), flags);
    locant_release(x);
    return s;
}

struct places {
    int64_t n, D;
    int axes; /* number of coordinates, F64; 0: int64 positions */
    double coords[GRID * GRID * 3], key_coords[3];
    int64_t id[GRID * GRID], key_id;
};

/* A key at 0 and queries at 0 .. 128, or a key in the middle of a grid and
   queries in all its cells. */
static void choose(struct places *p, const locant_encoding *e)
{
    /* M-RoPE is shown with equal coordinates, as for text, because h and w
       rotate too slowly for 16 patches. */
    int text = strcmp(locant_encoding_info_of(e)->name, "mrope") == 0;
    int axes = text ? 1 : locant_encoding_axes(e);

    p->axes = axes > 1 ? axes : 0;
    p->n = axes > 1 ? GRID * GRID : REACH + 1;
    for (int64_t i = 0; i < p->n; i++) {
        p->id[i] = i;
        for (int a = 0; a < axes; a++)
            p->coords[i * axes + a] = a < axes - 2    ? 0
                                      : a == axes - 2 ? (double)(i / GRID)
                                                      : (double)(i % GRID);
    }
    p->key_id = 0;
    for (int a = 0; a < axes; a++)
        p->key_coords[a] = a < axes - 2 ? 0 : GRID / 2;
}

/* g[i] = <query at place i, key> / <query at the key's place, key>, of ones. */
static locant_status similar(double *g, const struct cli_encoding *c,
                             struct places *p)
{
    const int64_t all[] = { p->n, p->axes }, one[] = { 1, p->axes };
    int64_t wide = locant_encoding_rotated_width(c->e, p->D);
    double *rows = locant_alloc((size_t)((p->n + 1) * wide) * 8), *key;
    locant_tensor q = p->axes ? locant_dense(p->coords, LOCANT_F64, 2, all)
                              : locant_dense(p->id, LOCANT_I64, 1, all);
    locant_tensor k = p->axes ? locant_dense(p->key_coords, LOCANT_F64, 2, one)
                              : locant_dense(&p->key_id, LOCANT_I64, 1, one);
    locant_status s;

    if (rows == NULL)
        return LOCANT_ERR_NOMEM;
    key = rows + p->n * wide;
    s = ones(rows, c, p->n, p->D, &q, 0);
    if (s == LOCANT_OK)
        s = ones(key, c, 1, p->D, &k, LOCANT_ROTATE_KEY);
    for (int64_t i = 0; i < p->n && s == LOCANT_OK; i++) {
        g[i] = 0;
        for (int64_t d = 0; d < wide; d++)
            g[i] += rows[i * wide + d] * key[d];
    }
    locant_release(rows);
    return s;
}

/* Measures with the first head size that the encoding accepts. */
static int measure(double *g, struct places *p, const locant_encoding *e)
{
    static const int64_t sizes[] = { 64, 48, 96, 128, 192, 256, 512 };
    locant_status s = LOCANT_ERR_PARAM;

    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        struct cli_encoding c;
        int failed;

        p->D = sizes[k];
        failed = open(&c, e, REACH, &(locant_sizes){ p->D, 1, 1, p->D });
        if (!failed) {
            s = similar(g, &c, p);
            if (s != LOCANT_OK && p->axes) { /* it takes only whole numbers */
                p->axes = 0;
                p->key_id = GRID / 2 * GRID + GRID / 2;
                s = similar(g, &c, p);
                p->axes = locant_encoding_axes(e);
            }
        }
        cli_encoding_close(&c);
        if (failed || s == LOCANT_OK)
            return failed;
    }
    return cli_error(s);
}

static int similarity(const char *path, const locant_encoding *e)
{
    static struct places p;
    locant_figure f = LOCANT_FIGURE_INIT;
    locant_series line = { .color = 0 };
    double g[GRID * GRID], x[GRID * GRID], largest = 0;
    int failed;

    choose(&p, e);
    failed = measure(g, &p, e);
    if (failed)
        return failed;
    for (int64_t i = 0; i < p.n; i++)
        largest = fmax(largest, fabs(g[i]));
    for (int64_t i = 0; i < p.n; i++) {
        g[i] /= largest > 0 ? largest : 1;
        x[i] = (double)i;
    }
    f.x_label = p.axes ? "column" : "distance";
    f.y_label = p.axes ? "row" : "similarity";
    if (p.axes) {
        f.title = "Rotated vectors of ones: similarity to the middle";
        f.diverging = 1;
        return draw_cells(path, &f, g, GRID, GRID);
    }
    f.title = "Rotated vectors of ones: similarity by distance";
    line.n = (size_t)p.n;
    line.x = x;
    line.y = g;
    f.series = &line;
    f.n_series = 1;
    return draw(path, &f);
}

/* ------------------------------------------------------------- score door */

/* out [heads, n, n] = biases for positions 0 .. n-1. */
static int biases(double *out, const locant_encoding *e, int64_t heads,
                  int64_t *n)
{
    int64_t id[REACH], shape[3];
    locant_tensor t, pos;
    locant_status s;
    struct cli_encoding c;
    int failed = open(&c, e, TABLE,
                      &(locant_sizes){ .heads = heads, .kv_heads = heads });

    if (failed) {
        cli_encoding_close(&c);
        return failed;
    }
    *n = least(*n, locant_encoding_length_limit(c.e));
    shape[0] = heads;
    shape[1] = shape[2] = *n;
    t = locant_dense(out, LOCANT_F64, 3, shape);
    pos = locant_dense(id, LOCANT_I64, 1, shape + 1);
    for (int64_t i = 0; i < *n; i++)
        id[i] = i;
    s = locant_encoding_bias(&t, c.e, &pos, &pos, cli_params(&c));
    cli_encoding_close(&c);
    return s == LOCANT_OK ? CLI_OK : cli_error(s);
}

static int draw_heads(const char *path, const double *b, int heads, int64_t n)
{
    static char labels[HEADS][16];
    static double y[HEADS][REACH], x[REACH];
    locant_figure f = LOCANT_FIGURE_INIT;
    locant_series lines[HEADS] = { { 0 } };

    for (int h = 0; h < heads; h++) {
        snprintf(labels[h], sizeof labels[h], "head %d", h);
        for (int64_t d = 0; d < n; d++) { /* from the last query */
            x[d] = (double)d;
            y[h][d] = b[((h + 1) * n - 1) * n + n - 1 - d];
        }
        lines[h] = (locant_series){
            .label = labels[h], .n = (size_t)n, .x = x, .y = y[h], .color = h
        };
    }
    f.title = "Bias by distance to the key";
    f.x_label = "distance";
    f.y_label = "added to the score";
    f.series = lines;
    f.n_series = (size_t)heads;
    return draw(path, &f);
}

/* Curves of heads by distance; if the length is limited, one head's matrix. */
static int score(const char *path, const locant_encoding *e)
{
    static double b[HEADS * REACH * REACH];
    int limited = locant_encoding_traits(e) & LOCANT_TRAIT_LIMIT;
    int64_t n = limited ? TABLE : REACH;
    locant_figure f = LOCANT_FIGURE_INIT;
    int learned = locant_encoding_traits(e) & LOCANT_TRAIT_LEARNED;
    int heads = learned ? 3 : HEADS;
    int failed = biases(b, e, heads, &n);

    if (failed)
        return failed;
    if (!limited)
        return draw_heads(path, b, heads, n);
    f.title = "Bias of the first head";
    f.x_label = "key";
    f.y_label = "query";
    f.diverging = 1;
    return draw_cells(path, &f, b, n, n);
}

/* ------------------------------------------------------ content, and hooks */

static int weights(const char *path, const locant_encoding *e)
{
    static double out[WEIGHTS * SHOW_MOST_DIM];
    struct show_attention how = { WEIGHTS, WEIGHTS, show_stride(e), 0, 1, 0 };
    const int64_t length = WEIGHTS * how.stride;
    locant_figure f = LOCANT_FIGURE_INIT;
    struct cli_encoding c;
    int failed = show_dim(&how.dim, e, 0, length, WEIGHTS);

    if (failed)
        return failed;
    failed = open(&c, e, length, &(locant_sizes){ how.dim, 1, 1, how.dim });
    if (!failed)
        failed = show_weights(out, &c, &how);
    cli_encoding_close(&c);
    for (int64_t i = 0; i < WEIGHTS; i++) /* v[j] is the j-th unit vector */
        memmove(out + i * WEIGHTS, out + i * how.dim, WEIGHTS * sizeof *out);
    f.title = "Attention of random queries and keys";
    f.x_label = "key";
    f.y_label = "query";
    f.x_step = f.y_step = (double)how.stride;
    return failed ? failed : draw_cells(path, &f, out, WEIGHTS, WEIGHTS);
}

/* Positions of 64 tokens as drawn in training, three times. */
static int places(const char *path, const locant_encoding *e)
{
    static double x[TABLE], y[DRAWS][TABLE];
    const int64_t shape[] = { 1, TABLE };
    int64_t id[TABLE];
    int real = locant_encoding_traits(e) & LOCANT_TRAIT_REAL;
    locant_figure f = LOCANT_FIGURE_INIT;
    locant_series lines[DRAWS] = { { 0 } };
    locant_status s = LOCANT_OK;

    for (int k = 0; k < DRAWS && s == LOCANT_OK; k++) {
        locant_tensor t =
            locant_dense(real ? (void *)y[k] : (void *)id,
                         real ? LOCANT_F64 : LOCANT_I64, 2, shape);

        s = locant_encoding_ids(&t, e, (uint64_t)k, 1);
        for (int i = 0; i < TABLE; i++) {
            x[i] = i;
            y[k][i] = real ? y[k][i] : (double)id[i];
        }
        lines[k] = (locant_series){ .n = TABLE, .x = x, .y = y[k], .color = k };
    }
    if (s != LOCANT_OK)
        return cli_error(s);
    f.title = "Positions of 64 tokens in training, three draws";
    f.x_label = "token";
    f.y_label = "position";
    f.series = lines;
    f.n_series = DRAWS;
    return draw(path, &f);
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
    unsigned doors;
    int failed;

    e = shown_layer(e);
    doors = locant_encoding_doors(e);
    if (doors & LOCANT_DOOR_CONTENT)
        failed = weights(path, e);
    else if (doors & LOCANT_DOOR_SCORE)
        failed = score(path, e);
    else if (doors & LOCANT_DOOR_ROTATE)
        failed = similarity(path, e);
    else if (doors & LOCANT_DOOR_INPUT)
        failed = table(path, e);
    else if (locant_encoding_chooses_positions(e))
        failed = places(path, e);
    else
        failed = weights(path, e);
    if (failed)
        return failed;
    if (cli->json)
        return cli_json(json_pack("{s:s}", "output", path));
    fprintf(stderr, "wrote %s\n", cli_safe(path));
    return CLI_OK;
}

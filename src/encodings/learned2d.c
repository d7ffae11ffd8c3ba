/*
 * learned2d.c - a learned vector for each row and each column of a grid.
 *
 * Dosovitskiy et al.: An Image is Worth 16x16 Words. 2021. arXiv:2010.11929,
 * appendix D.4 (concatenated); Lee et al.: Pix2Struct. 2023. arXiv:2210.03347
 * (summed).  Position p is row p / width, column p mod width.
 */
#include "encoding.h"
#include <inttypes.h>
#include <string.h>

enum { HEIGHT, WIDTH, COMBINE };
enum { SUM, CONCAT };
enum { ROWS, COLUMNS };

static const char *const ways[] = { "sum", "concat", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "height", .kind = LCT_INTEGER, .def = 16, .min = 1,
      .max = 1 << 20, .doc = "rows of the grid" },
    { .name = "width", .kind = LCT_INTEGER, .def = 16, .min = 1,
      .max = 1 << 20, .doc = "columns of the grid" },
    { .name = "combine", .kind = LCT_WORD, .def = SUM, .words = ways,
      .doc = "sum: rows[y] + columns[x]; concat: half of the channels each" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "rows", .dims = { "height", "channels" }, LCT_NORMAL(0, 0.02),
      .doc = "vector of each row" },
    { .name = "columns", .dims = { "columns", "channels" }, LCT_NORMAL(0, 0.02),
      .doc = "vector of each column" },
    { 0 }
};
/* clang-format on */

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    if (strcmp(name, "columns") == 0) /* the size "width" is the model's */
        return (int64_t)e->value[WIDTH];
    /* "channels" of one table */
    return e->value[COMBINE] == CONCAT ? sizes->width / 2 : sizes->width;
}

static locant_status check_channels(const locant_encoding *e, const char *fn,
                                    const int64_t *pos, size_t n,
                                    const locant_tensor *given)
{
    (void)e;
    (void)pos;
    (void)n;
    if (given != NULL && given[ROWS].shape[1] != given[COLUMNS].shape[1])
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: rows has %" PRId64
                           " channels, columns has %" PRId64
                           ", expected equal numbers",
                           fn, given[ROWS].shape[1], given[COLUMNS].shape[1]);
    return LOCANT_OK;
}

static int64_t count(const locant_encoding *e, const locant_tensor *given)
{
    (void)given;
    return (int64_t)(e->value[HEIGHT] * e->value[WIDTH]);
}

/* The table that channel d comes from, and the index of its entry there. */
static int64_t source(int *table, const locant_encoding *e, int64_t pos,
                      int64_t d, int64_t half)
{
    int64_t width = (int64_t)e->value[WIDTH];

    *table = d < half ? ROWS : COLUMNS;
    return *table == ROWS ? pos / width * half + d
                          : pos % width * half + d - half;
}

static void row(double *out, const locant_encoding *e,
                const struct lct_point *at, int64_t dim,
                const locant_tensor *given)
{
    int64_t width = (int64_t)e->value[WIDTH];
    int table;

    for (int64_t d = 0; d < dim; d++)
        if (e->value[COMBINE] == SUM) {
            out[d] = lct_get(&given[ROWS], at->pos / width * dim + d) +
                     lct_get(&given[COLUMNS], at->pos % width * dim + d);
        } else {
            int64_t i = source(&table, e, at->pos, d, dim / 2);

            out[d] = d < dim / 2 * 2 ? lct_get(&given[table], i) : 0;
        }
}

/* forward: out = rows[y] + columns[x], or both side by side */
static void row_backward(locant_tensor *dparams, const locant_encoding *e,
                         const double *drow, const struct lct_point *at,
                         int64_t dim, const locant_tensor *given)
{
    int64_t width = (int64_t)e->value[WIDTH];
    int table;

    (void)given;
    for (int64_t d = 0; d < dim; d++)
        if (e->value[COMBINE] == SUM) {
            lct_add_to(&dparams[ROWS], at->pos / width * dim + d, drow[d]);
            lct_add_to(&dparams[COLUMNS], at->pos % width * dim + d, drow[d]);
        } else if (d < dim / 2 * 2) {
            int64_t i = source(&table, e, at->pos, d, dim / 2);

            lct_add_to(&dparams[table], i, drow[d]);
        }
}

static const locant_variant variants[] = {
    { "learned2d(combine=concat)", "Rows and columns side by side",
      "DETR (learned), ViT ablation" },
    { 0 },
};

const struct lct_encoding lct_enc_learned2d = {
    .info = {
        .name = "learned2d",
        .title = "Learned rows and columns of a grid",
        .formula = "P[p] = rows[p div width] + columns[p mod width]",
        .source = "Dosovitskiy et al. 2021, arXiv:2010.11929v2, appendix D.4; "
                  "Lee et al. 2023, arXiv:2210.03347v2",
        .used_by = "Pix2Struct, NaViT, Gemma vision (sum); DETR (concat)",
        .pitfalls = "Positions count row by row, from the top.",
        .gradient = "drows[y] and dcolumns[x] = sum of dY over their tokens",
        .variants = variants,
        .doors = LOCANT_DOOR_INPUT,
        .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_LIMIT,
    },
    .keys = keys,
    .params = { .list = params, .size = size },
    .positions = { .check = check_channels, .count = count, .of = "grid" },
    .input = { .row = row, .backward = row_backward },
};

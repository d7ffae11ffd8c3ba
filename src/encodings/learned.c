/*
 * learned.c - one learned vector for each position.
 *
 * Gehring et al.: Convolutional Sequence to Sequence Learning. 2017.
 * arXiv:1705.03122, section 3.1; as in BERT and GPT-2.
 * The table limits the length: positions beyond it are refused, never clamped.
 */
#include "../kernel/row.h"
#include "encoding.h"
#include <math.h>

enum { LENGTH, OFFSET };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "length", .kind = LCT_INTEGER, .def = NAN, .min = 1, .max = 1e9,
      .doc = "number of positions; left out: as many as the given table "
             "has, or the trained length" },
    { .name = "offset", .kind = LCT_INTEGER, .def = 0, .min = 0, .max = 1 << 20,
      .doc = "rows before that of position 0; 2 in OPT, BART and RoBERTa" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "table", .dims = { "rows", "width" }, LCT_NORMAL(0, 0.02),
      .doc = "row p is added to the token at position p" },
    { 0 }
};
/* clang-format on */

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    (void)name; /* always "rows" */
    (void)sizes;
    return isnan(e->value[LENGTH])
               ? 0
               : (int64_t)(e->value[LENGTH] + e->value[OFFSET]);
}

static int64_t count(const locant_encoding *e, const locant_tensor *given)
{
    int64_t rows = given != NULL ? given[0].shape[0] : size(e, "rows", NULL);

    return rows - (int64_t)e->value[OFFSET];
}

static const void *stored(const locant_encoding *e, int64_t pos,
                          const locant_tensor *given)
{
    int64_t row = pos + (int64_t)e->value[OFFSET];

    return lct_at(&given[0], &row, 1);
}

static void row(double *out, const locant_encoding *e,
                const struct lct_point *at, int64_t dim,
                const locant_tensor *given)
{
    lct_row_to_f64(out, stored(e, at->pos, given), given[0].dtype, (size_t)dim);
}

static bool rows(float *out, const locant_encoding *e, const int64_t *pos,
                 size_t n, int64_t dim, const locant_tensor *given)
{
    for (size_t t = 0; t < n; t++)
        lct_row_to_f32(out + t * (size_t)dim, stored(e, pos[t], given),
                       given[0].dtype, (size_t)dim);
    return true;
}

/* forward: out = table[pos + offset] */
static void row_backward(locant_tensor *dparams, const locant_encoding *e,
                         const double *drow, const struct lct_point *at,
                         int64_t dim, const locant_tensor *given)
{
    int64_t row = at->pos + (int64_t)e->value[OFFSET];

    (void)given;
    for (int64_t i = 0; i < dim; i++)
        lct_add_to(&dparams[0], row * dim + i, drow[i]);
}

static const locant_variant variants[] = {
    { "learned(offset=2)", "Learned positions from row 2",
      "OPT, BART, RoBERTa" },
    { 0 },
};

const struct lct_encoding lct_enc_learned = {
    .info = {
        .name = "learned",
        .title = "Learned absolute positions",
        .formula = "P[p] = table[p + offset]",
        .source = "Gehring et al. 2017, arXiv:1705.03122v3, section 3.1; "
                  "Devlin et al. 2018, arXiv:1810.04805v2",
        .used_by = "BERT, GPT-2, OPT, RoBERTa (with offsets), ViT",
        .pitfalls = "Undefined beyond the table; left padding shifts positions "
                    "unless they are given.",
        .gradient = "dtable[p] = sum of dY over the tokens at p",
        .variants = variants,
        .doors = LOCANT_DOOR_INPUT,
        .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_LIMIT,
    },
    .keys = keys,
    .params = { .list = params, .size = size },
    .positions = { .count = count, .of = "table" },
    .input = {
        .row = row,
        .backward = row_backward,
        .fast = { .rows = rows, .stored = stored },
    },
};

/*
 * learned.c - one learned vector for each position.
 *
 * Gehring et al.: Convolutional Sequence to Sequence Learning. 2017.
 * arXiv:1705.03122, section 3.1; as in BERT and GPT-2.
 * The table is a wall: a position beyond it is refused, never clamped.
 */
#include "encoding.h"
#include <inttypes.h>
#include <math.h>

static const struct lct_key keys[] = {
    { .name = "length", .kind = LCT_INTEGER, .def = NAN, .min = 1, .max = 1e9,
      .doc = "rows of the table; left out: rows of the table given, or the "
             "trained length" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "table", .dims = { "length", "dim" }, .init = LCT_INIT_NORMAL,
      .a = 0, .b = 0.02, .doc = "row p is added to the token at position p" },
    { 0 }
};

static locant_status positions(const locant_encoding *e, const char *fn,
                               const int64_t *pos, size_t n,
                               const locant_tensor *given)
{
    int64_t rows = given[0].shape[0];

    for (size_t i = 0; i < n; i++)
        if (pos[i] < 0 || pos[i] >= rows)
            return locant_fail(LOCANT_ERR_PARAM, "%s: position %" PRId64
                               " (index %zu) is outside the table of %s, "
                               "which has positions 0 to %" PRId64, fn, pos[i],
                               i, e->row->info.name, rows - 1);
    return LOCANT_OK;
}

static void row(double *out, const locant_encoding *e, int64_t pos, int64_t dim,
                const locant_tensor *given)
{
    (void)e;
    lct_row_to_f64(out, lct_at(&given[0], &pos, 1), given[0].dtype,
                   (size_t)dim);
}

/* forward: out = table[pos] */
static void row_backward(locant_tensor *dparams, const locant_encoding *e,
                         const double *drow, int64_t pos, int64_t dim)
{
    void *at = lct_at(&dparams[0], &pos, 1);

    (void)e;
    for (int64_t i = 0; i < dim; i++) {
        if (dparams[0].dtype == LOCANT_F64)
            ((double *)at)[i] += drow[i];
        else
            ((float *)at)[i] += (float)drow[i];
    }
}

const struct lct_encoding lct_enc_learned = {
    .info = {
        .name = "learned",
        .title = "Learned absolute positions",
        .formula = "P[p] = table[p]",
        .source = "Gehring et al. 2017, arXiv:1705.03122v3, section 3.1; "
                  "Devlin et al. 2018, arXiv:1810.04805v2",
        .used_by = "BERT, GPT-2, OPT, RoBERTa (with offsets), ViT",
        .traps = "Undefined beyond the table; left padding shifts positions "
                 "unless they are given.",
        .doors = LOCANT_DOOR_INPUT,
        .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_WALL,
    },
    .keys = keys,
    .params = params,
    .positions = positions,
    .row = row,
    .row_backward = row_backward,
};

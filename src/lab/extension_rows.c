/* extension_rows.c - room for what is measured beyond the trained length */
#include "extension.h"
#include <math.h>

/* Nothing measured yet. */
static bool make_room(struct lct_extension_loss *to, size_t n)
{
    to->speed = NAN;
    to->loss = locant_alloc(n * sizeof(double));
    for (size_t i = 0; to->loss && i < n; i++)
        to->loss[i] = NAN;
    return to->loss != NULL;
}

static bool make_row(struct lct_extension_row *row, int factors, size_t n)
{
    bool good = make_room(&row->short_inputs, n);

    for (int f = 0; f < factors && good; f++)
        good = make_room(&row->at[f], n);
    for (int s = 0; s < LCT_EXT_SEEDS; s++)
        for (int i = 0; i < LCT_EXT_BUCKETS; i++)
            row->position[s][i] = NAN;
    return good;
}

locant_status lct_extension_allocate(struct lct_extension *x)
{
    const size_t rows =
        (size_t)(lct_extension_methods() + lct_extension_tunings());
    const size_t n = (size_t)x->plan->seeds * (size_t)x->blocks;
    bool good;

    x->row = locant_alloc(rows * sizeof *x->row);
    good = x->row != NULL;
    for (size_t i = 0; i < rows && good; i++)
        good = make_row(&x->row[i], x->plan->factors, n);
    return good ? LOCANT_OK
                : locant_fail(LOCANT_ERR_NOMEM, "locant_report_run: no memory"
                              " for %zu losses", n * rows);
}

void lct_extension_free(struct lct_extension *x)
{
    const int rows = lct_extension_methods() + lct_extension_tunings();

    for (int i = 0; x && x->row && i < rows; i++) {
        for (int f = 0; f < LCT_EXT_FACTORS; f++)
            locant_release(x->row[i].at[f].loss);
        locant_release(x->row[i].short_inputs.loss);
    }
    if (x)
        locant_release(x->row);
    locant_release(x);
}

/*
 * probe_maps.c - maps of attention on one window of text: the weights of some
 * queries in bins of keys, before and after training, and beyond the trained
 * length.
 */
#include "probe.h"
#include <math.h>
#include <string.h>

enum { ROWS = 32, BINS = 32 };

struct maps {
    struct lct_probe *p;
    int64_t length;
    int64_t t[ROWS]; /* positions of the queries */
    real *weight;    /* [heads, ROWS, length] of one layer */
    double *cells;   /* [layers * heads, ROWS, BINS] weight of a bin of keys */
    locant_status status;
};

void lct_pool_row(double *bins, int64_t n, const real *w, int64_t length)
{
    memset(bins, 0, (size_t)n * sizeof *bins);
    for (int64_t j = 0; j < length; j++)
        bins[j * n / length] += (double)w[j];
}

static void add_layer(const struct lct_layer_state *seen, void *context)
{
    struct maps *m = context;

    if (m->status == LOCANT_OK)
        m->status = lct_model_attention_rows(m->p->model, seen->layer, m->t,
                                             ROWS, m->weight);
    for (int64_t i = 0; m->status == LOCANT_OK && i < m->p->heads * ROWS; i++)
        lct_pool_row(m->cells + (seen->layer * m->p->heads * ROWS + i) * BINS,
                     BINS, m->weight + i * m->length, m->length);
}

/* The cells in thousandths, ordered by head, then by row. */
static json_t *maps_json(const struct maps *m)
{
    json_t *heads = json_array();

    for (int64_t h = 0; h < m->p->layers * m->p->heads; h++) {
        json_t *cells = json_array();

        for (int64_t i = 0; i < ROWS * BINS; i++)
            json_array_append_new(
                cells,
                json_integer(llround(1000 * m->cells[h * ROWS * BINS + i])));
        json_array_append_new(heads, cells);
    }
    return json_pack("{s:I, s:i, s:i, s:o}", "length", (json_int_t)m->length,
                     "rows", ROWS, "bins", BINS, "heads", heads);
}

static locant_status set_cells(struct maps *m)
{
    const struct lct_windows first = { 0, 1, m->length, 1, false };

    for (int64_t i = 0; i < ROWS; i++)
        m->t[i] = (i + 1) * m->length / ROWS - 1;
    LCT_TRY(lct_probe_run_windows(m->p, &first, add_layer, m));
    return m->status;
}

static locant_status add_maps(json_t *out, const char *name,
                              struct lct_probe *p, int64_t length)
{
    struct maps m = { .p = p, .length = length };
    locant_status status;

    LCT_TRY(lct_alloc_doubles(&m.cells, p->layers * p->heads * ROWS * BINS));
    m.weight =
        locant_alloc((size_t)(p->heads * ROWS * length) * sizeof *m.weight);
    status = m.weight ? set_cells(&m)
                      : locant_fail(LOCANT_ERR_NOMEM, "locant_probe: no memory "
                                                      "for rows of attention");
    if (status == LOCANT_OK)
        json_object_set_new(out, name, maps_json(&m));
    locant_release(m.weight);
    locant_release(m.cells);
    return status;
}

/* Leave 'out' empty if windows are too short to have ROWS rows. */
locant_status lct_probe_maps(json_t *out, struct lct_probe *p)
{
    locant_status status;

    if (p->length < ROWS)
        return LOCANT_OK;
    LCT_TRY(add_maps(out, "trained", p, p->length));
    if (p->longest > LCT_PROBE_FAR * p->length)
        LCT_TRY(add_maps(out, "fourfold", p, LCT_PROBE_FAR * p->length));
    if (p->longest > p->length)
        LCT_TRY(add_maps(out, "long", p, p->longest));
    if (p->run.parent > 0)
        return LOCANT_OK;
    LCT_TRY(lct_probe_set_initial(p));
    status = add_maps(out, "initial", p, p->length);
    lct_probe_set_trained(p);
    return status;
}

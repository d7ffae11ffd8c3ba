/*
 * input.c - the input door: token embeddings plus the table of positions.
 *
 * Every table starts at the RMS that token embeddings start with: a fixed one
 * by a factor, a learned one by its initial values.  Otherwise the comparison
 * of encodings would be one of scales.
 */
#include "parts.h"
#include <math.h>

enum { SCALE_ROWS = 128 };

static bool has_params(const struct lct_model *m)
{
    return m->tensor_count > m->encoding_first;
}

/* Rows 0 .. rows - 1 of the table, unscaled, to 'out' [rows, width]. */
static locant_status table_rows(struct lct_model *m, real *out,
                                int64_t *positions, int64_t rows)
{
    const int64_t shape[2] = { rows, m->config.width };
    locant_tensor table = locant_dense(out, LCT_REAL_DTYPE, 2, shape);
    locant_tensor pos = locant_dense(positions, LOCANT_I64, 1, shape);

    return locant_encoding_table(&table, m->config.encoding, &pos,
                                 has_params(m) ? m->encoding_params : NULL);
}

static void count_up(int64_t *positions, int64_t n)
{
    for (int64_t t = 0; t < n; t++)
        positions[t] = t;
}

double lct_init_deviation(const struct lct_model *m)
{
    return 1 / sqrt((double)m->config.width);
}

/* What brings n values to that RMS; 1 if they are all 0. */
static double to_rms(const struct lct_model *m, const real *x, size_t n)
{
    double sum = lct_nn()->sum_squares(x, n);

    return sum > 0.0 ? lct_init_deviation(m) / sqrt(sum / (double)n) : 1.0;
}

/* The factor of a fixed table, over the same rows whatever m->length is. */
static locant_status measure(struct lct_model *m)
{
    const size_t n = (size_t)(SCALE_ROWS * m->config.width);
    int64_t positions[SCALE_ROWS];
    real *table = locant_alloc(n * sizeof(*table));
    locant_status status;

    if (table == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "lct_model_create: no memory");
    count_up(positions, SCALE_ROWS);
    status = table_rows(m, table, positions, SCALE_ROWS);
    m->table_factor = (real)to_rms(m, table, n);
    locant_release(table);
    return status;
}

void lct_input_match(struct lct_model *m)
{
    for (int i = m->encoding_first; m->input_door && i < m->tensor_count; i++) {
        real *p = m->params + m->tensors[i].offset;
        const real factor = (real)to_rms(m, p, m->tensors[i].size);

        for (size_t n = 0; n < m->tensors[i].size; n++)
            p[n] *= factor;
    }
}

locant_status lct_input_prepare(struct lct_model *m)
{
    m->table_factor = 1;
    if (!m->input_door)
        return LOCANT_OK;
    count_up(m->positions, m->length);
    return has_params(m) ? LOCANT_OK : measure(m);
}

/*
 * Have the first T rows in m->table.  Those of a fixed table stay from one pass
 * to the next.
 */
static locant_status refresh_table(struct lct_model *m)
{
    if (!has_params(m) && m->T <= m->table_rows)
        return LOCANT_OK;
    m->table_rows = 0;
    LCT_TRY(table_rows(m, m->table, m->positions, m->T));
    m->table_rows = m->T;
    return LOCANT_OK;
}

/*
 * x [B, T, width] = embedding[tokens [B, T]] + factor * table [T, width].
 *
 * Saved for backward: tokens.
 */
locant_status lct_input_forward(struct lct_model *m)
{
    const int64_t width = m->config.width;
    real *x = m->layers[0].x;

    if (m->input_door)
        LCT_TRY(refresh_table(m));
    lct_embedding_forward(x, m->params, m->tokens, m->B * m->T, width);
    if (m->input_door)
        lct_positions_forward(x, m->table, m->table_factor, m->B, m->T, width);
    return LOCANT_OK;
}

/* forward: x = embedding[tokens] + factor * table, from d.x */
locant_status lct_input_backward(struct lct_model *m)
{
    const int64_t width = m->config.width;
    const int64_t shape[2] = { m->T, width };
    locant_tensor dtable = locant_dense(m->d.table, LCT_REAL_DTYPE, 2, shape);
    locant_tensor pos = locant_dense(m->positions, LOCANT_I64, 1, shape);

    lct_embedding_backward(m->grads, m->d.x, m->tokens, m->B * m->T,
                           m->config.vocab, width, &m->lists);
    if (!m->input_door || !has_params(m))
        return LOCANT_OK;
    lct_positions_backward(m->d.table, m->d.x, m->table_factor, m->B, m->T,
                           width, m->sum);
    return locant_encoding_table_backward(m->encoding_grads, &dtable,
                                          m->config.encoding, &pos,
                                          m->encoding_params);
}

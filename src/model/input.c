/*
 * input.c - the input of the first layer: token embeddings plus the table of an
 * encoding with an input door.
 *
 * Every table starts at the RMS of initial token embeddings, so that encodings
 * do not also differ in scale: a fixed table is multiplied by a factor, as are
 * the initial parameters of a learned table.
 */
#include "parts.h"
#include <math.h>

enum { SCALE_ROWS = 128 };

/* A view of positions as [rows, cols], or as [rows] if cols is 0. */
static locant_tensor view_positions(const struct lct_model *m, void *positions,
                                    int64_t rows, int64_t cols)
{
    const int64_t shape[2] = { rows, cols };

    return locant_dense(positions, m->real_positions ? LOCANT_F64 : LOCANT_I64,
                        cols > 0 ? 2 : 1, shape);
}

/* out [n, width] = the unscaled table at n positions, I64 or F64. */
static locant_status table_rows(const struct lct_model *m, real *out,
                                void *positions, int64_t n)
{
    const int64_t shape[2] = { n, m->config.width };
    locant_tensor table = locant_dense(out, LCT_REAL_DTYPE, 2, shape);
    locant_tensor pos = view_positions(m, positions, n, 0);

    return locant_encoding_table(&table, m->config.encoding, &pos,
                                 lct_layer_params(m, 0));
}

double lct_initial_deviation(const struct lct_model *m)
{
    return 1 / sqrt((double)m->config.width);
}

/* The factor that brings x [n] to the RMS of embeddings; 1 if all are 0. */
static double rms_factor(const struct lct_model *m, const real *x, size_t n)
{
    double sum = lct_nn()->sum_squares(x, n);

    return sum > 0.0 ? lct_initial_deviation(m) / sqrt(sum / (double)n) : 1.0;
}

/* The factor that brings the first 'most' rows of the table, or all if there
   are fewer, to the RMS of embeddings. */
static locant_status measure_factor(const struct lct_model *m, double *factor,
                                    int64_t most)
{
    const int64_t limit = locant_encoding_length_limit(m->config.encoding);
    const int64_t rows = most < limit ? most : limit;
    const int64_t width = m->config.width;
    real *table = locant_alloc((size_t)(rows * width) * sizeof(*table));
    int64_t positions[SCALE_ROWS];
    locant_tensor ids = view_positions(m, positions, 1, rows);
    locant_status status;

    if (table == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "lct_model_create: no memory");
    status = locant_encoding_ids(&ids, m->config.encoding, 0, 0);
    if (status == LOCANT_OK)
        status = table_rows(m, table, positions, rows);
    if (status == LOCANT_OK)
        *factor = rms_factor(m, table, (size_t)(rows * width));
    locant_release(table);
    return status;
}

/* A learned table is linear in its parameters, so multiplying them by the
   factor multiplies the table. */
locant_status lct_input_scale_table(struct lct_model *m)
{
    const locant_sizes sizes = lct_model_sizes(m);
    int64_t rows = m->length < SCALE_ROWS ? m->length : SCALE_ROWS;
    locant_param_info info;
    double factor = 1;

    if (!m->table_learns)
        return LOCANT_OK;
    LCT_TRY(measure_factor(m, &factor, rows));
    for (int i = m->encoding_first; i < m->tensor_count; i++) {
        real *p = m->params + m->tensors[i].offset;

        locant_encoding_param(&info, m->config.encoding,
                              m->tensors[i].encoding_param, &sizes);
        if (info.rate == 0 || !(info.doors & LOCANT_DOOR_INPUT))
            continue;
        for (size_t n = 0; n < m->tensors[i].size; n++)
            p[n] *= (real)factor;
    }
    return LOCANT_OK;
}

locant_status lct_input_prepare(struct lct_model *m)
{
    double factor = 1;

    for (int64_t t = 0; !m->chooses_positions && t < m->length; t++)
        ((int64_t *)m->positions)[t] = t;
    if (m->input_door && !m->table_learns)
        LCT_TRY(measure_factor(m, &factor, SCALE_ROWS));
    m->table_factor = (real)factor;
    return LOCANT_OK;
}

/* Rows of the batch that a pass of B rows is of. */
static int64_t rows_of_batch(const struct lct_model *m, int64_t B)
{
    if (m->sequences.leaves > 1)
        return m->config.leaves.all / m->sequences.leaves;
    if (!lct_has_leaves(m) || B % m->leaves != 0)
        return B;
    return B / m->leaves * m->config.leaves.all;
}

locant_status lct_input_positions(struct lct_model *m, int64_t B, int64_t S)
{
    const int64_t tokens = m->sequences.leaves > 1 ? m->length : S;
    locant_tensor ids =
        view_positions(m, m->positions, rows_of_batch(m, B), tokens);
    locant_status status;

    if (!m->chooses_positions)
        return LOCANT_OK;
    status = locant_encoding_ids(&ids, m->config.encoding, m->draw_seed,
                                 m->draw_positions);
    m->draw_positions = false;
    lct_sequence_set_positions(m);
    return status;
}

/* Compute the table's rows of this pass.  Rows of a fixed table at fixed
   positions stay from one pass to the next. */
static locant_status refresh_table(struct lct_model *m, int64_t rows)
{
    if (!m->chooses_positions && !m->table_learns && rows <= m->table_rows)
        return LOCANT_OK;
    m->table_rows = 0;
    LCT_TRY(table_rows(m, m->table, lct_row_positions(m, 0, m->B, m->S), rows));
    m->table_rows = rows;
    return LOCANT_OK;
}

/*
 * x [B, T, width] = embedding[tokens [B, T]] + factor * table [T, width], or
 * table [B, T, width] if positions of rows differ.
 *
 * Saved for backward: tokens, positions.
 */
locant_status lct_input_forward(struct lct_model *m)
{
    const int64_t width = m->config.width;
    const int64_t copies = m->rows_differ ? 1 : m->B;
    const int64_t rows = m->B * m->T / copies;
    real *x = m->layers[0].x;

    if (m->input_door)
        LCT_TRY(refresh_table(m, rows));
    lct_embedding_forward(x, m->params, m->tokens, m->B * m->T, width);
    if (m->input_door)
        lct_positions_forward(x, m->table, m->table_factor, copies, rows,
                              width);
    return LOCANT_OK;
}

/* The gradients of the table's parameters, from d.x of a leaf of B rows. */
static locant_status table_backward(struct lct_model *m, int64_t leaf,
                                    int64_t B)
{
    const int64_t width = m->config.width, first = leaf * B;
    const int64_t copies = m->rows_differ ? 1 : B;
    const int64_t rows = B * m->T / copies;
    const int64_t shape[2] = { rows, width };
    locant_tensor dtable = locant_dense(m->d.table, LCT_REAL_DTYPE, 2, shape);
    locant_tensor pos =
        view_positions(m, lct_row_positions(m, first, m->B, m->S), rows, 0);

    lct_positions_backward(m->d.table, m->d.x + first * m->T * width,
                           m->table_factor, copies, rows, width, m->sum);
    return locant_encoding_table_backward(lct_layer_grads(m, leaf, 0), &dtable,
                                          m->config.encoding, &pos,
                                          lct_layer_params(m, 0));
}

/* forward: x = embedding[tokens] + factor * table, from d.x */
locant_status lct_input_backward(struct lct_model *m)
{
    if (lct_has_leaves(m))
        lct_leaves_add_embedding(m);
    else
        lct_embedding_backward(m->grads, m->d.x, m->tokens, m->B * m->T,
                               m->config.vocab, m->config.width, &m->lists);
    for (int64_t l = 0; m->table_learns && l < m->leaves; l++)
        LCT_TRY(table_backward(m, l, m->B / m->leaves));
    return LOCANT_OK;
}

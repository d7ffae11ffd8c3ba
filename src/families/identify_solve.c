/* identify_solve.c - least squares for a few hundred unknowns */
#include "identify_solve.h"
#include <math.h>
#include <string.h>

locant_status lct_equations_create(struct lct_equations *e, int most)
{
    size_t n = (size_t)most;

    memset(e, 0, sizeof(*e));
    e->matrix = locant_alloc(n * n * sizeof(double));
    e->right = locant_alloc(3 * n * sizeof(double));
    if (e->matrix == NULL || e->right == NULL) {
        lct_equations_free(e);
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for %d unknowns", most);
    }
    e->x = e->right + n;
    e->row = e->x + n;
    return LOCANT_OK;
}

void lct_equations_free(struct lct_equations *e)
{
    locant_release(e->matrix);
    locant_release(e->right);
    e->matrix = e->right = NULL;
}

void lct_equations_clear(struct lct_equations *e, int unknowns)
{
    size_t n = (size_t)unknowns;

    e->unknowns = unknowns;
    e->n = 0;
    e->squares = 0;
    memset(e->matrix, 0, n * n * sizeof(double));
    memset(e->right, 0, n * sizeof(double));
}

void lct_equations_add(struct lct_equations *e, const double *row, double right)
{
    int n = e->unknowns;

    for (int i = 0; i < n; i++) {
        double *to = e->matrix + (size_t)i * (size_t)n;

        e->right[i] += row[i] * right;
        for (int j = 0; j <= i; j++)
            to[j] += row[i] * row[j];
    }
    e->squares += right * right;
    e->n++;
}

/* The lower half becomes L of L L^T; a column of a pivot near 0 becomes 0. */
static void factorize(double *m, int n)
{
    for (int j = 0; j < n; j++) {
        double *rj = m + (size_t)j * (size_t)n, pivot = rj[j], whole = rj[j];

        for (int k = 0; k < j; k++)
            pivot -= rj[k] * rj[k];
        rj[j] = pivot > 1e-12 * whole ? sqrt(pivot) : 0;
        for (int i = j + 1; i < n; i++) {
            double *ri = m + (size_t)i * (size_t)n, sum = ri[j];

            for (int k = 0; k < j; k++)
                sum -= ri[k] * rj[k];
            ri[j] = rj[j] > 0 ? sum / rj[j] : 0;
        }
    }
}

static void substitute(double *x, const double *m, int n)
{
    for (int i = 0; i < n; i++) {
        const double *row = m + (size_t)i * (size_t)n;

        for (int k = 0; k < i; k++)
            x[i] -= row[k] * x[k];
        x[i] = row[i] > 0 ? x[i] / row[i] : 0;
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= m[(size_t)k * (size_t)n + (size_t)i] * x[k];
        x[i] = m[(size_t)i * (size_t)n + (size_t)i] > 0
                   ? x[i] / m[(size_t)i * (size_t)n + (size_t)i]
                   : 0;
    }
}

void lct_equations_solve(struct lct_equations *e)
{
    int n = e->unknowns;
    double explained = 0, freedom = fmax((double)(e->n - n), 1), mean = 0;

    for (int i = 0; i < n; i++)
        mean += e->matrix[(size_t)i * (size_t)n + (size_t)i] / n;
    memcpy(e->x, e->right, (size_t)n * sizeof(double));
    factorize(e->matrix, n);
    substitute(e->x, e->matrix, n);
    for (int i = 0; i < n; i++)
        explained += e->x[i] * e->right[i];
    e->left = sqrt(fmax(e->squares - explained, 0) / freedom);
    e->size = sqrt(e->squares / fmax((double)e->n, 1));
    e->error = mean > 0 ? e->left / sqrt(mean) : 0;
}

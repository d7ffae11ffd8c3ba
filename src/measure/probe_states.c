/*
 * probe_states.c - how well the position t of a token can be predicted from its
 * state: ridge regression from the residual stream after each layer to t,
 * tested on windows that were not used in the fit.
 */
#include "probe.h"
#include <math.h>

enum { FIT_WINDOWS = 64, TEST_WINDOWS = 16 };
static const double lambda = 1e-3; /* of lct_ridge_solve() */

/* ------------------------------------------------------------------- ridge */

locant_status lct_ridge_create(struct lct_ridge *r, int64_t features)
{
    const int64_t n = features + 1;

    *r = (struct lct_ridge){ .n = n };
    LCT_TRY(lct_alloc_doubles(&r->a, n * n + 2 * n));
    r->b = r->a + n * n;
    r->row = r->b + n;
    return LOCANT_OK;
}

void lct_ridge_free(struct lct_ridge *r)
{
    locant_release(r->a);
}

static void set_row(const struct lct_ridge *r, const real *x)
{
    for (int64_t i = 0; i < r->n - 1; i++)
        r->row[i] = (double)x[i];
    r->row[r->n - 1] = 1;
}

void lct_ridge_add(struct lct_ridge *r, const real *x, double y)
{
    set_row(r, x);
    for (int64_t i = 0; i < r->n; i++) {
        for (int64_t j = 0; j <= i; j++)
            r->a[i * r->n + j] += r->row[i] * r->row[j];
        r->b[i] += r->row[i] * y;
    }
}

/* Replace the lower half of a by its Cholesky factor L, a = L L^T. */
static bool factor_cholesky(double *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = a[i * n + j];

            for (int64_t k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0))
                return false;
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    return true;
}

bool lct_ridge_solve(struct lct_ridge *r, double penalty)
{
    const int64_t n = r->n;
    double *a = r->a, *b = r->b, trace = 0;

    for (int64_t i = 0; i < n - 1; i++)
        trace += a[i * n + i];
    for (int64_t i = 0; i < n - 1; i++) /* the constant is not penalized */
        a[i * n + i] += penalty * trace / (double)(n - 1);
    if (!factor_cholesky(a, n))
        return false;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < n; k++)
            b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
    return true;
}

double lct_ridge_predict(const struct lct_ridge *r, const real *x)
{
    double y = r->b[r->n - 1];

    for (int64_t i = 0; i < r->n - 1; i++)
        y += r->b[i] * (double)x[i];
    return y;
}

/* ------------------------------------------------------------------ states */

/* One regression for each depth of the model: depth 0 is the input of the first
   layer, depth l the output of layer l - 1. */
struct states {
    struct lct_probe *p;
    struct lct_ridge *ridge; /* [layers + 1] */
    double *error;           /* [layers + 1] sum of |predicted t - t| */
    bool test;               /* test the fit instead of adding samples to it */
    int64_t width;
};

/* Add or test the states x [rows, width] of windows of T tokens. */
static void read_states(struct states *s, int64_t depth, const real *x,
                        int64_t rows, int64_t T)
{
    struct lct_ridge *r = &s->ridge[depth];

    for (int64_t i = 0; i < rows; i++, x += s->width) {
        const double t = (double)(i % T);

        if (s->test)
            s->error[depth] += fabs(lct_ridge_predict(r, x) - t);
        else
            lct_ridge_add(r, x, t);
    }
}

static void add_layer(const struct lct_layer_state *seen, void *context)
{
    const int64_t rows = seen->B * seen->T;

    if (seen->layer == 0)
        read_states(context, 0, seen->input, rows, seen->T);
    read_states(context, seen->layer + 1, seen->x, rows, seen->T);
}

static locant_status measure(struct states *s)
{
    const int64_t depths = s->p->layers + 1, T = s->p->length;
    const int64_t at_once = LCT_PROBE_LONG / T;
    const struct lct_windows fit = { 0, FIT_WINDOWS, T, at_once, false };
    const struct lct_windows test = { FIT_WINDOWS, TEST_WINDOWS, T, at_once,
                                      false };

    LCT_TRY(lct_probe_run_windows(s->p, &fit, add_layer, s));
    for (int64_t l = 0; l < depths; l++)
        if (!lct_ridge_solve(&s->ridge[l], lambda))
            return locant_fail(LOCANT_ERR_PARAM,
                               "locant_probe: the states of "
                               "run %lld are not finite",
                               (long long)s->p->run.id);
    s->test = true;
    LCT_TRY(lct_probe_run_windows(s->p, &test, add_layer, s));
    for (int64_t l = 0; l < depths; l++)
        s->error[l] /= (double)(TEST_WINDOWS * T);
    return LOCANT_OK;
}

double lct_position_chance(int64_t length)
{
    const double n = (double)length;

    return length % 2 == 0 ? n / 4 : (n * n - 1) / (4 * n);
}

locant_status lct_probe_states(json_t *out, struct lct_probe *p)
{
    struct states s = { .p = p };
    const int64_t depths = p->layers + 1;
    locant_status status = LOCANT_OK;

    s.width = lct_model_config_of(p->model)->width;
    s.ridge = locant_alloc((size_t)depths * sizeof *s.ridge);
    if (s.ridge == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_probe: no memory");
    for (int64_t l = 0; l < depths && status == LOCANT_OK; l++)
        status = lct_ridge_create(&s.ridge[l], s.width);
    if (status == LOCANT_OK)
        status = lct_alloc_doubles(&s.error, depths);
    if (status == LOCANT_OK)
        status = measure(&s);
    if (status == LOCANT_OK)
        status = lct_probe_add_members(
            out,
            json_pack("{s:I, s:f, s:o, s:o}", "length", (json_int_t)p->length,
                      "chance", lct_position_chance(p->length), "input",
                      lct_real_json(s.error[0]), "error",
                      lct_reals_json(s.error + 1, p->layers)));
    for (int64_t l = 0; l < depths; l++)
        lct_ridge_free(&s.ridge[l]);
    locant_release(s.ridge);
    locant_release(s.error);
    return status;
}

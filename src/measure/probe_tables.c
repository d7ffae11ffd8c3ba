/*
 * probe_tables.c - how far the products of the rows of a position table depend
 * on the distance alone, the spectrum of the table, and the law of a bias.
 */
#include "probe.h"
#include "results.h"
#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------- laws */

static const char *const laws[LCT_LAWS] = { "const", "linear", "log", "power" };

const char *lct_law_name(enum lct_law law)
{
    return laws[law];
}

/* R^2 of y = a + b u fitted by least squares; 0 if y is constant. */
static double fit_line(const double *u, const double *y, int64_t n)
{
    double su = 0, sy = 0, suu = 0, suy = 0, syy = 0;

    for (int64_t i = 0; i < n; i++) {
        su += u[i];
        sy += y[i];
    }
    for (int64_t i = 0; i < n; i++) {
        const double du = u[i] - su / (double)n, dy = y[i] - sy / (double)n;

        suu += du * du;
        suy += du * dy;
        syy += dy * dy;
    }
    return suu > 0 && syy > 0 ? suy * suy / (suu * syy) : 0;
}

double lct_fit_law(double *u, enum lct_law law, const double *x,
                   const double *y, int64_t n)
{
    double best = 0;

    if (law == LCT_LAW_CONST)
        return 0; /* R^2 is relative to the mean, which is this law */
    for (int k = law == LCT_LAW_POWER ? 1 : 0; k <= 40; k++) {
        const double power = law == LCT_LAW_POWER ? k * .1 : 1;

        for (int64_t i = 0; i < n; i++)
            u[i] = law == LCT_LAW_LOG ? log(x[i]) : pow(x[i], power);
        best = fmax(best, fit_line(u, y, n));
        if (law != LCT_LAW_POWER)
            break;
    }
    return best;
}

/* ---------------------------------------------------------------- Toeplitz */

double lct_toeplitz_share(const double *table, int64_t n, int64_t width)
{
    double all = 0, part = 0;

    for (int64_t d = 0; d < n; d++) {
        const double copies = d == 0 ? 1 : 2; /* diagonals at distance d */
        double sum = 0;

        for (int64_t i = 0; i + d < n; i++) {
            double g = 0;

            for (int64_t c = 0; c < width; c++)
                g += table[i * width + c] * table[(i + d) * width + c];
            sum += g;
            all += copies * g * g;
        }
        part += copies * sum * sum / (double)(n - d);
    }
    return all > 0 ? part / all : NAN;
}

/* ----------------------------------------------------------------- Fourier */

/* |sum_i x[i, c] exp(-2 pi I k i / n)|^2 of column c. */
static double power_at(const double *table, int64_t n, int64_t width, int64_t c,
                       int64_t k)
{
    const double step = 2 * 3.14159265358979323846 / (double)n;
    double real_part = 0, imaginary = 0;

    for (int64_t i = 0; i < n; i++) {
        const double angle = step * (double)(k * i % n);

        real_part += table[i * width + c] * cos(angle);
        imaginary += table[i * width + c] * sin(angle);
    }
    return real_part * real_part + imaginary * imaginary;
}

void lct_table_spectrum(double *out, const double *table, int64_t n,
                        int64_t width)
{
    double all = 0;

    for (int64_t k = 0; k <= n / 2; k++) {
        /* k and n - k are the same frequency; 0 and n / 2 have no partner */
        const double copies = k == 0 || 2 * k == n ? 1 : 2;

        out[k] = 0;
        for (int64_t c = 0; c < width; c++)
            out[k] += copies * power_at(table, n, width, c, k);
        all += out[k];
    }
    for (int64_t k = 0; k <= n / 2; k++)
        out[k] = all > 0 ? out[k] / all : NAN;
}

/* -------------------------------------------------------------------- part */

int lct_view_params(locant_tensor *out, struct lct_model *model)
{
    const struct lct_model_tensor *t;
    const int n = lct_model_tensors(model, &t);
    int count = 0;

    for (int i = 0; i < n; i++) {
        const int k = t[i].encoding_param;

        if (k < 0 || k >= LCT_GROUP_PARAMS || t[i].layer > 0)
            continue;
        out[k] = locant_dense(lct_model_params(model) + t[i].offset,
                              LCT_REAL_DTYPE, t[i].rank, t[i].shape);
        count = k + 1 > count ? k + 1 : count;
    }
    return count;
}

/* Put the Toeplitz share and the spectrum of the model's current table under
   these names. */
static locant_status add_table(json_t *out, const char *share_name,
                               const char *spectrum_name,
                               const struct lct_probe *p)
{
    const int64_t width = lct_model_config_of(p->model)->width;
    const int64_t shape[2] = { p->length, width };
    locant_tensor params[LCT_GROUP_PARAMS];
    const int count = lct_view_params(params, p->model);
    int64_t at[256];
    locant_tensor positions = locant_dense(at, LOCANT_I64, 1, shape), to;
    double *table, spectrum[256 / 2 + 1];
    locant_status status;

    for (int64_t i = 0; i < p->length; i++)
        at[i] = i;
    LCT_TRY(lct_alloc_doubles(&table, p->length * width));
    to = locant_dense(table, LOCANT_F64, 2, shape);
    status = locant_encoding_table(&to, p->encoding, &positions,
                                   count > 0 ? params : NULL);
    if (status == LOCANT_OK) {
        lct_table_spectrum(spectrum, table, p->length, width);
        json_object_set_new(
            out, share_name,
            lct_real_json(lct_toeplitz_share(table, p->length, width)));
        json_object_set_new(out, spectrum_name,
                            lct_reals_json(spectrum, p->length / 2 + 1));
    }
    locant_release(table);
    return status;
}

/* R^2 of each law for the bias b [heads, n] at the distances x [n]; u [n] is
   scratch. */
static json_t *laws_json(double *u, const double *x, const double *b,
                         int64_t heads, int64_t n)
{
    json_t *list = json_array();

    for (int64_t h = 0; h < heads; h++) {
        json_t *fits = json_object();

        for (int law = 0; law < LCT_LAWS; law++)
            json_object_set_new(fits, lct_law_name((enum lct_law)law),
                                lct_real_json(lct_fit_law(u, (enum lct_law)law,
                                                          x, b + h * n, n)));
        json_array_append_new(list, fits);
    }
    return list;
}

static locant_status add_laws(json_t *out, const struct lct_probe *p)
{
    const int64_t n = p->length - 1, one = 1, shape[3] = { p->heads, 1, n };
    locant_tensor params[LCT_GROUP_PARAMS];
    const int count = lct_view_params(params, p->model);
    int64_t query = n, keys[256];
    locant_tensor q = locant_dense(&query, LOCANT_I64, 1, &one);
    locant_tensor k = locant_dense(keys, LOCANT_I64, 1, &n), to;
    double *b, *x, *u; /* one allocation */
    locant_status status;

    if (n < 3)
        return LOCANT_OK;
    LCT_TRY(lct_alloc_doubles(&b, (p->heads + 2) * n));
    x = b + p->heads * n;
    u = x + n;
    for (int64_t d = 1; d <= n; d++) {
        keys[d - 1] = query - d;
        x[d - 1] = (double)d;
    }
    to = locant_dense(b, LOCANT_F64, 3, shape);
    status = locant_encoding_bias(&to, p->encoding, &q, &k,
                                  count > 0 ? params : NULL);
    if (status == LOCANT_OK)
        json_object_set_new(out, "laws", laws_json(u, x, b, p->heads, n));
    locant_release(b);
    return status;
}

/* Leave 'out' empty unless all layers share an encoding with one axis. */
locant_status lct_probe_tables(json_t *out, struct lct_probe *p)
{
    const unsigned doors = locant_encoding_doors(p->encoding);
    locant_status status;

    if (locant_encoding_axes(p->encoding) > 1 ||
        locant_encoding_layer(NULL, p->encoding, 0) != p->encoding)
        return LOCANT_OK;
    if (doors & LOCANT_DOOR_SCORE)
        LCT_TRY(add_laws(out, p));
    if (!(doors & LOCANT_DOOR_INPUT))
        return LOCANT_OK;
    LCT_TRY(add_table(out, "toeplitz", "spectrum", p));
    if (p->run.parent > 0)
        return LOCANT_OK;
    LCT_TRY(lct_probe_set_initial(p));
    status = add_table(out, "toeplitz_initial", "spectrum_initial", p);
    lct_probe_set_trained(p);
    return status;
}

/* encodings.c - calls of the public API that most rows need, on arrays. */
#include "encodings.h"

#include <stdio.h>
#include <string.h>

#include "tutorial.h"

static void free_encoding(void *e)
{
    locant_encoding_free(e);
}

const locant_encoding *encoding(const char *spec)
{
    locant_encoding *e = NULL;

    must(locant_encoding_create(&e, spec));
    defer(free_encoding, e);
    return e;
}

const locant_encoding_info *info(const char *spec)
{
    return locant_encoding_info_of(encoding(spec));
}

const char *doors(const char *spec)
{
    static const char *const names[] = { "input", "rotate", "score",
                                         "content" };
    unsigned bits = info(spec)->doors;
    char *text = memory(64, 1);

    for (int i = 0; i < 4; i++)
        if (bits >> i & 1)
            sprintf(text + strlen(text), "%s%s", *text ? ", " : "", names[i]);
    return *text ? text : "none";
}

static int get_param(locant_param_info *p, const locant_encoding *e, int i,
                     int64_t width, int64_t heads)
{
    locant_sizes sizes = { .width = width,
                           .heads = heads,
                           .head_dim = width / heads };

    return locant_encoding_param(p, e, i, &sizes);
}

long long learned_numbers(const char *spec, int64_t width, int64_t heads)
{
    const locant_encoding *e = encoding(spec);
    locant_param_info p;
    long long sum = 0;

    for (int i = 0; get_param(&p, e, i, width, heads); i++) {
        int64_t n = 1;

        for (int k = 0; k < p.rank; k++)
            n *= p.shape[k];
        sum += n;
    }
    return sum;
}

locant_tensor *initial_params(const char *spec, int64_t width, int64_t heads)
{
    const locant_encoding *e = encoding(spec);
    locant_param_info p;
    locant_tensor *params;
    int n = 0;

    while (get_param(&p, e, n, width, heads))
        n++;
    if (n == 0)
        return NULL;
    params = memory(n, sizeof *params);
    for (int i = 0; i < n; i++) {
        get_param(&p, e, i, width, heads);
        params[i] = array(LOCANT_F64, p.rank, p.shape);
        must(locant_encoding_param_init(&params[i], e, i, 42));
    }
    return params;
}

locant_tensor table_rows(const char *spec, int64_t first, int64_t n,
                         int64_t width, const locant_tensor *params)
{
    locant_tensor rows = ZEROS(n, width), at = positions(first, n);

    must(locant_encoding_table(&rows, encoding(spec), &at, params));
    return rows;
}

const char *table_refusal(const char *spec, int64_t position,
                          const locant_tensor *params)
{
    locant_tensor row = ZEROS(1, params->shape[1]), at = positions(position, 1);

    return refusal(locant_encoding_table(&row, encoding(spec), &at, params));
}

locant_tensor table_gradient(const char *spec, locant_tensor P,
                             locant_tensor up, locant_tensor at)
{
    locant_tensor gradient = array(LOCANT_F64, 2, P.shape);

    must(locant_encoding_table_backward(&gradient, &up, encoding(spec), &at,
                                        &P));
    return gradient;
}

locant_tensor bias(const char *spec, int64_t heads, int64_t T, int64_t S,
                   const locant_tensor *params)
{
    locant_tensor b = ZEROS(heads, T, S);
    locant_tensor q_pos = positions(0, T), k_pos = positions(0, S);

    must(locant_encoding_bias(&b, encoding(spec), &q_pos, &k_pos, params));
    return b;
}

locant_tensor bias_at(const char *spec, int64_t heads, const double *distance,
                      int64_t n, const locant_tensor *params)
{
    int64_t query = (int64_t)largest(distance, n);
    locant_tensor b = ZEROS(heads, 1, n);
    locant_tensor q_pos = positions(query, 1), k_pos = positions(0, n);

    for (int64_t i = 0; i < n; i++)
        ((int64_t *)k_pos.data)[i] = query - (int64_t)distance[i];
    must(locant_encoding_bias(&b, encoding(spec), &q_pos, &k_pos, params));
    return b;
}

const double *alibi_slopes(int heads)
{
    double *m = data(bias_at("alibi", heads, (double[]){ 1 }, 1, NULL));

    for (int h = 0; h < heads; h++)
        m[h] = -m[h];
    return m;
}

locant_tensor rotated(const char *spec, locant_tensor x, int64_t first)
{
    locant_tensor out = array(x.dtype, x.rank, x.shape);
    locant_tensor at = positions(first, x.shape[x.rank - 2]);

    must(locant_encoding_rotate(&out, &x, encoding(spec), &at, NULL, 0));
    return out;
}

double wavelength(double base, int64_t c, int64_t width)
{
    return 2 * PI * pow(base, 2. * c / width);
}

double sinusoid(int64_t position, int64_t channel, int64_t width)
{
    double angle = position * pow(10000, -2. * (channel / 2) / width);

    return channel % 2 ? cos(angle) : sin(angle);
}

locant_tensor shifted(const double *x, double k, int64_t n, int64_t width)
{
    locant_tensor out = ZEROS(n, width);
    double *y = data(out);

    for (int64_t i = 0; i < n * width; i += 2) {
        double angle = k * pow(10000, -(double)(i % width) / width);

        y[i] = cos(angle) * x[i] + sin(angle) * x[i + 1];
        y[i + 1] = cos(angle) * x[i + 1] - sin(angle) * x[i];
    }
    return out;
}

/* encodings.c - calls of the public API that most rows need, on tensors. */
#include "encodings.h"

#include <stdio.h>
#include <string.h>

#include "locant/angles.h"
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
    const char *found[4];
    int n = 0;

    for (int i = 0; i < 4; i++)
        if (info(spec)->doors >> i & 1)
            found[n++] = names[i];
    return n > 0 ? joined(found, n) : "none";
}

int has_trait(const char *spec, unsigned trait)
{
    return (info(spec)->traits & trait) != 0;
}

static int get_param(locant_param_info *p, const locant_encoding *e, int i,
                     int64_t width, int64_t heads)
{
    locant_sizes sizes = { .width = width,
                           .heads = heads,
                           .head_dim = width / heads };

    return locant_encoding_param(p, e, i, &sizes);
}

long long numbers_in(const locant_param_info *p)
{
    return count(locant_dense(NULL, LOCANT_F64, p->rank, p->shape));
}

long long learned_numbers(const char *spec, int64_t width, int64_t heads)
{
    const locant_encoding *e = encoding(spec);
    locant_param_info p;
    long long sum = 0;

    for (int i = 0; get_param(&p, e, i, width, heads); i++)
        sum += numbers_in(&p);
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
        params[i] = zeros(LOCANT_F64, p.rank, p.shape);
        must(locant_encoding_param_init(&params[i], e, i, 42));
    }
    return params;
}

locant_tensor table_rows(const char *spec, int64_t first, int64_t n,
                         int64_t width, const locant_tensor *params)
{
    locant_tensor out = ZEROS(n, width), at = positions(first, n);

    must(locant_encoding_table(&out, encoding(spec), &at, params));
    return out;
}

locant_tensor sinusoidal(int64_t first, int64_t n, int64_t width)
{
    return table_rows("sinusoidal", first, n, width, NULL);
}

double sinusoid(int64_t position, int64_t channel, int64_t width)
{
    double angle = position * pow(10000, -2. * (channel / 2) / width);

    return channel % 2 ? cos(angle) : sin(angle);
}

double wavelength(double base, int64_t c, int64_t width)
{
    return 2 * PI * pow(base, 2. * c / width);
}

locant_tensor moved(locant_tensor x, double k)
{
    locant_tensor out = zeros_like(x);
    int64_t width = width_of(x);

    for (int64_t i = 0; i < count(x); i += 2) {
        double angle = k * pow(10000, -(double)(i % width) / width);
        double sine = data(x)[i], cosine = data(x)[i + 1];

        data(out)[i] = cos(angle) * sine + sin(angle) * cosine;
        data(out)[i + 1] = cos(angle) * cosine - sin(angle) * sine;
    }
    return out;
}

static const locant_encoding *learned(locant_tensor P)
{
    char spec[64];

    snprintf(spec, sizeof spec, "learned(length=%lld)", (long long)P.shape[0]);
    return encoding(spec);
}

locant_tensor looked_up(locant_tensor P, locant_tensor at)
{
    locant_tensor out = ZEROS(count(at), P.shape[1]);

    must(locant_encoding_table(&out, learned(P), &at, &P));
    return out;
}

const char *lookup_refusal(locant_tensor P, int64_t position)
{
    locant_tensor out = ZEROS(1, P.shape[1]), at = positions(position, 1);

    return refusal(locant_encoding_table(&out, learned(P), &at, &P));
}

locant_tensor lookup_gradient(locant_tensor P, locant_tensor up,
                              locant_tensor at)
{
    locant_tensor gradient = zeros_like(P);

    must(locant_encoding_table_backward(&gradient, &up, learned(P), &at, &P));
    return gradient;
}

locant_tensor bias_between(const char *spec, int64_t heads, locant_tensor q_pos,
                           locant_tensor k_pos, const locant_tensor *params)
{
    locant_tensor b = ZEROS(heads, count(q_pos), count(k_pos));

    must(locant_encoding_bias(&b, encoding(spec), &q_pos, &k_pos, params));
    return b;
}

locant_tensor bias(const char *spec, int64_t heads, int64_t T)
{
    return bias_between(spec, heads, positions(0, T), positions(0, T), NULL);
}

locant_tensor bias_at(const char *spec, int64_t heads, locant_tensor distance,
                      const locant_tensor *params)
{
    int64_t query = (int64_t)largest(distance), n = count(distance);
    locant_tensor k_pos = positions(0, n);

    for (int64_t i = 0; i < n; i++)
        integer_data(k_pos)[i] = query - (int64_t)data(distance)[i];
    return RESHAPED(
        bias_between(spec, heads, positions(query, 1), k_pos, params), heads,
        n);
}

locant_tensor alibi_slopes(int64_t heads)
{
    locant_tensor per_step = bias_at("alibi", heads, VECTOR(1), NULL);

    return minus(ZEROS(heads), per_step);
}

locant_tensor t5_buckets(locant_tensor distance)
{
    /* if bucket b has the bias b, then the bias is the bucket */
    locant_tensor table = RESHAPED(as_double(positions(0, 32)), 32, 1);

    return row(bias_at("t5", 1, distance, &table), 0);
}

locant_tensor rotated(const char *spec, locant_tensor x, int64_t first)
{
    locant_tensor out = zeros(x.dtype, x.rank, x.shape);
    locant_tensor at = positions(first, x.shape[x.rank - 2]);

    must(locant_encoding_rotate(&out, &x, encoding(spec), &at, NULL, 0));
    return out;
}

locant_tensor rope_angles(int64_t n, int64_t pairs)
{
    locant_tensor angles = ZEROS_F32(n, pairs, 2), at = positions(0, n);

    must(locant_angles(&angles, &at, 10000, LOCANT_ANGLES_EXACT));
    return angles;
}

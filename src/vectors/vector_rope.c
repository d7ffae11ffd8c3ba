/* vector_rope.c - true values of rope and sinusoids, in exact arithmetic */
#include "vector_rope.h"
#include "oracle/pairs.h"
#include "vector_inputs.h"
#include <string.h>

enum { D = LCT_VECTOR_DIM };

/* Rotated rows, and what their errors are relative to. */
struct rows {
    struct exact x[16][D];
    double reach;       /* |a| + |b|, below 4, times the magnitude */
    double turn[16][D]; /* how far a relative 1 turns the channel: p f */
};

static struct oracle_pair pair_of(const struct lct_vector_group *g, int64_t d)
{
    return oracle_pair_of(d, g->rotated,
                          oracle_word(g->spec, "pairing", "interleaved", 0));
}

static int64_t first_of(const struct lct_vector_group *g)
{
    return oracle_word(g->spec, "side", "trailing", 0) ? D - g->rotated : 0;
}

int64_t lct_vector_rope_pair(const struct lct_vector_group *g, int64_t channel)
{
    int64_t d = channel - first_of(g);

    return d < 0 || d >= g->rotated ? -1 : pair_of(g, d).c;
}

/* The attention factor to a power. */
static struct exact magnitude_of(const struct lct_vector_angles *a, int power)
{
    struct exact m = exact_of(1);

    for (; power > 0; power--)
        m = exact_times(m, a->magnitude);
    return m;
}

/* Rotate the rows of an input, forwards or (sign -1) backwards. */
static void rotate(struct rows *r, const struct lct_vector_group *g,
                   const struct lct_vector_angles *a,
                   enum lct_vector_input input, int sign, int power)
{
    struct exact m = magnitude_of(a, power);
    int64_t first = first_of(g);

    memset(r, 0, sizeof *r);
    r->reach = 4 * exact_double(m);
    for (int64_t at = 0; at < a->n * D; at++) {
        int64_t i = at / D, d = at % D - first, c, mate;
        double x = lct_vector_inputs_at(input, at), y;
        struct oracle_pair p;
        struct exact sine;

        r->x[i][at % D] = exact_of((long double)x);
        if (d < 0 || d >= g->rotated)
            continue;
        p = pair_of(g, d);
        c = i * a->pairs + p.c;
        mate = i * D + first + p.mate;
        y = lct_vector_inputs_at(input, mate);
        sine = exact_times(a->sine[c], exact_of((long double)y));
        if (p.second ? sign < 0 : sign > 0)
            sine = exact_negate(sine);
        r->x[i][at % D] = exact_times(
            m, exact_add(exact_times(a->cosine[c], exact_of((long double)x)),
                         sine));
        r->turn[i][at % D] = (double)lct_vector_groups_position(g->queries, i) *
                             exact_double(a->unscaled[p.c]);
    }
}

static void put_rows(struct lct_vector_values *out, const struct rows *r)
{
    for (size_t at = 0; at < out->n; at++) {
        out->value[at] = exact_double(r->x[at / D][at % D]);
        out->slack[at] = r->turn[at / D][at % D] * r->reach;
    }
    out->reach = r->reach;
    out->relative = 1.01;
}

/*
 * A score is a sum of D products of rotated channels, each of which is off by
 * its own error; then the sum is rounded at most D + 2 times.
 */
static void put_scores(struct lct_vector_values *out, const struct rows *q,
                       const struct rows *k, double factor)
{
    const double scale = 1 / sqrt(D);
    const int64_t S = out->shape[1];

    for (size_t at = 0; at < out->n; at++) {
        int64_t i = (int64_t)at / S, j = (int64_t)at % S;
        double reach = 0, terms = 0, slack = 0;
        struct exact sum = exact_of(0);

        for (int d = 0; d < D; d++) {
            double a = fabs(exact_double(q->x[i][d]));
            double b = fabs(exact_double(k->x[j][d]));

            sum = exact_add(sum, exact_times(q->x[i][d], k->x[j][d]));
            reach += b * (q->reach + a) + a * (k->reach + b);
            terms += (D + 2) * a * b;
            slack +=
                b * q->turn[i][d] * q->reach + a * k->turn[j][d] * k->reach;
        }
        sum = exact_times(sum, exact_of((long double)(scale * factor)));
        out->value[at] = exact_double(sum);
        out->slack[at] = slack * scale * factor;
        out->reach = fmax(out->reach, reach * scale * factor);
        out->terms = fmax(out->terms, terms * scale * factor);
    }
    out->relative = 1.01;
}

static void put_angles(struct lct_vector_values *out,
                       const struct lct_vector_group *g,
                       const struct lct_vector_angles *a, bool sines,
                       const struct lct_vector_variation *v)
{
    struct exact m = magnitude_of(a, v->power);

    for (size_t at = 0; at < out->n; at++) {
        struct exact x = sines ? a->sine[at] : a->cosine[at];
        int64_t i = (int64_t)at / a->pairs, c = (int64_t)at % a->pairs;

        if (sines && v->reversed)
            x = exact_negate(x);
        out->value[at] = exact_double(exact_times(m, x));
        out->slack[at] = exact_double(m) * exact_double(a->unscaled[c]) *
                         (double)lct_vector_groups_position(g->queries, i);
    }
    out->reach = exact_double(m);
}

/* A frequency is a blend of f and f / factor, off by a few units of f. */
static void put_frequencies(struct lct_vector_values *out,
                            const struct lct_vector_angles *a)
{
    for (size_t c = 0; c < out->n; c++)
        out->value[c] = exact_double(a->frequency[c]);
    out->relative = 8 * fmax(a->factor, 1);
}

static void put(struct lct_vector_values *out, const struct lct_vector_group *g,
                const char *name, const struct lct_vector_angles *a,
                const struct lct_vector_variation *v)
{
    int sign = v->reversed ? -1 : 1;
    struct rows x, y;

    if (strcmp(name, "cos") == 0 || strcmp(name, "sin") == 0) {
        put_angles(out, g, a, name[0] == 's', v);
    } else if (strcmp(name, "frequencies") == 0) {
        put_frequencies(out, a);
    } else if (strcmp(name, "scores") == 0) {
        rotate(&x, g, a, LCT_VECTOR_Q, sign, v->power);
        rotate(&y, g, a, LCT_VECTOR_K, sign, v->power);
        put_scores(out, &x, &y, v->plain_scale ? 1 : a->on_score);
    } else {
        rotate(&x, g, a,
               strcmp(name, "q") == 0   ? LCT_VECTOR_Q
               : strcmp(name, "k") == 0 ? LCT_VECTOR_K
                                        : LCT_VECTOR_DOUT,
               strcmp(name, "dq") == 0 ? -sign : sign, v->power);
        put_rows(out, &x);
    }
}

locant_status lct_vector_rope_values(
    struct lct_vector_values *out, const struct lct_vector_group *g, int k,
    const struct lct_vector_variation *variation, struct lct_vector_angles *a)
{
    LCT_TRY(lct_vector_angles_make(a, g->spec, g->rotated / 2, g->queries,
                                   variation->offset));
    put(out, g, lct_vector_quantities_of(g->kind)[k].name, a, variation);
    return LOCANT_OK;
}

/* Pair of a channel of a row of sinusoids, and which of the two it is. */
static int64_t sinusoid_of(bool *sine, const struct lct_vector_group *g,
                           int64_t d)
{
    if (oracle_word(g->spec, "form", "split", 0)) {
        *sine = d < D / 2;
        return d % (D / 2);
    }
    *sine = d % 2 == 0;
    return d / 2;
}

/* base^(-2c/D), or base^(-c/(D/2 - 1)), which ends at base. */
void lct_vector_rope_sinusoids(struct lct_vector_values *out,
                               const struct lct_vector_group *g,
                               const struct lct_vector_variation *variation)
{
    double base = oracle_number(g->spec, "base", 10000);
    int inclusive = oracle_word(g->spec, "spacing", "inclusive", 0);
    double start = oracle_number(g->spec, "start", 0) + variation->offset;

    for (size_t at = 0; at < out->n; at++) {
        bool sine;
        int64_t i = (int64_t)at / D;
        int64_t c = sinusoid_of(&sine, g, (int64_t)at % D);
        double p = (double)lct_vector_groups_position(g->queries, i) + start;
        struct exact f = exact_frequency(base, c, inclusive ? D - 2 : D), of[2];

        exact_cosine_sine(&of[0], &of[1],
                          exact_times(f, exact_of((long double)p)));
        out->value[at] = exact_double(of[sine]);
        if (sine && variation->reversed)
            out->value[at] = -out->value[at];
        out->slack[at] = p * exact_double(f);
    }
    out->reach = 1;
}

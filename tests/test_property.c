/*
 * test_property.c - rotations of every spec that an oracle knows of every row
 * of the registry: there and back, one after the other, in both layouts;
 * sinusoids shift by rotation.  What else the traits promise: test_traits_*.
 * LOCANT_CASES=n changes the number of random cases.
 */
#include "oracle/draw.h"
#include "oracle/exact.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define EPS 0x1p-24 /* half a unit of float32, relative */

enum { MOST = 96 };

/* Run fn on every spec that rotates with these traits; what counts positions
 * over a grid has none that may be added. */
static void each(unsigned traits, void (*fn)(struct drawn *d))
{
    int cases = test_cases(60), met = 0;

    for (int i = 0; oracle_all[i] != NULL; i++)
        for (int n = 0; oracle_all[i]->specs[n / cases].text != NULL; n++) {
            int64_t D = 2 * test_range(1, MOST / 2);
            struct drawn d;

            CHECK(draw_spec(&d, oracle_all[i], n / cases, D, 16));
            if (d.doors & LOCANT_DOOR_ROTATE && (d.traits & traits) == traits &&
                d.axes == 1) {
                fn(&d);
                met++;
            }
            draw_free(&d);
        }
    CHECK(met > 0);
}

/* ------------------------------------------------------------------ rotate */

/* y = R(pos) x in float32. */
static void rotate(float *y, const float *x, const struct drawn *d, int64_t pos,
                   int inverse)
{
    float copy[MOST];

    memcpy(copy, x, (size_t)d->D * sizeof(float));
    CHECK_OK(locant_encoding_rotate(
        VIEW(F32, y, 1, 1, d->D), VIEW(F32, copy, 1, 1, d->D), d->e,
        VIEW(I64, &pos, 1), draw_params_in(d), inverse));
}

static double dot(const float *a, const float *b, int64_t D)
{
    double sum = 0;

    for (int64_t d = 0; d < D; d++)
        sum += (double)a[d] * (double)b[d];
    return sum;
}

static double norm(const float *a, int64_t D)
{
    return sqrt(dot(a, a, D));
}

static void draw_vector(float *x, struct drawn *d)
{
    if (d->o->far > 0 && !(d->traits & LOCANT_TRAIT_LENGTH)) {
        d->low = -d->o->far;
        d->high = d->o->far;
    }
    if (d->params == 0)
        draw_params(d, LOCANT_F32, &(locant_sizes){ d->D, 1, 1, d->D });
    for (int64_t c = 0; c < d->D; c++)
        x[c] = (float)test_normal();
}

/* |y - x| within k EPS of |x|, as vectors. */
static int near_vector(const float *y, const float *x, int64_t D, double k)
{
    float gap[MOST];

    for (int64_t d = 0; d < D; d++)
        gap[d] = y[d] - x[d];
    return norm(gap, D) <= k * EPS * norm(x, D);
}

static void check_near(const struct drawn *d, const char *what, const float *y,
                       const float *x, double k)
{
    if (!near_vector(y, x, d->D, k))
        FAIL("%s, %d channels: %s", d->spec, (int)d->D, what);
}

/*
 * One rotation: the table errs by 0.55 EPS on cosine and sine, products and sum
 * by one EPS each of at most |a| + |b|, vectors by less than 3 EPS in all on
 * average over signs; two rotations stay within the 6 of the specification.
 */
static void isometry(struct drawn *d)
{
    float x[MOST], y[MOST], back[MOST];
    int64_t pos;

    draw_vector(x, d);
    pos = test_range(d->low, d->high);
    rotate(y, x, d, pos, 0);
    CHECK(fabs(norm(y, d->D) / norm(x, d->D) - 1) <= 4 * EPS);
    rotate(back, y, d, pos, 1);
    check_near(d, "the inverse does not turn back", back, x, 6);
    for (int inverse = 0; inverse < 2; inverse++) {
        rotate(back, x, d, 0, inverse);
        CHECK(memcmp(back, x, (size_t)d->D * sizeof(float)) == 0);
    }
}

TEST(rotation_keeps_length_and_turns_back)
{
    each(LOCANT_TRAIT_ISOMETRIC, isometry);
}

/* R(-m) and the inverse of R(m) are one thing, to the bit. */
static void inverse_bits(struct drawn *d)
{
    float x[MOST], y[MOST], z[MOST];
    int64_t pos;

    if (d->traits & LOCANT_TRAIT_LENGTH)
        return;
    draw_vector(x, d);
    pos = test_range(d->low, d->high);
    rotate(y, x, d, pos, 1);
    rotate(z, x, d, -pos, 0);
    if (memcmp(y, z, (size_t)d->D * sizeof(float)) != 0)
        FAIL("%s: the inverse at %lld", d->spec, (long long)pos);
}

TEST(inverse_is_the_turn_back_bit_for_bit)
{
    each(LOCANT_TRAIT_ISOMETRIC, inverse_bits);
}

static void compose(struct drawn *d)
{
    float x[MOST], y[MOST], whole[MOST];
    int64_t a, b;

    if (d->traits & LOCANT_TRAIT_LENGTH)
        return;
    draw_vector(x, d);
    a = test_range(d->low / 2, d->high / 2);
    b = test_range(d->low / 2, d->high / 2);
    rotate(y, x, d, a, 0);
    rotate(y, y, d, b, 0);
    rotate(whole, x, d, a + b, 0);
    check_near(d, "rotations do not compose", y, whole, 6);
}

TEST(rotations_compose)
{
    each(LOCANT_TRAIT_ISOMETRIC | LOCANT_TRAIT_RELATIVE, compose);
}

/* Unless the encoding does nothing, moving one of the two changes the score. */
TEST(rotation_is_not_the_identity)
{
    int met = 0;

    for (int i = 0; oracle_all[i] != NULL; i++) {
        float x[MOST], y[MOST];
        struct drawn d;

        CHECK(draw_spec(&d, oracle_all[i], 0, 24, 16));
        if (d.doors & LOCANT_DOOR_ROTATE && d.o->rotated_width == NULL) {
            draw_vector(x, &d);
            rotate(y, x, &d, 1, 0);
            CHECK(!near_vector(y, x, d.D, 1e4));
            met++;
        }
        draw_free(&d);
    }
    CHECK(met > 1);
}

/* Channel of pair c, side s, of 'dim' in the other layout. */
static void permute(float *out, const float *x, int64_t dim, int64_t D,
                    int to_interleaved)
{
    for (int64_t d = 0; d < D; d++) {
        int64_t half = d % 2 * (dim / 2) + d / 2;

        if (d >= dim)
            out[d] = x[d];
        else if (to_interleaved)
            out[d] = x[half];
        else
            out[half] = x[d];
    }
}

static void one_layout(const char *words[2], const char *name, int64_t D)
{
    float x[512], y[512], z[512], w[512];
    int64_t dim = D, pos = test_range(0, INT32_MAX);
    locant_tensor p = DENSE(I64, &pos, 1);
    locant_tensor tx = DENSE(F32, x, 1, D), ty = tx, tz = tx;
    locant_encoding *e[2];
    char spec[128];

    for (int i = 0; i < 2; i++) {
        snprintf(spec, sizeof(spec), "%s(pairing=%s)", name, words[i]);
        e[i] = test_create(spec);
    }
    for (int64_t d = 0; d < D; d++)
        x[d] = (float)test_normal();
    ty.data = y;
    tz.data = z;
    CHECK_OK(locant_encoding_rotate(&ty, &tx, e[1], &p, NULL, 0));
    permute(z, x, dim, D, 0);
    CHECK_OK(locant_encoding_rotate(&tz, &tz, e[0], &p, NULL, 0));
    permute(w, z, dim, D, 1);
    if (memcmp(w, y, (size_t)D * sizeof(float)) != 0)
        FAIL("%s: layouts differ at D %lld, position %lld", name, (long long)D,
             (long long)pos);
    locant_encoding_free(e[0]);
    locant_encoding_free(e[1]);
}

/* Does this encoding have a key "pairing"? */
static int has_pairing(const char *name)
{
    locant_key_info key;

    for (int i = 0; locant_encoding_key(&key, name, i); i++)
        if (strcmp(key.name, "pairing") == 0)
            return 1;
    return 0;
}

static int axes_of(const char *name)
{
    OWNED(locant_encoding) *e = test_create(name);
    int axes = locant_encoding_axes(e);

    return axes;
}

TEST(layouts_are_one_rotation)
{
    const char *words[2] = { "half", "interleaved" };
    const locant_encoding_info *row;
    int met = 0;

    for (int i = 0; (row = locant_encoding_at(i)) != NULL; i++) {
        if (!(row->doors & LOCANT_DOOR_ROTATE) || !has_pairing(row->name) ||
            axes_of(row->name) > 1)
            continue;
        met++;
        for (int64_t D = 2; D <= 512; D += 2)
            one_layout(words, row->name, D);
    }
    CHECK(met > 0);
}

/* ------------------------------------------------------------------- input */

/* Row in double; no parameters. */
static void row(double *out, const locant_encoding *e, int64_t pos, int64_t D)
{
    CHECK_OK(locant_encoding_table(VIEW(F64, out, 1, D), e, VIEW(I64, &pos, 1),
                                   NULL));
}

/*
 * P[a + n] = M_n P[a], and <P[a], P[a + n]> is the same for every a: rows are
 * good to 2^-42 in double, sums of products of two such rows to D 2^-40.
 */
static void shift_row(const locant_encoding *e, double base, int split)
{
    double a[MOST], b[MOST], sum = 0, want = 0, square = 0;
    int64_t D = 2 * test_range(1, MOST / 2), p = test_range(0, 1 << 24);
    int64_t n = test_range(-1000, 1000);

    row(a, e, p, D);
    row(b, e, p + n, D);
    for (int64_t i = 0; i < D / 2; i++) {
        int64_t s = split ? i : 2 * i, k = split ? i + D / 2 : 2 * i + 1;
        long double cosine, sine;

        exact_angle(&cosine, &sine, exact_frequency(base, i, D), (double)n);
        CHECK(fabsl(b[s] - (cosine * a[s] + sine * a[k])) <= 0x1p-40L);
        CHECK(fabsl(b[k] - (cosine * a[k] - sine * a[s])) <= 0x1p-40L);
        CHECK(fabs(a[s] * a[s] + a[k] * a[k] - 1) <= 0x1p-40);
        sum += a[s] * b[s] + a[k] * b[k];
        square += a[s] * a[s] + a[k] * a[k];
        want += (double)cosine;
    }
    CHECK(fabs(sum - want) <= (double)D * 0x1p-40);
    CHECK(fabs(square - (double)D / 2) <= (double)D * 0x1p-40);
}

TEST(sinusoids_shift_by_rotation)
{
    static const double bases[] = { 10000, 10000, 100, 500000 };
    int cases = test_cases(1000);
    char spec[64];

    for (size_t i = 0; i < LEN(bases); i++) {
        locant_encoding *e;

        snprintf(spec, sizeof(spec), "sinusoidal(base=%g,form=%s)", bases[i],
                 i % 2 ? "split" : "interleaved");
        e = test_create(spec);
        for (int k = 0; k < cases; k++)
            shift_row(e, bases[i], i % 2);
        locant_encoding_free(e);
    }
}

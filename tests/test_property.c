/*
 * test_property.c - what each trait promises, held against every encoding of
 * the registry that declares it.  1000 random cases each; LOCANT_CASES=n
 * changes that.
 */
#include "oracle/judge.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define EPS 0x1p-24 /* half a unit of float32, relative */

/* A random choice of encoding o for D channels. */
static locant_encoding *pick(struct oracle_choice *c, const struct oracle *o,
                             int64_t D)
{
    int choices = 0;

    while (o->choose(c, choices, D))
        choices++;
    CHECK(o->choose(c, (int)test_range(0, choices - 1), D));
    return judge_create(c->spec);
}

/* Run fn on random choices of every encoding with this door and these traits */
static void each(unsigned door, unsigned traits, int usual,
                 void (*fn)(const struct oracle *o))
{
    int cases = judge_cases(usual), met = 0;

    for (int i = 0; test_oracles[i] != NULL; i++) {
        const struct oracle *o = test_oracles[i];

        if (!(o->doors & door) || (o->traits & traits) != traits)
            continue;
        met++;
        for (int k = 0; k < cases; k++)
            fn(o);
    }
    CHECK(met > 0);
}

/* ------------------------------------------------------------------- score */

struct scores {
    int64_t H, T, S;
    locant_encoding *e;
    struct oracle_params p;
    int64_t q[8], k[24];
    float out[6 * 8 * 24];
};

static void make_scores(struct scores *s, const struct oracle *o)
{
    struct oracle_choice c;

    s->H = test_range(1, 6);
    s->T = test_range(1, 8);
    s->S = test_range(1, 24);
    s->e = pick(&c, o, 16);
    oracle_params_make(&s->p, o, &c, LOCANT_F32, s->H, 16);
    for (int i = 0; i < 8; i++)
        s->q[i] = test_range(-400, 400);
    for (int j = 0; j < 24; j++)
        s->k[j] = test_range(-400, 400);
}

static void evaluate(struct scores *s)
{
    int64_t shape[3] = { s->H, s->T, s->S };
    locant_tensor out = locant_dense(s->out, LOCANT_F32, 3, shape);
    locant_tensor q = locant_dense(s->q, LOCANT_I64, 1, &s->T);
    locant_tensor k = locant_dense(s->k, LOCANT_I64, 1, &s->S);

    CHECK_OK(locant_encoding_bias(&out, s->e, &q, &k,
                                  oracle_params_in(&s->p)));
}

static void drop_scores(struct scores *s)
{
    oracle_params_free(&s->p);
    locant_encoding_free(s->e);
}

static void shift_bias(const struct oracle *o)
{
    static struct scores a, b;
    int64_t by = test_range(0, 31), shift = (1LL << by) + test_range(-1, 1);

    if (test_rand() % 2)
        shift = -shift;
    make_scores(&a, o);
    evaluate(&a);
    b = a;
    for (int64_t i = 0; i < a.T; i++)
        b.q[i] += shift;
    for (int64_t j = 0; j < a.S; j++)
        b.k[j] += shift;
    evaluate(&b);
    CHECK(memcmp(a.out, b.out,
                 (size_t)(a.H * a.T * a.S) * sizeof(float)) == 0);
    drop_scores(&a);
}

static void relative_bias_does_not_see_shifts(void **state)
{
    (void)state;
    each(LOCANT_DOOR_SCORE, LOCANT_TRAIT_RELATIVE, 1000, shift_bias);
}

/* Keys further and further in the past of one query. */
static void fall_with_distance(const struct oracle *o)
{
    static struct scores s;

    make_scores(&s, o);
    s.T = 1;
    s.q[0] = test_range(-1000, 1000);
    s.k[0] = s.q[0];
    for (int j = 1; j < 24; j++)
        s.k[j] = s.k[j - 1] - test_range(0, 1LL << test_range(0, 26));
    evaluate(&s);
    for (int64_t h = 0; h < s.H; h++)
        for (int64_t j = 1; j < s.S; j++)
            CHECK(s.out[h * s.S + j] <= s.out[h * s.S + j - 1]);
    drop_scores(&s);
}

static void monotone_bias_falls_with_distance(void **state)
{
    (void)state;
    each(LOCANT_DOOR_SCORE, LOCANT_TRAIT_MONOTONE, 1000, fall_with_distance);
}

/* The test above can fail: a table of random numbers is not monotone. */
static void monotone_is_not_empty(void **state)
{
    const struct oracle *o;
    int rising = 0;

    (void)state;
    for (int i = 0; (o = test_oracles[i]) != NULL; i++) {
        static struct scores s;

        if (!(o->doors & LOCANT_DOOR_SCORE) ||
            (o->traits & LOCANT_TRAIT_MONOTONE))
            continue;
        make_scores(&s, o);
        s.T = 1;
        s.S = 24;
        for (int j = 0; j < 24; j++)
            s.k[j] = s.q[0] - j;
        evaluate(&s);
        for (int j = 1; j < 24; j++)
            rising += s.out[j] > s.out[j - 1];
        drop_scores(&s);
    }
    CHECK(rising > 0);
}

/* ------------------------------------------------------------------ rotate */

enum { MOST = 96 };

/* y = R(pos) x in float32. */
static void rotate(float *y, const float *x, const locant_encoding *e,
                   int64_t pos, int64_t D, int inverse)
{
    int64_t shape[2] = { 1, D }, one = 1;
    float copy[MOST];
    locant_tensor ty = locant_dense(y, LOCANT_F32, 2, shape);
    locant_tensor tx = locant_dense(copy, LOCANT_F32, 2, shape);
    locant_tensor p = locant_dense(&pos, LOCANT_I64, 1, &one);

    memcpy(copy, x, (size_t)D * sizeof(float));
    CHECK_OK(locant_encoding_rotate(&ty, &tx, e, &p, NULL, inverse));
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

static int64_t draw(float *x)
{
    int64_t D = 2 * test_range(1, MOST / 2);

    for (int64_t d = 0; d < D; d++)
        x[d] = (float)test_normal();
    return D;
}

/* |y - x| within k EPS of |x|, as vectors. */
static int near_vector(const float *y, const float *x, int64_t D, double k)
{
    float gap[MOST];

    for (int64_t d = 0; d < D; d++)
        gap[d] = y[d] - x[d];
    return norm(gap, D) <= k * EPS * norm(x, D);
}

/*
 * One rotation: the table errs by 0.55 EPS on cosine and sine, products and sum
 * by one EPS each of at most |a| + |b|, vectors by less than 3 EPS in all on
 * average over signs; two rotations stay within the 6 of the specification.
 */
static void isometry(const struct oracle *o)
{
    float x[MOST], y[MOST], back[MOST];
    int64_t D = draw(x), pos = test_range(INT32_MIN, INT32_MAX);
    struct oracle_choice c;
    locant_encoding *e = pick(&c, o, D);

    rotate(y, x, e, pos, D, 0);
    CHECK(fabs(norm(y, D) / norm(x, D) - 1) <= 4 * EPS);
    rotate(back, y, e, pos, D, 1);
    CHECK(near_vector(back, x, D, 6));
    rotate(back, y, e, -pos, D, 0);
    CHECK(near_vector(back, x, D, 6));
    rotate(back, x, e, 0, D, 0);
    CHECK(memcmp(back, x, (size_t)D * sizeof(float)) == 0);
    rotate(back, x, e, 0, D, 1);
    CHECK(memcmp(back, x, (size_t)D * sizeof(float)) == 0);
    locant_encoding_free(e);
}

static void rotation_keeps_length_and_turns_back(void **state)
{
    (void)state;
    each(LOCANT_DOOR_ROTATE, LOCANT_TRAIT_ISOMETRIC, 1000, isometry);
}

/* R(-m) and the inverse of R(m) are one thing, to the bit. */
static void inverse_bits(const struct oracle *o)
{
    float x[MOST], y[MOST], z[MOST];
    int64_t D = draw(x), pos = test_range(INT32_MIN, INT32_MAX);
    struct oracle_choice c;
    locant_encoding *e = pick(&c, o, D);

    rotate(y, x, e, pos, D, 1);
    rotate(z, x, e, -pos, D, 0);
    CHECK(memcmp(y, z, (size_t)D * sizeof(float)) == 0);
    locant_encoding_free(e);
}

static void inverse_is_the_turn_back_bit_for_bit(void **state)
{
    (void)state;
    each(LOCANT_DOOR_ROTATE, LOCANT_TRAIT_ISOMETRIC, 1000, inverse_bits);
}

static void compose(const struct oracle *o)
{
    float x[MOST], y[MOST], whole[MOST];
    int64_t D = draw(x), a = test_range(-(1 << 30), 1 << 30);
    int64_t b = test_range(-(1 << 30), 1 << 30);
    struct oracle_choice c;
    locant_encoding *e = pick(&c, o, D);

    rotate(y, x, e, a, D, 0);
    rotate(y, y, e, b, D, 0);
    rotate(whole, x, e, a + b, D, 0);
    CHECK(near_vector(y, whole, D, 6));
    locant_encoding_free(e);
}

static void rotations_compose(void **state)
{
    (void)state;
    each(LOCANT_DOOR_ROTATE, LOCANT_TRAIT_ISOMETRIC, 1000, compose);
}

/* Positions to 2^31: scores agree to 1e-7 |q| |k|, up to D3's 2.8e-8 measured
 * with a double table and 1e-7 allowed; float32 products add theirs. */
static void relative(const struct oracle *o)
{
    float q[MOST], k[MOST], rq[MOST], rk[MOST];
    int64_t D = draw(q), n = test_range(-5000, 5000);
    int64_t m = test_range(0, INT32_MAX - (1 << 20)), near = test_range(0, 99);
    struct oracle_choice c;
    locant_encoding *e = pick(&c, o, D);
    double first, second;

    for (int64_t d = 0; d < D; d++)
        k[d] = (float)test_normal();
    rotate(rq, q, e, near + n, D, 0);
    rotate(rk, k, e, near, D, 0);
    first = dot(rq, rk, D);
    rotate(rq, q, e, m + n, D, 0);
    rotate(rk, k, e, m, D, 0);
    second = dot(rq, rk, D);
    /* Four rotations, each within 3 EPS of its vector's length. */
    CHECK(fabs(first - second) <= 12 * EPS * norm(q, D) * norm(k, D));
    locant_encoding_free(e);
}

static void scores_depend_on_differences(void **state)
{
    (void)state;
    each(LOCANT_DOOR_ROTATE, LOCANT_TRAIT_RELATIVE, 1000, relative);
}

/* Unless the encoding does nothing, moving one of the two changes the score. */
static void rotation_is_not_the_identity(void **state)
{
    float x[MOST], y[MOST];
    int64_t D = draw(x);
    struct oracle_choice c;

    (void)state;
    for (int i = 0; test_oracles[i] != NULL; i++) {
        locant_encoding *e;

        if (!(test_oracles[i]->doors & LOCANT_DOOR_ROTATE))
            continue;
        e = pick(&c, test_oracles[i], D);
        rotate(y, x, e, 1, D, 0);
        CHECK(!near_vector(y, x, D, 1e4));
        locant_encoding_free(e);
    }
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
    int64_t dim = D, pos = test_range(0, INT32_MAX), shape[2] = { 1, D };
    int64_t one = 1;
    locant_tensor p = locant_dense(&pos, LOCANT_I64, 1, &one);
    locant_tensor tx = locant_dense(x, LOCANT_F32, 2, shape), ty = tx, tz = tx;
    locant_encoding *e[2];
    char spec[128];

    for (int i = 0; i < 2; i++) {
        snprintf(spec, sizeof(spec), "%s(pairing=%s)", name, words[i]);
        e[i] = judge_create(spec);
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
        FAIL("%s: layouts differ at D %lld, position %lld", name,
             (long long)D, (long long)pos);
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

static void layouts_are_one_rotation(void **state)
{
    const char *words[2] = { "half", "interleaved" };
    int met = 0;

    (void)state;
    for (int i = 0; test_oracles[i] != NULL; i++) {
        if (!has_pairing(test_oracles[i]->name))
            continue;
        met++;
        for (int64_t D = 2; D <= 512; D += 2)
            one_layout(words, test_oracles[i]->name, D);
    }
    CHECK(met > 0);
}

/* ------------------------------------------------------------------- input */

/* Row in double; no parameters. */
static void row(double *out, const locant_encoding *e, int64_t pos, int64_t D)
{
    int64_t shape[2] = { 1, D }, one = 1;
    locant_tensor t = locant_dense(out, LOCANT_F64, 2, shape);
    locant_tensor p = locant_dense(&pos, LOCANT_I64, 1, &one);

    CHECK_OK(locant_encoding_table(&t, e, &p, NULL));
}

/* Where pair i keeps its sine and cosine. */
static int64_t sine_at(const struct oracle_choice *c, int64_t i)
{
    return c->interleaved ? 2 * i : i;
}

static int64_t cosine_at(const struct oracle_choice *c, int64_t i, int64_t D)
{
    return c->interleaved ? 2 * i + 1 : i + D / 2;
}

/*
 * P[a + n] = M_n P[a], and <P[a], P[a + n]> is the same for every a: rows are
 * good to 2^-42 in double, sums of products of two such rows to D 2^-40.
 */
static void shift_row(const struct oracle *o)
{
    double a[MOST], b[MOST], sum = 0, want = 0, square = 0;
    int64_t D = 2 * test_range(1, MOST / 2), p = test_range(0, 1 << 24);
    int64_t n = test_range(-1000, 1000);
    struct oracle_choice c;
    locant_encoding *e = pick(&c, o, D);

    row(a, e, p, D);
    row(b, e, p + n, D);
    for (int64_t i = 0; i < D / 2; i++) {
        int64_t s = sine_at(&c, i), k = cosine_at(&c, i, D);
        long double cosine, sine;

        oracle_angle(&cosine, &sine, c.base, i, D, n);
        CHECK(fabsl(b[s] - (cosine * a[s] + sine * a[k])) <= 0x1p-40L);
        CHECK(fabsl(b[k] - (cosine * a[k] - sine * a[s])) <= 0x1p-40L);
        CHECK(fabs(a[s] * a[s] + a[k] * a[k] - 1) <= 0x1p-40);
        sum += a[s] * b[s] + a[k] * b[k];
        square += a[s] * a[s] + a[k] * a[k];
        want += (double)cosine;
    }
    CHECK(fabs(sum - want) <= (double)D * 0x1p-40);
    CHECK(fabs(square - (double)D / 2) <= (double)D * 0x1p-40);
    locant_encoding_free(e);
}

static void fixed_rows_shift_by_rotation(void **state)
{
    int met = 0, cases = judge_cases(1000);

    (void)state;
    for (int i = 0; test_oracles[i] != NULL; i++) {
        const struct oracle *o = test_oracles[i];

        if (!(o->doors & LOCANT_DOOR_INPUT) || o->params > 0)
            continue;
        met++;
        for (int k = 0; k < cases; k++)
            shift_row(o);
    }
    CHECK(met > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relative_bias_does_not_see_shifts),
        cmocka_unit_test(monotone_bias_falls_with_distance),
        cmocka_unit_test(monotone_is_not_empty),
        cmocka_unit_test(rotation_keeps_length_and_turns_back),
        cmocka_unit_test(inverse_is_the_turn_back_bit_for_bit),
        cmocka_unit_test(rotations_compose),
        cmocka_unit_test(scores_depend_on_differences),
        cmocka_unit_test(rotation_is_not_the_identity),
        cmocka_unit_test(layouts_are_one_rotation),
        cmocka_unit_test(fixed_rows_shift_by_rotation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

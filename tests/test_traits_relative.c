/*
 * test_traits_relative.c - with the trait RELATIVE nothing sees a shift of all
 * positions; without it, something does.
 */
#include "traits_run.h"

static int has_trait(const struct subject *s)
{
    return (s->traits & LOCANT_TRAIT_RELATIVE) != 0;
}

static double norm(const double *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* ------------------------------------------------------------------ score */

static int scores(const struct subject *s)
{
    return has_trait(s) && (s->doors & LOCANT_DOOR_SCORE);
}

/* Pairs of one call at one distance have one bias, to the bit. */
static int equal_at_equal_distance(const double *b, const struct run *r)
{
    for (int64_t i = 0; i < r->T * r->S; i++)
        for (int64_t j = 0; j < i; j++) {
            if (r->q_pos[i / r->S] - r->k_pos[i % r->S] !=
                r->q_pos[j / r->S] - r->k_pos[j % r->S])
                continue;
            for (int64_t h = 0; h < r->s->H; h++)
                if (b[h * r->T * r->S + i] != b[h * r->T * r->S + j])
                    return 0;
        }
    return 1;
}

static void bias_of_the_difference(const struct subject *s)
{
    static struct run r;
    double a[SUBJECT_HEADS * RUN_T * RUN_S], b[SUBJECT_HEADS * RUN_T * RUN_S];
    int64_t by;

    run_draw(&r, s);
    for (int64_t i = 0; i < r.T; i++) /* anywhere, keys after it too */
        r.q_pos[i] = r.k_pos[0] + run_log(r.k_pos[r.S - 1] - r.k_pos[0]);
    by = run_room(&r, run_limit(s));
    run_bias(a, &r);
    if (!equal_at_equal_distance(a, &r))
        FAIL("%s: equal distances, different biases", s->spec);
    run_shift(&r, by);
    run_bias(b, &r);
    if (memcmp(a, b, (size_t)(s->H * r.T * r.S) * sizeof(a[0])) != 0)
        FAIL("%s: the bias changes by a shift of %lld", s->spec, (long long)by);
}

TEST(bias_does_not_see_shifts)
{
    traits_each(100, scores, bias_of_the_difference);
}

/* ----------------------------------------------------------------- rotate */

static int turns(const struct subject *s)
{
    return has_trait(s) && (s->doors & LOCANT_DOOR_ROTATE);
}

/* <turned q at m, turned k at n>, and the product of their lengths. */
static double product(double *size, double *q, double *k, int64_t m, int64_t n,
                      const struct subject *s)
{
    int64_t width = locant_encoding_rotated_width(s->e, s->D);
    double *a = calloc((size_t)(2 * width * s->H), sizeof(*a)), sum = 0;
    double *b = a + width * s->H;

    assert_non_null(a);
    CHECK_OK(run_rotate(a, q, s->H, 1, &m, s, 0));
    CHECK_OK(run_rotate(b, k, s->G, 1, &n, s, LOCANT_ROTATE_KEY));
    for (int64_t d = 0; d < width; d++)
        sum += a[d] * b[d];
    *size = norm(a, width) * norm(b, width);
    free(a);
    return sum;
}

/*
 * Entries of a turn are cosines and sines of at most 'magnitude', rounded to
 * float32: each errs by 0.55 units, at most 1.1 EPS of the magnitude, the
 * matrix of a pair by sqrt(2) as much, a product of two turned vectors by twice
 * that of their lengths, the difference of two such products by 2 x 2 x 1.56
 * EPS.  What is computed in double errs less.
 */
static void product_of_the_difference(const struct subject *s)
{
    double q[SUBJECT_HEADS * SUBJECT_DIM], k[SUBJECT_HEADS * SUBJECT_DIM];
    double near_size, far_size, near, far;
    int64_t limit = run_limit(s), m = run_log(limit - 1);
    int64_t n = run_log(limit - 1), by = run_log(limit - 1 - (m > n ? m : n));

    run_normal(q, (size_t)(s->H * s->D));
    run_normal(k, (size_t)(s->G * s->D));
    near = product(&near_size, q, k, m, n, s);
    far = product(&far_size, q, k, m + by, n + by, s);
    if (!(fabs(near - far) <= 6.3 * EPS * fmax(near_size, far_size)))
        FAIL("%s: the product at %lld, %lld is %.17g, shifted by %lld %.17g",
             s->spec, (long long)m, (long long)n, near, (long long)by, far);
}

TEST(turned_products_do_not_see_shifts)
{
    traits_each(100, turns, product_of_the_difference);
}

/* -------------------------------------------------------------- attention */

/* The longest turned query times the longest turned key. */
static double longest(struct run *r)
{
    const struct subject *s = r->s;
    int64_t width = locant_encoding_rotated_width(s->e, s->D);
    FREED_BY(free_memory)
    double *turned = calloc((size_t)(s->H * RUN_S * width), sizeof(*turned));
    double q = 0, k = 0;

    assert_non_null(turned);
    CHECK_OK(run_rotate(turned, r->q, s->H, r->T, r->q_pos, s, 0));
    for (int64_t i = 0; i < s->H * r->T; i++)
        q = fmax(q, norm(turned + i * width, width));
    CHECK_OK(
        run_rotate(turned, r->k, s->G, r->S, r->k_pos, s, LOCANT_ROTATE_KEY));
    for (int64_t j = 0; j < s->G * r->S; j++)
        k = fmax(k, norm(turned + j * width, width));
    return q * k;
}

/*
 * Scores err as above, times the scale D^(-1/2); a softmax of scores off by d
 * moves its mean of v by at most 4 d max|v|.  A content term over turned
 * queries and keys has slopes of less than 100 here.  Without a turn there is
 * only the rounding of double, grown by sums and exponentials.
 */
static double allowed(struct run *a, struct run *b)
{
    const struct subject *s = a->s;
    double v = run_most(a->v, (size_t)(s->G * a->S * s->D)), score = 0;

    if (s->doors & LOCANT_DOOR_ROTATE)
        score = 6.3 * EPS * fmax(longest(a), longest(b)) / sqrt((double)s->D);
    if (s->doors & LOCANT_DOOR_CONTENT)
        score *= 100;
    return (4 * score + 1e-11) * v;
}

static void output_of_the_differences(const struct subject *s)
{
    static struct run a, b;
    int64_t by;

    run_draw(&a, s);
    run_copy(&b, &a);
    by = run_room(&a, run_limit(s));
    run_shift(&b, by);
    run_ok(&a);
    run_ok(&b);
    if (!(run_apart(&a, &b) <= allowed(&a, &b)))
        FAIL("%s: outputs move by %g at a shift of %lld, %lld keys from %lld "
             "to %lld",
             s->spec, run_apart(&a, &b), (long long)by, (long long)a.S,
             (long long)a.k_pos[0], (long long)a.k_pos[a.S - 1]);
}

TEST(attention_does_not_see_shifts)
{
    traits_each(40, has_trait, output_of_the_differences);
}

/* ---------------------------------------------------------- the other way */

static int rows_differ(const struct subject *s)
{
    double rows[2 * SUBJECT_WIDTH];
    int64_t pos[2] = { run_log(run_limit(s) - 1), run_log(run_limit(s) - 1) };

    CHECK_OK(run_table(rows, pos, 2, s));
    return run_gap(rows, rows + s->W, (size_t)s->W) > 1e-3;
}

static int biases_differ(const struct subject *s)
{
    static struct run r;
    double a[SUBJECT_HEADS * RUN_T * RUN_S], b[SUBJECT_HEADS * RUN_T * RUN_S];

    run_draw(&r, s);
    run_bias(a, &r);
    if (!equal_at_equal_distance(a, &r))
        return 1;
    run_shift(&r, run_room(&r, run_limit(s)));
    run_bias(b, &r);
    return run_gap(a, b, (size_t)(s->H * r.T * r.S)) > 1e-3;
}

/* A shift; half of them bring a key to a power of two, where chunks begin. */
static int64_t shift_of(const struct run *r, int64_t limit)
{
    const int64_t room = limit - 1 - r->k_pos[r->S - 1];
    const int64_t to = (int64_t)1 << test_range(0, 20);
    const int64_t by = to - r->k_pos[r->S / 2];

    return test_rand() % 2 && by > 0 && by <= room ? by : run_log(room);
}

/* A thousand times what a shift may do to a relative encoding. */
static int outputs_differ(const struct subject *s)
{
    static struct run a, b;

    run_draw(&a, s);
    run_copy(&b, &a);
    run_shift(&b, shift_of(&a, run_limit(s)));
    run_ok(&a);
    run_ok(&b);
    return run_apart(&a, &b) > 1e-3;
}

/* Does this spec see where it stands in one of the cases? */
static int sees_shifts(const char *spec, int cases)
{
    struct subject s;
    int seen = 0;

    for (int k = 0; k < cases && !seen; k++) {
        CHECK(subject_open(&s, spec));
        if (!has_trait(&s)) /* of this layer */
            seen = ((s.doors & LOCANT_DOOR_INPUT) && rows_differ(&s)) ||
                   ((s.doors & LOCANT_DOOR_SCORE) && biases_differ(&s)) ||
                   outputs_differ(&s);
        subject_close(&s);
    }
    return seen;
}

/* A model of layers is relative where all of its layers are. */
static int all_layers_relative(const char *spec)
{
    OWNED(locant_encoding) *e = test_create(spec);
    int relative = 1;

    for (int l = 0; l < 8; l++)
        relative &=
            !!(locant_encoding_traits(locant_encoding_layer(NULL, e, l)) &
               LOCANT_TRAIT_RELATIVE);
    return relative;
}

/*
 * What the trait is not declared for although these keys would allow it:
 * without its lists longrope has one set of frequencies, not two.  The trait is
 * said of the encodings as they are used.
 */
static int is_exception(const char *spec)
{
    return strstr(spec, "longrope(original=4096,factor=32)") != NULL;
}

TEST(what_is_not_relative_sees_shifts)
{
    const char *spec;
    int missing = 0;

    for (int i = 0; (spec = traits_spec(i)) != NULL; i++)
        if (!is_exception(spec) && !all_layers_relative(spec) &&
            !sees_shifts(spec, test_cases(200) + 100)) {
            print_error("%s: nothing depends on absolute positions, but it "
                        "lacks the trait\n",
                        spec);
            missing++;
        }
    CHECK(missing == 0);
}

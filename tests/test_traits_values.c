/*
 * test_traits_values.c - ISOMETRIC keeps lengths, MONOTONE never grows with
 * distance, REAL takes real positions; what is not declared does otherwise.
 */
#include "traits_run.h"

static int is_sum(const char *spec)
{
    return strchr(spec, '+') != NULL || strncmp(spec, "layers", 6) == 0;
}

/*
 * Whether a door of a spec shows what the lack of a trait means, in one of the
 * cases.  A sum has these traits only where all its parts do: it is not asked.
 */
static void shows_what_it_lacks(unsigned door, unsigned trait,
                                int (*shows)(const struct subject *s))
{
    int cases = test_cases(100) + 100, missing = 0;
    const char *spec;

    for (int i = 0; (spec = traits_spec(i)) != NULL; i++) {
        int shown = is_sum(spec);

        for (int k = 0; k < cases && !shown; k++) {
            struct subject s;

            CHECK(subject_open(&s, spec));
            shown = !(s.doors & door) || (s.traits & trait) || shows(&s);
            subject_close(&s);
        }
        if (!shown) {
            print_error("%s: it lacks a trait that it keeps\n", spec);
            missing++;
        }
    }
    CHECK(missing == 0);
}

/* -------------------------------------------------------------- isometric */

static int isometric(const struct subject *s)
{
    return (s->doors & LOCANT_DOOR_ROTATE) &&
           (s->traits & LOCANT_TRAIT_ISOMETRIC);
}

static double norm(const double *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* One random vector of every head: x turned, then turned back. */
static void turn_once(double *y, double *back, double *x, int flags,
                      const struct subject *s)
{
    int64_t at = run_log(run_limit(s) - 1);
    int64_t heads = flags & LOCANT_ROTATE_KEY ? s->G : s->H;

    run_normal(x, (size_t)(heads * s->D));
    CHECK_OK(run_rotate(y, x, heads, 1, &at, s, flags));
    if (back != NULL)
        CHECK_OK(run_rotate(back, y, heads, 1, &at, s,
                            flags | LOCANT_ROTATE_INVERSE));
}

/*
 * Cosine and sine err by at most 0.55 EPS each, so the matrix of a pair is a
 * rotation times 1 +- sqrt(2) 0.55 EPS, and its product with its transpose the
 * identity times the square of that.
 */
static void keeps_lengths(const struct subject *s)
{
    enum { N = SUBJECT_HEADS * SUBJECT_DIM };
    double x[N], y[N], back[N];
    int flags = test_rand() % 2 ? LOCANT_ROTATE_KEY : 0;
    int64_t heads = flags ? s->G : s->H;

    CHECK(locant_encoding_rotated_width(s->e, s->D) == s->D);
    turn_once(y, back, x, flags, s);
    for (int64_t h = 0; h < heads; h++) {
        const double *from = x + h * s->D;

        if (!(fabs(norm(y + h * s->D, s->D) / norm(from, s->D) - 1) <= EPS))
            FAIL("%s: a vector of length %.17g becomes %.17g", s->spec,
                 norm(from, s->D), norm(y + h * s->D, s->D));
        for (int64_t d = 0; d < s->D; d++)
            back[h * s->D + d] -= from[d];
        if (!(norm(back + h * s->D, s->D) <= 2 * EPS * norm(from, s->D)))
            FAIL("%s: turned and turned back is another vector", s->spec);
    }
}

TEST(isometric_turns_keep_lengths)
{
    traits_each(100, isometric, keeps_lengths);
}

static int changes_lengths(const struct subject *s)
{
    double x[SUBJECT_HEADS * SUBJECT_DIM];
    double y[2 * SUBJECT_HEADS * SUBJECT_DIM];
    int64_t width = locant_encoding_rotated_width(s->e, s->D);

    turn_once(y, NULL, x, LOCANT_ROTATE_KEY, s);
    return fabs(norm(y, width) / norm(x, s->D) - 1) > 1e-3;
}

TEST(what_is_not_isometric_changes_lengths)
{
    shows_what_it_lacks(LOCANT_DOOR_ROTATE, LOCANT_TRAIT_ISOMETRIC,
                        changes_lengths);
}

/* --------------------------------------------------------------- monotone */

static int monotone(const struct subject *s)
{
    return (s->doors & LOCANT_DOOR_SCORE) &&
           (s->traits & LOCANT_TRAIT_MONOTONE);
}

/* Is any pair with a longer past distance better off than another pair? */
static int grows(const struct subject *s)
{
    double b[SUBJECT_HEADS * RUN_T * RUN_S];
    static struct run r;

    run_draw(&r, s);
    run_bias(b, &r);
    for (int64_t i = 0; i < r.T * r.S; i++)
        for (int64_t j = 0; j < r.T * r.S; j++) {
            int64_t longer = r.q_pos[i / r.S] - r.k_pos[i % r.S];
            int64_t shorter = r.q_pos[j / r.S] - r.k_pos[j % r.S];

            if (shorter < 0 || longer < shorter)
                continue;
            for (int64_t h = 0; h < s->H; h++)
                if (b[h * r.T * r.S + i] > b[h * r.T * r.S + j])
                    return 1;
        }
    return 0;
}

static void never_grows(const struct subject *s)
{
    if (grows(s))
        FAIL("%s: the bias grows with distance", s->spec);
}

TEST(monotone_biases_never_grow)
{
    traits_each(100, monotone, never_grows);
}

TEST(what_is_not_monotone_grows)
{
    shows_what_it_lacks(LOCANT_DOOR_SCORE, LOCANT_TRAIT_MONOTONE, grows);
}

/* ------------------------------------------------------------------- real */

/* Ids of a batch of at most 10 in 'dtype', into 'out'. */
static locant_status ids(void *out, locant_dtype dtype, const struct subject *s)
{
    const int64_t shape[2] = { 2, s->length_limit < 5 ? s->length_limit : 5 };
    locant_tensor t = locant_dense(out, dtype, 2, shape);

    return locant_encoding_ids(&t, s->e, test_rand(), 1);
}

/* Rows [2, W] at two real positions. */
static locant_status real_rows(double *out, double *at, const struct subject *s)
{
    return locant_encoding_table(VIEW(F64, out, 2, s->W), s->e,
                                 VIEW(F64, at, 2), subject_params(s));
}

/* Whole positions are the integers; between them there is something else. */
static void takes_reals(const struct subject *s)
{
    double a[2 * SUBJECT_WIDTH], b[2 * SUBJECT_WIDTH];
    int64_t whole[2] = { run_log(1 << 20), run_log(1 << 20) };
    double at[2] = { (double)whole[0], (double)whole[1] };

    CHECK_OK(run_table(a, whole, 2, s));
    CHECK_OK(real_rows(b, at, s));
    CHECK(memcmp(a, b, (size_t)(2 * s->W) * sizeof(a[0])) == 0);
    at[0] += 0.25;
    CHECK_OK(real_rows(b, at, s));
    if (!(run_gap(a, b, (size_t)s->W) > 1e-6))
        FAIL("%s: a quarter of a position changes nothing", s->spec);
}

static void refuses_reals(const struct subject *s)
{
    double out[2 * SUBJECT_WIDTH], at[2] = { 1.5, 2 };
    locant_status status;

    for (int64_t d = 0; d < 2 * s->W; d++)
        out[d] = 7;
    status = real_rows(out, at, s);
    if (status != LOCANT_ERR_DTYPE && status != LOCANT_ERR_SHAPE)
        FAIL("%s: real positions give %s", s->spec, locant_status_name(status));
    for (int64_t d = 0; d < 2 * s->W; d++)
        CHECK(out[d] == 7);
}

static void ids_and_tables_of_its_kind(const struct subject *s)
{
    int real = (s->traits & LOCANT_TRAIT_REAL) != 0;
    uint64_t room[10], before[10];

    memset(room, 0x5a, sizeof(room));
    memcpy(before, room, sizeof(room));
    CHECK(ids(room, real ? LOCANT_I64 : LOCANT_F64, s) == LOCANT_ERR_DTYPE);
    CHECK(memcmp(room, before, sizeof(room)) == 0);
    CHECK_OK(ids(room, real ? LOCANT_F64 : LOCANT_I64, s));
    if (s->doors & LOCANT_DOOR_INPUT)
        (real ? takes_reals : refuses_reals)(s);
}

TEST(real_positions_go_with_the_trait)
{
    traits_each(20, any, ids_and_tables_of_its_kind);
}

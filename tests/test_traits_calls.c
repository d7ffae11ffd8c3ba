/*
 * test_traits_calls.c - what one token of a call may do to the others: LENGTH,
 * CAUSAL and READS_X, and what their lack means.
 */
#include "traits_run.h"

/* There is room for a token and later ones. */
static int has_room(const struct subject *s)
{
    return s->length_limit >= 3;
}

/* A run whose last key comes after all queries. */
static void draw_later(struct run *r, const struct subject *s)
{
    do
        run_draw(r, s);
    while (r->S < 2);
    for (int64_t i = 0; i < r->T; i++)
        r->q_pos[i] = r->k_pos[test_range(0, r->S - 2)];
}

/* The same run without its last key. */
static void drop_last(struct run *out, const struct run *r)
{
    const struct subject *s = r->s;
    int64_t n = r->S - 1;

    run_copy(out, r);
    out->S = n;
    for (int64_t g = 0; g < s->G; g++) {
        size_t row = (size_t)(n * s->D);

        memcpy(out->k + g * n * s->D, r->k + g * r->S * s->D,
               row * sizeof(double));
        memcpy(out->v + g * n * s->D, r->v + g * r->S * s->D,
               row * sizeof(double));
    }
}

/* ----------------------------------------------------------------- length */

/* Largest change of any of the first S - 1 keys, turned with or without the
 * last. */
static double turn_changes(const struct run *r)
{
    const struct subject *s = r->s;
    int64_t width = locant_encoding_rotated_width(s->e, s->D), n = r->S - 1;
    FREED_BY(free_memory)
    double *all = calloc((size_t)(2 * s->G * r->S * width), sizeof(*all));
    double *part = all + s->G * r->S * width, most = 0;
    static struct run a, b;

    assert_non_null(all);
    run_copy(&a, r);
    drop_last(&b, r);
    CHECK_OK(run_rotate(all, a.k, s->G, r->S, a.k_pos, s, LOCANT_ROTATE_KEY));
    CHECK_OK(run_rotate(part, b.k, s->G, n, b.k_pos, s, LOCANT_ROTATE_KEY));
    for (int64_t g = 0; g < s->G; g++)
        most = fmax(most, run_gap(all + g * r->S * width, part + g * n * width,
                                  (size_t)(n * width)));
    return most;
}

static double bias_changes(const struct run *r)
{
    double a[SUBJECT_HEADS * RUN_T * RUN_S], b[SUBJECT_HEADS * RUN_T * RUN_S];
    double most = 0;
    static struct run part;

    drop_last(&part, r);
    run_bias(a, r);
    run_bias(b, &part);
    for (int64_t i = 0; i < r->s->H * r->T; i++)
        most =
            fmax(most, run_gap(a + i * r->S, b + i * part.S, (size_t)part.S));
    return most;
}

static double output_changes(const struct run *r)
{
    static struct run a, b;

    run_copy(&a, r);
    drop_last(&b, r);
    run_ok(&a);
    run_ok(&b);
    return run_apart(&a, &b);
}

static int has_length(const struct subject *s)
{
    return (s->traits & LOCANT_TRAIT_LENGTH) != 0;
}

static int lacks_length(const struct subject *s)
{
    return has_room(s) && !has_length(s);
}

/* Turns and biases keep their bits; outputs are sums of other lengths. */
static void later_key_changes_nothing(const struct subject *s)
{
    static struct run r;

    draw_later(&r, s);
    if ((s->doors & LOCANT_DOOR_ROTATE) && turn_changes(&r) != 0)
        FAIL("%s: turns depend on the longest position", s->spec);
    if ((s->doors & LOCANT_DOOR_SCORE) && bias_changes(&r) != 0)
        FAIL("%s: biases depend on the longest position", s->spec);
    if (!(output_changes(&r) <= 1e-11))
        FAIL("%s: outputs depend on the longest position by %g", s->spec,
             output_changes(&r));
}

TEST(without_length_parts_are_the_run)
{
    traits_each(20, lacks_length, later_key_changes_nothing);
}

/* Without its lists of factors longrope has one set of frequencies, not two. */
static int is_exception(const char *spec)
{
    return strstr(spec, "longrope(original=4096,factor=32)") != NULL;
}

static int length_changes(const struct subject *s)
{
    static struct run r;

    draw_later(&r, s);
    return ((s->doors & LOCANT_DOOR_ROTATE) && turn_changes(&r) > 1e-6) ||
           ((s->doors & LOCANT_DOOR_SCORE) && bias_changes(&r) > 1e-6);
}

/* Does the length of a call show?  Draws until it does: a list of four factors
   fits one head in some fifty, and a hundred draws missed it with seed 7. */
static int shows_length(const char *spec)
{
    enum { MOST = 4000 };
    int shown = 0;

    for (int k = 0; k < MOST && !shown; k++) {
        struct subject s;

        CHECK(subject_open(&s, spec));
        shown = !has_length(&s) || length_changes(&s);
        subject_close(&s);
    }
    return shown;
}

TEST(with_length_parts_differ)
{
    static const char *const more[] = {
        "rope(scaling=longrope(original=16,long=3:5:7:9))+alibi",
        "rope(scaling=yarn(original=16,dynamic=yes))",
    };
    const char *spec;

    for (int i = 0; (spec = traits_spec(i)) != NULL; i++)
        if (!is_exception(spec) && !shows_length(spec))
            FAIL("%s: the longest position changes nothing", spec);
    for (size_t i = 0; i < LEN(more); i++)
        CHECK(shows_length(more[i]));
}

/* ----------------------------------------------------------------- causal */

/* NaN in what is later must not reach what is earlier, to the bit. */
static void later_keys_are_not_read(const struct subject *s)
{
    static struct run a, b;

    draw_later(&a, s);
    run_copy(&b, &a);
    for (int64_t d = 0; d < s->D; d++)
        for (int64_t g = 0; g < s->G; g++)
            b.k[((g + 1) * b.S - 1) * s->D + d] =
                b.v[((g + 1) * b.S - 1) * s->D + d] = NAN;
    for (int64_t d = 0; d < s->W; d++)
        b.x[(b.S - 1) * s->W + d] = NAN;
    run_ok(&a);
    run_ok(&b);
    if (memcmp(a.out, b.out, run_outputs(&a) * sizeof(double)) != 0)
        FAIL("%s: a query sees a key behind the causal mask", s->spec);
}

TEST(queries_do_not_see_what_is_later)
{
    traits_each(20, has_room, later_keys_are_not_read);
}

static void refused_without_mask(struct run *r)
{
    const struct subject *s = r->s;

    for (size_t i = 0; i < run_outputs(r); i++)
        r->out[i] = 7;
    CHECK(run_attend(r) == LOCANT_ERR_PARAM);
    if (strstr(locant_last_error(), "causal mask") == NULL)
        FAIL("%s: refused with: %s", s->spec, locant_last_error());
    for (size_t i = 0; i < run_outputs(r); i++)
        CHECK(r->out[i] == 7);
}

/* Future keys: defined, or refused with the word for it. */
static void future_keys(const struct subject *s)
{
    static struct run r, masked;

    draw_later(&r, s);
    r.mask = LOCANT_MASK_NONE;
    if (s->traits & LOCANT_TRAIT_CAUSAL) {
        refused_without_mask(&r);
    } else {
        run_ok(&r);
        for (size_t i = 0; i < run_outputs(&r); i++)
            if (!isfinite(r.out[i]))
                FAIL("%s: future keys give %g", s->spec, r.out[i]);
    }
    for (int64_t i = 0; i < r.T; i++) /* nothing is later than these */
        r.q_pos[i] = r.k_pos[r.S - 1];
    run_copy(&masked, &r);
    masked.mask = LOCANT_MASK_CAUSAL;
    run_ok(&r);
    run_ok(&masked);
    CHECK(memcmp(r.out, masked.out, run_outputs(&r) * sizeof(double)) == 0);
}

TEST(future_keys_go_with_the_trait)
{
    traits_each(20, has_room, future_keys);
}

/* ---------------------------------------------------------------- reads x */

static int reads_x(const struct subject *s)
{
    return has_room(s) && (s->traits & LOCANT_TRAIT_READS_X);
}

static int does_not_read_x(const struct subject *s)
{
    return !(s->traits & LOCANT_TRAIT_READS_X);
}

/* Another x under every key but the last, which queries are at. */
static void read_it(const struct subject *s)
{
    static struct run a, b;

    do
        run_draw(&a, s);
    while (a.S < 3);
    for (int64_t i = 0; i < a.T; i++)
        a.q_pos[i] = a.k_pos[a.S - 1];
    run_copy(&b, &a);
    for (int64_t d = 0; d < a.S * s->W; d++)
        b.x[d] += 1 + test_uniform();
    run_ok(&a);
    run_ok(&b);
    if (!(run_apart(&a, &b) > 0))
        FAIL("%s: another x, the same output", s->spec);
    a.with_x = 0;
    run_copy(&b, &a);
    CHECK(run_attend(&a) == LOCANT_ERR_NULL);
    if (strstr(locant_last_error(), "x is NULL") == NULL)
        FAIL("%s: refused with: %s", s->spec, locant_last_error());
    CHECK(memcmp(a.out, b.out, run_outputs(&a) * sizeof(double)) == 0);
}

/* x is then only the width of parameters. */
static void ignore_it(const struct subject *s)
{
    static struct run a, b;
    locant_status status;

    run_draw(&a, s);
    run_copy(&b, &a);
    for (int64_t d = 0; d < a.S * s->W; d++)
        b.x[d] = NAN;
    run_ok(&a);
    run_ok(&b);
    CHECK(memcmp(a.out, b.out, run_outputs(&a) * sizeof(double)) == 0);
    b.with_x = 0;
    status = run_attend(&b);
    if (status != LOCANT_OK && status != LOCANT_ERR_SHAPE)
        FAIL("%s: without x: %s", s->spec, locant_last_error());
    CHECK(memcmp(a.out, b.out, run_outputs(&a) * sizeof(double)) == 0);
}

TEST(x_is_read_with_the_trait)
{
    traits_each(20, reads_x, read_it);
}

TEST(x_is_not_read_without)
{
    traits_each(20, does_not_read_x, ignore_it);
}

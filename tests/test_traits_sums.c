/*
 * test_traits_sums.c - a sum does what its parts do, whatever their order; and
 * layers(..) where one layer is wanted is refused.
 */
#include "traits_run.h"
#include <stdbool.h>

enum { PARTS = 5 };

static const char *const kinds[PARTS][8] = {
    { "sinusoidal", "learned(length=40)", "cape", "sincos2d", NULL },
    { "rope", "rope(pairing=interleaved)", "xpos", "mrope(sections=2:1:1)",
      "rope2d", "rope-mixed", "grape-m", NULL },
    { "alibi", "t5", "kerple(kind=power)", "sandwich(dim=8)", "fire(hidden=4)",
      "dpb(hidden=4)", NULL },
    { "relative(distance=3)", "shaw(distance=2)", "music(length=5)",
      "transformer-xl", "cope(length=6)", "fox", NULL },
    { "window(size=3)", "temperature(floor=4)", "longlora(group=2)",
      "chunked(size=3)", NULL },
};
enum { INPUT, ROTATE, SCORE, CONTENT, HOOK };

/* Which part of each kind a sum has, NULL if none. */
struct choice {
    const char *part[PARTS];
};

static void choose(struct choice *c)
{
    int n = 0;

    do {
        n = 0;
        for (int k = 0; k < PARTS; k++) {
            int of = 0;

            while (kinds[k][of] != NULL)
                of++;
            c->part[k] =
                test_rand() % 2 ? kinds[k][test_rand() % (unsigned)of] : NULL;
            n += c->part[k] != NULL;
        }
    } while (n < 2);
}

/* Parts of the kinds in 'wanted', the first one 'first'. */
static void spell(char *spec, size_t size, const struct choice *c,
                  unsigned wanted, int first)
{
    spec[0] = '\0';
    for (int n = 0; n < PARTS; n++) {
        int k = (n + first) % PARTS;
        size_t used = strlen(spec);

        if (c->part[k] != NULL && (wanted >> k & 1))
            snprintf(spec + used, size - used, "%s%s", used > 0 ? "+" : "",
                     c->part[k]);
    }
    if (spec[0] == '\0')
        snprintf(spec, size, "none");
}

/* Parameter of this full name, "part.name". */
static const locant_tensor *named(const struct subject *s, const char *name)
{
    locant_param_info info;

    for (int i = 0; i < s->params; i++) {
        CHECK(locant_encoding_param(&info, s->e, i, NULL) == 1);
        if (strcmp(info.name, name) == 0)
            return &s->param[i];
    }
    FAIL("%s has no parameter '%s'", s->spec, name);
    return NULL;
}

/* Some parts of a sum, of its sizes and with its parameters. */
static void take(struct subject *out, const struct subject *sum,
                 const char *spec)
{
    locant_param_info info;
    char name[160];

    *out = *sum;
    snprintf(out->spec, sizeof(out->spec), "%s", spec);
    out->e = out->whole = test_create(spec);
    out->doors = locant_encoding_doors(out->e);
    out->params = 0;
    for (int i = 0; locant_encoding_param(&info, out->e, i, NULL); i++) {
        if (strchr(info.name, '.') != NULL)
            snprintf(name, sizeof(name), "%s", info.name);
        else
            snprintf(name, sizeof(name), "%s.%s",
                     locant_encoding_info_of(out->e)->name, info.name);
        out->param[out->params++] = *named(sum, name);
    }
}

static void open_sum(struct subject *s, const struct choice *c)
{
    char spec[SUBJECT_SPEC];

    spell(spec, sizeof(spec), c, ~0u, (int)test_range(0, PARTS - 1));
    if (!subject_open(s, spec))
        FAIL("%s: %s", spec, locant_last_error());
}

/* ---------------------------------------------------------- the same doors */

/* Table, turn and bias of two encodings at r's positions have the same bits. */
static void same_doors(const struct run *r, const struct subject *a,
                       const struct subject *b, unsigned which)
{
    enum { N = SUBJECT_HEADS * RUN_S * SUBJECT_DIM };
    static double x[N], y[N];
    static struct run one, other;

    run_copy(&one, r);
    run_copy(&other, r);
    one.s = a;
    other.s = b;
    memset(x, 0, sizeof(x));
    memset(y, 0, sizeof(y));
    if (which & LOCANT_DOOR_INPUT) {
        CHECK_OK(run_table(x, one.k_pos, r->S, a));
        CHECK_OK(run_table(y, other.k_pos, r->S, b));
    }
    CHECK(memcmp(x, y, sizeof(x)) == 0);
    if (which & LOCANT_DOOR_ROTATE) {
        CHECK_OK(run_rotate(x, one.q, a->H, r->T, one.q_pos, a, 0));
        CHECK_OK(run_rotate(y, other.q, b->H, r->T, other.q_pos, b, 0));
    }
    CHECK(memcmp(x, y, sizeof(x)) == 0);
    if (which & LOCANT_DOOR_SCORE) {
        run_bias(x, &one);
        run_bias(y, &other);
    }
    if (memcmp(x, y, sizeof(x)) != 0)
        FAIL("%s and %s differ at a door", a->spec, b->spec);
}

static void doors_of_parts(void)
{
    static const unsigned bits[] = { LOCANT_DOOR_INPUT, LOCANT_DOOR_ROTATE,
                                     LOCANT_DOOR_SCORE };
    static struct run r;
    struct subject sum, part;
    struct choice c;

    choose(&c);
    open_sum(&sum, &c);
    run_draw(&r, &sum);
    for (int k = INPUT; k <= SCORE; k++) {
        if (c.part[k] == NULL)
            continue;
        take(&part, &sum, c.part[k]);
        same_doors(&r, &sum, &part, bits[k]);
        locant_encoding_free(part.whole);
    }
    subject_close(&sum);
}

TEST(doors_of_a_sum_are_those_of_its_parts)
{
    for (int k = test_cases(300); k > 0; k--)
        doors_of_parts();
}

/* -------------------------------------------------------------------- order */

static void another_order(void)
{
    static struct run a, b;
    char spec[SUBJECT_SPEC];
    struct subject sum, other;
    struct choice c;

    choose(&c);
    open_sum(&sum, &c);
    spell(spec, sizeof(spec), &c, ~0u, (int)test_range(0, PARTS - 1));
    take(&other, &sum, spec);
    CHECK(locant_encoding_doors(sum.e) == locant_encoding_doors(other.e));
    CHECK(locant_encoding_traits(sum.e) == locant_encoding_traits(other.e));
    CHECK(locant_encoding_length_limit(sum.e) ==
          locant_encoding_length_limit(other.e));
    CHECK(locant_encoding_axes(sum.e) == locant_encoding_axes(other.e));
    run_draw(&a, &sum);
    same_doors(&a, &sum, &other, sum.doors);
    run_copy(&b, &a);
    b.s = &other;
    run_ok(&a);
    run_ok(&b);
    if (memcmp(a.out, b.out, run_outputs(&a) * sizeof(double)) != 0)
        FAIL("%s and %s: another output", sum.spec, spec);
    locant_encoding_free(other.whole);
    subject_close(&sum);
}

TEST(the_order_of_parts_is_irrelevant)
{
    for (int k = test_cases(300); k > 0; k--)
        another_order();
}

/* -------------------------------------------------------- one after another */

/* q and k of r, turned by hand. */
static void turn_by_hand(struct run *r, const struct subject *by)
{
    CHECK_OK(run_rotate(r->q, r->q, by->H, r->T, r->q_pos, by, 0));
    CHECK_OK(
        run_rotate(r->k, r->k, by->G, r->S, r->k_pos, by, LOCANT_ROTATE_KEY));
}

/* Turning first and the rest of the sum then is the sum; what is added to
 * embeddings does nothing here. */
static void turn_then_rest(void)
{
    static struct run whole, parts;
    char spec[SUBJECT_SPEC];
    struct subject sum, turning, rest;
    struct choice c;
    double v;

    do
        choose(&c);
    while (c.part[ROTATE] == NULL);
    open_sum(&sum, &c);
    take(&turning, &sum, c.part[ROTATE]);
    spell(spec, sizeof(spec), &c, 1u << SCORE | 1u << CONTENT | 1u << HOOK, 0);
    take(&rest, &sum, spec);
    run_draw(&whole, &sum);
    run_copy(&parts, &whole);
    parts.s = &rest;
    turn_by_hand(&parts, &turning);
    run_ok(&whole);
    run_ok(&parts);
    v = run_most(whole.v, (size_t)(sum.G * whole.S * sum.D));
    /* Scores of turned vectors reach 1e4 under xpos: e^(1e4 2^-52). */
    if (!(run_apart(&whole, &parts) <= 1e-10 * v))
        FAIL("%s is not %s after %s, by %g", sum.spec, spec, turning.spec,
             run_apart(&whole, &parts));
    locant_encoding_free(turning.whole);
    locant_encoding_free(rest.whole);
    subject_close(&sum);
}

TEST(queries_and_keys_are_turned_first)
{
    for (int k = test_cases(300); k > 0; k--)
        turn_then_rest();
}

/* 1 + 0.1 ln(1 + floor((p + 1) / 4)) */
static double heat(const struct choice *c, int64_t p)
{
    if (c->part[HOOK] == NULL || strncmp(c->part[HOOK], "temp", 4) != 0)
        return 1;
    return 1 + 0.1 * log(1 + floor((double)(p + 1) / 4));
}

/* Does window(size=3) or chunked(size=3) hide a key at p_j, not after p_i? */
static bool hides(const struct choice *c, int64_t p_i, int64_t p_j)
{
    const char kind = c->part[HOOK] == NULL ? '-' : c->part[HOOK][0];

    return (kind == 'w' && p_i - p_j >= 3) ||
           (kind == 'c' && floor((double)p_i / 3) != floor((double)p_j / 3));
}

/* Score of key j for query i of head h by the definition; hidden: -HUGE_VAL. */
static double score(const struct run *r, const double *b,
                    const struct choice *c, int64_t h, int64_t i, int64_t j)
{
    const struct subject *s = r->s;
    const double *q = r->q + (h * r->T + i) * s->D;
    const double *k = r->k + (h / (s->H / s->G) * r->S + j) * s->D;
    double sum = 0;

    if (r->q_pos[i] < r->k_pos[j] || hides(c, r->q_pos[i], r->k_pos[j]))
        return -HUGE_VAL;
    for (int64_t d = 0; d < s->D; d++)
        sum += q[d] * k[d];
    return sum * heat(c, r->q_pos[i]) / sqrt((double)s->D) +
           b[(h * r->T + i) * r->S + j];
}

/* Channel d of the output for query i of head h. */
static double by_hand(const struct run *r, const double *b,
                      const struct choice *c, int64_t h, int64_t i, int64_t d)
{
    const struct subject *s = r->s;
    double s_j[RUN_S], most = -HUGE_VAL, sum = 0, mean = 0;
    const double *v = r->v + h / (s->H / s->G) * r->S * s->D;

    for (int64_t j = 0; j < r->S; j++)
        most = fmax(most, s_j[j] = score(r, b, c, h, i, j));
    for (int64_t j = 0; j < r->S; j++) {
        sum += exp(s_j[j] - most);
        mean += exp(s_j[j] - most) * v[j * s->D + d];
    }
    return mean / sum;
}

/* Scores, a bias, a temperature, a window: attention by its definition. */
static void definition(void)
{
    static struct run r;
    double b[SUBJECT_HEADS * RUN_T * RUN_S] = { 0 };
    struct subject sum, turning;
    struct choice c;

    do
        choose(&c);
    while (c.part[CONTENT] != NULL || c.part[ROTATE] == NULL ||
           strcmp(c.part[ROTATE], "xpos") == 0 ||
           (c.part[HOOK] != NULL && c.part[HOOK][0] == 'l'));
    open_sum(&sum, &c);
    take(&turning, &sum, c.part[ROTATE]);
    run_draw(&r, &sum);
    run_ok(&r);
    if (c.part[SCORE] != NULL)
        run_bias(b, &r);
    turn_by_hand(&r, &turning);
    for (int64_t h = 0; h < sum.H; h++)
        for (int64_t i = 0; i < r.T; i++)
            for (int64_t d = 0; d < sum.D; d++) {
                double got = r.out[(h * r.T + i) * sum.D + d];
                double want = by_hand(&r, b, &c, h, i, d);

                if (!(fabs(got - want) <= 1e-10))
                    FAIL("%s: %.17g, by the definition %.17g", sum.spec, got,
                         want);
            }
    locant_encoding_free(turning.whole);
    subject_close(&sum);
}

TEST(sums_follow_the_definition)
{
    for (int k = test_cases(300); k > 0; k--)
        definition();
}

/* ----------------------------------------------------------------- refusals */

TEST(layers_wants_to_be_asked_for_one)
{
    static struct run r;
    double out[SUBJECT_HEADS * RUN_S * SUBJECT_DIM] = { 7 };
    struct subject s;

    CHECK(subject_open(&s, "layers(local=rope,global=alibi)"));
    run_draw(&r, &s);
    s.e = s.whole;
    r.out[0] = 7;
    CHECK(run_attend(&r) == LOCANT_ERR_UNSUPPORTED && r.out[0] == 7);
    CHECK(strstr(locant_last_error(), "locant_encoding_layer") != NULL);
    CHECK(run_rotate(out, r.q, s.H, r.T, r.q_pos, &s, 0) ==
          LOCANT_ERR_UNSUPPORTED);
    CHECK(strstr(locant_last_error(), "locant_encoding_layer") != NULL);
    CHECK(run_table(out, r.k_pos, r.S, &s) == LOCANT_ERR_UNSUPPORTED);
    CHECK(strstr(locant_last_error(), "locant_encoding_layer") != NULL);
    CHECK(out[0] == 7);
    subject_close(&s);
}

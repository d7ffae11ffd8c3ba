/*
 * test_content_rules.c - what encodings that read content promise beyond their
 * numbers: gradients, hidden keys, caches, shifts of all positions.
 */
#include "content_case.h"
#include <stdbool.h>

#define SIZES(...) ((const int64_t[6]){ __VA_ARGS__ }) /* H G T S D W */

static const char *const specs[] = {
    "shaw(distance=2)",
    "shaw(distance=2,values=no)",
    "relative(distance=3)",
    "music(length=4)",
    "transformer-xl",
    "transformer-xl(base=30,clamp=2)",
    "xlnet",
    "xlnet(clamp=1,segment=3)",
    "deberta(span=3)",
    "deberta(version=2,span=4,distance=5)",
    "deberta(version=3,span=4,distance=6)",
    "cope(length=3)",
    "cope(length=16)+kerple",
    "fox",
    "fox+window(size=3)",
    "dape(hidden=3)",
    "dape(hidden=3)+kerple",
    "dape(version=2,hidden=3)+kerple",
    "rerope(window=2)",
    "rerope(window=2,leak=1.7,pairing=interleaved)+kerple",
    "selfextend(group=2,window=3)",
    "streaming(sinks=1,window=3)",
    "temperature(floor=2)+shaw(distance=2)",
    "longlora(group=4)+transformer-xl",
};

/* Fail unless both hold the same bits. */
static void same_bits(const double *got, const double *want, int64_t n,
                      const char *spec)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&got[i], &want[i], sizeof(*got)) != 0)
            FAIL("%s: element %lld is %.17g, want %.17g\n", spec, (long long)i,
                 got[i], want[i]);
}

/* ---------------------------------------------------------------- gradients */

static double loss(struct content_case *c)
{
    double sum = 0;

    case_run(c);
    for (int64_t i = 0; i < c->H * c->T * c->D; i++)
        sum += c->out[i] * c->dout[i];
    return sum;
}

/* (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h: errors h^4 and 2^-52 / h */
static double difference(struct content_case *c, double *x, double h)
{
    static const double step[] = { 1, -1, 2, -2 };
    static const double weight[] = { 8, -8, -1, 1 };
    double middle = *x, sum = 0;

    for (int i = 0; i < 4; i++) {
        *x = middle + step[i] * h;
        sum += weight[i] * loss(c);
    }
    *x = middle;
    return sum / (12 * h);
}

/*
 * With h = 1e-5 rounding leaves about 1e-9 of a loss of 10.  A kink between the
 * points (LeakyReLU, the rows of CoPE) is looked at again more closely.
 */
static void check_gradient(struct content_case *c, double *x, const double *dx,
                           int64_t n, const char *what)
{
    for (int64_t i = 0; i < n; i += TEST_SANITIZED ? 5 : 1) {
        double got = dx[i], want = difference(c, &x[i], 1e-5);

        if (fabs(got - want) > 1e-8 * (1 + fabs(want)))
            want = difference(c, &x[i], 1e-7);
        if (!(fabs(got - want) <= 1e-6 * (1 + fabs(want))))
            FAIL("%s: gradient of %s[%lld] is %.12g, difference %.12g\n",
                 locant_encoding_spec(c->e), what, (long long)i, got, want);
    }
}

static void check_gradients(const char *spec, locant_mask mask)
{
    struct content_case *c = case_open(spec, SIZES(4, 2, 4, 5, 6, 7));

    c->a.mask = mask;
    if (mask != LOCANT_MASK_CAUSAL &&
        (locant_encoding_traits(c->e) & LOCANT_TRAIT_CAUSAL)) {
        case_close(c);
        return;
    }
    case_random(c);
    case_run(c);
    case_backward(c);
    check_gradient(c, c->q, c->dq, c->H * c->T * c->D, "q");
    check_gradient(c, c->k, c->dk, c->G * c->S * c->D, "k");
    check_gradient(c, c->v, c->dv, c->G * c->S * c->D, "v");
    check_gradient(c, c->x, c->dx, c->S * c->W, "x");
    for (int i = 0; i < c->params; i++) {
        locant_param_info info;

        CHECK(locant_encoding_param(&info, c->e, i, NULL));
        check_gradient(c, c->param[i].data, c->dparam[i].data,
                       case_count(&c->param[i]), info.name);
    }
    case_close(c);
}

TEST(gradients_are_those_of_differences)
{
    for (size_t n = 0; n < LEN(specs); n++) {
        check_gradients(specs[n], LOCANT_MASK_CAUSAL);
        check_gradients(specs[n], LOCANT_MASK_NONE);
    }
}

/* ----------------------------------------------------------- equal problems */

/* The same numbers for 'none'. */
static void check_none(const char *spec)
{
    OWNED(content_case) *c = case_open(spec, SIZES(2, 2, 5, 5, 4, 8));
    OWNED(content_case) *none = case_open("none", SIZES(2, 2, 5, 5, 4, 8));

    case_fill(c->q, 2 * 5 * 4, 1);
    case_fill(c->k, 2 * 5 * 4, 1);
    case_fill(c->v, 2 * 5 * 4, 1);
    memcpy(none->q, c->q, 2 * 5 * 4 * sizeof(double));
    memcpy(none->k, c->k, 2 * 5 * 4 * sizeof(double));
    memcpy(none->v, c->v, 2 * 5 * 4 * sizeof(double));
    if (strcmp(spec, "fox") == 0) /* gates that are 1 */
        for (int h = 0; h < 2; h++)
            case_param(c, "bias")[h] = 1000;
    case_run(c);
    case_run(none);
    same_bits(c->out, none->out, 2 * 5 * 4, spec);
    same_bits(c->lse, none->lse, 2 * 5, spec);
}

TEST(parameters_of_zero_do_nothing)
{
    check_none("shaw");
    check_none("relative");
    check_none("music(length=3)");
    check_none("transformer-xl");
    check_none("xlnet(segment=2)");
    check_none("cope");
    check_none("dape");
    check_none("dape(version=2)");
    check_none("fox");
}

/* Key heads written out once for each query head. */
TEST(grouped_heads_are_repeated_heads)
{
    for (size_t n = 0; n < LEN(specs); n++) {
        struct content_case *c = case_open(specs[n], SIZES(4, 2, 4, 5, 4, 6));
        OWNED(content_case) *r = case_open(specs[n], SIZES(4, 4, 4, 5, 4, 6));

        case_random(c);
        memcpy(r->q, c->q, 4 * 4 * 4 * sizeof(double));
        memcpy(r->x, c->x, 5 * 6 * sizeof(double));
        for (int h = 0; h < 4; h++) {
            memcpy(r->k + h * 20, c->k + h / 2 * 20, 20 * sizeof(double));
            memcpy(r->v + h * 20, c->v + h / 2 * 20, 20 * sizeof(double));
        }
        for (int i = 0; i < c->params; i++)
            memcpy(r->param[i].data, c->param[i].data,
                   (size_t)case_count(&c->param[i]) * sizeof(double));
        case_run(c);
        case_run(r);
        same_bits(r->out, c->out, 4 * 4 * 4, specs[n]);
        case_close(c);
    }
}

/* --------------------------------------------------------- hidden and later */

enum { TOKENS = 7, HEADS = 2, DIM = 4, WIDTH = 6 };

/* Queries first .. first + T - 1 of c over its keys 0 .. S - 1. */
static struct content_case *part_of(const struct content_case *c, int64_t first,
                                    int64_t T, int64_t S)
{
    struct content_case *part = case_open(locant_encoding_spec(c->e),
                                          SIZES(HEADS, 1, T, S, DIM, WIDTH));

    for (int64_t h = 0; h < HEADS; h++) {
        size_t rows = (size_t)(T * DIM) * sizeof(double);
        int64_t from = (h * c->T + first) * DIM, to = h * T * DIM;

        memcpy(part->q + to, c->q + from, rows);
        memcpy(part->dout + to, c->dout + from, rows);
    }
    memcpy(part->k, c->k, (size_t)(S * DIM) * sizeof(double));
    memcpy(part->v, c->v, (size_t)(S * DIM) * sizeof(double));
    memcpy(part->x, c->x, (size_t)(S * WIDTH) * sizeof(double));
    for (int64_t i = 0; i < T; i++)
        part->q_pos[i] = first + i;
    for (int i = 0; i < c->params; i++)
        memcpy(part->param[i].data, c->param[i].data,
               (size_t)case_count(&c->param[i]) * sizeof(double));
    return part;
}

static struct content_case *whole_of(const char *spec)
{
    struct content_case *c =
        case_open(spec, SIZES(HEADS, 1, TOKENS, TOKENS, DIM, WIDTH));

    case_random(c);
    return c;
}

static void compare_rows(const struct content_case *part,
                         const struct content_case *c, int64_t first)
{
    for (int64_t h = 0; h < HEADS; h++) {
        same_bits(part->out + h * part->T * DIM,
                  c->out + (h * c->T + first) * DIM, part->T * DIM,
                  locant_encoding_spec(c->e));
        same_bits(part->lse + h * part->T, c->lse + h * c->T + first, part->T,
                  locant_encoding_spec(c->e));
    }
}

TEST(a_query_does_not_know_what_comes_after)
{
    for (size_t n = 0; n < LEN(specs); n++) {
        OWNED(content_case) *c = whole_of(specs[n]);

        case_run(c);
        for (int64_t i = 0; i < TOKENS; i++) {
            OWNED(content_case) *one = part_of(c, i, 1, i + 1);

            case_run(one);
            compare_rows(one, c, i);
        }
    }
}

/* Memory of 3 tokens and a segment of 4: the tail of the whole, its gradients
 * those of a loss that reads the tail alone. */
TEST(a_segment_with_memory_is_the_tail_of_the_whole)
{
    for (size_t n = 0; n < LEN(specs); n++) {
        struct content_case *c = whole_of(specs[n]), *tail;

        tail = part_of(c, 3, 4, TOKENS);
        for (int64_t h = 0; h < HEADS; h++)
            memset(c->dout + h * TOKENS * DIM, 0, 3 * DIM * sizeof(double));
        case_run(c);
        case_run(tail);
        compare_rows(tail, c, 3);
        case_backward(c);
        case_backward(tail);
        case_near(tail->dk, c->dk, TOKENS * DIM, 1e-12, specs[n]);
        case_near(tail->dx, c->dx, TOKENS * WIDTH, 1e-12, specs[n]);
        for (int i = 0; i < c->params; i++)
            case_near(tail->dparam[i].data, c->dparam[i].data,
                      case_count(&c->param[i]), 1e-12, specs[n]);
        case_close(c);
        case_close(tail);
    }
}

static void check_finite_and_zero(const double *x, int64_t n, bool zero,
                                  const char *spec)
{
    for (int64_t i = 0; i < n; i++)
        if (!(isfinite(x[i]) && (!zero || x[i] == 0)))
            FAIL("%s: a hidden key left %g in a gradient\n", spec, x[i]);
}

/* Keys 4 .. 6, hidden from queries 0 .. 3, hold NaN. */
TEST(hidden_keys_may_hold_anything)
{
    for (size_t n = 0; n < LEN(specs); n++) {
        struct content_case *c = whole_of(specs[n]), *few, *all;

        few = part_of(c, 0, 4, 4);
        all = part_of(c, 0, 4, TOKENS);
        for (int64_t i = 4 * DIM; i < TOKENS * DIM; i++)
            all->k[i] = all->v[i] = NAN;
        for (int64_t i = 4 * WIDTH; i < TOKENS * WIDTH; i++)
            all->x[i] = NAN;
        case_run(few);
        case_run(all);
        same_bits(all->out, few->out, HEADS * 4 * DIM, specs[n]);
        case_backward(few);
        case_backward(all);
        same_bits(all->dq, few->dq, HEADS * 4 * DIM, specs[n]);
        check_finite_and_zero(all->dk + 4 * DIM, 3 * DIM, true, specs[n]);
        check_finite_and_zero(all->dx + 4 * WIDTH, 3 * WIDTH, true, specs[n]);
        for (int i = 0; i < c->params; i++)
            check_finite_and_zero(all->dparam[i].data, case_count(&c->param[i]),
                                  false, specs[n]);
        case_close(c);
        case_close(few);
        case_close(all);
    }
}

/* ------------------------------------------------------------------- shifts */

/* Largest change of the output when all positions move. */
static double change_by(struct content_case *c, int64_t shift)
{
    double before[HEADS * TOKENS * DIM], most = 0;

    case_run(c);
    memcpy(before, c->out, sizeof(before));
    for (int64_t i = 0; i < TOKENS; i++) {
        c->q_pos[i] += shift;
        c->k_pos[i] += shift;
    }
    case_run(c);
    for (int i = 0; i < HEADS * TOKENS * DIM; i++)
        most = fmax(most, fabs(c->out[i] - before[i]));
    for (int64_t i = 0; i < TOKENS; i++) {
        c->q_pos[i] -= shift;
        c->k_pos[i] -= shift;
    }
    return most;
}

/*
 * Angles are right to 2^-43, so that scores of a few units move by 1e-12; what
 * is not relative changes by far more when all moves by one token.
 */
TEST(the_trait_relative_is_true)
{
    for (size_t n = 0; n < LEN(specs); n++) {
        OWNED(content_case) *c = whole_of(specs[n]);
        bool relative = locant_encoding_traits(c->e) & LOCANT_TRAIT_RELATIVE;
        double moved = change_by(c, relative ? 1000 : 1);

        if (relative ? !(moved < 1e-10) : !(moved > 1e-4))
            FAIL("%s: shifting changes outputs by %g\n", specs[n], moved);
    }
}

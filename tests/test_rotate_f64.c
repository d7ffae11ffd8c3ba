/*
 * test_rotate_f64.c - float64 tensors are turned by cosines and sines in
 * double: forward, backward, moved, in attention.
 *
 * The truth is cosl() and sinl(): with base 1 every pair turns by its position,
 * which a long double holds up to 2^63; other frequencies are powl() to 2^-63,
 * which is 2^-53 at position 1000.
 */
#include "oracle/draw.h"
#include <math.h>
#include <string.h>

/*
 * The claim of encoding.h is 2^-51 for each; a turned channel of (1, 0) is one
 * product of it.
 */
#define TABLE 1e-15

/* long double is a double on some machines: there the judge is no judge. */
#if __LDBL_MANT_DIG__ < 64
#    define EXACT 0
#else
#    define EXACT 1
#endif

enum { D = 8, PAIRS = D / 2, TOKENS = 64 };

static void apart(const char *what, double got, long double want, double most)
{
    double gap = (double)fabsl((long double)got - want);

    if (EXACT && !(gap <= most))
        FAIL("%s: got %.17g, want %.17Lg: %g apart", what, got, want, gap);
}

/* Ones in the first channels of all pairs. */
static void draw(double *x, int64_t *pos, int64_t below)
{
    for (int64_t t = 0; t < TOKENS; t++) {
        pos[t] = t < 4 ? below - 1 - t : test_range(0, below - 1);
        for (int64_t d = 0; d < D; d++)
            x[t * D + d] = d < PAIRS;
    }
}

static void check_turns(const char *what, const double *y, const int64_t *pos,
                        long double base, long double magnitude,
                        long double sign)
{
    for (int64_t t = 0; t < TOKENS; t++)
        for (int64_t c = 0; c < PAIRS; c++) {
            long double a =
                (long double)pos[t] * powl(base, -2.0L * (long double)c / D);

            apart(what, y[t * D + c], magnitude * cosl(a), TABLE);
            apart(what, y[t * D + PAIRS + c], sign * magnitude * sinl(a),
                  TABLE);
        }
}

TEST(channels_are_cosines_and_sines)
{
    static const struct {
        const char *spec;
        double base, factor;
        int64_t below;
    } row[] = { { "rope", 10000, 1, 1000 },
                { "rope(base=1)", 1, 1, INT64_C(1) << 62 },
                { "rope(scaling=longrope(original=2,attention=0.75))", 10000,
                  0.75, 1000 } };
    double x[TOKENS * D], y[TOKENS * D];
    int64_t pos[TOKENS];
    locant_tensor tx = DENSE(F64, x, TOKENS, D);
    locant_tensor ty = DENSE(F64, y, TOKENS, D);
    locant_tensor at = DENSE(I64, pos, TOKENS);

    for (size_t i = 0; i < LEN(row); i++) {
        OWNED(locant_encoding) *e = test_create(row[i].spec);

        draw(x, pos, row[i].below);
        CHECK_OK(locant_encoding_rotate(&ty, &tx, e, &at, NULL, 0));
        check_turns("turned", y, pos, row[i].base, row[i].factor, 1);
        CHECK_OK(locant_encoding_rotate_backward(&ty, NULL, &tx, NULL, e, &at,
                                                 NULL, 0));
        check_turns("gradient", y, pos, row[i].base, row[i].factor, -1);
        CHECK_OK(locant_encoding_rotate(&ty, &tx, e, &at, NULL,
                                        LOCANT_ROTATE_INVERSE));
        check_turns("undone", y, pos, row[i].base, 1 / row[i].factor, -1);
    }
}

/* xpos scales what it turns. */
TEST(other_maps_are_as_exact)
{
    const int64_t pos = 19876;
    double x[2] = { 1, 0 }, y[4];
    OWNED(locant_encoding) *e = test_create("xpos");
    long double length;

    CHECK_OK(locant_encoding_rotate(VIEW(F64, y, 1, 2), VIEW(F64, x, 1, 2), e,
                                    VIEW(I64, (void *)(uintptr_t)&pos, 1), NULL,
                                    0));
    length = sqrtl((long double)y[0] * y[0] + (long double)y[1] * y[1]);
    apart("xpos", (double)(y[0] / length), cosl(19876), TABLE);
    apart("xpos", (double)(y[1] / length), sinl(19876), TABLE);
}

/* Fractions of positions, and those of several axes, by other paths. */
TEST(real_coordinates_are_as_exact)
{
    double x[D] = { 1 }, y[D], at[2] = { 123456.71875, 123456.71875 };
    locant_tensor tx = DENSE(F64, x, 1, D);
    locant_tensor ty = DENSE(F64, y, 1, D);
    OWNED(locant_encoding) *e = test_create("rope(base=1)");
    OWNED(locant_encoding) *grid = test_create("rope2d(base=1)");

    CHECK_OK(locant_encoding_rotate(&ty, &tx, e, VIEW(F64, at, 1), NULL, 0));
    apart("at a real", y[0], cosl((long double)at[0]), TABLE);
    apart("at a real", y[PAIRS], sinl((long double)at[0]), TABLE);
    CHECK_OK(
        locant_encoding_rotate(&ty, &tx, grid, VIEW(F64, at, 1, 2), NULL, 0));
    apart("on a grid", y[0], cosl((long double)at[0]), TABLE);
}

/* Two turns and their tables: 4 of them in all. */
TEST(moved_keys_are_where_they_would_be)
{
    static const char *const specs[][2] = {
        { "rope", "rope" },
        { "rope", "rope(base=500,scaling=linear(factor=3))" },
        { "rope(angles=hf)", "rope" },
        { "rope", "rope(angles=ggml)" }
    };
    double x[TOKENS * D], y[TOKENS * D], want[TOKENS * D];
    int64_t from[TOKENS], to[TOKENS];
    locant_tensor tx = DENSE(F64, x, TOKENS, D);
    locant_tensor ty = DENSE(F64, y, TOKENS, D);
    locant_tensor at = DENSE(I64, from, TOKENS);
    locant_tensor there = DENSE(I64, to, TOKENS);

    for (size_t i = 0; i < LEN(specs); i++) {
        OWNED(locant_encoding) *was = test_create(specs[i][0]);
        OWNED(locant_encoding) *is = test_create(specs[i][1]);

        draw(x, to, 100000);
        draw(x, from, 100000);
        CHECK_OK(locant_encoding_rotate(VIEW(F64, want, TOKENS, D), &tx, is,
                                        &there, NULL, 0));
        CHECK_OK(locant_encoding_rotate(&ty, &tx, was, &at, NULL, 0));
        CHECK_OK(locant_encoding_rerotate(&ty, &ty, was, &at, is, &there));
        for (int64_t k = 0; k < TOKENS * D; k++)
            apart(specs[i][1], y[k], want[k], 4 * TABLE);
    }
}

/* One query and two keys of one pair, everything by hand. */
static void by_hand(long double *lse, long double dq[2], const int64_t *at)
{
    long double d[2], p[2], sum = 0;

    dq[0] = dq[1] = 0;
    for (int j = 0; j < 2; j++) {
        d[j] = (long double)(at[2] - at[j]);
        sum += p[j] = expl(cosl(d[j]));
    }
    *lse = logl(sum);
    for (int j = 0; j < 2; j++) { /* v: (1, 0), (0, 0); dout: (1, 0) */
        long double ds = p[j] / sum * ((j == 0) - p[0] / sum);

        dq[0] += ds * cosl(d[j]);
        dq[1] -= ds * sinl(d[j]);
    }
}

static void attention_sees_angles_in_double(const char *spec, int bits)
{
    double q[2] = { 1, 0 }, k[4] = { 1, 0, 1, 0 }, v[4] = { 1 };
    double out[2], lse, dq[2], scratch[8192];
    int64_t at[3];
    locant_tensor tq = DENSE(F64, q, 1, 1, 1, 2);
    locant_tensor to = DENSE(F64, out, 1, 1, 1, 2);
    locant_tensor tl = DENSE(F64, &lse, 1, 1, 1);
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    OWNED(locant_encoding) *e = test_create(spec);
    long double want, slope[2];

    a.q = &tq;
    a.k = VIEW(F64, k, 1, 1, 2, 2);
    a.v = VIEW(F64, v, 1, 1, 2, 2);
    a.q_pos = VIEW(I64, at + 2, 1);
    a.k_pos = VIEW(I64, at, 2);
    a.encoding = e;
    a.scale = 1;
    a.mask = LOCANT_MASK_CAUSAL;
    g.dq = VIEW(F64, dq, 1, 1, 1, 2);
    for (int n = 0; n < 40; n++) {
        at[2] = test_range(1, INT64_C(1) << (n * bits / 40));
        for (int i = 0; i < 2; i++)
            at[i] = test_range(0, at[2]);
        by_hand(&want, slope, at);
        CHECK_OK(
            locant_attention_forward(&to, &tl, &a, scratch, sizeof(scratch)));
        CHECK_OK(locant_attention_backward(&g, &tq, &to, &tl, &a, scratch,
                                           sizeof(scratch)));
        apart("lse", lse, want, 4 * TABLE);
        apart("dq", dq[0], slope[0], 4 * TABLE);
        apart("dq", dq[1], slope[1], 4 * TABLE);
        CHECK_OK(locant_attention_reference(&to, &tl, &a));
        apart("lse of the reference", lse, want, 4 * TABLE);
    }
}

/* rerope, whose near keys these all are, turns in its content. */
TEST(attention_is_as_exact)
{
    attention_sees_angles_in_double("rope(base=1)", 62);
    attention_sees_angles_in_double("rerope(base=1,window=1073741824)", 29);
}

/*
 * test_rerotate.c - moving rotated keys: the laws of composition, and that a
 * key moved is the raw key turned directly, at any position.
 *
 * Bounds are those of src/encodings/rerotate.c, with u = 2^-24 and a pair of
 * raw channels of length r = |(a, b)| times the magnitude m.  Channels of F32:
 * one turn errs by 2.78 u, a turned pair by 3.93 u in length; moved and direct
 * differ by 3.93 + 2.78 + 2.78 < 9.6 u.  Channels of F64 know only the tables:
 * 0.78 u for one turn, 1.1 u in length, together 2.7 u.
 */
#include "angle/schedule.h"
#include "encodings/encoding.h"
#include "oracle/draw.h"
#include <math.h>
#include <string.h>

enum { TOKENS = 5, D = 48, PAIRS = D / 2 };

#define U 0x1p-24

struct keys {
    double raw[TOKENS * D], moved[TOKENS * D], direct[TOKENS * D];
    float f[TOKENS * D];
    int64_t from[TOKENS], to[TOKENS];
    locant_tensor p_from, p_to;
    int64_t shape[2], tokens;
};

static void make(struct keys *k, int64_t low, int64_t high)
{
    k->tokens = TOKENS;
    k->shape[0] = TOKENS;
    k->shape[1] = D;
    for (int i = 0; i < TOKENS * D; i++)
        k->raw[i] = (double)(float)test_normal();
    for (int t = 0; t < TOKENS; t++) {
        k->from[t] = test_range(low, high);
        k->to[t] = test_range(low, high);
    }
    k->p_from = DENSE(I64, k->from, k->tokens);
    k->p_to = DENSE(I64, k->to, k->tokens);
}

static locant_tensor rows(struct keys *k, double *x, locant_dtype dtype)
{
    if (dtype == LOCANT_F64)
        return locant_dense(x, LOCANT_F64, 2, k->shape);
    for (int i = 0; i < TOKENS * D; i++)
        k->f[i] = (float)x[i];
    return locant_dense(k->f, LOCANT_F32, 2, k->shape);
}

static void unload(struct keys *k, double *x, locant_dtype dtype)
{
    for (int i = 0; dtype == LOCANT_F32 && i < TOKENS * D; i++)
        x[i] = k->f[i];
}

static void turn(struct keys *k, double *x, locant_dtype dtype,
                 const locant_encoding *e, const locant_tensor *p)
{
    locant_tensor t = rows(k, x, dtype);

    CHECK_OK(locant_encoding_rotate(&t, &t, e, p, NULL, LOCANT_ROTATE_KEY));
    unload(k, x, dtype);
}

/* Length of the raw pair that channel d of token t is in; 0 if it stays. */
static double length_of(const struct keys *k, const struct lct_schedule *s,
                        int t, int64_t d)
{
    const double *x = k->raw + t * D + s->first;

    d -= s->first;
    if (d < 0 || d >= 2 * s->pairs)
        return 0;
    if (s->pairing == LCT_HALF)
        return hypot(x[d % s->pairs], x[d % s->pairs + s->pairs]);
    return hypot(x[d / 2 * 2], x[d / 2 * 2 + 1]);
}

static void compare(const struct keys *k, const locant_encoding *e,
                    double units)
{
    const struct lct_schedule *s;

    CHECK_OK(lct_schedule_of(&s, e, "test", D, 1));
    for (int t = 0; t < TOKENS; t++)
        for (int d = 0; d < D; d++) {
            double got = k->moved[t * D + d], want = k->direct[t * D + d];

            if (!(fabs(got - want) <= units * U * length_of(k, s, t, d)))
                FAIL("%s: position %lld to %lld, channel %d: got %.9g, want "
                     "%.9g",
                     locant_encoding_spec(e), (long long)k->from[t],
                     (long long)k->to[t], d, got, want);
        }
}

static void moved_is_direct(const char *from, const char *to, int64_t low,
                            int64_t high, locant_dtype dtype, double units)
{
    OWNED(locant_encoding) *a = test_create(from), *b = test_create(to);
    static struct keys k;
    locant_tensor t;

    make(&k, low, high);
    memcpy(k.moved, k.raw, sizeof(k.raw));
    memcpy(k.direct, k.raw, sizeof(k.raw));
    turn(&k, k.moved, dtype, a, &k.p_from);
    t = rows(&k, k.moved, dtype);
    CHECK_OK(locant_encoding_rerotate(&t, &t, a, &k.p_from, b, &k.p_to));
    unload(&k, k.moved, dtype);
    turn(&k, k.direct, dtype, b, &k.p_to);
    compare(&k, b, units);
}

static const char *const pairs_of_specs[][2] = {
    { "rope", "rope" },
    { "rope(pairing=interleaved)", "rope(pairing=interleaved)" },
    { "rope", "rope(base=500000)" },
    { "rope", "rope(scaling=linear(factor=8))" },
    { "rope(scaling=llama3)", "rope" },
    { "rope(scaling=ntk(factor=3))", "rope(scaling=proportional)" },
    { "rope(dim=32)", "rope(base=99,dim=32)" },
    { "rope(dim=16,side=trailing)", "rope(base=99,dim=16,side=trailing)" },
    { "mrope(sections=8:8:8)", "rope" },
};

/* Wherever the key was and goes to, up to 2^31. */
TEST(a_moved_key_is_the_raw_key_turned_directly)
{
    for (size_t i = 0; i < LEN(pairs_of_specs); i++)
        for (int by = 4; by <= 31; by += 3) {
            int64_t far = (1LL << by) - 1;
            const char *from = pairs_of_specs[i][0], *to = pairs_of_specs[i][1];

            moved_is_direct(from, to, 0, far, LOCANT_F32, 9.6);
            moved_is_direct(from, to, -far, far, LOCANT_F64, 2.7);
        }
}

/* m multiplies every term of the bounds: 1.28 and 1.14 here. */
TEST(magnitudes_are_exchanged)
{
    static const char yarn[] = "rope(scaling=yarn(factor=16,original=4096))";
    static const char four[] = "rope(scaling=yarn(factor=4,original=4096))";

    for (int i = 0; i < 50; i++) {
        moved_is_direct(yarn, "rope", 0, INT32_MAX, LOCANT_F64, 2.7);
        moved_is_direct("rope", yarn, 0, INT32_MAX, LOCANT_F64, 2.7 * 1.28);
        moved_is_direct(four, yarn, 0, INT32_MAX, LOCANT_F64, 2.7 * 1.28);
        moved_is_direct(four, yarn, 0, INT32_MAX, LOCANT_F32, 9.6 * 1.28);
        moved_is_direct(yarn, yarn, 0, INT32_MAX, LOCANT_F32, 9.6 * 1.28);
    }
}

/*
 * Float32 recipes: whatever their angles, the joined table undoes one and does
 * the other.  Both tables enter as they are, so in F64 only the joined one is
 * rounded: 0.5 u an entry, 0.71 u a channel of the stored key, whose length is
 * 1.28 times that of the raw one in the last case.
 */
TEST(float_recipes_are_exchanged_too)
{
    for (int i = 0; i < 50; i++) {
        moved_is_direct("rope(angles=hf)", "rope(angles=hf)", 0, 1 << 20,
                        LOCANT_F64, 0.75);
        moved_is_direct("rope(angles=hf)", "rope", 0, 1 << 20, LOCANT_F64,
                        0.75);
        moved_is_direct("rope(angles=ggml)", "rope(angles=hf,base=99)", 0,
                        1 << 20, LOCANT_F64, 0.75);
        moved_is_direct("rope(angles=hf,scaling=yarn(factor=16,original=64))",
                        "rope(angles=ggml)", 0, 1 << 20, LOCANT_F64,
                        0.75 * 1.28);
    }
}

/* R(a) R(b) = R(a + b): shift twice is shift once. */
TEST(shifts_add_up)
{
    OWNED(locant_encoding) *e = test_create("rope");
    static struct keys k;
    int64_t b[TOKENS];

    for (int i = 0; i < 100; i++) {
        locant_tensor x, middle = DENSE(I64, b, k.tokens);

        make(&k, -INT32_MAX, INT32_MAX);
        middle.shape[0] = k.tokens;
        for (int t = 0; t < TOKENS; t++)
            b[t] = test_range(-INT32_MAX, INT32_MAX);
        memcpy(k.moved, k.raw, sizeof(k.raw));
        memcpy(k.direct, k.raw, sizeof(k.raw));
        x = rows(&k, k.moved, LOCANT_F64);
        CHECK_OK(locant_encoding_rerotate(&x, &x, e, &k.p_from, e, &middle));
        CHECK_OK(locant_encoding_rerotate(&x, &x, e, &middle, e, &k.p_to));
        x = rows(&k, k.direct, LOCANT_F64);
        CHECK_OK(locant_encoding_rerotate(&x, &x, e, &k.p_from, e, &k.p_to));
        compare(&k, e, 2.7);
    }
}

/* A shift has the bits of one turn by the difference, in every dtype. */
TEST(a_shift_is_a_turn_by_the_difference)
{
    OWNED(locant_encoding) *e = test_create("rope");
    static struct keys k;
    int64_t by[TOKENS];
    float other[TOKENS * D];

    for (int i = 0; i < 100; i++) {
        locant_tensor x, y, p;

        make(&k, -INT32_MAX, INT32_MAX);
        p = DENSE(I64, by, k.tokens);
        for (int t = 0; t < TOKENS; t++) {
            if (t > 0 && test_range(0, 1) != 0) /* often the same shift */
                k.to[t] = k.from[t] + by[t - 1];
            by[t] = k.to[t] - k.from[t];
        }
        x = rows(&k, k.raw, LOCANT_F32);
        y = locant_dense(other, LOCANT_F32, 2, k.shape);
        CHECK_OK(locant_encoding_rotate(&y, &x, e, &p, NULL, 0));
        CHECK_OK(locant_encoding_rerotate(&x, &x, e, &k.p_from, e, &k.p_to));
        CHECK(memcmp(other, k.f, sizeof(other)) == 0);
    }
}

/* SelfExtend: p becomes floor(p / G); and back again is the identity. */
TEST(divided_positions_come_back)
{
    OWNED(locant_encoding) *e = test_create("rope(base=1e6)");
    static struct keys k;

    for (int i = 0; i < 100; i++) {
        locant_tensor x;

        make(&k, 0, INT32_MAX);
        for (int t = 0; t < TOKENS; t++)
            k.to[t] = k.from[t] / 8;
        memcpy(k.moved, k.raw, sizeof(k.raw));
        turn(&k, k.moved, LOCANT_F64, e, &k.p_from);
        x = rows(&k, k.moved, LOCANT_F64);
        CHECK_OK(locant_encoding_rerotate(&x, &x, e, &k.p_from, e, &k.p_to));
        memcpy(k.direct, k.raw, sizeof(k.raw));
        turn(&k, k.direct, LOCANT_F64, e, &k.p_to);
        compare(&k, e, 2.7);
        CHECK_OK(locant_encoding_rerotate(&x, &x, e, &k.p_to, e, &k.p_from));
        memcpy(k.direct, k.raw, sizeof(k.raw));
        turn(&k, k.direct, LOCANT_F64, e, &k.p_from);
        compare(&k, e, 3.8);
    }
}

/* Crossing the threshold of a scaling by length: what HF gets wrong. */
TEST(keys_of_a_shorter_call_are_brought_along)
{
    static const char spec[] = "rope(scaling=dynamic(factor=4,original=64))";
    static const char then[] = "rope(scaling=ntk(factor=13))"; /* at 256 */
    OWNED(locant_encoding) *e = test_create(spec), *ntk = test_create(then);
    static struct keys k;
    locant_tensor x;

    make(&k, 0, 63);
    memcpy(k.moved, k.raw, sizeof(k.raw));
    memcpy(k.direct, k.raw, sizeof(k.raw));
    turn(&k, k.moved, LOCANT_F64, e, &k.p_from);
    x = rows(&k, k.moved, LOCANT_F64);
    k.to[0] = 255;
    CHECK_OK(locant_encoding_rerotate(&x, &x, e, &k.p_from, e, &k.p_to));
    turn(&k, k.direct, LOCANT_F64, ntk, &k.p_to);
    compare(&k, ntk, 2.7);
}

TEST(grids_move_by_coordinates)
{
    OWNED(locant_encoding) *small = test_create("rope2d(form=eva02,width=8)");
    OWNED(locant_encoding) *large = test_create("rope2d(form=eva02,width=24,"
                                                "height=24)");
    static struct keys k;

    for (int i = 0; i < 50; i++) {
        locant_tensor x;

        make(&k, 0, 63);
        memcpy(k.moved, k.raw, sizeof(k.raw));
        memcpy(k.direct, k.raw, sizeof(k.raw));
        turn(&k, k.moved, LOCANT_F64, small, &k.p_from);
        x = rows(&k, k.moved, LOCANT_F64);
        CHECK_OK(
            locant_encoding_rerotate(&x, &x, small, &k.p_from, large, &k.p_to));
        turn(&k, k.direct, LOCANT_F64, large, &k.p_to);
        compare(&k, large, 2.7);
    }
}

static void refused(const char *from, const char *to, locant_status status,
                    const char *sentence)
{
    OWNED(locant_encoding) *a = test_create(from), *b = test_create(to);
    static struct keys k;
    locant_tensor x;

    make(&k, 0, 99);
    x = rows(&k, k.raw, LOCANT_F64);
    memcpy(k.moved, k.raw, sizeof(k.raw));
    CHECK_REFUSED(locant_encoding_rerotate(&x, &x, a, &k.p_from, b, &k.p_to),
                  status, sentence);
    CHECK(memcmp(k.moved, k.raw, sizeof(k.raw)) == 0);
}

TEST(what_does_not_fit_is_refused)
{
    refused("rope", "rope(pairing=interleaved)", LOCANT_ERR_PARAM,
            "locant_encoding_rerotate: the keys have pairing half, expected "
            "that of 'to', interleaved");
    refused("rope", "rope(dim=16)", LOCANT_ERR_PARAM,
            "locant_encoding_rerotate: 'from' rotates channels 0 to 47, 'to' 0 "
            "to 15, expected the same");
    refused("rope(dim=16,side=trailing)", "rope(dim=16)", LOCANT_ERR_PARAM,
            "locant_encoding_rerotate: 'from' rotates channels 32 to 47, 'to' "
            "0 to 15, expected the same");
    refused("rope", "alibi", LOCANT_ERR_UNSUPPORTED,
            "locant_encoding_rerotate: alibi does not rotate queries and keys; "
            "it has no rotate door");
    refused("xpos", "rope", LOCANT_ERR_UNSUPPORTED,
            "locant_encoding_rerotate: xpos is no plain rotation");
}

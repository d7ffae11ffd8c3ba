/*
 * test_coordinates_by_head.c - attention with coordinates of each head: each
 * head does what it does alone, and their gradients are those of differences.
 */
#include "testing.h"
#include <stdbool.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { B = 2, H = 4, G = 2, T = 70, S = 90, D = 12, MOST_AXES = 3 };

static const char *const specs[] = {
    "rope",
    "rope(dim=8,pairing=interleaved,scaling=yarn(factor=4,original=64))",
    "axes(widths=4:4:4)",
    "xpos",
};

struct problem {
    int64_t T, axes;
    float q[B * H * T * D], k[B * G * S * D], v[B * G * S * D];
    double q_at[B * H * T * MOST_AXES], k_at[B * G * S * MOST_AXES];
};

static struct problem *make(int64_t queries, int64_t axes)
{
    struct problem *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    p->T = queries;
    p->axes = axes;
    for (size_t i = 0; i < LEN(p->q); i++)
        p->q[i] = (float)test_normal();
    for (size_t i = 0; i < LEN(p->k); i++) {
        p->k[i] = (float)test_normal();
        p->v[i] = (float)test_normal();
    }
    for (size_t i = 0; i < LEN(p->q_at); i++)
        p->q_at[i] = 50 * test_uniform();
    for (size_t i = 0; i < LEN(p->k_at); i++)
        p->k_at[i] = 50 * test_uniform();
    return p;
}

/* Attention of head 'alone' of all batch rows; below 0: of all heads. */
static void run(float *out, const locant_encoding *e, struct problem *p,
                int64_t alone)
{
    const bool by_head = alone < 0;
    const int64_t h = by_head ? 0 : alone, g = h / (H / G);
    const int64_t batch = by_head ? B : 1, heads = by_head ? H : 1;
    const int64_t kv_heads = by_head ? G : 1;
    double *q_at = p->q_at + h * p->T * p->axes;
    double *k_at = p->k_at + g * S * p->axes;
    locant_tensor tq = DENSE(F32, p->q + h * p->T * D, batch, heads, p->T, D);
    locant_tensor tk = DENSE(F32, p->k + g * S * D, batch, kv_heads, S, D);
    locant_tensor tv = DENSE(F32, p->v + g * S * D, batch, kv_heads, S, D);
    locant_tensor q_coords = by_head
                                 ? DENSE(F64, q_at, batch, heads, p->T, p->axes)
                                 : DENSE(F64, q_at, p->T, p->axes);
    locant_tensor k_coords = by_head
                                 ? DENSE(F64, k_at, batch, kv_heads, S, p->axes)
                                 : DENSE(F64, k_at, S, p->axes);
    float *lse = calloc((size_t)(batch * heads * p->T), sizeof(*lse));
    locant_attention a = LOCANT_ATTENTION_INIT;
    void *workspace;
    size_t bytes;

    a.q = &tq;
    a.k = &tk;
    a.v = &tv;
    a.encoding = e;
    a.mask = LOCANT_MASK_CAUSAL;
    a.q_coords = &q_coords;
    a.k_coords = &k_coords;
    CHECK_OK(locant_attention_workspace(&bytes, &a));
    workspace = malloc(bytes);
    assert_non_null(lse);
    assert_non_null(workspace);
    CHECK_OK(locant_attention_forward(VIEW(F32, out, batch, heads, p->T, D),
                                      VIEW(F32, lse, batch, heads, p->T), &a,
                                      workspace, bytes));
    free(workspace);
    free(lse);
}

TEST(a_head_does_what_it_does_alone)
{
    for (size_t n = 0; n < LEN(specs); n++)
        for (int few = 0; few < 2; few++) {
            OWNED(locant_encoding) *e = test_create(specs[n]);
            int axes = locant_encoding_axes(e);
            struct problem *p = make(few ? 3 : T, axes);
            float *out = calloc(B * H * T * D, sizeof(*out));
            float *want = calloc(T * D, sizeof(*want));
            int64_t row = p->T * D;

            assert_non_null(out);
            assert_non_null(want);
            run(out, e, p, -1);
            for (int64_t h = 0; h < B * H; h++) {
                run(want, e, p, h);
                assert_memory_equal(out + h * row, want,
                                    (size_t)row * sizeof(*want));
            }
            free(out);
            free(want);
            free(p);
        }
}

/* ---------------------------------------------------------------- gradients */

enum { t = 5, d = 8, STEPS = 2 };

struct small {
    double q[H * t * d], k[G * t * d], v[G * t * d], dout[H * t * d];
    double q_at[H * t * MOST_AXES], k_at[G * t * MOST_AXES];
    double out[H * t * d], lse[H * t], dq[H * t * d], dk[G * t * d],
        dv[G * t * d];
};

/* sum dout out; with gradients if 'backward'. */
static double attend(struct small *s, const locant_encoding *e, int backward)
{
    int64_t axes = locant_encoding_axes(e);
    locant_tensor q = DENSE(F64, s->q, 1, H, t, d);
    locant_tensor k = DENSE(F64, s->k, 1, G, t, d);
    locant_tensor v = DENSE(F64, s->v, 1, G, t, d);
    locant_tensor q_coords = DENSE(F64, s->q_at, 1, H, t, axes);
    locant_tensor k_coords = DENSE(F64, s->k_at, 1, G, t, axes);
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    double sum = 0;

    a.q = &q;
    a.k = &k;
    a.v = &v;
    a.encoding = e;
    a.q_coords = &q_coords;
    a.k_coords = &k_coords;
    CHECK_OK(locant_attention_reference(VIEW(F64, s->out, 1, H, t, d),
                                        VIEW(F64, s->lse, 1, H, t), &a));
    g.dq = VIEW(F64, s->dq, 1, H, t, d);
    g.dk = VIEW(F64, s->dk, 1, G, t, d);
    g.dv = VIEW(F64, s->dv, 1, G, t, d);
    if (backward)
        CHECK_OK(locant_attention_reference_backward(
            &g, VIEW(F64, s->dout, 1, H, t, d), VIEW(F64, s->out, 1, H, t, d),
            VIEW(F64, s->lse, 1, H, t), &a));
    for (size_t i = 0; i < LEN(s->out); i++)
        sum += s->out[i] * s->dout[i];
    return sum;
}

/* Differences with h = 1e-5 err as in test_coordinates_backward.c. */
static void judge(double *at, const double *got, int64_t n, struct small *s,
                  const locant_encoding *e)
{
    for (int64_t i = 0; i < n; i++) {
        double keep = at[i], sum[STEPS];

        for (int up = 0; up < STEPS; up++) {
            at[i] = keep + (up ? 1e-5 : -1e-5);
            sum[up] = attend(s, e, 0);
        }
        at[i] = keep;
        CHECK(fabs(got[i] - (sum[1] - sum[0]) / 2e-5) < 1e-6);
    }
}

/* Only differences of coordinates matter: over all tokens of a head of keys and
 * its queries the gradients sum to 0. */
TEST(gradients_are_those_of_differences)
{
    for (size_t n = 0; n < 3; n++) {
        OWNED(locant_encoding) *e =
            test_create(n == 1   ? "rope(dim=6,pairing=interleaved)"
                        : n == 2 ? "axes(widths=2:4:2)"
                                 : "rope");
        int64_t axes = locant_encoding_axes(e);
        double dq_at[H * t * MOST_AXES] = { 0 };
        double dk_at[G * t * MOST_AXES] = { 0 };
        struct small *s = calloc(1, sizeof(*s));
        double *x = (double *)s, sum[G * MOST_AXES] = { 0 };

        assert_non_null(s);
        for (size_t i = 0; i < sizeof(*s) / sizeof(*x); i++)
            x[i] = test_normal();
        attend(s, e, 1);
        CHECK_OK(locant_coordinates_backward(
            VIEW(F64, dq_at, 1, H, t, axes), VIEW(F64, s->dq, 1, H, t, d),
            VIEW(F64, s->q, 1, H, t, d), e, 0));
        CHECK_OK(locant_coordinates_backward(
            VIEW(F64, dk_at, 1, G, t, axes), VIEW(F64, s->dk, 1, G, t, d),
            VIEW(F64, s->k, 1, G, t, d), e, 0));
        judge(s->q_at, dq_at, H * t * axes, s, e);
        judge(s->k_at, dk_at, G * t * axes, s, e);
        for (int64_t i = 0; i < H * t * axes; i++)
            sum[i / axes / t / (H / G) * axes + i % axes] += dq_at[i];
        for (int64_t i = 0; i < G * t * axes; i++)
            sum[i / axes / t * axes + i % axes] += dk_at[i];
        for (int64_t i = 0; i < G * axes; i++)
            CHECK(fabs(sum[i]) < 1e-13);
        free(s);
    }
}

/* ----------------------------------------------------------------- rotation */

/* Rows of [B, T, H, D], so heads and batch rows do not lie one after another.
 */
TEST(rotation_rotates_each_head_by_its_own)
{
    enum { n = B * H * t * d };
    OWNED(locant_encoding) *e = test_create("axes(widths=2:4:2)");
    float x[n], out[n], want[n], back[n];
    double at[B * H * t * 3];
    locant_tensor positions = DENSE(F64, at, B, H, t, 3);
    locant_tensor from = DENSE(F32, x, B, t, H, d), to = from, undone = from;
    locant_tensor *views[] = { &from, &to, &undone };
    locant_rotation r = LOCANT_ROTATION_INIT;

    for (size_t i = 0; i < n; i++)
        x[i] = (float)test_normal();
    for (size_t i = 0; i < LEN(at); i++)
        at[i] = 9 * test_normal();
    to.data = out;
    undone.data = back;
    for (size_t i = 0; i < LEN(views); i++) { /* as [B, H, T, D] */
        views[i]->shape[1] = H, views[i]->shape[2] = t;
        views[i]->stride[1] = d, views[i]->stride[2] = H * d;
    }
    r.encoding = e;
    r.positions = &positions;
    CHECK_OK(locant_encoding_rotate_ragged(&to, &from, &r));
    for (int64_t h = 0; h < B * H; h++)
        for (int64_t i = 0; i < t; i++) {
            int64_t row = ((h / H * t + i) * H + h % H) * d;
            locant_tensor one = DENSE(F64, at + (h * t + i) * 3, 1, 3);

            CHECK_OK(locant_encoding_rotate(VIEW(F32, want, 1, d),
                                            VIEW(F32, x + row, 1, d), e, &one,
                                            NULL, 0));
            assert_memory_equal(out + row, want, d * sizeof(*want));
        }
    /* The rotation is orthogonal: its backward undoes it, but for rounding. */
    CHECK_OK(
        locant_encoding_rotate_ragged_backward(&undone, NULL, &to, NULL, &r));
    for (size_t i = 0; i < n; i++)
        CHECK(fabsf(back[i] - x[i]) < 1e-5F);
    r.flags = LOCANT_ROTATE_INVERSE;
    CHECK_OK(locant_encoding_rotate_ragged(&undone, &to, &r));
    for (size_t i = 0; i < n; i++)
        CHECK(fabsf(back[i] - x[i]) < 1e-5F);
}

/* ----------------------------------------------------------------- refusals */

TEST(maps_do_not_rotate_by_head)
{
    static float x[2 * 4];
    static double at[2];
    OWNED(locant_encoding) *e = test_create("xpos");
    locant_tensor positions = DENSE(F64, at, 1, 2, 1, 1);
    locant_rotation r = LOCANT_ROTATION_INIT;

    r.encoding = e;
    r.positions = &positions;
    CHECK_REFUSED(
        locant_encoding_rotate_ragged(VIEW(F32, x, 1, 2, 1, 4),
                                      VIEW(F32, x, 1, 2, 1, 4), &r),
        LOCANT_ERR_UNSUPPORTED,
        "locant_encoding_rotate_ragged: heads have positions of their own, "
        "expected a plain rotation whose frequencies do not depend on the "
        "length, and no limits");
}

/* A wrong position of the last row is found before the first is written. */
TEST(a_refused_rotation_writes_nothing)
{
    static float x[2 * 2 * 4], out[2 * 2 * 4], want[2 * 2 * 4];
    double at[2 * 2] = { 1, 2, 3, INFINITY };
    OWNED(locant_encoding) *e = test_create("rope");
    locant_tensor positions = DENSE(F64, at, 2, 2, 1, 1);
    locant_rotation r = LOCANT_ROTATION_INIT;

    for (size_t i = 0; i < LEN(out); i++)
        out[i] = want[i] = 7;
    r.encoding = e;
    r.positions = &positions;
    CHECK_REFUSED(
        locant_encoding_rotate_ragged(VIEW(F32, out, 2, 2, 1, 4),
                                      VIEW(F32, x, 2, 2, 1, 4), &r),
        LOCANT_ERR_PARAM,
        "locant_encoding_rotate_ragged: coordinate 3 of positions is inf, "
        "expected a finite number below 2^63");
    assert_memory_equal(out, want, sizeof(out));
}

TEST(wrong_shapes_are_refused)
{
    static float q[2 * 3 * 4], k[3 * 4];
    static double at[2 * 3];
    locant_tensor tq = DENSE(F32, q, 1, 2, 3, 4),
                  tk = DENSE(F32, k, 1, 1, 3, 4);
    locant_tensor q_at = DENSE(F64, at, 1, 2, 3, 1);
    locant_tensor k_at = DENSE(F64, at, 1, 2, 3, 1);
    OWNED(locant_encoding) *rope = test_create("rope");
    OWNED(locant_encoding) *dynamic =
        test_create("rope(scaling=dynamic(factor=2,original=8))");
    locant_attention a = LOCANT_ATTENTION_INIT;
    size_t bytes;

    a.q = &tq;
    a.k = a.v = &tk;
    a.encoding = rope;
    a.q_coords = &q_at;
    a.k_coords = &k_at;
    CHECK_REFUSED(
        locant_attention_workspace(&bytes, &a), LOCANT_ERR_SHAPE,
        "locant_attention_workspace: k_coords has size 2 in dimension 1, "
        "expected 1");
    k_at.shape[1] = 1;
    a.encoding = dynamic;
    CHECK_REFUSED(locant_attention_workspace(&bytes, &a),
                  LOCANT_ERR_UNSUPPORTED,
                  "locant_attention_workspace: frequencies of "
                  "rope(scaling=dynamic(factor=2,original=8)) depend on the "
                  "longest position, expected coordinates that heads share");
    a.encoding = rope;
    at[4] = INFINITY;
    CHECK_REFUSED(locant_attention_workspace(&bytes, &a), LOCANT_ERR_PARAM,
                  "locant_attention_workspace: q_coords of token 1 is inf, "
                  "expected a finite number below 2^63");
    at[4] = 0;
}

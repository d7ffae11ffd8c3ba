/*
 * test_real_company.c - biases at real coordinates beside everything else: the
 * gradient of coordinates against differences of the double forward, whose
 * values other tests judge; what is refused, and what reads positions.
 */
#include "testing.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { H = 2, MOST = 80, D = 8 };

struct company {
    const char *spec;
    bool documents, sinks;
    int64_t window;
    double softcap;
    locant_mask mask;
};

static const struct company rows[] = {
    { .spec = "rope+alibi", .mask = LOCANT_MASK_CAUSAL },
    { .spec = "rope+scale-invariant(tau=3)", .softcap = 3 },
    { .spec = "formula(gain=1+0.1*d,bias=-0.3*n)", .window = 3 },
    { .spec = "alibi(symmetric=yes)+temperature", .sinks = true },
    { .spec = "sandwich(dim=4)", .documents = true },
    { .spec = "rope(base=50)+formula(bias=-log1p(n),after=exp(-n/9))",
      .documents = true,
      .sinks = true,
      .softcap = 2 },
    { .spec = "stick-breaking+formula(bias=cos(d))",
      .mask = LOCANT_MASK_CAUSAL },
    { .spec = "window(size=4)+alibi", .mask = LOCANT_MASK_CAUSAL },
};

struct call {
    int64_t n; /* queries and keys */
    locant_dtype dtype;
    locant_tensor q, k, v, out, lse, dout, dq, dk, dv, q_at, k_at, docs, sink;
    double at[2][MOST], got[2][MOST];
    int64_t doc[MOST];
    locant_attention a;
    locant_attention_gradients g;
};

static void copy(locant_tensor *to, const locant_tensor *from)
{
    for (int64_t i = 0; i < H * to->shape[2] * D; i++)
        if (to->dtype == LOCANT_F64)
            ((double *)to->data)[i] = ((float *)from->data)[i];
        else
            ((float *)to->data)[i] = ((float *)from->data)[i];
}

/* The same numbers for both types. */
static void make(struct call *c, const struct company *row,
                 const locant_encoding *e, const locant_tensor from[4],
                 locant_dtype dtype)
{
    locant_tensor *const all[] = { &c->q,   &c->k,  &c->v,  &c->dout,
                                   &c->out, &c->dq, &c->dk, &c->dv };

    memset(c, 0, sizeof(*c));
    c->n = from[0].shape[2];
    for (size_t i = 0; i < LEN(all); i++) {
        *all[i] = test_tensor(dtype, 4, from[0].shape);
        if (i < 4)
            copy(all[i], &from[i]);
    }
    c->lse = test_tensor(dtype, 3, from[0].shape);
    c->sink = test_tensor(dtype, 1, &from[0].shape[1]);
    memset(c->sink.data, 0, H * locant_dtype_size(dtype));
    for (int64_t i = 0; i < c->n; i++) {
        for (int role = 0; role < 2; role++)
            c->at[role][i] = (double)((i * 7 + role * 3) % 11) + 0.3 * role;
        c->doc[i] = i == 1 ? -1 : i * 2 / c->n;
    }
    c->q_at = DENSE(F64, c->at[0], c->n, 1);
    c->k_at = DENSE(F64, c->at[1], c->n, 1);
    c->docs = DENSE(I64, c->doc, c->n);
    c->a = (locant_attention)LOCANT_ATTENTION_INIT;
    c->g = (locant_attention_gradients)LOCANT_ATTENTION_GRADIENTS_INIT;
    c->a.q = &c->q;
    c->a.k = &c->k;
    c->a.v = &c->v;
    c->a.encoding = e;
    c->a.q_coords = &c->q_at;
    c->a.k_coords = &c->k_at;
    c->a.mask = row->mask;
    c->a.window = row->window;
    c->a.softcap = row->softcap;
    c->a.sinks = row->sinks ? &c->sink : NULL;
    c->a.q_docs = c->a.k_docs = row->documents ? &c->docs : NULL;
}

static void drop(struct call *c)
{
    locant_tensor *const all[] = { &c->q,  &c->k,  &c->v,  &c->dout, &c->out,
                                   &c->dq, &c->dk, &c->dv, &c->lse,  &c->sink };

    for (size_t i = 0; i < LEN(all); i++)
        test_tensor_free(all[i]);
}

/* sum dout out */
static double loss(struct call *c)
{
    double sum = 0;

    test_forward(&c->out, &c->lse, &c->a);
    for (int64_t i = 0; i < H * c->n * D; i++)
        sum += ((double *)c->dout.data)[i] * ((double *)c->out.data)[i];
    return sum;
}

/* c->got = gradients of coordinates, with those of the rotation. */
static void backward(struct call *c)
{
    locant_tensor dq_at = DENSE(F64, c->got[0], c->n, 1);
    locant_tensor dk_at = DENSE(F64, c->got[1], c->n, 1);

    c->g.dq = &c->dq;
    c->g.dk = &c->dk;
    c->g.dv = &c->dv;
    c->g.dq_coords = &dq_at;
    c->g.dk_coords = &dk_at;
    test_forward(&c->out, &c->lse, &c->a);
    test_backward(&c->g, &c->dout, &c->out, &c->lse, &c->a);
    if (!(locant_encoding_doors(c->a.encoding) & LOCANT_DOOR_ROTATE))
        return;
    CHECK_OK(
        locant_coordinates_backward(&dq_at, &c->dq, &c->q, c->a.encoding, 0));
    CHECK_OK(
        locant_coordinates_backward(&dk_at, &c->dk, &c->k, c->a.encoding, 0));
}

/* Differences with h = 1e-5 err by some 1e-10 times a third derivative and by
 * 2e-11 of a loss of some 30. */
TEST(gradients_are_those_of_differences)
{
    for (size_t r = 0; r < LEN(rows); r++) {
        OWNED(locant_encoding) *e = test_create(rows[r].spec);
        locant_tensor from[4];
        FREED_BY(drop) struct call c;

        for (int i = 0; i < 4; i++)
            from[i] = TENSOR(F32, 1, H, 6, D);
        make(&c, &rows[r], e, from, LOCANT_F64);
        backward(&c);
        for (int role = 0; role < 2; role++)
            for (int64_t i = 0; i < c.n; i++) {
                double keep = c.at[role][i], up, down;

                c.at[role][i] = keep + 1e-5;
                up = loss(&c);
                c.at[role][i] = keep - 1e-5;
                down = loss(&c);
                c.at[role][i] = keep;
                if (!(fabs(c.got[role][i] - (up - down) / 2e-5) < 1e-6))
                    FAIL("%s: %c %lld: %g, want %g\n", rows[r].spec, "qk"[role],
                         (long long)i, c.got[role][i], (up - down) / 2e-5);
            }
        for (int i = 0; i < 4; i++)
            test_tensor_free(&from[i]);
    }
}

/* In float32, to 1e-5 of all gradients, as test_real_positions.c derives. */
TEST(tiles_have_the_gradients_of_rows)
{
    for (size_t r = 0; r < LEN(rows); r++) {
        OWNED(locant_encoding) *e = test_create(rows[r].spec);
        locant_tensor from[4];
        FREED_BY(drop) struct call want;
        FREED_BY(drop) struct call got;
        double error = 0, size = 0;

        for (int i = 0; i < 4; i++)
            from[i] = TENSOR(F32, 1, H, MOST, D);
        make(&want, &rows[r], e, from, LOCANT_F64);
        make(&got, &rows[r], e, from, LOCANT_F32);
        backward(&want);
        backward(&got);
        for (int role = 0; role < 2; role++)
            for (int64_t i = 0; i < MOST; i++) {
                error += fabs(got.got[role][i] - want.got[role][i]);
                size += fabs(want.got[role][i]);
            }
        if (!(error < 1e-5 * size))
            FAIL("%s: %g of %g\n", rows[r].spec, error, size);
        for (int i = 0; i < 4; i++)
            test_tensor_free(&from[i]);
    }
}

/* The reference once left them unwritten. */
TEST(the_reference_gives_gradients_too)
{
    for (size_t r = 0; r < LEN(rows); r++) {
        OWNED(locant_encoding) *e = test_create(rows[r].spec);
        double got[2][MOST];
        locant_tensor from[4];
        FREED_BY(drop) struct call c;

        for (int i = 0; i < 4; i++)
            from[i] = TENSOR(F32, 1, H, MOST, D);
        make(&c, &rows[r], e, from, LOCANT_F64);
        c.g.dq_coords = VIEW(F64, c.got[0], MOST, 1);
        c.g.dk_coords = VIEW(F64, c.got[1], MOST, 1);
        test_forward(&c.out, &c.lse, &c.a);
        test_backward(&c.g, &c.dout, &c.out, &c.lse, &c.a);
        for (int64_t i = 0; i < MOST; i++)
            got[0][i] = got[1][i] = NAN;
        c.g.dq_coords = VIEW(F64, got[0], MOST, 1);
        c.g.dk_coords = VIEW(F64, got[1], MOST, 1);
        CHECK_OK(locant_attention_reference_backward(&c.g, &c.dout, &c.out,
                                                     &c.lse, &c.a));
        assert_memory_equal(got, c.got, sizeof(got));
        for (int i = 0; i < 4; i++)
            test_tensor_free(&from[i]);
    }
}

/* Packed sequences: the bits of a call for each. */
TEST(sequences_have_their_own)
{
    static const struct company row = { .spec = "rope+alibi(symmetric=yes)" };
    OWNED(locant_encoding) *e = test_create(row.spec);
    int64_t cu[] = { 0, 30, MOST };
    locant_tensor ends = DENSE(I64, cu, 3), from[4];
    locant_ragged lengths = { &ends, &ends };
    FREED_BY(drop) struct call all;
    FREED_BY(free_memory) void *workspace = NULL;
    size_t bytes;

    for (int i = 0; i < 4; i++)
        from[i] = TENSOR(F32, 1, H, MOST, D);
    make(&all, &row, e, from, LOCANT_F32);
    all.g.dq_coords = VIEW(F64, all.got[0], MOST, 1);
    all.g.dk_coords = VIEW(F64, all.got[1], MOST, 1);
    CHECK_OK(locant_attention_ragged_workspace(&bytes, &all.a, &lengths));
    workspace = malloc(bytes);
    assert_non_null(workspace);
    CHECK_OK(locant_attention_ragged_forward(&all.out, &all.lse, &all.a,
                                             &lengths, workspace, bytes));
    CHECK_OK(locant_attention_ragged_backward(&all.g, &all.dout, &all.out,
                                              &all.lse, &all.a, &lengths,
                                              workspace, bytes));
    for (int s = 0; s < 2; s++) {
        int64_t first = cu[s], n = cu[s + 1] - cu[s];
        locant_tensor *const parts[] = { &all.q,    &all.k,   &all.v,
                                         &all.dout, &all.out, &all.lse };
        locant_tensor part[6], q_at, k_at;
        double dq_at[MOST], dk_at[MOST];
        locant_attention a = all.a;
        locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;

        for (int i = 0; i < 6; i++) {
            part[i] = *parts[i];
            part[i].shape[2] = n;
            part[i].data = (float *)part[i].data + first * part[i].stride[2];
        }
        q_at = DENSE(F64, all.at[0] + first, n, 1);
        k_at = DENSE(F64, all.at[1] + first, n, 1);
        a.q = &part[0];
        a.k = &part[1];
        a.v = &part[2];
        a.q_coords = &q_at;
        a.k_coords = &k_at;
        g.dq_coords = VIEW(F64, dq_at, n, 1);
        g.dk_coords = VIEW(F64, dk_at, n, 1);
        test_backward(&g, &part[3], &part[4], &part[5], &a);
        assert_memory_equal(dq_at, all.got[0] + first,
                            (size_t)n * sizeof(double));
        assert_memory_equal(dk_at, all.got[1] + first,
                            (size_t)n * sizeof(double));
    }
    for (int i = 0; i < 4; i++)
        test_tensor_free(&from[i]);
}

/* --------------------------------------------------------- whole positions */

/* Each is named by the message. */
static const char *const whole[] = {
    "t5",
    "alibi(dialect=mpt)",
    "alibi(dialect=falcon)",
    "urpe",
    "formula(bias=pick(t,n),t=param(heads,4))",
    "formula(bias=-floor(n/4))",
    "formula(bias=-n*step(n-3),after=sign(n))",
    "formula(bias=-n,future=hide)",
    "swinv2(height=3,width=3)",
    "window(size=4)",
};

TEST(whole_positions_are_said)
{
    static const struct company row = { .spec = "alibi" };
    locant_tensor from[4];

    for (int i = 0; i < 4; i++)
        from[i] = TENSOR(F32, 1, H, 6, D);
    for (size_t n = 0; n < LEN(whole); n++) {
        OWNED(locant_encoding) *e = test_create(whole[n]);
        FREED_BY(drop) struct call c;
        char want[200];
        size_t bytes;

        make(&c, &row, e, from, LOCANT_F32);
        snprintf(want, sizeof(want),
                 "q_coords is given, but %s reads whole positions, expected "
                 "rotations or biases that read real ones",
                 locant_encoding_info_of(e)->name);
        REFUSES(UNSUPPORTED, locant_attention_workspace(&bytes, &c.a), want);
    }
    for (int i = 0; i < 4; i++)
        test_tensor_free(&from[i]);
}

/* Beside a rotation such a bias reads positions, and coordinates have no
 * gradient from it; so does a bias beside one that cannot read them. */
TEST(biases_of_whole_positions_give_no_gradient)
{
    static const char *const specs[] = { "rope+formula(bias=-floor(n/2))",
                                         "rope+alibi(dialect=mpt)+kerple",
                                         "rope2d+alibi" };
    static const struct company row = { .spec = "" };

    for (size_t n = 0; n < LEN(specs); n++) {
        OWNED(locant_encoding) *e = test_create(specs[n]);
        int64_t axes = locant_encoding_axes(e);
        double at[12] = { 0 }, dq_at[12], dk_at[12],
               two[2][H] = { { 1, 1 }, { 1, 1 } };
        locant_tensor from[4], where = DENSE(F64, at, 6, axes);
        locant_tensor params[2] = { DENSE(F64, two[0], H),
                                    DENSE(F64, two[1], H) };
        FREED_BY(drop) struct call c;

        for (int i = 0; i < 4; i++)
            from[i] = TENSOR(F32, 1, H, 6, D);
        make(&c, &row, e, from, LOCANT_F64);
        c.a.q_coords = c.a.k_coords = &where;
        c.a.params = params;
        for (int64_t i = 0; i < 12; i++)
            dq_at[i] = dk_at[i] = NAN;
        c.g.dq_coords = VIEW(F64, dq_at, 6, axes);
        c.g.dk_coords = VIEW(F64, dk_at, 6, axes);
        test_forward(&c.out, &c.lse, &c.a);
        test_backward(&c.g, &c.dout, &c.out, &c.lse, &c.a);
        for (int64_t i = 0; i < 6 * axes; i++)
            CHECK(dq_at[i] == 0 && dk_at[i] == 0);
        for (int i = 0; i < 4; i++)
            test_tensor_free(&from[i]);
    }
}

static locant_status ask(const struct call *c)
{
    static char workspace[1 << 17];

    return locant_attention_backward(&c->g, &c->dout, &c->out, &c->lse, &c->a,
                                     workspace, sizeof(workspace));
}

TEST(gradients_are_checked)
{
    static const struct company row = { .spec = "alibi" };
    OWNED(locant_encoding) *e = test_create(row.spec);
    double to[6], other[6];
    locant_tensor from[4], d = DENSE(F64, to, 6, 1);
    FREED_BY(drop) struct call c;

    for (int i = 0; i < 4; i++)
        from[i] = TENSOR(F64, 1, H, 6, D);
    make(&c, &row, e, from, LOCANT_F64);
    c.g.dk_coords = &d;
    d.dtype = LOCANT_F32;
    CHECK_REFUSED(ask(&c), LOCANT_ERR_DTYPE,
                  "locant_attention_backward: dk_coords is f32, expected f64");
    d = DENSE(F64, to, 5, 1);
    CHECK_REFUSED(
        ask(&c), LOCANT_ERR_SHAPE,
        "locant_attention_backward: dk_coords has size 5 in dimension 0, "
        "expected 6");
    d = c.k_at;
    CHECK(ask(&c) == LOCANT_ERR_ALIAS);
    d = DENSE(F64, to, 6, 1);
    c.g.dq_coords = &d;
    CHECK(ask(&c) == LOCANT_ERR_ALIAS);
    c.g.dq_coords = VIEW(F64, other, 6, 1);
    c.a.q_coords = c.a.k_coords = NULL;
    CHECK_REFUSED(
        ask(&c), LOCANT_ERR_NULL,
        "locant_attention_backward: dq_coords is asked for, but q_coords is "
        "NULL");
    for (int i = 0; i < 4; i++)
        test_tensor_free(&from[i]);
}

/*
 * test_attention_padding.c - what padding and other documents hold, their
 * positions and coordinates included, is never asked about.
 */
#include "locant/attention.h"
#include "testing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4, D = 8 };

struct problem {
    double x[N * D], out[N * D], lse[N], grad[3][N * D];
    double coords[N];
    int64_t q_at[N], k_at[N], q_of[N], k_of[N];
    locant_tensor q, o, l, d[3], c, qp, kp, qd, kd;
    locant_attention a;
    locant_encoding *e;
};

static void pose(struct problem *p, const char *spec)
{
    memset(p, 0, sizeof(*p));
    for (int i = 0; i < N * D; i++)
        p->x[i] = test_uniform();
    p->q = DENSE(F64, p->x, 1, 1, N, D);
    p->o = DENSE(F64, p->out, 1, 1, N, D);
    p->l = DENSE(F64, p->lse, 1, 1, N);
    for (int i = 0; i < 3; i++)
        p->d[i] = DENSE(F64, p->grad[i], 1, 1, N, D);
    p->c = DENSE(F64, p->coords, N, 1);
    p->qp = DENSE(I64, p->q_at, N);
    p->kp = DENSE(I64, p->k_at, N);
    p->qd = DENSE(I64, p->q_of, N);
    p->kd = DENSE(I64, p->k_of, N);
    CHECK_OK(locant_encoding_create(&p->e, spec));
    p->a = (locant_attention)LOCANT_ATTENTION_INIT;
    p->a.q = p->a.k = p->a.v = &p->q;
    p->a.encoding = p->e;
    p->a.q_pos = &p->qp;
    p->a.k_pos = &p->kp;
    p->a.q_docs = &p->qd;
    p->a.k_docs = &p->kd;
}

/* A causal encoding without the mask, where a later key is another's. */
TEST(later_keys_of_others_do_not_count)
{
    static const int64_t q_at[N] = { 5, 5, 9, -4 }, k_at[N] = { 0, 3, 9, 9 };
    static const int64_t of[N] = { 0, 0, 1, -1 };
    struct problem p;
    double plain[N * D];

    pose(&p, "streaming");
    memcpy(p.q_at, q_at, sizeof(q_at));
    memcpy(p.k_at, k_at, sizeof(k_at));
    memcpy(p.q_of, of, sizeof(of));
    memcpy(p.k_of, of, sizeof(of));
    CHECK_OK(locant_attention_reference(&p.o, &p.l, &p.a));
    memcpy(plain, p.out, sizeof(plain));
    p.a.mask = LOCANT_MASK_CAUSAL;
    CHECK_OK(locant_attention_reference(&p.o, &p.l, &p.a));
    CHECK(memcmp(plain, p.out, sizeof(plain)) == 0);
    p.a.mask = LOCANT_MASK_NONE;
    p.k_at[1] = 6; /* of the document of the query at 5 */
    CHECK(locant_attention_reference(&p.o, &p.l, &p.a) != LOCANT_OK);
    p.a.q_docs = p.a.k_docs = NULL;
    p.k_at[1] = 3;
    CHECK(locant_attention_reference(&p.o, &p.l, &p.a) != LOCANT_OK);
    locant_encoding_free(p.e);
}

/* Far from xpos's center nothing may be asked about the padding at NaN. */
TEST(coordinates_of_padding_are_not_read)
{
    static const double coords[N] = { 1e6, 1e6 + 1, 1e6 + 2, NAN };
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    struct problem p;
    size_t bytes;
    void *scratch;

    pose(&p, "xpos(center=1000000)");
    memcpy(p.coords, coords, sizeof(coords));
    p.q_of[3] = p.k_of[3] = -1;
    p.a.q_coords = p.a.k_coords = &p.c;
    CHECK_OK(locant_attention_workspace(&bytes, &p.a));
    scratch = malloc(bytes);
    assert_non_null(scratch);
    CHECK_OK(locant_attention_forward(&p.o, &p.l, &p.a, scratch, bytes));
    g.dq = &p.d[0];
    g.dk = &p.d[1];
    g.dv = &p.d[2];
    CHECK_OK(
        locant_attention_backward(&g, &p.q, &p.o, &p.l, &p.a, scratch, bytes));
    for (int i = 0; i < N * D; i++)
        CHECK(isfinite(p.out[i]) && isfinite(p.grad[0][i]) &&
              isfinite(p.grad[1][i]) && isfinite(p.grad[2][i]));
    p.coords[1] = NAN;
    CHECK(locant_attention_workspace(&bytes, &p.a) == LOCANT_ERR_PARAM);
    p.coords[1] = 2e6;
    CHECK(locant_attention_workspace(&bytes, &p.a) == LOCANT_ERR_PARAM);
    free(scratch);
    locant_encoding_free(p.e);
}

/* Positions are checked by pieces; the sentence counts in the whole array. */
TEST(refusals_name_the_token)
{
    enum { MANY = 700, OFFSETS = 3 * 699 };
    static double x[MANY * D], out[MANY * D], lse[MANY], table[OFFSETS];
    static int64_t at[MANY];
    locant_tensor o = DENSE(F64, out, 1, 1, MANY, D);
    locant_tensor l = DENSE(F64, lse, 1, 1, MANY);
    locant_attention a = LOCANT_ATTENTION_INIT;
    OWNED(locant_encoding) *e = test_create("swin(height=2,width=350)");

    for (int64_t i = 0; i < MANY; i++)
        at[i] = i;
    a.q = a.k = a.v = VIEW(F64, x, 1, 1, MANY, D);
    a.q_pos = a.k_pos = VIEW(I64, at, MANY);
    a.encoding = e;
    a.params = VIEW(F64, table, OFFSETS, 1);
    CHECK_OK(locant_attention_reference(&o, &l, &a));
    at[600] = 900;
    CHECK(locant_attention_reference(&o, &l, &a) == LOCANT_ERR_PARAM);
    assert_non_null(strstr(locant_last_error(), "900 (index 600)"));
    at[3] = 800;
    CHECK(locant_attention_reference(&o, &l, &a) == LOCANT_ERR_PARAM);
    assert_non_null(strstr(locant_last_error(), "800 (index 3)"));
}

/*
 * test_formula_tiles.c - formulas that read scores or tokens, in tiles of
 * float32, beside the reference, which computes them row by row in double.
 */
#include "oracle/mixed.h"
#include <stdlib.h>
#include <string.h>

static const char *const specs[] = {
    "formula(bias=c.q-c.k,c=scan(heads,map=linear,law=logsigmoid))",
    "formula(bias=-n*m*softplus(g.k),m=param(heads,init=slopes),"
    "g=token(heads))",
    "rope+formula(bias=c.q-c.k-n/9,c=scan(one,law=softplus))",
    "formula(gain=1/(1+a*s^2),bias=tanh(s*g.q)-n/16,a=param(heads),"
    "g=token(one,map=linear))",
    "t5+formula(gain=1+0.1*sin(g.k),bias=lerp(t,exp(g.k))*cos(b.q),"
    "t=param(heads,4),g=token(heads),b=token(one))",
    "scale-invariant+formula(bias=if(n<20,s*0.3,-softplus(g.k)*abs(j-i)*0.05),"
    "g=token(one))",
    "formula(bias=c.k*0.5-d/32,after=1+n/99,c=token(heads),future=hide)",
    "formula(gain=clamp(a*s,min(0.1,g.q*0.1),max(1.1,g.k))^2,bias=log1p(exp(s))"
    "/(2+abs(d))-relu(s-g.k)+sqrt(n)*step(s)*floor(s)*0.1+logsigmoid(s)*"
    "sign(g.q-s)-(1+s^2)^-1.5*expm1(-n)+log(2+sigmoid(s)),"
    "a=param(heads),g=token(heads))",
    "ssmax+alibi+formula(bias=lerp(t,2*sigmoid(g.k))*g.q,"
    "t=param(3,init=uniform(-2,2)),g=token(heads,map=linear,share=yes))",
};

enum { WIDTH = 11 };

static struct mixed problem(size_t i, locant_mask mask, int64_t T, int64_t S)
{
    return (struct mixed){ .spec = specs[i],
                           .dtype = LOCANT_F32,
                           .mask = mask,
                           .T = T,
                           .S = S,
                           .D = 12,
                           .W = WIDTH };
}

/* Ragged tiles, several of them, and few queries; two heads share keys. */
TEST(tiles_agree_with_the_reference)
{
    static const int64_t queries[] = { TEST_SANITIZED ? 20 : 70, 3, 1 };

    for (size_t i = 0; i < LEN(specs); i++)
        for (size_t n = 0; n < LEN(queries); n++)
            for (int mask = 0; mask < 2; mask++) {
                struct mixed m = problem(i, (locant_mask)mask, queries[n],
                                         TEST_SANITIZED ? 70 : 131);

                mixed_make(&m);
                mixed_judge_fast(&m);
                mixed_free(&m);
            }
}

/* A window, a cap, sinks; documents, and padding between them. */
TEST(options_of_the_call_hold)
{
    for (size_t i = 0; i < LEN(specs); i++) {
        struct mixed m = problem(i, LOCANT_MASK_CAUSAL, 40, 70);
        int64_t *q, *k;

        mixed_make(&m);
        mixed_options(&m, 30);
        q = m.q_docs.data;
        k = m.k_docs.data;
        for (int64_t n = 0; n < m.B * m.S; n++)
            k[n] = n % m.S < 33 ? 4 : n % m.S < 36 ? -1 : 1;
        for (int64_t n = 0; n < m.B * m.T; n++)
            q[n] = k[n / m.T * m.S + m.S - m.T + n % m.T];
        m.a.q_docs = &m.q_docs;
        m.a.k_docs = &m.k_docs;
        mixed_judge_fast(&m);
        mixed_free(&m);
    }
}

/* Positions that double does not hold: their distances are exact. */
TEST(far_positions_keep_their_distances)
{
    static const int64_t far[] = { (int64_t)1 << 53, (int64_t)1 << 60,
                                   -((int64_t)1 << 60) };

    for (size_t n = 0; n < LEN(far); n++) {
        struct mixed m = problem(1, LOCANT_MASK_CAUSAL, 40, 70);

        mixed_make(&m);
        mixed_shift(&m, far[n]);
        mixed_judge_fast(&m);
        mixed_free(&m);
    }
}

TEST(threads_agree)
{
    for (size_t i = 0; i < LEN(specs); i++) {
        struct mixed m = problem(i, LOCANT_MASK_CAUSAL, 66, 70);

        mixed_make(&m);
        mixed_judge_threads(&m);
        mixed_free(&m);
    }
}

/* The prefix of a text, then some tokens, then one by one: the same bits. */
TEST(chunks_have_the_bits_of_the_whole)
{
    static const int64_t ends[] = { 65, 68, 69, 70 };

    for (size_t i = 0; i < LEN(specs); i++) {
        struct mixed m = problem(i, LOCANT_MASK_CAUSAL, 70, 70);
        size_t bytes;
        float *want;

        mixed_make(&m);
        mixed_run(&m);
        bytes = mixed_size(&m.out) * sizeof(float);
        want = malloc(bytes);
        memcpy(want, m.out.data, bytes);
        memset(m.out.data, 0, bytes);
        for (size_t n = 0; n < LEN(ends); n++)
            mixed_run_part(&m, n == 0 ? 0 : ends[n - 1], ends[n]);
        if (memcmp(want, m.out.data, bytes) != 0)
            FAIL("%s: chunks have other bits", specs[i]);
        free(want);
        mixed_free(&m);
    }
}

/* dx without gradients of parameters, and these without dx. */
TEST(gradients_can_be_left_out)
{
    for (size_t i = 0; i < LEN(specs); i++) {
        struct mixed m = problem(i, LOCANT_MASK_CAUSAL, 40, 70);
        size_t bytes;
        float *want;

        mixed_make(&m);
        mixed_run(&m);
        bytes = mixed_size(&m.dx) * sizeof(float);
        want = malloc(bytes);
        memcpy(want, m.dx.data, bytes);
        m.g.dparams = NULL;
        m.g.dq = m.g.dk = m.g.dv = NULL;
        mixed_run(&m);
        if (memcmp(want, m.dx.data, bytes) != 0)
            FAIL("%s: another dx alone", specs[i]);
        free(want);
        if (m.n_params > 0) {
            want = malloc(mixed_size(&m.dparams[0]) * sizeof(float));
            m.g.dparams = m.dparams;
            mixed_run(&m);
            memcpy(want, m.dparams[0].data,
                   mixed_size(&m.dparams[0]) * sizeof(float));
            m.g.dx = NULL;
            mixed_run(&m);
            if (memcmp(want, m.dparams[0].data,
                       mixed_size(&m.dparams[0]) * sizeof(float)) != 0)
                FAIL("%s: another gradient without dx", specs[i]);
            free(want);
        }
        mixed_free(&m);
    }
}

/*
 * test_attention_parts.c - attention over blocks of keys with carried state has
 * the bits of one call: every row of the registry.
 */
#include "model_specs.h"
#include "parts_case.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------- comparisons */

/* One call for all keys: what the parts are compared with. */
static double *run_whole(struct mixed *m)
{
    mixed_run(m);
    return mixed_results(m);
}

static bool equal(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

/* Numbers of a tensor of 'got' have those of 'want', bit for bit. */
static size_t same(const struct mixed *m, const char *what,
                   const locant_tensor *got, const double *want)
{
    const size_t n = mixed_size(got);

    for (size_t i = 0; i < n; i++)
        if (!equal(oracle_get(got, i), want[i]))
            FAIL("%s, %d keys: %s %zu of %zu is %a, not %a",
                 locant_encoding_spec(m->e), (int)m->S, what, i, n,
                 oracle_get(got, i), want[i]);
    return n;
}

/*
 * dparams, of which each part rounds its share to float, and the whole call its
 * sum: half a unit of each.  Sums before that are in double; of the same 2^20
 * floats in another order they differ by less than 2^-20 of that, unless they
 * cancel to below 2^-13 of their terms, which are below 1.
 */
static void near_params(const struct mixed *m, const struct part *x,
                        const double *want)
{
    size_t n = 0;

    for (int i = 0; i < m->n_params; i++)
        n += mixed_size(&m->dparams[i]);
    for (size_t k = 0; k < n; k++)
        if (!(fabs(x->sum[k] - want[k]) <=
              0x1.00001p-24 * (x->size[k] + fabs(want[k])) + 0x1p-33))
            FAIL("%s: gradient %zu of %zu of parameters: %g, not %g; parts "
                 "%g",
                 locant_encoding_spec(m->e), k, n, x->sum[k], want[k],
                 x->size[k]);
}

static bool has_content(const struct mixed *m)
{
    return (locant_encoding_doors(m->e) & LOCANT_DOOR_CONTENT) != 0;
}

/* All queries at once: every result. */
static void check_whole(struct mixed *m, const double *want)
{
    struct part x = { .sum = calloc(mixed_count(m) + 1, sizeof(double)),
                      .size = calloc(mixed_count(m) + 1, sizeof(double)) };

    assert_non_null(x.sum);
    assert_non_null(x.size);
    mixed_forget(m);
    run_blocks(m, forward_part, m->D + 2);
    want += same(m, "out", &m->out, want);
    want += same(m, "lse", &m->lse, want);
    if (!has_content(m)) {
        run_all(&x, m, backward_part, dq_width(m));
        want += same(m, "dq", &m->dq, want);
        want += same(m, "dk", &m->dk, want);
        want += same(m, "dv", &m->dv, want);
        want += same(m, "dsinks", &m->dsinks, want);
        if (m->a.leaves == 0) /* else each leaf is rounded too */
            near_params(m, &x, want);
    }
    free(x.sum);
    free(x.size);
}

/* Queries cut at these places: their own results. */
static void check_cut(struct mixed *m, const double *want, const int64_t *at,
                      int n)
{
    struct mixed whole = *m;

    mixed_forget(m);
    for (int i = 0; i < n; i++) {
        struct mixed some = *m;

        mixed_cut_queries(&some, at[i], i + 1 < n ? at[i + 1] : m->T);
        run_blocks(&some, forward_part, m->D + 2);
        if (!has_content(m))
            run_blocks(&some, backward_part, dq_width(&some));
    }
    want += same(&whole, "out of a cut", &m->out, want);
    want += same(&whole, "lse of a cut", &m->lse, want);
    if (!has_content(m))
        same(&whole, "dq of a cut", &m->dq, want);
}

/* Odd places; some cuts have few queries, which one call would decode. */
static void check(struct mixed *m)
{
    const int64_t at[] = { 0, 6, 77 };
    double *want = run_whole(m);

    check_whole(m, want);
    check_cut(m, want, at, (int)LEN(at));
    free(want);
}

/* ------------------------------------------------ every row of the registry */

/* A row that is refused, and why. */
struct refused {
    const char *row, *why;
};

/* NULL: the row is not refused. */
static const struct refused *refusal_of(const char *spec)
{
    static const struct refused refused[] = {
        { "path", "multiplies maps of all newer keys" },
        { "stick-breaking", "takes keys from the newest to the oldest" },
        { "cope", "needs all keys of a query at once" },
        { "dape", "needs all keys of a query at once" },
        { "tapa", "needs all keys of a query at once" },
        { "wavlm", "needs all keys of a query at once" },
    };

    for (size_t i = 0; i < LEN(refused); i++)
        if (strstr(spec, refused[i].row) != NULL)
            return &refused[i];
    return NULL;
}

static void check_refused(struct mixed *m, const struct refused *refused)
{
    struct part x;
    size_t bytes;
    char text[400];

    snprintf(text, sizeof(text),
             "%s %s, expected an encoding that takes keys in parts",
             refused->row, refused->why);
    part_set(&x, m, 0, BLOCK);
    REFUSES(UNSUPPORTED,
            locant_attention_part_workspace(&bytes, NULL, &x.m.a, &x.keys),
            text);
}

TEST(blocks_of_keys_of_every_encoding_have_the_bits_of_one_call)
{
    const char *spec;
    int made = 0, refused = 0;

    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++) {
        struct mixed m;

        if (!parts_make(&m, spec, LOCANT_F32, 1, 200, 1025))
            continue;
        if (refusal_of(spec) != NULL) {
            check_refused(&m, refusal_of(spec));
            refused++;
        } else {
            check(&m);
            made++;
        }
        mixed_free(&m);
    }
    CHECK(made > 63 && refused >= 7);
}

/* -------------------------------------------------------- sizes and options */

/* Biases, a longest position, maps that widen, relations, content. */
static const char *const some[] = {
    "rope",
    "rope(scaling=dynamic(factor=2,original=100))",
    "rope-mixed",
    "pope",
    "xpos",
    "alibi(learned=yes)",
    "t5(buckets=8,distance=10)",
    "fire(hidden=6,length=64)",
    "ssmax(bias=yes)+rope",
    "temperature+rope",
    "urpe+rope",
    "dual-chunk(chunk=100,local=20)+rope",
    "shaw(distance=4)",
    "deberta(span=4)",
    "transformer-xl",
    "rerope(window=20)+t5",
    "fox+rope",
    "selective-rope(rank=4)",
    "grape-a(gate=both)+rope",
};

/* One block, three blocks, and queries that begin after the keys. */
TEST(one_block_three_blocks_and_queries_at_the_end)
{
    static const int64_t sizes[][2] = {
        { 193, 193 }, { 2112, 2112 }, { 150, 2048 }, { 1025, 1025 }
    };

    for (size_t i = 0; i < LEN(some); i++) {
        FREED_BY(mixed_free) struct mixed m;

        CHECK(parts_make(&m, some[i], LOCANT_F32, 1, sizes[i % 4][0],
                         sizes[i % 4][1]));
        check(&m);
    }
}

/* Three documents, the second over the end of a block, and padding. */
static void add_documents(struct mixed *m)
{
    const int64_t ends[] = { 3, 700, 1100, m->S - 2, m->S };
    const int64_t from = m->S - m->T;

    for (int64_t b = 0; b < m->B; b++) {
        int64_t *pos = (int64_t *)m->k_pos.data + b * m->S, begin = 0, j = 0;
        int64_t *docs = (int64_t *)m->k_docs.data + b * m->S;

        for (int d = 0; d < (int)LEN(ends); d++, begin = j)
            for (; j < m->S && j < ends[d] + (d < 3 ? 20 * b : 0); j++) {
                docs[j] = d == 0 || d == 4 ? -1 : d;
                pos[j] = j - begin;
            }
        memcpy((int64_t *)m->q_pos.data + b * m->T, pos + from,
               (size_t)m->T * sizeof(*pos));
        memcpy((int64_t *)m->q_docs.data + b * m->T, docs + from,
               (size_t)m->T * sizeof(*docs));
    }
    m->a.q_docs = &m->q_docs;
    m->a.k_docs = &m->k_docs;
}

TEST(documents_window_cap_and_sinks)
{
    for (size_t i = 0; i < LEN(some); i++) {
        FREED_BY(mixed_free) struct mixed m;

        CHECK(parts_make(&m, some[i], LOCANT_F32, 2, 300, 1300));
        add_documents(&m);
        mixed_options(&m, 400);
        check(&m);
    }
}

/* lse and sinks of 16-bit tensors are in float. */
static void widen(locant_tensor *t)
{
    locant_tensor wide = test_tensor(LOCANT_F32, t->rank, t->shape);

    test_tensor_free(t);
    *t = wide;
}

TEST(sixteen_bits_grouped_heads_and_no_mask)
{
    static const char *const specs[] = { "rope", "alibi", "xpos", "none" };

    for (size_t i = 0; i < 2 * LEN(specs); i++) {
        FREED_BY(mixed_free)
        struct mixed m = { .spec = specs[i / 2],
                           .dtype = i % 2 ? LOCANT_F16 : LOCANT_BF16,
                           .mask =
                               i % 2 ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE,
                           .B = 1,
                           .H = 6,
                           .G = 2,
                           .T = 200,
                           .S = 1100,
                           .D = 10 };

        mixed_make(&m);
        mixed_options(&m, i % 3 == 0 ? 0 : 600);
        widen(&m.lse);
        widen(&m.sinks);
        widen(&m.dsinks);
        check(&m);
    }
}

/* Keys that are values too, and values that rotate like keys. */
TEST(values_of_keys_and_rotated_values)
{
    for (int flags = 2; flags <= 6; flags += 2) {
        FREED_BY(mixed_free) struct mixed m;

        CHECK(parts_make(&m, "rope", LOCANT_F32, 1, 180, 1200));
        m.a.flags = flags;
        if (flags & LOCANT_ATTENTION_VALUES_OF_KEYS) {
            test_tensor_free(&m.v);
            test_tensor_free(&m.dv);
            m.v = m.k;
            m.dv = (locant_tensor){ .data = NULL };
            m.g.dv = NULL;
        }
        check(&m);
        if (flags & LOCANT_ATTENTION_VALUES_OF_KEYS)
            m.v.data = NULL;
    }
}

/* dk and dv of a part are trees over leaves of queries, as in one call. */
TEST(leaves_and_threads)
{
    for (size_t i = 0; i < LEN(some); i++) {
        FREED_BY(mixed_free) struct mixed m;

        CHECK(parts_make(&m, some[i], LOCANT_F32, 1, 300, 1100));
        m.a.leaves = 4;
        CHECK_OK(locant_set_threads(1 + (int)(i % 3)));
        check(&m);
    }
    CHECK_OK(locant_set_threads(1));
}

/* ------------------------------------------------- blocks that are left out */

/*
 * A window of 100 keys: the last 50 of 2112 queries see keys from 1963 on.  Of
 * the blocks only the second and the third are given; and with a last call that
 * has no keys.
 */
TEST(blocks_that_no_query_sees_may_be_left_out)
{
    FREED_BY(mixed_free) struct mixed m;
    struct part x = { .sum = NULL };
    double *want;

    CHECK(parts_make(&m, "t5", LOCANT_F32, 1, 50, 2112));
    m.a.window = 100;
    want = run_whole(&m);
    mixed_forget(&m);
    x.state = zeros(&m, m.D + 2);
    part_set(&x, &m, BLOCK, 2 * BLOCK);
    forward_part(&x);
    part_set(&x, &m, 2 * BLOCK, m.S);
    x.keys.last = 0;
    forward_part(&x);
    part_set(&x, &m, 2 * BLOCK, 2 * BLOCK);
    x.keys.last = 1;
    forward_part(&x);
    same(&m, "lse", &m.lse, want + same(&m, "out", &m.out, want));
    test_tensor_free(&x.state);
    free(want);
}

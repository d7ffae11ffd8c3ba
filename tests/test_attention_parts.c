/*
 * test_attention_parts.c - attention over blocks of keys with carried state has
 * the bits of one call: every row of the registry.
 */
#include "model_specs.h"
#include "oracle/mixed.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 };

/* ----------------------------------------------------------- views of rows */

/* Rows first .. end - 1 of an axis. */
static void cut(locant_tensor *t, int axis, int64_t first, int64_t end)
{
    if (t->data == NULL)
        return;
    t->data = (char *)t->data +
              first * t->stride[axis] * (int64_t)locant_dtype_size(t->dtype);
    t->shape[axis] = end - first;
}

/* The problem with queries first .. end - 1, at their positions. */
static void cut_queries(struct mixed *m, int64_t first, int64_t end)
{
    cut(&m->q, 2, first, end);
    cut(&m->out, 2, first, end);
    cut(&m->lse, 2, first, end);
    cut(&m->dout, 2, first, end);
    cut(&m->dq, 2, first, end);
    cut(&m->q_pos, 1, first, end);
    cut(&m->q_docs, 1, first, end);
    m->T = end - first;
    m->a.q = &m->q;
    m->a.q_pos = m->a.q_pos != NULL ? &m->q_pos : NULL;
    m->a.q_docs = m->a.q_docs != NULL ? &m->q_docs : NULL;
    m->g.dq = &m->dq;
}

/* ---------------------------------------------------------- calls by blocks */

/* One part of a call: some keys, with their gradients. */
struct part {
    struct mixed m;
    locant_attention_part keys;
    locant_tensor state;
    double *sum, *size; /* of dparams, one after another: of all parts, and of
                           their absolute values; NULL: not wanted */
};

/* Keys first .. end - 1 of the problem; a->k and a->v are views. */
static void part_set(struct part *x, const struct mixed *m, int64_t first,
                     int64_t end)
{
    x->m = *m;
    cut(&x->m.k, 2, first, end);
    cut(&x->m.v, 2, first, end);
    cut(&x->m.dk, 2, first, end);
    cut(&x->m.dv, 2, first, end);
    x->m.a.k = &x->m.k;
    x->m.a.v = &x->m.v;
    x->m.g.dk = &x->m.dk;
    x->m.g.dv = m->g.dv != NULL ? &x->m.dv : NULL;
    x->m.g.dx = NULL;
    x->keys = (locant_attention_part)LOCANT_ATTENTION_PART_INIT;
    x->keys.first = first;
    x->keys.keys = m->S;
    x->keys.last = end == m->S;
    x->keys.state = &x->state;
}

/* Workspace of exactly the size asked for, filled with NaN. */
static void *workspace_of(const struct part *x, size_t *bytes, int64_t *width)
{
    void *memory;

    CHECK_OK(locant_attention_part_workspace(bytes, width, &x->m.a, &x->keys));
    memory = malloc(*bytes + 1);
    assert_non_null(memory);
    memset(memory, 0xff, *bytes);
    return memory;
}

static void forward_part(struct part *x)
{
    const bool last = x->keys.last;
    size_t bytes;
    void *memory = workspace_of(x, &bytes, NULL);

    CHECK_OK(locant_attention_forward_part(last ? &x->m.out : NULL,
                                           last ? &x->m.lse : NULL, &x->m.a,
                                           &x->keys, memory, bytes));
    free(memory);
}

/* Move dparams to the sums, so that the next part begins from 0. */
static void take_params(struct part *x)
{
    size_t at = 0;

    for (int i = 0; i < x->m.n_params && x->sum != NULL; i++)
        for (size_t n = 0; n < mixed_size(&x->m.dparams[i]); n++, at++) {
            x->sum[at] += oracle_get(&x->m.dparams[i], n);
            x->size[at] += fabs(oracle_get(&x->m.dparams[i], n));
            oracle_put(&x->m.dparams[i], n, 0);
        }
}

static void backward_part(struct part *x)
{
    size_t bytes;
    void *memory = workspace_of(x, &bytes, NULL);

    if (!x->keys.last)
        x->m.g.dq = NULL;
    CHECK_OK(locant_attention_backward_part(&x->m.g, &x->m.dout, &x->m.out,
                                            &x->m.lse, &x->m.a, &x->keys,
                                            memory, bytes));
    free(memory);
    take_params(x);
}

static locant_tensor zeros(const struct mixed *m, int64_t width)
{
    locant_tensor state = TENSOR(F32, m->B, m->H, m->T, width);

    memset(state.data, 0, mixed_size(&state) * sizeof(float));
    return state;
}

/* All blocks of keys for the queries of m; x->sum and x->size are kept. */
static void run_all(struct part *x, const struct mixed *m,
                    void (*run)(struct part *x), int64_t width)
{
    x->state = zeros(m, width);
    for (int64_t first = 0; first < m->S; first += BLOCK) {
        part_set(x, m, first, first + BLOCK < m->S ? first + BLOCK : m->S);
        run(x);
    }
    test_tensor_free(&x->state);
}

static void run_blocks(const struct mixed *m, void (*run)(struct part *x),
                       int64_t width)
{
    struct part x = { .sum = NULL };

    run_all(&x, m, run, width);
}

static int64_t dq_width(const struct mixed *m)
{
    struct part x;
    size_t bytes;
    int64_t width;

    part_set(&x, m, 0, m->S);
    CHECK_OK(locant_attention_part_workspace(&bytes, &width, &x.m.a, &x.keys));
    return width;
}

/* ------------------------------------------------------------- comparisons */

static void fill(const locant_tensor *t, int byte)
{
    memset(t->data, byte, mixed_size(t) * locant_dtype_size(t->dtype));
}

/* NaN, also of 16 bits, in all that is written, 0 in what is added to. */
static void forget(struct mixed *m)
{
    const locant_tensor *all[] = { &m->out, &m->lse, &m->dq, &m->dk };

    for (size_t i = 0; i < LEN(all); i++)
        fill(all[i], 0xff);
    if (m->dv.data != NULL)
        fill(&m->dv, 0xff);
    if (m->dsinks.data != NULL)
        fill(&m->dsinks, 0);
    for (int i = 0; i < m->n_params; i++)
        fill(&m->dparams[i], 0);
}

/* One call for all keys: what the parts are compared with. */
static double *run_whole(struct mixed *m)
{
    forget(m);
    test_forward(&m->out, &m->lse, &m->a);
    test_backward(&m->g, &m->dout, &m->out, &m->lse, &m->a);
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
    forget(m);
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

    forget(m);
    for (int i = 0; i < n; i++) {
        struct mixed some = *m;

        cut_queries(&some, at[i], i + 1 < n ? at[i + 1] : m->T);
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
    const int64_t at[] = { 0, 1, 6, 77, m->T / 2 + 3, m->T - 2 };
    double *want = run_whole(m);

    check_whole(m, want);
    check_cut(m, want, at, (int)LEN(at));
    free(want);
}

/* -------------------------------------------------- every row of the registry */

/* As in test_attention_leaves.c: false: nothing to attend with so many keys. */
static bool make(struct mixed *m, const char *spec, locant_dtype dtype,
                 int64_t B, int64_t T, int64_t S)
{
    locant_encoding *given = test_create(spec), *whole;
    locant_tensor x;

    CHECK_OK(locant_encoding_resolve(&whole, given, S));
    locant_encoding_free(given);
    *m = (struct mixed){ .dtype = dtype,
                         .mask = LOCANT_MASK_CAUSAL,
                         .B = B,
                         .H = 2,
                         .G = 2,
                         .T = T,
                         .S = S,
                         .D = 8 };
    m->e = locant_encoding_layer_of(NULL, whole, 0, 2);
    if (locant_encoding_traits(m->e) & LOCANT_TRAIT_READS_X)
        m->W = 16;
    if (locant_encoding_length_limit(m->e) < S ||
        (locant_encoding_doors(m->e) & ~LOCANT_DOOR_INPUT) == 0) {
        locant_encoding_free(whole);
        return false;
    }
    mixed_make(m);
    m->made = whole;
    x = m->dx; /* freed here: dx is not asked for */
    m->dx = (locant_tensor){ .data = NULL };
    if (x.data != NULL)
        test_tensor_free(&x);
    m->g.dx = NULL;
    return true;
}

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
        { "grape-a", "needs all keys of a query at once" },
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

        if (!make(&m, spec, LOCANT_F32, 1, 1025, 1025))
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
    CHECK(made > 60 && refused >= 10);
}

/* --------------------------------------------------------- sizes and options */

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
};

/* One block, three blocks, and queries that begin after the keys. */
TEST(one_block_three_blocks_and_queries_at_the_end)
{
    static const int64_t sizes[][2] = { { 193, 193 },
                                        { 2112, 2112 },
                                        { 150, 2048 } };

    for (size_t i = 0; i < LEN(some); i++) {
        FREED_BY(mixed_free) struct mixed m;

        CHECK(
            make(&m, some[i], LOCANT_F32, 1, sizes[i % 3][0], sizes[i % 3][1]));
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

        CHECK(make(&m, some[i], LOCANT_F32, 2, 300, 1300));
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

        CHECK(make(&m, "rope", LOCANT_F32, 1, 180, 1200));
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

        CHECK(make(&m, some[i], LOCANT_F32, 1, 300, 1100));
        m.a.leaves = 4;
        CHECK_OK(locant_set_threads(1 + (int)(i % 3)));
        check(&m);
    }
    CHECK_OK(locant_set_threads(1));
}

/* -------------------------------------------------- blocks that are left out */

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

    CHECK(make(&m, "t5", LOCANT_F32, 1, 50, 2112));
    m.a.window = 100;
    want = run_whole(&m);
    forget(&m);
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

/* ---------------------------------------------------------------- refusals */

static void check_workspace_refused(struct mixed *m, int64_t first, int64_t end,
                                    locant_status status, const char *text)
{
    struct part x;
    char all[400];
    size_t bytes;

    part_set(&x, m, first, end);
    snprintf(all, sizeof(all), "locant_attention_part_workspace: %s", text);
    CHECK_REFUSED(
        locant_attention_part_workspace(&bytes, NULL, &x.m.a, &x.keys), status,
        all);
}

TEST(refuses_keys_that_are_no_blocks)
{
    FREED_BY(mixed_free) struct mixed m;
    struct part x;
    size_t bytes;

    CHECK(make(&m, "rope", LOCANT_F32, 1, 10, 2112));
    check_workspace_refused(&m, 64, 1088, LOCANT_ERR_PARAM,
                            "first is 64, expected a multiple of 1024");
    check_workspace_refused(&m, 0, 1000, LOCANT_ERR_SHAPE,
                            "k has 1000 keys, expected a multiple of 1024 or "
                            "all up to the last");
    part_set(&x, &m, 1024, 2112);
    x.keys.keys = 2111;
    REFUSES(SHAPE,
            locant_attention_part_workspace(&bytes, NULL, &x.m.a, &x.keys),
            "k has keys 1024 to 2111, expected some of the 2111 keys of the "
            "whole call");
    x.keys.keys = 2112;
    x.keys.first = -1024;
    REFUSES(SHAPE,
            locant_attention_part_workspace(&bytes, NULL, &x.m.a, &x.keys),
            "k has keys -1024 to 63, expected some of the 2112 keys of the "
            "whole call");
    x.keys.first = 1024;
    x.keys.last = 2;
    REFUSES(PARAM,
            locant_attention_part_workspace(&bytes, NULL, &x.m.a, &x.keys),
            "last is 2, expected 0 or 1");
    x.keys.struct_size = 3;
    REFUSES(PARAM,
            locant_attention_part_workspace(&bytes, NULL, &x.m.a, &x.keys),
            "struct_size of part is 3, expected 40; start from "
            "LOCANT_ATTENTION_PART_INIT");
    REFUSES(NULL, locant_attention_part_workspace(&bytes, NULL, &m.a, NULL),
            "part is NULL");
}

TEST(refuses_states_and_results_at_the_wrong_time)
{
    FREED_BY(mixed_free) struct mixed m;
    struct part x = { .sum = NULL };
    locant_tensor narrow;
    size_t bytes;
    void *memory;

    CHECK(make(&m, "rope", LOCANT_F32, 1, 10, 2112));
    x.state = zeros(&m, m.D + 2);
    narrow = zeros(&m, m.D);
    part_set(&x, &m, 0, BLOCK);
    memory = workspace_of(&x, &bytes, NULL);
    REFUSES(PARAM,
            locant_attention_forward_part(&x.m.out, NULL, &x.m.a, &x.keys,
                                          memory, bytes),
            "out is given, expected NULL: more keys follow this part");
    REFUSES(PARAM,
            locant_attention_forward_part(NULL, &x.m.lse, &x.m.a, &x.keys,
                                          memory, bytes),
            "lse is given, expected NULL: more keys follow this part");
    x.keys.last = 1;
    REFUSES(NULL,
            locant_attention_forward_part(NULL, NULL, &x.m.a, &x.keys, memory,
                                          bytes),
            "out is NULL");
    x.keys.state = NULL;
    REFUSES(NULL,
            locant_attention_forward_part(&x.m.out, &x.m.lse, &x.m.a, &x.keys,
                                          memory, bytes),
            "state is NULL");
    x.keys.state = &narrow;
    REFUSES(SHAPE,
            locant_attention_forward_part(&x.m.out, &x.m.lse, &x.m.a, &x.keys,
                                          memory, bytes),
            "state has size 8 in dimension 3, expected 10");
    x.keys.state = &m.q;
    REFUSES(SHAPE,
            locant_attention_forward_part(&x.m.out, &x.m.lse, &x.m.a, &x.keys,
                                          memory, bytes),
            "state has size 8 in dimension 3, expected 10");
    REFUSES(ALIAS,
            locant_attention_backward_part(&x.m.g, &x.m.dout, &x.m.out,
                                           &x.m.lse, &x.m.a, &x.keys, memory,
                                           bytes),
            "an output overlaps an input");
    x.keys.state = &narrow;
    x.keys.last = 0;
    REFUSES(PARAM,
            locant_attention_backward_part(&x.m.g, &x.m.dout, &x.m.out,
                                           &x.m.lse, &x.m.a, &x.keys, memory,
                                           bytes),
            "dq is given, expected NULL: more keys follow this part");
    x.m.g.dq = NULL;
    x.m.g.dbias = &narrow;
    REFUSES(UNSUPPORTED,
            locant_attention_backward_part(&x.m.g, &x.m.dout, &x.m.out,
                                           &x.m.lse, &x.m.a, &x.keys, memory,
                                           bytes),
            "dbias is asked for, expected NULL: a part of the keys has dq, dk, "
            "dv, dparams and dsinks");
    REFUSES(
        NULL,
        locant_attention_forward_part(NULL, NULL, &x.m.a, NULL, memory, bytes),
        "part is NULL");
    free(memory);
    test_tensor_free(&x.state);
    test_tensor_free(&narrow);
}

TEST(refuses_what_is_not_carried)
{
    FREED_BY(mixed_free) struct mixed m;
    struct part x = { .sum = NULL };
    locant_tensor table = TENSOR(I64, 1, 2), lengths = TENSOR(I64, 1);
    size_t bytes;
    char memory[8];

    CHECK(make(&m, "shaw(distance=4)", LOCANT_F64, 1, 10, 1025));
    check_workspace_refused(&m, 0, BLOCK, LOCANT_ERR_UNSUPPORTED,
                            "q is F64, expected F32, F16 or BF16: rows in "
                            "double need all keys");
    mixed_free(&m);
    CHECK(make(&m, "shaw(distance=4)", LOCANT_F32, 1, 10, 1025));
    part_set(&x, &m, 0, BLOCK);
    REFUSES(UNSUPPORTED,
            locant_attention_backward_part(&x.m.g, &x.m.dout, &x.m.out,
                                           &x.m.lse, &x.m.a, &x.keys, memory,
                                           sizeof(memory)),
            "shaw has gradients that sum over all keys, expected an encoding "
            "that takes keys in parts");
    x.m.a.state = &table;
    REFUSES(UNSUPPORTED,
            locant_attention_part_workspace(&bytes, NULL, &x.m.a, &x.keys),
            "a state of decoding is given, expected none with a part of the "
            "keys");
    memset(table.data, 0, 2 * sizeof(int64_t));
    ((int64_t *)lengths.data)[0] = 1025;
    x.m.a.state = NULL;
    x.m.a.block_table = &table;
    x.m.a.lengths = &lengths;
    REFUSES(UNSUPPORTED,
            locant_attention_part_workspace(&bytes, NULL, &x.m.a, &x.keys),
            "a paged cache is given, expected none with a part of the keys");
    test_tensor_free(&table);
    test_tensor_free(&lengths);
}

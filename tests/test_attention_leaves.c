/*
 * test_attention_leaves.c - gradients of attention as trees over leaves of
 * queries: every row of the registry, against calls that see one leaf only.
 */
#include "model_specs.h"
#include "oracle/mixed.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 64, MOST = 8 };

/* --------------------------------------------------- one leaf after another */

/* The first query of leaf l of L. */
static int64_t first_of(const struct mixed *m, int64_t l, int64_t L)
{
    const int64_t tiles = (m->T + TILE - 1) / TILE;
    const int64_t at = l * tiles / L * TILE;

    return at < m->T ? at : m->T;
}

/* dout is 0 outside of the leaf. */
static void keep_leaf(struct mixed *m, const double *dout, int64_t l, int64_t L)
{
    const size_t n = mixed_size(&m->dout);

    for (size_t i = 0; i < n; i++) {
        const int64_t query = (int64_t)i / m->D % m->T;
        const bool in =
            query >= first_of(m, l, L) && query < first_of(m, l + 1, L);

        oracle_put(&m->dout, i, in ? dout[i] : 0);
    }
}

static double *run_with(struct mixed *m, int64_t leaves)
{
    m->a.leaves = leaves;
    mixed_run(m);
    m->a.leaves = 0;
    return mixed_results(m);
}

/* Calls without leaves: for all queries, then those for some of them. */
struct runs {
    struct run {
        int64_t first, end; /* queries */
        double *results;
    } of[2 * MOST];
    int count;
};

static struct runs runs_make(struct mixed *m)
{
    return (struct runs){ .of[0] = { 0, m->T, run_with(m, 0) }, .count = 1 };
}

static void runs_free(struct runs *r)
{
    for (int i = 0; i < r->count; i++)
        free(r->of[i].results);
}

static const double *run_found(const struct runs *r, int64_t first, int64_t end)
{
    for (int i = 0; i < r->count; i++) {
        const struct run *run = &r->of[i];

        if ((run->first == first && run->end == end) ||
            (run->first == run->end && first == end))
            return run->results;
    }
    return NULL;
}

/*
 * What a call without leaves gives for the queries of each leaf alone: a query
 * whose dout is 0 adds exact zeros to every sum.  So what is summed in the
 * order of queries is the leaf's own chain, from zero.  Leaves of other L may
 * be the same queries, that is, the same call: it is made once.
 */
static void run_leaves(const double *results[MOST], struct runs *r,
                       struct mixed *m, int64_t L)
{
    const size_t n = mixed_size(&m->dout);
    double *dout = malloc(n * sizeof(*dout));

    for (size_t i = 0; i < n; i++)
        dout[i] = oracle_get(&m->dout, i);
    for (int64_t l = 0; l < L; l++) {
        const int64_t first = first_of(m, l, L), end = first_of(m, l + 1, L);

        results[l] = run_found(r, first, end);
        if (results[l] != NULL)
            continue;
        CHECK(r->count < (int)LEN(r->of));
        keep_leaf(m, dout, l, L);
        mixed_run(m);
        results[l] = r->of[r->count].results = mixed_results(m);
        r->of[r->count].first = first;
        r->of[r->count++].end = end;
    }
    for (size_t i = 0; i < n; i++)
        oracle_put(&m->dout, i, dout[i]);
    free(dout);
}

static double node(const double *const *leaf, int64_t first, int64_t size,
                   size_t i, bool f64)
{
    volatile double sum;
    volatile float rounded;

    if (size == 1)
        return leaf[first][i];
    sum = node(leaf, first, size / 2, i, f64) +
          node(leaf, first + size / 2, size / 2, i, f64);
    rounded = (float)sum; /* of two floats, as if added in float */
    return f64 ? sum : (double)rounded;
}

static bool equal(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

/* out, lse and dq as without leaves; the sums as trees. */
static void check_leaves(struct mixed *m, struct runs *r, int64_t L)
{
    const size_t rows =
        mixed_size(&m->out) + mixed_size(&m->lse) + mixed_size(&m->dq);
    double *got = run_with(m, L);
    const double *leaf[MOST];

    run_leaves(leaf, r, m, L);
    for (size_t i = 0; i < mixed_count(m); i++) {
        const double want = i < rows
                                ? r->of[0].results[i]
                                : node(leaf, 0, L, i, m->dtype == LOCANT_F64);

        if (!equal(got[i], want))
            FAIL("%s, %d leaves: number %zu of %zu + %zu is %a, not %a",
                 locant_encoding_spec(m->e), (int)L, i, rows,
                 mixed_count(m) - rows, got[i], want);
    }
    free(got);
}

static void check(struct mixed *m, int64_t L)
{
    struct runs r = runs_make(m);

    check_leaves(m, &r, L);
    runs_free(&r);
}

static bool make(struct mixed *m, const char *spec, locant_dtype dtype,
                 int64_t T, int64_t S)
{
    return mixed_make_layer(m, spec, dtype, 2, T, S);
}

/* ------------------------------------------------------ some of the queries */

/*
 * A process that has the queries of one leaf and all keys computes the sums of
 * that leaf, and its rows of out, lse and dq.
 */
static void check_process(struct mixed *m, struct runs *r, int64_t L)
{
    double *whole = run_with(m, L), *rows;
    const double *leaf[MOST];
    const size_t n =
        mixed_size(&m->out) + mixed_size(&m->lse) + mixed_size(&m->dq);

    run_leaves(leaf, r, m, L);
    for (int64_t l = 0; l < L; l++) {
        struct mixed part = *m;
        double *got;
        size_t before;

        part.a.leaves = 1;
        mixed_cut_queries(&part, first_of(m, l, L), first_of(m, l + 1, L));
        mixed_run(&part);
        got = mixed_results(&part);
        before = mixed_size(&part.out) + mixed_size(&part.lse) +
                 mixed_size(&part.dq);
        for (size_t i = 0; n + i < mixed_count(m); i++)
            if (!equal(got[before + i], leaf[l][n + i]))
                FAIL("%s, leaf %d of %d: sum %zu of %zu is %a, not %a",
                     locant_encoding_spec(m->e), (int)l, (int)L, i,
                     mixed_count(m) - n, got[before + i], leaf[l][n + i]);
        free(got);
    }
    rows = mixed_results(m); /* the parts wrote into the same tensors */
    for (size_t i = 0; i < n; i++)
        if (!equal(rows[i], whole[i]))
            FAIL("%s, %d leaves: number %zu of rows is %a, not %a",
                 locant_encoding_spec(m->e), (int)L, i, rows[i], whole[i]);
    free(rows);
    free(whole);
}

/* Four tiles of queries, the last of one query.  A process has one tile, or
 * two, the last one not whole. */
TEST(sums_of_every_encoding_are_trees_also_of_processes)
{
    const char *spec;
    int made = 0;

    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++) {
        struct mixed m;
        struct runs r;

        if (!make(&m, spec, LOCANT_F32, 193, 200))
            continue;
        r = runs_make(&m);
        for (int64_t L = 1; L <= MOST; L *= 2)
            check_leaves(&m, &r, L);
        check_process(&m, &r, 2);
        check_process(&m, &r, 4);
        runs_free(&r);
        mixed_free(&m);
        made++;
    }
    CHECK(made > 70);
}

/* ... and knows the positions of its queries, which the whole call need not. */
TEST(positions_may_be_left_out)
{
    const char *spec;

    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++) {
        struct mixed m;
        double *given, *plain;

        if (!make(&m, spec, LOCANT_F32, 256, 256))
            continue;
        given = run_with(&m, 4);
        m.a.q_pos = m.a.k_pos = NULL;
        plain = run_with(&m, 4);
        for (size_t k = 0; k < mixed_count(&m); k++)
            if (!equal(given[k], plain[k]))
                FAIL("%s: number %zu of %zu is %a, not %a", spec, k,
                     mixed_count(&m), plain[k], given[k]);
        free(given);
        free(plain);
        mixed_free(&m);
    }
}

TEST(sums_in_double_are_trees)
{
    static const char *const specs[] = { "rope", "t5(buckets=8)", "cope",
                                         "deberta(span=4)", "fox" };

    for (size_t i = 0; i < LEN(specs); i++) {
        FREED_BY(mixed_free) struct mixed m;

        CHECK(make(&m, specs[i], LOCANT_F64, 150, 150));
        check(&m, 2);
        check(&m, 4);
    }
}

/* ------------------------------------------------------------- coordinates */

/* dq_coords, then dk_coords, of a run. */
static double *coords_with(struct mixed *m, int64_t leaves)
{
    const size_t queries = mixed_size(&m->q_coords);
    const size_t keys = mixed_size(&m->k_coords);
    double *both = malloc((queries + keys) * sizeof(*both));

    memset(m->g.dq_coords->data, 0xff, queries * sizeof(*both));
    memset(m->g.dk_coords->data, 0xff, keys * sizeof(*both));
    free(run_with(m, leaves));
    memcpy(both, m->g.dq_coords->data, queries * sizeof(*both));
    memcpy(both + queries, m->g.dk_coords->data, keys * sizeof(*both));
    return both;
}

static void check_coords(struct mixed *m, const double *rows, int64_t L)
{
    const size_t n = mixed_size(&m->dout);
    const size_t queries = mixed_size(&m->q_coords);
    double *dout = malloc(n * sizeof(*dout)), *got = coords_with(m, L);
    double *leaf[MOST];
    const double *sums[MOST];

    for (size_t i = 0; i < n; i++)
        dout[i] = oracle_get(&m->dout, i);
    for (int64_t l = 0; l < L; l++) {
        keep_leaf(m, dout, l, L);
        leaf[l] = coords_with(m, 0);
        sums[l] = leaf[l];
    }
    for (size_t i = 0; i < n; i++)
        oracle_put(&m->dout, i, dout[i]);
    for (size_t i = 0; i < queries + mixed_size(&m->k_coords); i++) {
        const double want = i < queries ? rows[i] : node(sums, 0, L, i, true);

        if (!equal(got[i], want))
            FAIL("%s, %d leaves: number %zu, of keys from %zu, is %a, not %a",
                 m->spec, (int)L, i, queries, got[i], want);
    }
    for (int64_t l = 0; l < L; l++)
        free(leaf[l]);
    free(dout);
    free(got);
}

/* Trees in double; two heads share a coordinate, and their sum is a leaf's.  A
   rotation has none of biases. */
TEST(gradients_of_coordinates_are_trees)
{
    static const char *const specs[] = { "alibi", "kerple",
                                         "fire(hidden=4,length=64)",
                                         "scale-invariant(tau=3)", "rope" };
    static const int64_t leaves[] = { 1, 2, 4, 8 };

    for (size_t i = 0; i < LEN(specs); i++) {
        FREED_BY(mixed_free)
        struct mixed m = { .spec = specs[i],
                           .dtype = i % 2 ? LOCANT_F64 : LOCANT_F32,
                           .mask = LOCANT_MASK_CAUSAL,
                           .B = 2,
                           .H = 2,
                           .G = 2,
                           .T = 193,
                           .S = 200,
                           .D = 8,
                           .axes = 1 };
        locant_tensor dq, dk;
        double *rows;

        mixed_make(&m);
        dq = test_tensor(LOCANT_F64, 3, m.q_coords.shape);
        dk = test_tensor(LOCANT_F64, 3, m.k_coords.shape);
        m.g.dq_coords = &dq;
        m.g.dk_coords = &dk;
        rows = coords_with(&m, 0);
        CHECK((rows[0] != 0 || rows[5] != 0) ==
              (strcmp(specs[i], "rope") != 0));
        for (size_t k = 0; k < LEN(leaves); k++)
            check_coords(&m, rows, leaves[k]);
        free(rows);
        test_tensor_free(&dq);
        test_tensor_free(&dk);
    }
}

/* -------------------------------------------- documents, options, long rows */

/* Two documents, padding before and after; keys in order. */
static void add_documents(struct mixed *m)
{
    const int64_t from = m->S - m->T;

    for (int64_t b = 0; b < m->B; b++) {
        int64_t *pos = (int64_t *)m->k_pos.data + b * m->S;
        int64_t *docs = (int64_t *)m->k_docs.data + b * m->S;

        for (int64_t j = 0; j < m->S; j++) {
            docs[j] = j < 3 || j >= m->S - 2 ? -1 : j >= 90 + 30 * b;
            pos[j] = j < 90 + 30 * b ? j : j - 90 - 30 * b;
        }
        memcpy((int64_t *)m->q_pos.data + b * m->T, pos + from,
               (size_t)m->T * sizeof(*pos));
        memcpy((int64_t *)m->q_docs.data + b * m->T, docs + from,
               (size_t)m->T * sizeof(*docs));
    }
    m->a.q_docs = &m->q_docs;
    m->a.k_docs = &m->k_docs;
}

static const char *const some[] = {
    "rope",
    "alibi(learned=yes)",
    "t5(buckets=8,distance=10)",
    "fire(hidden=6,length=64)",
    "shaw(distance=4)",
    "deberta(span=4)",
    "transformer-xl",
    "xlnet(segment=50)",
    "music(length=40)",
    "rerope(window=20)+t5",
    "fox+rope",
    "path(rank=4)",
    "cope(length=4)",
    "ssmax(bias=yes)+rope",
    "selective-rope(rank=4)",
};

TEST(documents_window_cap_and_sinks)
{
    for (size_t i = 0; i < LEN(some); i++) {
        FREED_BY(mixed_free) struct mixed m;
        struct runs r;

        CHECK(make(&m, some[i], LOCANT_F32, 193, 200));
        add_documents(&m);
        mixed_options(&m, 70);
        r = runs_make(&m);
        check_leaves(&m, &r, 4);
        check_process(&m, &r, 4);
        runs_free(&r);
    }
}

TEST(grouped_heads_and_long_rows)
{
    static const char *const specs[] = { "rope", "t5", "kerple", "fire" };
    static const int64_t tokens[] = { 1025, 2112 };

    for (size_t i = 0; i < LEN(specs); i++) {
        FREED_BY(mixed_free)
        struct mixed m = { .spec = specs[i],
                           .dtype = LOCANT_F32,
                           .mask = LOCANT_MASK_CAUSAL,
                           .B = 1,
                           .H = 4,
                           .G = 2,
                           .T = tokens[i % 2],
                           .S = tokens[i % 2],
                           .D = 16 };

        if (strcmp(specs[i], "fire") == 0)
            m.spec = "fire(hidden=6,length=2112)";
        mixed_make(&m);
        check(&m, 8);
    }
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    for (size_t i = 0; i < LEN(some); i++) {
        FREED_BY(mixed_free) struct mixed m;

        CHECK(make(&m, some[i], LOCANT_F32, 193, 200));
        m.a.leaves = 4;
        mixed_judge_threads(&m);
    }
}

/* ------------------------------------------------------------ dense biases */

/* dbias has the bits of no leaves: of pairs, of keys, of all heads. */
TEST(a_dense_bias_is_not_cut)
{
    static const int64_t shapes[][4] = { { 2, 2, 193, 200 },
                                         { 1, 1, 193, 200 },
                                         { 2, 1, 1, 200 } };

    for (size_t i = 0; i < LEN(shapes); i++) {
        FREED_BY(mixed_free) struct mixed m;
        locant_tensor bias = test_tensor(LOCANT_F32, 4, shapes[i]);
        locant_tensor dbias = test_tensor(LOCANT_F32, 4, shapes[i]);
        const size_t bytes = mixed_size(&bias) * sizeof(float);
        float *want = malloc(bytes);

        CHECK(make(&m, "rope", LOCANT_F32, 193, 200));
        m.a.bias = &bias;
        m.g.dbias = &dbias;
        mixed_run(&m);
        memcpy(want, dbias.data, bytes);
        memset(dbias.data, 0xff, bytes);
        check(&m, 4);
        memset(dbias.data, 0xff, bytes);
        free(run_with(&m, 4));
        CHECK(memcmp(want, dbias.data, bytes) == 0);
        free(want);
        test_tensor_free(&bias);
        test_tensor_free(&dbias);
    }
}

/* ---------------------------------------------------------------- refusals */

TEST(refuses_leaves_that_cannot_be)
{
    static const int64_t bad[] = { -1, 3, 96, 512 };
    FREED_BY(mixed_free) struct mixed m;
    size_t bytes, more;
    char text[80];

    CHECK(make(&m, "rope", LOCANT_F32, 10, 10));
    CHECK_OK(locant_attention_workspace(&bytes, &m.a));
    for (size_t i = 0; i < LEN(bad); i++) {
        m.a.leaves = bad[i];
        snprintf(text, sizeof text,
                 "leaves is %d, expected 0 or a power of two up to 256",
                 (int)bad[i]);
        REFUSES(PARAM, locant_attention_workspace(&more, &m.a), text);
    }
    m.a.leaves = 256;
    CHECK_OK(locant_attention_workspace(&more, &m.a));
    CHECK(more - bytes >= 9 * 2 * mixed_size(&m.k) * sizeof(float));
}

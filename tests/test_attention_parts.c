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
    t->data = (char *)t->data + first * t->stride[axis] *
                                    (int64_t)locant_dtype_size(t->dtype);
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
    x->m.g.dv = &x->m.dv;
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
}

static locant_tensor zeros(const struct mixed *m, int64_t width)
{
    locant_tensor state = TENSOR(F32, m->B, m->H, m->T, width);

    memset(state.data, 0, mixed_size(&state) * sizeof(float));
    return state;
}

/* All blocks of keys for the queries of m, which must not move. */
static void run_blocks(struct mixed *m, void (*run)(struct part *x),
                       int64_t width, int64_t from)
{
    struct part x = { .state = zeros(m, width) };

    for (int64_t first = from; first < m->S; first += BLOCK) {
        part_set(&x, m, first, first + BLOCK < m->S ? first + BLOCK : m->S);
        run(&x);
    }
    test_tensor_free(&x.state);
}

static int64_t dq_width(const struct mixed *m)
{
    struct part x;
    size_t bytes;
    int64_t width;

    part_set(&x, m, 0, m->S);
    CHECK_OK(
        locant_attention_part_workspace(&bytes, &width, &x.m.a, &x.keys));
    return width;
}

/* ------------------------------------------------------------- comparisons */

static void forget(struct mixed *m)
{
    const locant_tensor *all[] = { &m->out, &m->lse, &m->dq, &m->dk, &m->dv };

    for (size_t i = 0; i < LEN(all); i++)
        for (size_t n = 0; n < mixed_size(all[i]); n++)
            oracle_put(all[i], n, NAN);
    for (size_t n = 0; n < mixed_size(&m->dsinks); n++)
        oracle_put(&m->dsinks, n, 0);
    for (int i = 0; i < m->n_params; i++)
        for (size_t n = 0; n < mixed_size(&m->dparams[i]); n++)
            oracle_put(&m->dparams[i], n, 0);
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
 * dparams, of which each part has added its share, rounded: so with P parts the
 * difference is at most P half units of the largest partial sum.  That may be
 * larger than the result, where shares cancel: allow 64 times.
 */
static void near_params(const struct mixed *m, const double *want, int parts)
{
    for (int i = 0; i < m->n_params; i++) {
        const size_t n = mixed_size(&m->dparams[i]);
        double most = 0;

        for (size_t k = 0; k < n; k++)
            most = fmax(most, fabs(want[k]));
        for (size_t k = 0; k < n; k++, want++) {
            const double got = oracle_get(&m->dparams[i], k);

            if (!(fabs(got - *want) <= 64 * parts * 0x1p-24 * most))
                FAIL("%s: parameter %d, %zu: %g, not %g of at most %g",
                     locant_encoding_spec(m->e), i, k, got, *want, most);
        }
    }
}

static bool has_content(const struct mixed *m)
{
    return (locant_encoding_doors(m->e) & LOCANT_DOOR_CONTENT) != 0;
}

/* All queries at once: every result. */
static void check_whole(struct mixed *m, const double *want)
{
    const int blocks = (int)((m->S + BLOCK - 1) / BLOCK);

    forget(m);
    run_blocks(m, forward_part, m->D + 2, 0);
    want += same(m, "out", &m->out, want);
    want += same(m, "lse", &m->lse, want);
    if (has_content(m))
        return;
    run_blocks(m, backward_part, dq_width(m), 0);
    want += same(m, "dq", &m->dq, want);
    want += same(m, "dk", &m->dk, want);
    want += same(m, "dv", &m->dv, want);
    want += same(m, "dsinks", &m->dsinks, want);
    near_params(m, want, blocks);
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
        run_blocks(&some, forward_part, m->D + 2, 0);
        if (!has_content(m))
            run_blocks(&some, backward_part, dq_width(&some), 0);
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
    double *want;

    m->g.dx = NULL;
    mixed_run(m);
    m->dx.data = NULL; /* not in the results */
    want = mixed_results(m);
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
    fprintf(stderr, "%d %d\n", made, refused);
    CHECK(made > 60 && refused >= 8);
}

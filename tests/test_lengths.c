/*
 * test_lengths.c - frequencies that follow a length follow that of each
 * document alone: whatever else is in the call, or in its row.
 */
#include "oracle/draw.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { B = 3, H = 2, G = 1, D = 16, S = 70, PADS = 5, CUT = 30 };

#define DYNAMIC "dynamic(factor=2,original=16"
#define LONGROPE                                                               \
    "longrope(original=64,factor=4,short=1:1:1:1:1:1:1:1,"                     \
    "long=1:2:3:4:5:6:7:8"

/* One call of attention, and one of the same rows that is a part of it. */
struct call {
    locant_tensor q, k, v, dout, out, lse, dq, dk, dv;
    locant_tensor q_pos, k_pos, q_docs, k_docs;
    locant_attention a;
    locant_attention_gradients g;
};

/* The tensors of a call, and which of them it has of its own: all answers. */
enum { TENSORS = 13, ANSWERS = 5 };

static locant_tensor *tensor(struct call *c, int i)
{
    locant_tensor *all[TENSORS] = { &c->out,   &c->lse,   &c->dq,    &c->dk,
                                    &c->dv,    &c->q,     &c->k,     &c->v,
                                    &c->dout,  &c->q_pos, &c->k_pos, &c->q_docs,
                                    &c->k_docs };

    return all[i];
}

static void point(struct call *c, const locant_encoding *e)
{
    c->a = (locant_attention)LOCANT_ATTENTION_INIT;
    c->a.q = &c->q;
    c->a.k = &c->k;
    c->a.v = &c->v;
    c->a.q_pos = &c->q_pos;
    c->a.k_pos = &c->k_pos;
    c->a.q_docs = &c->q_docs;
    c->a.k_docs = &c->k_docs;
    c->a.mask = LOCANT_MASK_CAUSAL;
    c->a.encoding = e;
    c->g = (locant_attention_gradients)LOCANT_ATTENTION_GRADIENTS_INIT;
    c->g.dq = &c->dq;
    c->g.dk = &c->dk;
    c->g.dv = &c->dv;
}

/*
 * Row 0 is padded and 65 tokens long, row 1 stands far away, and row 2 holds
 * documents of 30 and of 40 tokens, of which the second stands away, too.
 */
static void place(struct call *c, int64_t T)
{
    int64_t *pos = c->k_pos.data, *doc = c->k_docs.data;

    for (int64_t j = 0; j < S; j++) {
        pos[j] = j < PADS ? 999999 : j - PADS;
        doc[j] = j < PADS ? -1 : 0;
        pos[S + j] = 9000 + j;
        doc[S + j] = j < PADS ? -1 : 0;
        pos[2 * S + j] = j < CUT ? j : 200 + j - CUT;
        doc[2 * S + j] = j >= CUT;
    }
    for (int64_t b = 0; b < B; b++)
        for (int64_t i = 0; i < T; i++) {
            int64_t to = b * T + i, from = b * S + S - T + i;

            ((int64_t *)c->q_pos.data)[to] = pos[from];
            ((int64_t *)c->q_docs.data)[to] = doc[from];
        }
}

static void call_open(struct call *c, locant_dtype dtype, int64_t T)
{
    int64_t q[4] = { B, H, T, D }, k[4] = { B, G, S, D };
    int64_t tokens[2] = { B, T }, keys[2] = { B, S };
    locant_dtype sums = dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32;

    for (int i = 0; i < TENSORS; i++) {
        int of_keys = i == 3 || i == 4 || i == 6 || i == 7;

        *tensor(c, i) =
            i < 9 ? test_tensor(i == 1 ? sums : dtype, i == 1 ? 3 : 4,
                                of_keys ? k : q)
                  : test_tensor(LOCANT_I64, 2, i % 2 == 1 ? tokens : keys);
    }
    for (int i = ANSWERS; dtype == LOCANT_BF16 && i < 9; i++)
        test_fill(tensor(c, i), (size_t)(tensor(c, i)->stride[0] * B));
    place(c, T);
}

static void call_close(struct call *c, int first, int last)
{
    for (int i = first; i < last; i++)
        test_tensor_free(tensor(c, i));
}

/* Row b of all inputs, with room for its answers. */
static void row_open(struct call *row, struct call *c, int64_t b)
{
    for (int i = 0; i < TENSORS; i++) {
        locant_tensor *to = tensor(row, i);

        *to = *tensor(c, i);
        to->shape[0] = 1;
        if (i < ANSWERS)
            *to = test_tensor(to->dtype, to->rank, to->shape);
        else
            to->data = (char *)to->data + (size_t)(b * to->stride[0]) *
                                              locant_dtype_size(to->dtype);
    }
}

static void attend(struct call *c, const locant_encoding *e)
{
    size_t bytes;
    void *scratch;

    point(c, e);
    CHECK_OK(locant_attention_workspace(&bytes, &c->a));
    scratch = malloc(bytes);
    assert_non_null(scratch);
    CHECK_OK(locant_attention_forward(&c->out, &c->lse, &c->a, scratch, bytes));
    CHECK_OK(locant_attention_backward(&c->g, &c->dout, &c->out, &c->lse, &c->a,
                                       scratch, bytes));
    free(scratch);
}

static void refer(struct call *c, const locant_encoding *e)
{
    point(c, e);
    CHECK_OK(locant_attention_reference(&c->out, &c->lse, &c->a));
    CHECK_OK(locant_attention_reference_backward(&c->g, &c->dout, &c->out,
                                                 &c->lse, &c->a));
}

/* Are the answers of 'row' those of row b of 'c', to the bit? */
static int same(struct call *row, struct call *c, int64_t b)
{
    int equal = 1;

    for (int i = 0; i < ANSWERS; i++) {
        const locant_tensor *one = tensor(row, i), *all = tensor(c, i);
        size_t bytes = (size_t)all->stride[0] * locant_dtype_size(all->dtype);

        equal &= memcmp(one->data, (const char *)all->data + (size_t)b * bytes,
                        bytes) == 0;
    }
    return equal;
}

typedef void run(struct call *c, const locant_encoding *e);

static locant_encoding *made(const char *scaling, const char *end)
{
    locant_encoding *e;
    char spec[200];

    strcpy(spec, "rope(scaling=");
    strcat(strcat(spec, scaling), end);
    e = test_create(spec);
    return e;
}

/* How many of the rows alone have other bits than in the batch. */
static int rows_that_differ(const locant_encoding *e, locant_dtype dtype,
                            int64_t T, run *how)
{
    struct call all, row;
    int differ = 0;

    call_open(&all, dtype, T);
    how(&all, e);
    for (int64_t b = 0; b < B; b++) {
        row_open(&row, &all, b);
        how(&row, e);
        differ += !same(&row, &all, b);
        call_close(&row, 0, ANSWERS);
    }
    call_close(&all, 0, TENSORS);
    return differ;
}

/* Tiles, few queries and one; each dtype; both engines and the reference. */
TEST(rows_have_the_bits_they_have_alone)
{
    static const char *const scalings[] = { DYNAMIC, LONGROPE,
                                            "yarn(original=16,dynamic=yes" };
    static const int64_t T[] = { S, 3, 1 };
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_BF16,
                                           LOCANT_F64 };

    for (size_t s = 0; s < LEN(scalings); s++) {
        OWNED(locant_encoding) *e = made(scalings[s], "))");

        for (size_t t = 0; t < LEN(T); t++)
            for (size_t d = 0; d < LEN(dtypes); d++)
                CHECK(rows_that_differ(e, dtypes[d], T[t], attend) == 0);
        CHECK(rows_that_differ(e, LOCANT_F32, 3, refer) == 0);
    }
}

/* The rule of transformers: the row that stands far away moves the others. */
TEST(the_whole_call_counts_where_the_spec_says_so)
{
    OWNED(locant_encoding) *e = made(DYNAMIC, ",length=call))");

    CHECK(rows_that_differ(e, LOCANT_F32, S, attend) == 2);
    CHECK(rows_that_differ(e, LOCANT_F32, 1, attend) == 2);
}

/*
 * dynamic of a text of 16 (1 + m) positions is ntk by 1 + 2 m, to the bit: the
 * second document of row 2 ends at 239, m = 14.  What the first has is
 * another's.
 */
TEST(a_document_has_the_frequencies_of_its_length)
{
    OWNED(locant_encoding) *e = made(DYNAMIC, "))");
    OWNED(locant_encoding) *want = made("ntk(factor=29", "))");
    struct call all, row;
    size_t half = (size_t)CUT * D * sizeof(float);
    size_t bytes = (size_t)S * D * sizeof(float);

    call_open(&all, LOCANT_F32, S);
    attend(&all, e);
    row_open(&row, &all, 2);
    attend(&row, want);
    for (int i = 0; i < ANSWERS; i++) {
        const char *got = tensor(&all, i)->data, *one = tensor(&row, i)->data;
        size_t at = (size_t)tensor(&all, i)->stride[0] * 2 * sizeof(float);

        if (i == 1) /* lse */
            continue;
        CHECK(memcmp(got + at + half, one + half, bytes - half) == 0);
        CHECK(i == 4 || memcmp(got + at, one, half) != 0);
    }
    call_close(&row, 0, ANSWERS);
    call_close(&all, 0, TENSORS);
}

/* A document for every token: as many lengths, and none is lost. */
TEST(many_lengths_find_room_or_are_refused)
{
    OWNED(locant_encoding) *e = made(DYNAMIC, "))");
    struct call all;
    long asked;
    size_t bytes;

    call_open(&all, LOCANT_F32, S);
    for (int64_t i = 0; i < B * S; i++)
        ((int64_t *)all.q_docs.data)[i] = ((int64_t *)all.k_docs.data)[i] = i;
    point(&all, e);
    CHECK_OK(locant_attention_workspace(&bytes, &all.a)); /* fills the cache */
    test_memory_fail(0);
    CHECK_OK(locant_attention_workspace(&bytes, &all.a));
    CHECK(test_memory_held() == 0);
    asked = test_memory_asked();
    CHECK(asked > S);
    for (long k = 1; k <= asked; k += 1 + asked / 20) {
        test_memory_fail(k);
        CHECK(locant_attention_workspace(&bytes, &all.a) == LOCANT_ERR_NOMEM);
        CHECK(test_memory_held() == 0);
    }
    test_memory_end();
    call_close(&all, 0, TENSORS);
}

/* ------------------------------------------------------------------ ragged */

/* Tokens from .. to - 1 of row b of x [B, H, S, D]. */
static locant_tensor part(const locant_tensor *x, int64_t b, int64_t from,
                          int64_t to)
{
    locant_tensor t = *x;

    t.data = (char *)t.data + (size_t)(b * t.stride[0] + from * t.stride[2]) *
                                  locant_dtype_size(t.dtype);
    t.shape[0] = 1;
    t.shape[2] = to - from;
    return t;
}

struct ragged {
    locant_tensor x, out, dx, pos, limits;
    locant_rotation r;
};

/* Documents of 30 and of 40 tokens, at 0 and 100 b or more. */
static void ragged_open(struct ragged *g, const locant_encoding *e,
                        locant_dtype dtype, int flags)
{
    const int64_t shape[4] = { B, H, S, D };

    g->x = test_tensor(dtype, 4, shape);
    g->out = test_tensor(dtype, 4, shape);
    g->dx = test_tensor(dtype, 4, shape);
    g->pos = TENSOR(I64, B, S);
    g->limits = TENSOR(I64, B, S);
    for (int64_t i = 0; i < B * S; i++) {
        int64_t b = i / S, t = i % S, away = 100 * b;

        ((int64_t *)g->pos.data)[i] = t < CUT ? t : t - CUT + away;
        ((int64_t *)g->limits.data)[i] = t < CUT ? CUT : S - CUT + away;
    }
    g->r = (locant_rotation)LOCANT_ROTATION_INIT;
    g->r.encoding = e;
    g->r.positions = &g->pos;
    g->r.limits = &g->limits;
    g->r.flags = flags;
}

static void ragged_close(struct ragged *g)
{
    test_tensor_free(&g->x);
    test_tensor_free(&g->out);
    test_tensor_free(&g->dx);
    test_tensor_free(&g->pos);
    test_tensor_free(&g->limits);
}

/* Tokens from .. to - 1 of row b against a call of their own. */
static void check_part(const struct ragged *g, int64_t b, int64_t from,
                       int64_t to)
{
    const int64_t shape[4] = { 1, H, to - from, D }, n = to - from;
    locant_tensor x = part(&g->x, b, from, to), got[2];
    locant_tensor want = test_tensor(x.dtype, 4, shape), pos = g->pos;

    got[0] = part(&g->out, b, from, to);
    got[1] = part(&g->dx, b, from, to);
    pos = DENSE(I64, (int64_t *)g->pos.data + b * S + from, n);
    for (int i = 0; i < 2; i++) {
        size_t bytes = (size_t)(n * D) * locant_dtype_size(x.dtype);

        if (i == 0)
            CHECK_OK(locant_encoding_rotate(&want, &x, g->r.encoding, &pos,
                                            NULL, g->r.flags));
        else
            CHECK_OK(locant_encoding_rotate_backward(
                &want, NULL, &x, &x, g->r.encoding, &pos, NULL, g->r.flags));
        for (int64_t h = 0; h < H; h++)
            CHECK(memcmp((char *)got[i].data + (size_t)(h * got[i].stride[1]) *
                                                   locant_dtype_size(x.dtype),
                         (char *)want.data + (size_t)h * bytes, bytes) == 0);
    }
    test_tensor_free(&want);
}

static void ragged_turns(struct ragged *g)
{
    CHECK_OK(locant_encoding_rotate_ragged(&g->out, &g->x, &g->r));
    CHECK_OK(locant_encoding_rotate_ragged_backward(&g->dx, NULL, &g->x, &g->x,
                                                    &g->r));
}

/* By token, by row with the positions of all, and without limits. */
TEST(ragged_parts_have_the_bits_they_have_alone)
{
    static const char *const specs[] = {
        "rope", "rope(scaling=" DYNAMIC "))", "rope(scaling=" LONGROPE "))",
        "xpos", "rope(scaling=yarn(original=16,dynamic=yes))"
    };
    struct ragged g;

    for (size_t s = 0; s < 3 * LEN(specs); s++) {
        OWNED(locant_encoding) *e = test_create(specs[s / 3]);
        int inverse = s % 3 == 2 && strcmp(specs[s / 3], "xpos") != 0;

        ragged_open(&g, e, s % 3 == 0 ? LOCANT_F64 : LOCANT_F32,
                    inverse ? LOCANT_ROTATE_INVERSE : 0);
        ragged_turns(&g);
        for (int64_t b = 0; b < B; b++) {
            check_part(&g, b, 0, CUT);
            check_part(&g, b, CUT, S);
        }
        g.r.limits = NULL;
        ragged_turns(&g);
        for (int64_t b = 0; b < B; b++)
            check_part(&g, b, 0, S);
        for (int64_t b = 0; b < B; b++)
            for (int64_t t = 0; t < S; t++)
                ((int64_t *)g.pos.data)[b * S + t] = t;
        g.r.limits = &g.limits;
        g.pos.rank = g.limits.rank = 1;
        g.pos.shape[0] = S;
        g.pos.stride[0] = g.limits.stride[0] = 1;
        for (int64_t b = 0; b < B; b++)
            ((int64_t *)g.limits.data)[b] = 20 * (b + 1);
        ragged_turns(&g);
        for (int64_t b = 0; b < B; b++)
            check_part(&g, b, 0, 20 * (b + 1));
        g.pos.rank = g.limits.rank = 2; /* as it was taken */
        g.pos.shape[0] = B;
        ragged_close(&g);
    }
}

TEST(ragged_refuses_what_it_cannot_read)
{
    OWNED(locant_encoding) *e = test_create("rope(scaling=" LONGROPE "))");
    FREED_BY(ragged_close) struct ragged g;
    long asked;
    float first;

    ragged_open(&g, e, LOCANT_F32, 0);
    first = *(float *)g.out.data;
    ((int64_t *)g.limits.data)[S + 2] = 0;
    REFUSES(PARAM, locant_encoding_rotate_ragged(&g.out, &g.x, &g.r),
            "the limit of token 2 of row 1 is 0, expected at least 1");
    ((int64_t *)g.limits.data)[S + 2] = 9;
    g.limits.shape[0] = 2;
    CHECK(locant_encoding_rotate_ragged(&g.out, &g.x, &g.r) ==
          LOCANT_ERR_SHAPE);
    g.limits.shape[0] = B;
    g.r.struct_size = 8;
    CHECK(locant_encoding_rotate_ragged(&g.out, &g.x, &g.r) ==
          LOCANT_ERR_PARAM);
    CHECK(locant_encoding_rotate_ragged(&g.out, &g.x, NULL) == LOCANT_ERR_NULL);
    g.r.struct_size = sizeof(g.r);
    g.r.flags = LOCANT_ROTATE_INVERSE;
    test_memory_fail(0);
    CHECK_OK(locant_encoding_rotate_ragged(&g.dx, &g.x, &g.r));
    asked = test_memory_asked();
    for (long k = 1; k <= asked; k++) {
        test_memory_fail(k);
        if (locant_encoding_rotate_ragged(&g.out, &g.x, &g.r) == LOCANT_OK)
            break; /* the schedules were made before */
        CHECK(*(float *)g.out.data == first);
    }
    test_memory_end();
}

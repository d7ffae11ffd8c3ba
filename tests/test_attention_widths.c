/*
 * test_attention_widths.c - values of another width than queries and keys, and
 * values that are part of the keys.
 *
 * 'locant selftest' judges every encoding in F32 and F64 against its oracle
 * with such values.  Here are the other types, all engines, and what must hold
 * to the bit.
 */
#include "kernel/row.h"
#include "testing.h"
#include <math.h>
#include <string.h>

struct problem {
    const char *spec;
    int64_t B, H, Hkv, T, S, D, Dv;
    locant_dtype dtype;
    int flags;
    int documents; /* several in a row, and padding */
    locant_encoding *e;
    locant_tensor q, k, v, dout;
    locant_tensor out, lse, dq, dk, dv;
    locant_tensor q_docs, k_docs;
};

static locant_tensor rows(const struct problem *p, int64_t H, int64_t T,
                          int64_t D)
{
    const int64_t shape[4] = { p->B, H, T, D };
    locant_tensor t = test_tensor(p->dtype, 4, shape);

    if (p->dtype == LOCANT_F16 || p->dtype == LOCANT_BF16)
        test_fill(&t, (size_t)(p->B * H * T * D));
    return t;
}

static void make(struct problem *p)
{
    const int64_t shape[3] = { p->B, p->H, p->T };

    p->e = test_create(p->spec);
    p->q = rows(p, p->H, p->T, p->D);
    p->k = rows(p, p->Hkv, p->S, p->D);
    p->v = rows(p, p->Hkv, p->S, p->Dv);
    p->dout = rows(p, p->H, p->T, p->Dv);
    p->out = rows(p, p->H, p->T, p->Dv);
    p->dq = rows(p, p->H, p->T, p->D);
    p->dk = rows(p, p->Hkv, p->S, p->D);
    p->dv = rows(p, p->Hkv, p->S, p->Dv);
    p->lse =
        test_tensor(p->dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32, 3, shape);
}

static void drop(struct problem *p)
{
    locant_tensor *all[] = { &p->q,   &p->k,  &p->v,  &p->dout, &p->out,
                             &p->lse, &p->dq, &p->dk, &p->dv };

    for (size_t i = 0; i < LEN(all); i++)
        test_tensor_free(all[i]);
    locant_encoding_free(p->e);
}

/* Documents of the last n tokens of 200; every fifth is padding. */
static const locant_tensor *documents_of(locant_tensor *to, int64_t n)
{
    static int64_t ids[200];

    for (int64_t i = 0; i < 200; i++)
        ids[i] = i % 5 == 3 ? -1 : i / 40;
    *to = DENSE(I64, ids + 200 - n, n);
    return to;
}

/* The call; v is part of k if the flag says so. */
static locant_attention call_of(struct problem *p, locant_tensor *view,
                                double scale)
{
    locant_attention a = LOCANT_ATTENTION_INIT;

    *view = p->k;
    view->shape[3] = p->Dv;
    a.q = &p->q;
    a.k = &p->k;
    a.v = p->flags & LOCANT_ATTENTION_VALUES_OF_KEYS ? view : &p->v;
    a.encoding = p->e;
    a.mask = LOCANT_MASK_CAUSAL;
    a.flags = p->flags;
    a.scale = scale;
    if (p->documents) {
        a.q_docs = documents_of(&p->q_docs, p->T);
        a.k_docs = documents_of(&p->k_docs, p->S);
    }
    return a;
}

static void run(struct problem *p, double scale, int reference)
{
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    locant_tensor view;
    locant_attention a = call_of(p, &view, scale);

    g.dq = &p->dq;
    g.dk = &p->dk;
    g.dv = p->flags & LOCANT_ATTENTION_VALUES_OF_KEYS ? NULL : &p->dv;
    if (reference) {
        CHECK_OK(locant_attention_reference(&p->out, &p->lse, &a));
        CHECK_OK(locant_attention_reference_backward(&g, &p->dout, &p->out,
                                                     &p->lse, &a));
    } else {
        test_forward(&p->out, &p->lse, &a);
        test_backward(&g, &p->dout, &p->out, &p->lse, &a);
    }
}

static size_t rows_of(const locant_tensor *x)
{
    return (size_t)(x->shape[0] * x->shape[1] * x->shape[2]);
}

/* Row n of x, from channel d on. */
static char *at(const locant_tensor *x, size_t n, int64_t d)
{
    return (char *)x->data +
           (n * (size_t)x->shape[3] + (size_t)d) * locant_dtype_size(x->dtype);
}

static double number(const locant_tensor *x, size_t n, int64_t d)
{
    double value;

    lct_row_to_f64(&value, at(x, n, d), x->dtype, 1);
    return value;
}

/* ---------------------------------------------------- zeros change nothing */

/* Copy rows to wider rows, with zeros after them. */
static void widen(const locant_tensor *to, const locant_tensor *from)
{
    size_t size = locant_dtype_size(to->dtype);

    for (size_t n = 0; n < rows_of(from); n++) {
        memset(at(to, n, 0), 0, (size_t)to->shape[3] * size);
        memcpy(at(to, n, 0), at(from, n, 0), (size_t)from->shape[3] * size);
    }
}

/* The narrow rows are the beginning of the wide ones, whose rest is 0. */
static void same(const char *what, const struct problem *p,
                 const locant_tensor *narrow, const locant_tensor *wide)
{
    size_t bytes = (size_t)narrow->shape[3] * locant_dtype_size(narrow->dtype);

    for (size_t n = 0; n < rows_of(narrow); n++) {
        if (memcmp(at(narrow, n, 0), at(wide, n, 0), bytes) != 0)
            FAIL("%s %s [T %d, S %d, D %d, Dv %d]: row %d of %s differs from "
                 "that of padded values",
                 p->spec, locant_dtype_name(p->dtype), (int)p->T, (int)p->S,
                 (int)p->D, (int)p->Dv, (int)n, what);
        for (int64_t d = narrow->shape[3]; d < wide->shape[3]; d++)
            CHECK(number(wide, n, d) == 0);
    }
}

/*
 * Values padded with zeros to the width of keys, or queries and keys padded to
 * that of values, are other numbers of products of 0, so each number has the
 * same bits.
 */
static void one_padding(struct problem p)
{
    struct problem wide = p;
    double scale = 1 / sqrt((double)p.D);

    wide.D = wide.Dv = p.D > p.Dv ? p.D : p.Dv;
    make(&p);
    make(&wide);
    widen(&wide.q, &p.q);
    widen(&wide.k, &p.k);
    widen(&wide.v, &p.v);
    widen(&wide.dout, &p.dout);
    run(&p, LOCANT_SCALE_AUTO, 0);
    run(&wide, scale, 0);
    same("out", &p, &p.out, &wide.out);
    same("dq", &p, &p.dq, &wide.dq);
    same("dk", &p, &p.dk, &wide.dk);
    same("dv", &p, &p.dv, &wide.dv);
    CHECK(memcmp(p.lse.data, wide.lse.data,
                 rows_of(&p.out) * locant_dtype_size(p.lse.dtype)) == 0);
    drop(&p);
    drop(&wide);
}

/* Sizes: decoding and tiles, even and odd, on both sides of paddings. */
static const int64_t widths[][2] = { { 192, 128 }, { 64, 40 },  { 33, 7 },
                                     { 16, 1 },    { 64, 128 }, { 9, 34 },
                                     { 48, 47 },   { 128, 256 } };

static void paddings(void)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F16,
                                           LOCANT_BF16 };
    static const char *const specs[] = { "none", "rope(dim=6)", "alibi" };

    for (size_t n = 0; n < LEN(widths) * LEN(dtypes); n++)
        for (int64_t T = 3; T <= 71; T += 68)
            one_padding((struct problem){ .spec = specs[(n + (size_t)T) % 3],
                                          .B = 1 + (int64_t)n % 2,
                                          .H = 4,
                                          .Hkv = n % 3 == 0 ? 1 : 2,
                                          .T = T,
                                          .S = T + 70,
                                          .D = widths[n % 8][0],
                                          .Dv = widths[n % 8][1],
                                          .dtype = dtypes[n / 8],
                                          .documents = n % 4 == 3 });
}

TEST(padding_with_zeros_changes_no_bit)
{
    test_each_isa(paddings);
}

/* -------------------------------------- values that are part of the keys */

/*
 * dk of keys that are values too is dk + dv of a call that does not say so.
 * Both parts are rounded to the type, and so is their sum, which is no larger:
 * at most 2 u of both, or 2^-24 where F16 is denormal.  F32 sums in the same
 * order, so it needs less.
 */
static void one_sum(struct problem p)
{
    struct problem apart = p;
    double unit = p.dtype == LOCANT_BF16  ? 0x1p-8
                  : p.dtype == LOCANT_F16 ? 0x1p-11
                  : p.dtype == LOCANT_F64 ? 0x1p-50
                                          : 0x1p-24;
    double least = p.dtype == LOCANT_F16 ? 0x1p-24 : 0;

    make(&p);
    apart.flags &= ~LOCANT_ATTENTION_VALUES_OF_KEYS;
    make(&apart);
    widen(&apart.q, &p.q);
    widen(&apart.k, &p.k);
    widen(&apart.dout, &p.dout);
    for (size_t n = 0; n < rows_of(&p.k); n++)
        memcpy(at(&apart.v, n, 0), at(&p.k, n, 0),
               (size_t)p.Dv * locant_dtype_size(p.dtype));
    run(&p, LOCANT_SCALE_AUTO, 0);
    run(&apart, LOCANT_SCALE_AUTO, 0);
    same("out", &p, &p.out, &apart.out);
    same("dq", &p, &p.dq, &apart.dq);
    for (size_t n = 0; n < rows_of(&p.dk); n++)
        for (int64_t d = 0; d < p.D; d++) {
            double k = number(&apart.dk, n, d);
            double v = d < p.Dv ? number(&apart.dv, n, d) : 0;
            double got = number(&p.dk, n, d);

            if (!(fabs(got - (k + v)) <=
                  2 * unit * (fabs(k) + fabs(v)) + least))
                FAIL("%s %s [D %d, Dv %d]: dk of row %d, channel %d is %g, "
                     "want %g + %g",
                     p.spec, locant_dtype_name(p.dtype), (int)p.D, (int)p.Dv,
                     (int)n, (int)d, got, k, v);
        }
    drop(&p);
    drop(&apart);
}

static void sums(void)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F16, LOCANT_BF16,
                                           LOCANT_F64 };
    static const char *const specs[] = { "none", "rope", "xpos", "alibi" };
    static const int64_t sizes[][2] = { { 576, 512 }, { 20, 20 }, { 34, 7 } };

    for (size_t n = 0; n < LEN(dtypes) * LEN(specs); n++)
        for (int rotated = 0; rotated < 2; rotated++)
            one_sum((struct problem){
                .spec = specs[n / 4],
                .B = 2,
                .H = 4,
                .Hkv = 2,
                .T = n % 2 == 0 ? 2 : 66,
                .S = 67,
                .D = sizes[n % 3][0],
                .Dv = sizes[n % 3][1],
                .dtype = dtypes[n % 4],
                .flags = LOCANT_ATTENTION_VALUES_OF_KEYS |
                         (rotated ? LOCANT_ATTENTION_KEYS_ROTATED : 0) });
}

TEST(dk_is_the_sum_of_both_roles)
{
    test_each_isa(sums);
}

/*
 * Multi-head latent attention (DeepSeek-AI 2024, arXiv:2405.04434v5, appendix
 * C): k = [U c, r], v = W c for each head, c a latent vector and r a key of all
 * heads, of which the channels of r rotate.  With absorbed weights q becomes
 * [U^T q, ..], k = [c, r], v = c, o = W o; the scale stays that of the full
 * form.
 */
enum { HEADS = 3, LATENT = 6, NOPE = 4, ROPE = 2, VALUE = 5, KEYS = 9 };

static double u[HEADS][NOPE][LATENT], w[HEADS][VALUE][LATENT];

/* Row (h, n) of a tensor with 'heads' heads, in F64. */
static double *row(const locant_tensor *x, int64_t h, int64_t n)
{
    return (double *)at(x, (size_t)(h * x->shape[2] + n), 0);
}

static void draw_weights(void)
{
    for (int h = 0; h < HEADS; h++)
        for (int c = 0; c < LATENT; c++) {
            for (int d = 0; d < NOPE; d++)
                u[h][d][c] = test_uniform();
            for (int d = 0; d < VALUE; d++)
                w[h][d][c] = test_uniform();
        }
}

/* The absorbed problem, from random rows; then the full one from it. */
static void expand(struct problem *full, struct problem *absorbed)
{
    for (int h = 0; h < HEADS; h++)
        for (int n = 0; n < KEYS; n++) {
            double *q = row(&full->q, h, n), *to = row(&absorbed->q, h, n);
            double *k = row(&full->k, h, n), *v = row(&full->v, h, n);
            const double *c = row(&absorbed->k, 0, n);
            double *d = row(&absorbed->dout, h, n);

            memset(to, 0, LATENT * sizeof(double));
            memset(d, 0, LATENT * sizeof(double));
            memset(k, 0, NOPE * sizeof(double));
            memset(v, 0, VALUE * sizeof(double));
            memcpy(to + LATENT, q + NOPE, ROPE * sizeof(double));
            memcpy(k + NOPE, c + LATENT, ROPE * sizeof(double));
            for (int l = 0; l < LATENT; l++) {
                for (int i = 0; i < NOPE; i++) {
                    to[l] += u[h][i][l] * q[i];
                    k[i] += u[h][i][l] * c[l];
                }
                for (int i = 0; i < VALUE; i++) {
                    v[i] += w[h][i][l] * c[l];
                    d[l] += w[h][i][l] * row(&full->dout, h, n)[i];
                }
            }
        }
}

/* Gradient of channel l of latent vector n, by the chain rule. */
static double latent_gradient(const struct problem *full, int n, int l)
{
    double sum = 0;

    for (int h = 0; h < HEADS; h++) {
        for (int i = 0; i < NOPE; i++)
            sum += u[h][i][l] * row(&full->dk, h, n)[i];
        for (int i = 0; i < VALUE; i++)
            sum += w[h][i][l] * row(&full->dv, h, n)[i];
    }
    return sum;
}

TEST(absorbed_latent_attention_is_the_full_one)
{
    struct problem full = { .spec = "rope(dim=2,side=trailing,"
                                    "pairing=interleaved)",
                            .B = 1,
                            .H = HEADS,
                            .Hkv = HEADS,
                            .T = KEYS,
                            .S = KEYS,
                            .D = NOPE + ROPE,
                            .Dv = VALUE,
                            .dtype = LOCANT_F64 };
    struct problem absorbed = full;

    absorbed.Hkv = 1;
    absorbed.D = LATENT + ROPE;
    absorbed.Dv = LATENT;
    absorbed.flags = LOCANT_ATTENTION_VALUES_OF_KEYS;
    draw_weights();
    make(&full);
    make(&absorbed);
    expand(&full, &absorbed);
    run(&full, LOCANT_SCALE_AUTO, 0);
    run(&absorbed, 1 / sqrt(NOPE + ROPE), 0);
    for (int n = 0; n < KEYS; n++) {
        for (int h = 0; h < HEADS; h++)
            for (int i = 0; i < VALUE; i++) {
                double out = 0;

                for (int l = 0; l < LATENT; l++)
                    out += w[h][i][l] * row(&absorbed.out, h, n)[l];
                CHECK(fabs(out - row(&full.out, h, n)[i]) < 1e-13);
            }
        for (int l = 0; l < LATENT; l++)
            CHECK(fabs(row(&absorbed.dk, 0, n)[l] -
                       latent_gradient(&full, n, l)) < 1e-12);
    }
    drop(&full);
    drop(&absorbed);
}

/*
 * The scale is that of 192 channels, 192^(-1/2) m^2 with m = 0.1 ln 40 + 1, as
 * DeepSeek V3 has it: one key's log-sum-exp is its score.
 */
TEST(the_default_scale_is_of_the_width_of_keys)
{
    FREED_BY(drop)
    struct problem p = { .spec =
                             "rope(dim=64,side=trailing,pairing=interleaved,"
                             "scaling=yarn(factor=40,original=4096,"
                             "mscale=1,mscale-all=1,score=yes))",
                         .B = 1,
                         .H = 1,
                         .Hkv = 1,
                         .T = 1,
                         .S = 1,
                         .D = 192,
                         .Dv = 128,
                         .dtype = LOCANT_F64 };

    make(&p);
    memset(p.q.data, 0, 192 * sizeof(double));
    memset(p.k.data, 0, 192 * sizeof(double));
    *row(&p.q, 0, 0) = *row(&p.k, 0, 0) = 1; /* a channel without rotation */
    run(&p, LOCANT_SCALE_AUTO, 0);
    CHECK(fabs(*(double *)p.lse.data - 0.1352337789) < 1e-10);
    CHECK(memcmp(p.out.data, p.v.data, 128 * sizeof(double)) == 0);
}

/* ----------------------------------------------------------------- decoding */

/* The last query alone has the bits that it has among all queries. */
static void decoding(void)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F16,
                                           LOCANT_BF16 };

    for (int n = 0; n < 6; n++) {
        struct problem all = { .spec = "rope(dim=64,side=trailing,"
                                       "pairing=interleaved)",
                               .B = 1,
                               .H = 16,
                               .Hkv = n < 3 ? 1 : 8,
                               .T = 9,
                               .S = 1100,
                               .D = n < 3 ? 576 : 192,
                               .Dv = n < 3 ? 512 : 128,
                               .dtype = dtypes[n % 3],
                               .flags =
                                   n < 3 ? LOCANT_ATTENTION_KEYS_ROTATED |
                                               LOCANT_ATTENTION_VALUES_OF_KEYS
                                         : 0 };
        struct problem one = all;
        locant_tensor view;
        locant_attention a;

        one.T = 1;
        make(&all);
        make(&one);
        memcpy(one.k.data, all.k.data,
               rows_of(&all.k) * (size_t)all.D * locant_dtype_size(all.dtype));
        memcpy(one.v.data, all.v.data,
               rows_of(&all.v) * (size_t)all.Dv * locant_dtype_size(all.dtype));
        for (size_t h = 0; h < 16; h++)
            memcpy(at(&one.q, h, 0), at(&all.q, h * 9 + 8, 0),
                   (size_t)all.D * locant_dtype_size(all.dtype));
        a = call_of(&all, &view, LOCANT_SCALE_AUTO);
        test_forward(&all.out, &all.lse, &a);
        a = call_of(&one, &view, LOCANT_SCALE_AUTO);
        test_forward(&one.out, &one.lse, &a);
        for (size_t h = 0; h < 16; h++)
            if (memcmp(at(&one.out, h, 0), at(&all.out, h * 9 + 8, 0),
                       (size_t)all.Dv * locant_dtype_size(all.dtype)) != 0)
                FAIL("%s, D %d: head %d of the last query differs",
                     locant_dtype_name(all.dtype), (int)all.D, (int)h);
        drop(&all);
        drop(&one);
    }
}

TEST(decoding_has_the_bits_of_the_whole)
{
    test_each_isa(decoding);
}

/* ----------------------------------------------------------------- refusals */

static struct problem usual(int flags)
{
    return (struct problem){ .spec = "none",
                             .B = 1,
                             .H = 2,
                             .Hkv = 1,
                             .T = 3,
                             .S = 4,
                             .D = 8,
                             .Dv = 6,
                             .dtype = LOCANT_F32,
                             .flags = flags };
}

TEST(refuses_other_widths_of_outputs)
{
    FREED_BY(drop) struct problem p = usual(0);
    locant_tensor view;
    locant_attention a;

    make(&p);
    a = call_of(&p, &view, LOCANT_SCALE_AUTO);
    REFUSES(SHAPE, locant_attention_reference(&p.dq, &p.lse, &a),
            "out has size 8 in dimension 3, expected 6");
    p.v.shape[3] = 0;
    REFUSES(SHAPE, locant_attention_reference(&p.out, &p.lse, &a),
            "v has 0 channels per head, expected at least 1");
    p.v.shape[3] = 6;
    p.v.shape[2] = 3;
    REFUSES(SHAPE, locant_attention_reference(&p.out, &p.lse, &a),
            "v has size 3 in dimension 2, expected 4");
    p.v.shape[2] = 4;
}

TEST(refuses_vectors_for_values_of_another_width)
{
    FREED_BY(drop) struct problem p = usual(0);
    locant_tensor view, tables[2];
    locant_attention a;

    p.spec = "shaw(distance=1)";
    p.Hkv = 2;
    make(&p);
    tables[0] = TENSOR(F32, 3, 8);
    tables[1] = TENSOR(F32, 3, 8);
    a = call_of(&p, &view, LOCANT_SCALE_AUTO);
    a.params = tables;
    REFUSES(UNSUPPORTED, locant_attention_reference(&p.out, &p.lse, &a),
            "v has 6 channels, shaw adds vectors of 8 to values, expected as "
            "many");
    test_tensor_free(&tables[0]);
    test_tensor_free(&tables[1]);
}

TEST(refuses_values_that_are_no_keys)
{
    FREED_BY(drop)
    struct problem p = usual(LOCANT_ATTENTION_VALUES_OF_KEYS);
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    locant_tensor view;
    locant_attention a;

    make(&p);
    a = call_of(&p, &view, LOCANT_SCALE_AUTO);
    CHECK_OK(locant_attention_reference(&p.out, &p.lse, &a));
    g.dv = &p.dv;
    REFUSES(
        PARAM,
        locant_attention_reference_backward(&g, &p.dout, &p.out, &p.lse, &a),
        "dv is asked for, expected NULL: with "
        "LOCANT_ATTENTION_VALUES_OF_KEYS dk is the gradient of keys and "
        "values");
    a.v = &p.v;
    REFUSES(LAYOUT, locant_attention_reference(&p.out, &p.lse, &a),
            "v is other memory than k, expected a view of its first channels, "
            "as LOCANT_ATTENTION_VALUES_OF_KEYS says");
    a.v = &view;
    view.stride[2] = 4;
    REFUSES(LAYOUT, locant_attention_reference(&p.out, &p.lse, &a),
            "v is other memory than k, expected a view of its first channels, "
            "as LOCANT_ATTENTION_VALUES_OF_KEYS says");
}

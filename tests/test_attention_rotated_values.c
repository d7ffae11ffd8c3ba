/*
 * test_attention_rotated_values.c - values that rotate like keys, and outputs
 * that rotate back, against numbers of the formula and against attention
 * between two rotations.
 */
#include "kernel/row.h"
#include "testing.h"
#include <math.h>
#include <string.h>

struct problem {
    const locant_encoding *e;
    int64_t B, H, Hkv, T, S, D, Dv;
    locant_dtype dtype;
    int flags;
    locant_tensor q, k, v, dout, out, lse, dq, dk, dv;
};

enum {
    OF_KEYS = LOCANT_ATTENTION_VALUES_OF_KEYS,
    ROTATED = LOCANT_ATTENTION_KEYS_ROTATED,
    ROTATE = LOCANT_ATTENTION_ROTATE_VALUES
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
    if (!(p->flags & OF_KEYS))
        return;
    test_tensor_free(&p->v);
    p->v = p->k;
    p->v.shape[3] = p->Dv;
}

static void drop(struct problem *p)
{
    locant_tensor *all[] = { &p->q,   &p->k,  &p->dout, &p->out,
                             &p->lse, &p->dq, &p->dk,   &p->dv };

    for (size_t i = 0; i < LEN(all); i++)
        test_tensor_free(all[i]);
    if (!(p->flags & OF_KEYS))
        test_tensor_free(&p->v);
}

static void run(struct problem *p, int flags, int64_t first)
{
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    locant_attention a = LOCANT_ATTENTION_INIT;
    int64_t q_pos[200], k_pos[200];

    for (int64_t i = 0; i < p->T; i++)
        q_pos[i] = first + p->S - p->T + i;
    for (int64_t j = 0; j < p->S; j++)
        k_pos[j] = first + j;
    a.q = &p->q;
    a.k = &p->k;
    a.v = &p->v;
    a.q_pos = first != 0 ? VIEW(I64, q_pos, p->T) : NULL;
    a.k_pos = first != 0 ? VIEW(I64, k_pos, p->S) : NULL;
    a.encoding = p->e;
    a.mask = LOCANT_MASK_CAUSAL;
    a.flags = flags;
    g.dq = &p->dq;
    g.dk = &p->dk;
    g.dv = flags & OF_KEYS ? NULL : &p->dv;
    test_forward(&p->out, &p->lse, &a);
    test_backward(&g, &p->dout, &p->out, &p->lse, &a);
}

static size_t count(const locant_tensor *x)
{
    return (size_t)(x->shape[0] * x->shape[1] * x->shape[2] * x->shape[3]);
}

static double number(const locant_tensor *x, size_t i)
{
    double value;

    lct_row_to_f64(&value,
                   (const char *)x->data + i * locant_dtype_size(x->dtype),
                   x->dtype, 1);
    return value;
}

/* |x - y|, of the size of y. */
static double unlike(const locant_tensor *x, const locant_tensor *y)
{
    double error = 0, size = 0;

    for (size_t i = 0; i < count(x); i++) {
        error += pow(number(x, i) - number(y, i), 2);
        size += pow(number(y, i), 2);
    }
    return sqrt(error / size);
}

/* ------------------------------------------------------ numbers of formulas */

/* q, k and dout of sines: 2 heads of 5 tokens at positions 0 .. 4, D = 4. */
static void fill_sines(struct problem *p)
{
    for (int h = 0; h < 2; h++)
        for (int t = 0; t < 5; t++)
            for (int d = 0; d < 4; d++) {
                size_t at = (size_t)((h * 5 + t) * 4 + d);
                const double x[] = { sin(0.1 * t + 0.3 * d + 0.7 * h),
                                     cos(0.2 * t - 0.4 * d + 0.5 * h),
                                     cos(0.1 * t + 0.2 * d + 0.3 * h) };
                const locant_tensor *to[] = { &p->q, &p->k, &p->dout };

                for (int n = 0; n < 3; n++)
                    lct_row_from_f64((char *)to[n]->data +
                                         at * locant_dtype_size(p->dtype),
                                     p->dtype, &x[n], 1);
            }
}

/*
 * Keys that are values, rotated in both roles by angles 1 and 0.1 per position;
 * the numbers are of the formula in float64, with derivatives by complex steps.
 */
TEST(matches_numbers_of_the_formula)
{
    static const double out[4] = { 0.3559064460, 0.8792027101, 0.0699086065,
                                   0.8229665150 };
    static const double dk[4] = { 0.8858998352, 1.1808583284, 1.2262290603,
                                  0.7288759487 };
    OWNED(locant_encoding) *e = test_create("rope(base=100,pairing=half)");

    for (int n = 0; n < 2; n++) {
        /* Rounding of inputs and some forty operations, sizes of order 1. */
        double bound = n == 0 ? 1e-10 : 4e-6;
        FREED_BY(drop)
        struct problem p = { .e = e,
                             .B = 1,
                             .H = 2,
                             .Hkv = 2,
                             .T = 5,
                             .S = 5,
                             .D = 4,
                             .Dv = 4,
                             .dtype = n == 0 ? LOCANT_F64 : LOCANT_F32,
                             .flags = OF_KEYS | ROTATE };

        make(&p);
        fill_sines(&p);
        run(&p, p.flags, 0);
        for (size_t d = 0; d < 4; d++) {
            CHECK(fabs(number(&p.out, 36 + d) - out[d]) < bound);
            CHECK(fabs(number(&p.dk, 20 + d) - dk[d]) < bound);
        }
    }
}

/* ---------------------------------------------- attention between rotations */

static void copy(locant_tensor *to, const locant_tensor *from)
{
    memcpy(to->data, from->data, count(from) * locant_dtype_size(from->dtype));
}

/*
 * Rotate the first D channels of x, in F64, or as many as it has; 'transposed'
 * rotates back, and multiplies again by a factor in the cosines.
 */
static void rotate(locant_tensor *x, const struct problem *p, int64_t first,
                   int flags, int transposed)
{
    int64_t same = x->shape[3] < p->D ? x->shape[3] : p->D, pos[200];
    const int64_t shape[4] = { x->shape[0], x->shape[1], x->shape[2], p->D };
    FREED_BY(test_tensor_free)
    locant_tensor wide = test_tensor(LOCANT_F64, 4, shape);
    double *row = wide.data, *to = x->data;

    if (!(locant_encoding_doors(p->e) & LOCANT_DOOR_ROTATE))
        return;
    for (int64_t i = 0; i < x->shape[2]; i++)
        pos[i] = first + i;
    for (int64_t n = 0; n < shape[0] * shape[1] * shape[2]; n++)
        memcpy(row + n * p->D, to + n * x->shape[3],
               (size_t)same * sizeof(*row));
    if (transposed)
        CHECK_OK(locant_encoding_rotate_backward(&wide, NULL, &wide, NULL, p->e,
                                                 VIEW(I64, pos, x->shape[2]),
                                                 NULL, flags));
    else
        CHECK_OK(locant_encoding_rotate(
            &wide, &wide, p->e, VIEW(I64, pos, x->shape[2]), NULL, flags));
    for (int64_t n = 0; n < shape[0] * shape[1] * shape[2]; n++)
        memcpy(to + n * x->shape[3], row + n * p->D,
               (size_t)same * sizeof(*row));
}

/*
 * By definition: rotate values, attend, rotate outputs back; in backward rotate
 * dout, then dv back.
 */
static void compose(struct problem *p)
{
    if (!(p->flags & ROTATED))
        rotate(&p->v, p, 0, LOCANT_ROTATE_KEY, 0);
    rotate(&p->dout, p, p->S - p->T, 0, 0);
    run(p, p->flags & ROTATED, 0);
    rotate(&p->out, p, p->S - p->T, 0, 1);
    if (!(p->flags & ROTATED))
        rotate(&p->dv, p, 0, LOCANT_ROTATE_KEY, 1);
}

/* The flag is refused for what is more than a rotation of pairs. */
static int is_refused(const struct problem *p)
{
    locant_attention a = LOCANT_ATTENTION_INIT;
    size_t bytes;

    a.q = &p->q;
    a.k = &p->k;
    a.v = &p->v;
    a.encoding = p->e;
    a.mask = LOCANT_MASK_CAUSAL;
    a.flags = p->flags;
    return locant_attention_workspace(&bytes, &a) != LOCANT_OK;
}

/* Of order 1: roundings of one type, or of float32 in sums of S terms. */
static const struct {
    locant_dtype dtype;
    double bound;
} types[] = { { LOCANT_F64, 1e-13 },
              { LOCANT_F32, 4e-6 },
              { LOCANT_F16, 0x1p-9 },
              { LOCANT_BF16, 0x1p-6 } };

static void near(const char *what, const struct problem *p,
                 const locant_tensor *got, const locant_tensor *want,
                 double bound)
{
    double error = unlike(got, want);

    if (!(error < bound))
        FAIL("%s of %s, %s [T %d, D %d, Dv %d], flags %d: error %.3g, at most "
             "%.3g",
             what, locant_encoding_spec(p->e), locant_dtype_name(p->dtype),
             (int)p->T, (int)p->D, (int)p->Dv, p->flags, error, bound);
}

/* Returns whether the encoding takes the flag. */
static int one_composition(struct problem p, double bound)
{
    struct problem wide = p;

    wide.dtype = LOCANT_F64;
    wide.flags &= ~OF_KEYS;
    make(&p);
    if (is_refused(&p)) {
        drop(&p);
        return 0;
    }
    make(&wide);
    for (size_t i = 0; i < count(&p.q); i++)
        ((double *)wide.q.data)[i] = number(&p.q, i);
    for (size_t i = 0; i < count(&p.k); i++)
        ((double *)wide.k.data)[i] = number(&p.k, i);
    for (size_t i = 0; i < count(&p.dout); i++)
        ((double *)wide.dout.data)[i] = number(&p.dout, i);
    for (size_t i = 0; i < count(&wide.v); i++)
        ((double *)wide.v.data)[i] =
            number(&p.v, p.flags & OF_KEYS
                             ? i / (size_t)p.Dv * (size_t)p.D + i % (size_t)p.Dv
                             : i);
    run(&p, p.flags, 0);
    compose(&wide);
    if (p.flags & OF_KEYS) /* D = Dv */
        for (size_t i = 0; i < count(&wide.dk); i++)
            ((double *)wide.dk.data)[i] += number(&wide.dv, i);
    else
        near("dv", &p, &p.dv, &wide.dv, bound);
    near("out", &p, &p.out, &wide.out, bound);
    near("dq", &p, &p.dq, &wide.dq, bound);
    near("dk", &p, &p.dk, &wide.dk, bound);
    drop(&p);
    drop(&wide);
    return 1;
}

/* The cases of one encoding; 'narrow' channels of values hold those rotated. */
static int compositions(const char *spec, int64_t narrow)
{
    OWNED(locant_encoding) *e = test_create(spec);
    int taken = 0;

    for (int n = 0; n < 24; n++) {
        int64_t D = 24, T = n % 2 == 0 ? 3 : 67;

        taken += one_composition(
            (struct problem){ .e = e,
                              .B = 2,
                              .H = 4,
                              .Hkv = 2,
                              .T = T,
                              .S = T + 20,
                              .D = D,
                              .Dv = n % 3 == 1 && n < 12   ? narrow
                                    : n % 3 == 2 && n < 12 ? 35
                                                           : D,
                              .dtype = types[n / 2 % 4].dtype,
                              .flags = ROTATE | (n % 5 == 3 ? ROTATED : 0) |
                                       (n >= 12 ? OF_KEYS : 0) },
            types[n / 2 % 4].bound);
    }
    return taken;
}

static void every_rotation(void)
{
    static const struct {
        const char *spec;
        int64_t narrow;
    } specs[] = { { "rope", 24 },
                  { "rope(dim=6)", 7 },
                  { "rope(dim=8,side=trailing,pairing=interleaved)", 24 },
                  { "rope(scaling=yarn(factor=4,original=64))", 24 },
                  { "rope2d(width=9,height=9)", 24 },
                  { "rope3d(width=5,height=5)", 24 },
                  { "mrope(sections=2:2:2,dim=12)", 12 },
                  { "rope+alibi", 24 },
                  { "none", 5 } };

    for (size_t n = 0; n < LEN(specs); n++)
        CHECK(compositions(specs[n].spec, specs[n].narrow) == 24);
}

TEST(is_attention_between_two_rotations)
{
    test_each_isa(every_rotation);
}

/* Each row of the registry is right, or refused: by kind or for its needs. */
TEST(no_encoding_is_wrong)
{
    const locant_encoding_info *row;
    int taken = 0;

    for (int i = 0; (row = locant_encoding_at(i)) != NULL; i++) {
        locant_encoding *e;

        if (locant_encoding_create(&e, row->name) != LOCANT_OK)
            continue; /* a key has no default */
        locant_encoding_free(e);
        taken += compositions(row->name, 24) > 0;
    }
    CHECK(taken >= 3);
}

/* Values of relative positions: a shift of all positions changes nothing. */
TEST(depends_on_differences_of_positions)
{
    OWNED(locant_encoding) *e = test_create("rope");
    struct problem near = { .e = e,
                            .B = 1,
                            .H = 2,
                            .Hkv = 1,
                            .T = 9,
                            .S = 12,
                            .D = 16,
                            .Dv = 16,
                            .dtype = LOCANT_F64,
                            .flags = ROTATE };
    struct problem far = near;

    make(&near);
    make(&far);
    copy(&far.q, &near.q);
    copy(&far.k, &near.k);
    copy(&far.v, &near.v);
    copy(&far.dout, &near.dout);
    run(&near, ROTATE, 0);
    run(&far, ROTATE, 1000);
    CHECK(unlike(&far.out, &near.out) < 1e-12);
    CHECK(unlike(&far.dv, &near.dv) < 1e-12);
    run(&far, 0, 1000);
    CHECK(unlike(&far.out, &near.out) > 0.1);
    drop(&near);
    drop(&far);
}

/* ----------------------------------------------------------------- refusals */

TEST(refuses_what_has_no_rotation_back)
{
    static const char *const specs[] = { "xpos", "rerope(window=4)" };

    for (size_t n = 0; n < LEN(specs); n++) {
        OWNED(locant_encoding) *e = test_create(specs[n]);
        FREED_BY(drop)
        struct problem p = { .e = e,
                             .B = 1,
                             .H = 2,
                             .Hkv = 2,
                             .T = 3,
                             .S = 3,
                             .D = 8,
                             .Dv = 8,
                             .dtype = LOCANT_F32,
                             .flags = ROTATE };

        make(&p);
        CHECK(is_refused(&p));
        CHECK(strstr(locant_last_error(), n == 0 ? "xpos" : "rerope") != NULL);
        CHECK(strstr(locant_last_error(),
                     " is more than a rotation of pairs by position, expected "
                     "one with LOCANT_ATTENTION_ROTATE_VALUES") != NULL);
    }
}

TEST(refuses_values_without_the_channels_that_rotate)
{
    OWNED(locant_encoding) *e = test_create("rope(dim=4,side=trailing)");
    FREED_BY(drop)
    struct problem p = { .e = e,
                         .B = 1,
                         .H = 2,
                         .Hkv = 2,
                         .T = 3,
                         .S = 3,
                         .D = 8,
                         .Dv = 6,
                         .dtype = LOCANT_F32,
                         .flags = ROTATE };

    make(&p);
    CHECK(is_refused(&p));
    if (test_differs(locant_last_error(),
                     "locant_attention_workspace: v has 6 channels, expected "
                     "at least 8: rope rotates channels up to there, and with "
                     "LOCANT_ATTENTION_ROTATE_VALUES those of values"))
        FAIL("%s", locant_last_error());
}

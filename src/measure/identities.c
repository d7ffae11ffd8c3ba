/*
 * identities.c - checks identities that papers prove of encodings through the
 * public functions. They are part of gate g1 and a table of the page.
 */
#include "identities.h"
#include "../corpus/corpus.h"
#include "locant/attention.h"
#include "locant/rotate.h"
#include <math.h>
#include <string.h>

enum { DIM = 32, TRIES = 64, FAR = 2048 };

/* Positions at[n] as a tensor, valid as long as both are. */
static locant_tensor positions_of(int64_t *at, const int64_t *n)
{
    return locant_dense(at, LOCANT_I64, 1, n);
}

static int64_t draw(locant_random *r, int64_t below)
{
    return (int64_t)locant_random_below(r, (uint32_t)below);
}

static double dot(const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < DIM; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The larger of two errors; NAN if one is NAN, unlike fmax(), so that a NAN
   makes the identity fail. */
static double larger(double a, double b)
{
    return isnan(a) || a >= b ? a : b;
}

/* Frequency of pair i of DIM channels. */
static double frequency(int i)
{
    return pow(10000, -2.0 * i / DIM);
}

/* -------------------------------------------------------------- sinusoidal */

/* Rows m and n of the table: out [2, DIM]. */
static locant_status two_rows(double *out, const locant_encoding *e, int64_t m,
                              int64_t n)
{
    const int64_t shape[2] = { 2, DIM }, two = 2;
    int64_t at[2] = { m, n };
    locant_tensor to = locant_dense(out, LOCANT_F64, 2, shape);
    locant_tensor positions = positions_of(at, &two);

    return locant_encoding_table(&to, e, &positions, NULL);
}

/* PE(m).PE(n) = sum_i cos((m - n) f_i). The error is per pair. */
static locant_status similarity(double *error, const locant_encoding *e,
                                locant_random *r)
{
    const int64_t m = draw(r, FAR), n = draw(r, FAR);
    double pe[2 * DIM], want = 0;

    LCT_TRY(two_rows(pe, e, m, n));
    for (int i = 0; i < DIM / 2; i++)
        want += cos((double)(m - n) * frequency(i));
    *error = fabs(dot(pe, pe + DIM) - want) / (DIM / 2);
    return LOCANT_OK;
}

/* PE(m + k) = M_k PE(m), where M_k rotates each (sin, cos) by k f_i */
static locant_status shift(double *error, const locant_encoding *e,
                           locant_random *r)
{
    const int64_t m = draw(r, FAR), k = draw(r, FAR);
    double pe[2 * DIM];

    LCT_TRY(two_rows(pe, e, m, m + k));
    *error = 0;
    for (int i = 0; i < DIM / 2; i++) {
        const double angle = (double)k * frequency(i);
        const double sine = pe[2 * i], cosine = pe[2 * i + 1];
        const double *to = pe + DIM + 2 * i;

        *error = larger(*error,
                        fabs(sine * cos(angle) + cosine * sin(angle) - to[0]));
        *error = larger(*error,
                        fabs(cosine * cos(angle) - sine * sin(angle) - to[1]));
    }
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- rope */

static locant_status rotate(double *out, const double *x,
                            const locant_encoding *e, int64_t position)
{
    const int64_t shape[2] = { 1, DIM }, one = 1;
    double copy[DIM];
    locant_tensor to = locant_dense(out, LOCANT_F64, 2, shape);
    locant_tensor from = locant_dense(copy, LOCANT_F64, 2, shape);
    locant_tensor positions = positions_of(&position, &one);

    memcpy(copy, x, sizeof copy);
    return locant_encoding_rotate(&to, &from, e, &positions, NULL, 0);
}

static void draw_unit(double *x, locant_random *r)
{
    double length;

    for (int i = 0; i < DIM; i++)
        x[i] = locant_random_normal(r);
    length = sqrt(dot(x, x));
    for (int i = 0; i < DIM; i++)
        x[i] /= length;
}

/* R_a R_b x = R_(a+b) x */
static locant_status compose(double *error, const locant_encoding *e,
                             locant_random *r)
{
    const int64_t a = draw(r, FAR), b = draw(r, FAR);
    double x[DIM], twice[DIM], once[DIM];

    draw_unit(x, r);
    LCT_TRY(rotate(twice, x, e, b));
    LCT_TRY(rotate(twice, twice, e, a));
    LCT_TRY(rotate(once, x, e, a + b));
    *error = 0;
    for (int i = 0; i < DIM; i++)
        *error = larger(*error, fabs(twice[i] - once[i]));
    return LOCANT_OK;
}

/* |R_m x| = |x| */
static locant_status norm(double *error, const locant_encoding *e,
                          locant_random *r)
{
    double x[DIM], y[DIM];

    draw_unit(x, r);
    LCT_TRY(rotate(y, x, e, draw(r, FAR)));
    *error = fabs(sqrt(dot(y, y)) - 1);
    return LOCANT_OK;
}

/* <R_m q, R_n k> = <R_(m+c) q, R_(n+c) k> */
static locant_status relative(double *error, const locant_encoding *e,
                              locant_random *r)
{
    const int64_t m = draw(r, FAR), n = draw(r, FAR), c = draw(r, FAR);
    double q[DIM], k[DIM], a[DIM], b[DIM], there;

    draw_unit(q, r);
    draw_unit(k, r);
    LCT_TRY(rotate(a, q, e, m + c));
    LCT_TRY(rotate(b, k, e, n + c));
    there = dot(a, b);
    LCT_TRY(rotate(a, q, e, m));
    LCT_TRY(rotate(b, k, e, n));
    *error = fabs(dot(a, b) - there);
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- bias */

enum { HEADS = 8, REACH = 160 };

/* The bias of keys 0 .. REACH - 1 positions before the query:
   out [HEADS, 1, REACH]. */
static locant_status bias(double *out, const locant_encoding *e,
                          const locant_tensor *params)
{
    const int64_t shape[3] = { HEADS, 1, REACH }, one = 1, n = REACH;
    int64_t query = REACH, key[REACH];
    locant_tensor to = locant_dense(out, LOCANT_F64, 3, shape);
    locant_tensor q = positions_of(&query, &one), k = positions_of(key, &n);

    for (int64_t j = 0; j < REACH; j++)
        key[j] = REACH - j;
    return locant_encoding_bias(&to, e, &q, &k, params);
}

/* b(h, d) = -2^(-h) d for heads h = 1 .. 8. The error is per position. */
static locant_status slopes(double *error, const locant_encoding *e,
                            locant_random *r)
{
    double b[HEADS * REACH];

    (void)r;
    LCT_TRY(bias(b, e, NULL));
    *error = 0;
    for (int h = 0; h < HEADS; h++)
        for (int d = 0; d < REACH; d++)
            *error = larger(*error,
                            fabs(b[h * REACH + d] + ldexp(d, -h - 1)) / REACH);
    return LOCANT_OK;
}

/* Of the 32 causal buckets, each of the first 17 is one distance, 0 .. 16;
   first[] has the smallest distances of the others. */
static locant_status buckets(double *error, const locant_encoding *e,
                             locant_random *r)
{
    static const int first[] = { 19, 21, 24, 27, 31, 35, 40, 46,
                                 52, 59, 67, 77, 87, 99, 113 };
    const int64_t shape[2] = { 32, HEADS };
    double b[HEADS * REACH], table[32 * HEADS];
    const locant_tensor params = locant_dense(table, LOCANT_F64, 2, shape);
    int bucket = 0;

    (void)r;
    for (int i = 0; i < 32 * HEADS; i++)
        table[i] = i / HEADS; /* so that the bias is the index of the bucket */
    LCT_TRY(bias(b, e, &params));
    *error = 0;
    for (int d = 0; d < REACH; d++) {
        if (d <= 16)
            bucket = d;
        else if (bucket < 31 && d == first[bucket - 16])
            bucket++;
        *error = larger(*error, fabs(b[d] - bucket));
    }
    return LOCANT_OK;
}

/* -------------------------------------------------------------- no encoding */

enum { TOKENS = 12 };

/* y = x + attention(x, x, x) with one head and no encoding. */
static locant_status layer(double *y, const double *x, locant_mask mask)
{
    const int64_t shape[4] = { 1, 1, TOKENS, DIM };
    double in[TOKENS * DIM], sums[TOKENS];
    locant_tensor t = locant_dense(in, LOCANT_F64, 4, shape);
    locant_tensor to = locant_dense(y, LOCANT_F64, 4, shape);
    locant_tensor lse = locant_dense(sums, LOCANT_F64, 3, shape);
    locant_attention a = LOCANT_ATTENTION_INIT;

    memcpy(in, x, sizeof in);
    a.q = a.k = a.v = &t;
    a.mask = mask;
    LCT_TRY(locant_attention_reference(&to, &lse, &a));
    for (int i = 0; i < TOKENS * DIM; i++)
        y[i] += in[i];
    return LOCANT_OK;
}

/* Draw an order of TOKENS that permutes only the first n. */
static void draw_order(int *order, int n, locant_random *r)
{
    for (int i = 0; i < TOKENS; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int j = (int)draw(r, i + 1), held = order[i];

        order[i] = order[j];
        order[j] = held;
    }
}

/*
 * Pass tokens through layers, and the same tokens with the first n shuffled.
 * The error is the largest difference of corresponding outputs from token
 * 'from' on.
 */
static locant_status shuffled(double *error, locant_random *r, int layers,
                              int n, int from, locant_mask mask)
{
    double x[TOKENS * DIM], y[TOKENS * DIM];
    int order[TOKENS];

    for (int t = 0; t < TOKENS; t++)
        draw_unit(x + t * DIM, r);
    for (int i = 0; i < TOKENS * DIM; i++)
        x[i] *= 4; /* so that attention weights are not uniform */
    draw_order(order, n, r);
    for (int t = 0; t < TOKENS; t++)
        memcpy(y + t * DIM, x + order[t] * DIM, DIM * sizeof *y);
    for (int l = 0; l < layers; l++) {
        LCT_TRY(layer(x, x, mask));
        LCT_TRY(layer(y, y, mask));
    }
    *error = 0;
    for (int t = from; t < TOKENS; t++)
        for (int c = 0; c < DIM; c++)
            *error =
                larger(*error, fabs(y[t * DIM + c] - x[order[t] * DIM + c]));
    return LOCANT_OK;
}

static locant_status equivariant(double *error, const locant_encoding *e,
                                 locant_random *r)
{
    (void)e;
    return shuffled(error, r, 2, TOKENS, 0, LOCANT_MASK_NONE);
}

static locant_status last_of_one(double *error, const locant_encoding *e,
                                 locant_random *r)
{
    (void)e;
    return shuffled(error, r, 1, TOKENS - 1, TOKENS - 1, LOCANT_MASK_CAUSAL);
}

static locant_status last_of_two(double *error, const locant_encoding *e,
                                 locant_random *r)
{
    (void)e;
    return shuffled(error, r, 2, TOKENS - 1, TOKENS - 1, LOCANT_MASK_CAUSAL);
}

/* -------------------------------------------------------------------- list */

/*
 * Bounds. Entries of tables and rotated vectors are rounded to float32, with an
 * error of 2^-24 each. Sums of products of two, and two rotations in a row,
 * stay below 1e-6. Biases are computed in double, and buckets are integers. The
 * reference attention is in double and sums 12 numbers in another order: 1e-12.
 * Sides that must differ do so by much more.
 */
/* clang-format off */
static const struct {
    const char *name, *formula, *source, *spec;
    double bound;
    bool above; /* the largest difference must exceed the bound */
    locant_status (*measure)(double *, const locant_encoding *,
                             locant_random *);
} list[LCT_IDENTITIES] = {
    {"sinusoidal: similarity depends on the distance alone",
     "PE(m) PE(n) = sum_i cos((m - n) f_i)", "arXiv:1706.03762",
     "sinusoidal", 1e-6, false, similarity},
    {"sinusoidal: a shift is linear", "PE(m + k) = M_k PE(m)",
     "arXiv:1706.03762", "sinusoidal", 1e-6, false, shift},
    {"rope: rotations add up", "R_a R_b = R_(a+b)", "arXiv:2104.09864", "rope",
     1e-6, false, compose},
    {"rope: norms do not change", "|R_m x| = |x|", "arXiv:2104.09864", "rope",
     1e-6, false, norm},
    {"rope: scores depend on the distance alone",
     "<R_m q, R_n k> = <R_(m+c) q, R_(n+c) k>", "arXiv:2104.09864", "rope",
     1e-6, false, relative},
    {"alibi: slopes are geometric, 0 at distance 0", "b(h, d) = -2^(-h) d of 8 "
     "heads", "arXiv:2108.12409", "alibi", 1e-12, false, slopes},
    {"t5: edges of the buckets", "0 .. 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, "
     "59, 67, 77, 87, 99, 113", "arXiv:1910.10683", "t5", 0, false, buckets},
    {"none, no mask: the order has no effect", "T(P x) = P T(x)",
     "arXiv:1706.03762", NULL, 1e-12, false, equivariant},
    {"none, causal, one layer: the last token cannot tell the order before it",
     "T(P x)_n = T(x)_n", "arXiv:2203.16634", NULL, 1e-12, false, last_of_one},
    {"none, causal, two layers: the last token can tell the order",
     "T(P x)_n != T(x)_n", "arXiv:2203.16634", NULL, 1e-3, true, last_of_two},
};
/* clang-format on */

void lct_identity_add(struct lct_identity *x, double error)
{
    x->error = larger(x->error, error);
    x->holds = x->above ? x->error > x->bound : x->error <= x->bound;
}

locant_status lct_identity(struct lct_identity *out, int i)
{
    locant_random r = { 2, (uint64_t)i, 0 };
    locant_encoding *e = NULL;
    locant_status status = LOCANT_OK;

    *out = (struct lct_identity){ list[i].name,
                                  list[i].formula,
                                  list[i].source,
                                  list[i].bound,
                                  0,
                                  list[i].above,
                                  false };
    if (list[i].spec)
        LCT_TRY(locant_encoding_create(&e, list[i].spec));
    for (int k = 0; k < TRIES && status == LOCANT_OK; k++) {
        double error = 0;

        status = list[i].measure(&error, e, &r);
        lct_identity_add(out, error);
    }
    locant_encoding_free(e);
    return status;
}

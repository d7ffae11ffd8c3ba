/*
 * properties.c - gate g1: the encodings of a report have the properties they
 * declare. They are checked with the public functions, on this machine and with
 * this build.
 */
#include "properties.h"
#include "results.h"
#include "locant/rotate.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* rotations tried; keys of a bias; positions of a table */
enum { N = LCT_PROPERTIES_KEYS };
static const int64_t shift = 1000; /* of positions, for relative encodings */

/*
 * Worst error of a score of two rotated unit vectors: each of their entries is
 * two products and a sum of numbers rounded to float32 (angle table 0.55 ulp of
 * values up to 1, product and sum half an ulp each): at most 4 x 2^-24 of the
 * pair's norm, for both vectors 8 x 2^-24. Twice that is allowed.
 */
static const double score_bound = 16 * 0x1p-24;
/*
 * Emulated float32 angles, which a spec has to ask for, have errors of 1e-4 at
 * the largest position checked; a wrong rotation has errors of about 1.
 */
static const double emulated_bound = 1e-4;

struct check {
    locant_encoding *e;
    int64_t heads, width, dim;
    int64_t rotated; /* width of a rotated row of 'dim' channels */
    double *scratch; /* for every check */
    locant_tensor own[LCT_GROUP_PARAMS]; /* the encoding's parameters */
    locant_tensor *params;               /* 'own'; NULL if it has none */
    int64_t reach;                       /* its length limit */
    char *message;
    bool held;
};

static void fail(struct check *p, const char *what, double error)
{
    p->held = false;
    snprintf(p->message, 256, "%.100s %s (error %.2g)",
             locant_encoding_spec(p->e), what, error);
}

static void fail_if(struct check *p, struct lct_lack lack)
{
    if (lack.what)
        fail(p, lack.what, lack.error);
}

/* ------------------------------------------------------------------- rotate */

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Rotate x [dim], a query or a key of head 0, to position m: y [rotated]. */
static locant_status rotate_one(double *y, double *x, const struct check *p,
                                int64_t m, int flags)
{
    const int64_t one = 1, from[3] = { 1, 1, p->dim },
                  to[3] = { 1, 1, p->rotated };
    locant_tensor out = locant_dense(y, LOCANT_F64, 3, to);
    locant_tensor in = locant_dense(x, LOCANT_F64, 3, from);
    locant_tensor positions = locant_dense(&m, LOCANT_I64, 1, &one);

    return locant_encoding_rotate(&out, &in, p->e, &positions, p->params,
                                  flags);
}

/* Rotate a query x to m and a key x + dim to n, into y and y + rotated. */
static locant_status rotate_both(double *y, double *x, const struct check *p,
                                 int64_t m, int64_t n)
{
    LCT_TRY(rotate_one(y, x, p, m, 0));
    return rotate_one(y + p->rotated, x + p->dim, p, n, LOCANT_ROTATE_KEY);
}

struct lct_lack lct_properties_judge_rotation(unsigned traits, double length,
                                              double score, double bound)
{
    if ((traits & LOCANT_TRAIT_RELATIVE) && !(score <= bound))
        return (struct lct_lack){
            "does not score by the difference of positions", score
        };
    if ((traits & LOCANT_TRAIT_ISOMETRIC) && !(length <= score_bound))
        return (struct lct_lack){ "does not keep the length of a vector",
                                  length };
    return (struct lct_lack){ NULL, 0 };
}

/* Compare a query x and a key x + dim with their rotations; the scratch after
   them holds the rotated vectors. */
static locant_status try_rotation(struct check *p, double *x, int64_t m,
                                  int64_t n)
{
    const unsigned traits = locant_encoding_traits(p->e);
    /* Exact angles are the default, and canonical specs leave defaults out. */
    const bool emulated = strstr(locant_encoding_spec(p->e), "angles=") != NULL;
    const double relative_bound = emulated ? emulated_bound : score_bound;
    double *y = x + 2 * p->dim, *z = y + 2 * p->rotated;
    double squares = dot(x, x, p->dim) + dot(x + p->dim, x + p->dim, p->dim);
    double length, score; /* errors relative to the squares */

    LCT_TRY(rotate_both(y, x, p, m, n));
    LCT_TRY(rotate_both(z, x, p, m + shift, n + shift));
    length = fabs(dot(x, x, p->dim) - dot(y, y, p->rotated)) / squares;
    score = fabs(dot(y, y + p->rotated, p->rotated) -
                 dot(z, z + p->rotated, p->rotated)) /
            squares;
    fail_if(p, lct_properties_judge_rotation(traits, length, score,
                                             relative_bound));
    return LOCANT_OK;
}

static locant_status check_rotation(struct check *p)
{
    locant_random r = { 1, 0, 0 };

    for (int k = 0; k < N && p->held; k++) {
        for (int64_t i = 0; i < 2 * p->dim; i++)
            p->scratch[i] = locant_random_normal(&r);
        LCT_TRY(try_rotation(p, p->scratch,
                             (int64_t)locant_random_below(&r, 2048),
                             (int64_t)locant_random_below(&r, 2048)));
    }
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- score */

/* Bias [heads, N] of query first + N - 1 to keys first .. first + N - 1. */
static locant_status bias(double *out, const struct check *p, int64_t first)
{
    const int64_t one = 1, n = N, shape[3] = { p->heads, 1, N };
    int64_t query = first + N - 1, keys[N];
    locant_tensor t = locant_dense(out, LOCANT_F64, 3, shape);
    locant_tensor q = locant_dense(&query, LOCANT_I64, 1, &one);
    locant_tensor k = locant_dense(keys, LOCANT_I64, 1, &n);

    for (int64_t i = 0; i < N; i++)
        keys[i] = first + i;
    return locant_encoding_bias(&t, p->e, &q, &k, p->params);
}

/* The positions of a and b differ by 'shift'. A relative bias has the same bits
   in both; -infinity hides a key. */
struct lct_lack lct_properties_judge_bias(unsigned traits, const double *a,
                                          const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double growth = i % N ? a[i - 1] - a[i] : 0; /* from key i to i - 1 */

        if (isnan(a[i]) || a[i] == INFINITY)
            return (struct lct_lack){ "has a bias that is not finite", a[i] };
        if ((traits & LOCANT_TRAIT_RELATIVE) && a[i] != b[i])
            return (struct lct_lack){
                "has a bias that depends on absolute positions",
                fabs(a[i] - b[i])
            };
        if ((traits & LOCANT_TRAIT_MONOTONE) && growth > 0)
            return (struct lct_lack){ "has a bias that grows with distance",
                                      growth };
    }
    return (struct lct_lack){ NULL, 0 };
}

static locant_status check_bias(struct check *p)
{
    double *near = p->scratch, *far = near + p->heads * N;

    LCT_TRY(bias(near, p, 0));
    if (p->reach >= shift + N)
        LCT_TRY(bias(far, p, shift));
    else
        far = near;
    fail_if(p, lct_properties_judge_bias(locant_encoding_traits(p->e), near,
                                         far, p->heads * N));
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- input */

static locant_status check_table(struct check *p)
{
    const int64_t one = 1, shape[2] = { 1, p->width };
    int64_t at = 0;
    locant_tensor out = locant_dense(p->scratch, LOCANT_F64, 2, shape);
    locant_tensor positions = locant_dense(&at, LOCANT_I64, 1, &one);

    for (at = 0; at < N && at < p->reach && p->held; at++) {
        LCT_TRY(locant_encoding_table(&out, p->e, &positions, p->params));
        for (int64_t i = 0; i < p->width && p->held; i++)
            if (!isfinite(p->scratch[i]))
                fail(p, "has a table entry that is not finite", p->scratch[i]);
    }
    at = INT64_C(1) << 40;
    if ((locant_encoding_traits(p->e) & LOCANT_TRAIT_LIMIT) &&
        locant_encoding_table(&out, p->e, &positions, p->params) !=
            LOCANT_ERR_PARAM)
        fail(p, "does not refuse a position beyond its table", (double)at);
    return LOCANT_OK;
}

/* ---------------------------------------------------------------------- all */

static locant_status init_params(struct check *p)
{
    const locant_sizes sizes = { .width = p->width,
                                 .heads = p->heads,
                                 .head_dim = p->dim };
    locant_param_info info;

    for (int i = 0;
         i < LCT_GROUP_PARAMS && locant_encoding_param(&info, p->e, i, &sizes);
         i++) {
        size_t n = 1;

        for (int k = 0; k < info.rank; k++)
            n *= (size_t)info.shape[k];
        p->params = p->own;
        p->own[i] = locant_dense(locant_alloc(n * sizeof(double)), LOCANT_F64,
                                 info.rank, info.shape);
        if (p->own[i].data == NULL)
            return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", __func__);
        LCT_TRY(locant_encoding_param_init(&p->own[i], p->e, i, 1));
    }
    return LOCANT_OK;
}

static locant_status check_doors(struct check *p)
{
    const unsigned doors = locant_encoding_doors(p->e);

    p->scratch = locant_alloc(
        (size_t)(2 * p->dim + 4 * p->rotated + p->width + 2 * p->heads * N) *
        sizeof *p->scratch);
    if (p->scratch == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", __func__);
    LCT_TRY(init_params(p));
    if (doors & LOCANT_DOOR_INPUT)
        LCT_TRY(check_table(p));
    /* learned frequencies differ between heads; only head 0 would be checked */
    if ((doors & LOCANT_DOOR_ROTATE) && p->params == NULL)
        LCT_TRY(check_rotation(p));
    if ((doors & LOCANT_DOOR_SCORE) && p->reach >= N)
        LCT_TRY(check_bias(p));
    return LOCANT_OK;
}

/* Check the encodings of the first 16 layers. */
static locant_status check_layers(bool *held, char message[256],
                                  const locant_encoding *e, int64_t heads,
                                  int64_t width)
{
    const locant_encoding *before = NULL;

    *held = true;
    for (int64_t l = 0; l < 16 && *held; l++) {
        const locant_encoding *one = locant_encoding_layer(NULL, e, l);

        if (one != before)
            LCT_TRY(lct_properties_check(
                held, message, locant_encoding_spec(one), heads, width));
        before = one;
    }
    return LOCANT_OK;
}

locant_status lct_properties_check(bool *held, char message[256],
                                   const char *spec, int64_t heads,
                                   int64_t width)
{
    struct check p = { .heads = heads,
                       .width = width,
                       .dim = width / heads,
                       .message = message,
                       .held = true };
    locant_status status;

    LCT_TRY(locant_encoding_create(&p.e, spec));
    p.reach = locant_encoding_length_limit(p.e);
    p.rotated = locant_encoding_rotated_width(p.e, p.dim);
    if (locant_encoding_layer(NULL, p.e, 0) != p.e)
        status = check_layers(&p.held, message, p.e, heads, width);
    else
        status = check_doors(&p);
    for (int i = 0; i < LCT_GROUP_PARAMS; i++)
        locant_release(p.own[i].data);
    locant_release(p.scratch);
    locant_encoding_free(p.e);
    *held = p.held;
    return status;
}

locant_status lct_properties_gate(struct lct_results *r)
{
    locant_report_gate *gate = &r->gates[0];
    char message[256] = "";
    bool held = true;

    for (size_t i = 0; i < r->n && held; i++)
        LCT_TRY(lct_properties_check(&held, message, r->groups[i].spec,
                                     r->heads, r->width));
    for (int i = 0; i < LCT_IDENTITIES; i++) {
        struct lct_identity *one = &r->identities[i];

        LCT_TRY(lct_identity(one, i));
        r->n_identities = i + 1;
        if (held && !one->holds)
            snprintf(message, sizeof message,
                     "%.180s: does not hold here (error %.2g)", one->name,
                     one->error);
        held = held && one->holds;
    }
    snprintf(gate->name, sizeof gate->name, "g1");
    gate->passed = held;
    snprintf(gate->text, sizeof gate->text, held ? "g1.hold" : "g1.lacks");
    gate->value[0] = (double)r->n;
    memcpy(gate->spec[0], message, sizeof gate->spec[0]);
    return LOCANT_OK;
}

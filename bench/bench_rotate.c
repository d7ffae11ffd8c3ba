/* bench_rotate.c - rotates queries in place and to another place, compared with
   a loop in plain C */
#include "bench.h"

struct rotate_state {
    const struct bench_case *c;
    struct bench_encoding encoding;
    locant_tensor x, k; /* k: for work_rotate_qk */
    locant_tensor out;  /* for work_rotate_elsewhere */
    locant_tensor positions, moved;
    float *angles; /* [T, D/2, 2], cosine and sine, for the plain loop */
    bool inverse;  /* flips with each call */
    locant_status status;
};

static void teardown(void *data)
{
    struct rotate_state *r = data;

    if (r == NULL)
        return;
    bench_encoding_close(&r->encoding);
    locant_release(r->x.data);
    locant_release(r->k.data);
    locant_release(r->out.data);
    locant_release(r->positions.data);
    locant_release(r->moved.data);
    locant_release(r->angles);
    locant_release(r);
}

static locant_status prepare(struct rotate_state *r, const struct bench_case *c)
{
    int64_t shape[] = { 1, c->heads, c->tokens, c->dim };
    int64_t keys[] = { 1, c->kv_heads, c->tokens, c->dim };
    const locant_sizes sizes = { .width = c->heads * c->dim,
                                 .heads = c->heads,
                                 .head_dim = c->dim };
    int64_t table[] = { c->tokens, c->dim / 2, 2 };
    locant_tensor angles;

    r->c = c;
    if (!bench_tensor(&r->x, c->dtype, 4, shape) ||
        (c->kv_heads < c->heads && !bench_tensor(&r->k, c->dtype, 4, keys)) ||
        (c->work == &work_rotate_elsewhere &&
         !bench_tensor(&r->out, c->dtype, 4, shape)) ||
        !bench_count(&r->positions, 0, c->tokens) ||
        !bench_count(&r->moved, 1000, c->tokens) ||
        !bench_tensor(&angles, LOCANT_F32, 3, table))
        return LOCANT_ERR_NOMEM;
    r->angles = angles.data;
    bench_fill(r->x.data, c->dtype, NULL, bench_case_elements(c), 1);
    if (locant_angles(&angles, &r->positions, 1e4, LOCANT_ANGLES_EXACT))
        return LOCANT_ERR_PARAM;
    return bench_encoding_open(&r->encoding, c->spec, c->tokens, &sizes);
}

/* Alternates forward and inverse, so that values do not grow. */
static void run(void *data)
{
    struct rotate_state *r = data;

    r->inverse = !r->inverse;
    r->status = locant_encoding_rotate(&r->x, &r->x, r->encoding.e,
                                       &r->positions, r->encoding.params,
                                       r->inverse ? LOCANT_ROTATE_INVERSE : 0);
}

static void run_elsewhere(void *data)
{
    struct rotate_state *r = data;

    r->status = locant_encoding_rotate(&r->out, &r->x, r->encoding.e,
                                       &r->positions, r->encoding.params, 0);
}

/* Rotates queries and keys, of which there are fewer heads, in one call. */
static void run_qk(void *data)
{
    struct rotate_state *r = data;

    r->inverse = !r->inverse;
    r->status = locant_encoding_rotate_qk(
        &r->x, &r->k, &r->x, &r->k, r->encoding.e, &r->positions,
        r->encoding.params, r->inverse ? LOCANT_ROTATE_INVERSE : 0);
}

static void run_rerotate(void *data)
{
    struct rotate_state *r = data;
    const locant_tensor *from = r->inverse ? &r->moved : &r->positions;
    const locant_tensor *to = r->inverse ? &r->positions : &r->moved;

    r->inverse = !r->inverse;
    r->status = locant_encoding_rerotate(&r->x, &r->x, r->encoding.e, from,
                                         r->encoding.e, to);
}

static void *setup(const struct bench_case *c)
{
    void (*once)(void *) = c->work->run;
    struct rotate_state *r = bench_alloc(sizeof(*r));

    if (r == NULL)
        return NULL;
    r->status = prepare(r, c);
    if (r->status == LOCANT_OK)
        once(r); /* detects unsupported cases */
    if (r->status == LOCANT_OK && r->inverse)
        once(r);
    if (r->status != LOCANT_OK) {
        teardown(r);
        return NULL;
    }
    bench_fill(r->x.data, c->dtype, NULL, bench_case_elements(c), 1);
    if (r->k.data != NULL)
        bench_fill(r->k.data, c->dtype, NULL, (size_t)bench_elements(&r->k), 2);
    return r;
}

static void run_naive(void *data)
{
    struct rotate_state *r = data;
    int64_t half = r->c->dim / 2;

    for (int64_t row = 0; row < r->c->heads * r->c->tokens; row++) {
        float *x = (float *)r->x.data + row * r->c->dim;
        const float *angle = r->angles + row % r->c->tokens * r->c->dim;

        for (int64_t i = 0; i < half; i++) {
            float a = x[i], b = x[i + half];
            float c = angle[2 * i], s = angle[2 * i + 1];

            x[i] = a * c - b * s;
            x[i + half] = a * s + b * c;
        }
    }
}

/*
 * Entries are below 5, so rotated ones are below 2^3.  A rotation has two
 * products and a sum, each rounded (rerotate: twice that), and then a rounding
 * to the dtype.
 */
static const char *compare(const locant_tensor *got, const locant_tensor *want)
{
    return bench_distance(got, want) <=
                   8 * (8 * 0x1p-24 + bench_roundoff(got->dtype))
               ? NULL
               : "a rotated value is wrong";
}

/* Compares the result of one call of 'once' with the same in double: a rotation
   to 'to' or, unless 'from' is NULL, a rerotation from there. */
static const char *compare_with_double(struct rotate_state *r,
                                       void (*once)(void *),
                                       const locant_tensor *from,
                                       const locant_tensor *to)
{
    locant_tensor want = { 0 };
    const char *wrong = NULL;
    locant_status status;

    if (!bench_as_double(&want, &r->x))
        return locant_last_error();
    status = from != NULL
                 ? locant_encoding_rerotate(&want, &want, r->encoding.e, from,
                                            r->encoding.e, to)
                 : locant_encoding_rotate(&want, &want, r->encoding.e, to,
                                          r->encoding.params, 0);
    once(r);
    if (status != LOCANT_OK || r->status != LOCANT_OK)
        wrong = locant_last_error();
    else
        wrong = compare(r->out.data != NULL ? &r->out : &r->x, &want);
    locant_release(want.data);
    return wrong;
}

static const char *check(void *data)
{
    struct rotate_state *r = data;

    r->inverse = true; /* so that run() rotates forward */
    return compare_with_double(r, run, NULL, &r->positions);
}

/* Compares the keys with a separate rotation of them. */
static const char *check_qk(void *data)
{
    struct rotate_state *r = data;
    locant_tensor want = { 0 };
    const char *wrong;

    if (!bench_as_double(&want, &r->k))
        return locant_last_error();
    r->inverse = true;
    wrong = compare_with_double(r, run_qk, NULL, &r->positions);
    if (wrong == NULL &&
        locant_encoding_rotate(&want, &want, r->encoding.e, &r->positions,
                               r->encoding.params,
                               LOCANT_ROTATE_KEY) != LOCANT_OK)
        wrong = locant_last_error();
    if (wrong == NULL)
        wrong = compare(&r->k, &want);
    locant_release(want.data);
    return wrong;
}

static const char *check_rerotate(void *data)
{
    struct rotate_state *r = data;

    r->inverse = false;
    return compare_with_double(r, run_rerotate, &r->positions, &r->moved);
}

static const char *check_elsewhere(void *data)
{
    return compare_with_double(data, run_elsewhere, NULL,
                               &((struct rotate_state *)data)->positions);
}

static const char *check_naive(void *data)
{
    return compare_with_double(data, run_naive, NULL,
                               &((struct rotate_state *)data)->positions);
}

static double bytes(const struct bench_case *c)
{
    return 2.0 * (double)bench_case_elements(c) *
           (double)locant_dtype_size(c->dtype);
}

static bool in_place(struct bench_case *other, const struct bench_case *c)
{
    *other = *c;
    other->work = &work_rotate;
    return true;
}

static double bytes_qk(const struct bench_case *c)
{
    return bytes(c) * (double)(c->heads + c->kv_heads) / (double)c->heads;
}

/* clang-format off */
const struct bench_work work_rotate = {
    .unit = "GB/s", .peak = PEAK_STREAM, .doors = LOCANT_DOOR_ROTATE,
    .setup = setup, .check = check, .run = run, .teardown = teardown,
    .amount = bytes,
};
const struct bench_work work_rotate_qk = {
    .unit = "GB/s", .peak = PEAK_STREAM, .doors = LOCANT_DOOR_ROTATE,
    .setup = setup, .check = check_qk, .run = run_qk, .teardown = teardown,
    .amount = bytes_qk,
};
const struct bench_work work_rotate_elsewhere = {
    .unit = "GB/s", .peak = PEAK_STREAM, .doors = LOCANT_DOOR_ROTATE,
    .setup = setup, .check = check_elsewhere, .run = run_elsewhere,
    .teardown = teardown, .amount = bytes, .baseline = in_place,
};
const struct bench_work work_rerotate = {
    .unit = "GB/s", .peak = PEAK_STREAM, .setup = setup,
    .check = check_rerotate, .run = run_rerotate, .teardown = teardown,
    .amount = bytes,
};
const struct bench_work work_rotate_naive = {
    .unit = "GB/s", .peak = PEAK_STREAM, .one_thread = true, .plain_c = true,
    .setup = setup, .check = check_naive, .run = run_naive,
    .teardown = teardown, .amount = bytes,
};
/* clang-format on */

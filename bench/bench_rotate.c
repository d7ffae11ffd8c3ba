/* bench_rotate.c - rotating queries in place, against a loop in plain C */
#include "bench.h"
#include <math.h>
#include <string.h>

struct rotate_state {
    const struct bench_case *c;
    locant_encoding *encoding;
    locant_tensor x, positions;
    float *angles; /* [T, D/2, 2], for the plain loop and the check */
    bool inverse;
};

static size_t elements(const struct bench_case *c)
{
    return (size_t)(c->heads * c->tokens * c->dim);
}

static void teardown(void *data)
{
    struct rotate_state *r = data;

    if (r == NULL)
        return;
    locant_encoding_free(r->encoding);
    locant_release(r->x.data);
    locant_release(r->positions.data);
    locant_release(r->angles);
    locant_release(r);
}

static locant_status prepare(struct rotate_state *r, const struct bench_case *c)
{
    int64_t shape[] = { 1, c->heads, c->tokens, c->dim };
    int64_t table[] = { c->tokens, c->dim / 2, 2 };
    locant_random random = { .seed = 1 };
    locant_tensor angles;

    r->c = c;
    r->x = locant_dense(locant_alloc(elements(c) * sizeof(float)), LOCANT_F32,
                        4, shape);
    r->positions = locant_dense(
        locant_alloc((size_t)c->tokens * sizeof(int64_t)), LOCANT_I64, 1,
        table);
    r->angles = locant_alloc((size_t)(c->tokens * c->dim) * sizeof(float));
    if (!r->x.data || !r->positions.data || !r->angles)
        return LOCANT_ERR_NOMEM;
    for (int64_t t = 0; t < c->tokens; t++)
        ((int64_t *)r->positions.data)[t] = t;
    for (size_t i = 0; i < elements(c); i++)
        ((float *)r->x.data)[i] = (float)locant_random_uniform(&random) - 0.5f;
    angles = locant_dense(r->angles, LOCANT_F32, 3, table);
    if (locant_angles(&angles, &r->positions, 1e4, LOCANT_ANGLES_EXACT))
        return LOCANT_ERR_PARAM;
    return locant_encoding_create(&r->encoding, c->spec);
}

static void *setup(const struct bench_case *c)
{
    struct rotate_state *r = locant_alloc(sizeof(*r));

    if (r != NULL && prepare(r, c) != LOCANT_OK) {
        teardown(r);
        return NULL;
    }
    return r;
}

/* Forth and back, so that a million calls do not grow the values. */
static void run(void *data)
{
    struct rotate_state *r = data;

    r->inverse = !r->inverse;
    if (locant_encoding_rotate(&r->x, &r->x, r->encoding, &r->positions,
                               NULL, r->inverse) != LOCANT_OK)
        r->c = NULL; /* seen by check() */
}

static bool interleaved(const struct bench_case *c)
{
    return strstr(c->spec, "interleaved") != NULL;
}

static void run_naive(void *data)
{
    struct rotate_state *r = data;
    int64_t half = r->c->dim / 2;
    int64_t apart = interleaved(r->c) ? 1 : half;
    int64_t step = interleaved(r->c) ? 2 : 1;

    for (int64_t row = 0; row < r->c->heads * r->c->tokens; row++) {
        float *x = (float *)r->x.data + row * r->c->dim;
        const float *angle = r->angles + row % r->c->tokens * r->c->dim;

        for (int64_t i = 0; i < half; i++) {
            float a = x[i * step], b = x[i * step + apart];
            float c = angle[2 * i], s = angle[2 * i + 1];

            x[i * step] = a * c - b * s;
            x[i * step + apart] = a * s + b * c;
        }
    }
}

/*
 * Two products of entries below 1/2, and their sum below 1, rounded on either
 * side: 2 * (2 * 2^-26 + 2^-25) = 2^-23.
 */
static const char *check(void *data)
{
    struct rotate_state *r = data;
    size_t n = elements(r->c);
    float *x = r->x.data;
    float *mine = locant_alloc(n * sizeof(float));
    const char *wrong = mine == NULL ? "no memory" : NULL;

    for (size_t i = 0; wrong == NULL && i < n; i++)
        mine[i] = x[i];
    r->inverse = true; /* run() turns it round */
    if (wrong == NULL)
        run(r);
    if (r->c == NULL)
        wrong = locant_last_error();
    for (size_t i = 0; wrong == NULL && i < n; i++) { /* swap the two */
        float rotated = x[i];

        x[i] = mine[i];
        mine[i] = rotated;
    }
    if (wrong == NULL)
        run_naive(r);
    for (size_t i = 0; wrong == NULL && i < n; i++)
        if (!(fabsf(x[i] - mine[i]) <= 0x1p-23f))
            wrong = "a rotated value is wrong";
    locant_release(mine);
    return wrong;
}

static double bytes(const struct bench_case *c)
{
    return 2.0 * (double)elements(c) * sizeof(float);
}

const struct bench_work work_rotate = {
    .unit = "GB/s", .roof = ROOF_STREAM, .every_isa = true, .setup = setup,
    .check = check, .run = run, .teardown = teardown, .amount = bytes,
};
const struct bench_work work_rotate_naive = {
    .unit = "GB/s", .roof = ROOF_STREAM, .one_thread = true, .setup = setup,
    .check = check, .run = run_naive, .teardown = teardown, .amount = bytes,
};

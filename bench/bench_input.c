/*
 * bench_input.c - positions added to embeddings: x[b,t] += P[t]
 *
 * The member 'heads' of a case is its batch size.  Bytes counted are those of
 * x, read and written, and of the float32 table of 'learned', read.
 */
#include "bench.h"
#include <string.h>

struct input_state {
    const struct bench_case *c;
    struct bench_encoding encoding;
    locant_tensor x, positions;
    locant_status status;
};

static void teardown(void *data)
{
    struct input_state *s = data;

    if (s == NULL)
        return;
    bench_encoding_close(&s->encoding);
    locant_release(s->x.data);
    locant_release(s->positions.data);
    locant_release(s);
}

/* Adds in place. */
static void run(void *data)
{
    struct input_state *s = data;

    s->status = locant_encoding_add(&s->x, &s->x, s->encoding.e, &s->positions,
                                    s->encoding.params);
}

static locant_status prepare(struct input_state *s, const struct bench_case *c)
{
    int64_t shape[] = { c->heads, c->tokens, c->dim };
    const locant_sizes sizes = { .width = c->dim };

    s->c = c;
    if (!bench_tensor(&s->x, c->dtype, 3, shape) ||
        !bench_count(&s->positions, 0, c->tokens))
        return LOCANT_ERR_NOMEM;
    bench_fill(s->x.data, c->dtype, NULL, bench_case_elements(c), 1);
    return bench_encoding_open(&s->encoding, c->spec, c->tokens, &sizes);
}

static void *setup(const struct bench_case *c)
{
    struct input_state *s = bench_alloc(sizeof(*s));

    if (s == NULL)
        return NULL;
    s->status = prepare(s, c);
    if (s->status == LOCANT_OK)
        run(s); /* detects unsupported cases */
    if (s->status != LOCANT_OK) {
        teardown(s);
        return NULL;
    }
    return s;
}

/* Compares with the sum in double.  Sums are below 2^3; the row of the table
   and the sum are rounded to float32, then the sum is rounded to its dtype. */
static const char *check(void *data)
{
    struct input_state *s = data;
    locant_tensor want = { 0 };
    const char *wrong = NULL;

    bench_fill(s->x.data, s->c->dtype, NULL, bench_case_elements(s->c), 1);
    if (!bench_as_double(&want, &s->x) ||
        locant_encoding_add(&want, &want, s->encoding.e, &s->positions,
                            s->encoding.params) != LOCANT_OK)
        wrong = locant_last_error();
    run(s);
    if (wrong == NULL && s->status != LOCANT_OK)
        wrong = locant_last_error();
    if (wrong == NULL && !(bench_distance(&s->x, &want) <=
                           8 * (2 * 0x1p-24 + bench_roundoff(s->c->dtype))))
        wrong = "an embedding with its position is wrong";
    locant_release(want.data);
    return wrong;
}

static double bytes(const struct bench_case *c)
{
    bool stored = strncmp(c->spec, "learned", 7) == 0;
    double x = (double)bench_case_elements(c);

    return 2 * x * (double)locant_dtype_size(c->dtype) +
           (stored ? sizeof(float) * x / (double)c->heads : 0);
}

/* clang-format off */
const struct bench_work work_input = {
    .unit = "GB/s", .peak = PEAK_STREAM, .doors = LOCANT_DOOR_INPUT,
    .setup = setup, .check = check, .run = run, .teardown = teardown,
    .amount = bytes,
};
/* clang-format on */

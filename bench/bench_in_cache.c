/*
 * bench_in_cache.c - one kernel on operands in the cache, one thread.
 *
 * The check compares with the base kernels, which have their own tests.
 */
#include "bench.h"
#include <math.h>
#include <string.h>

/* One allocation holds this struct, the operands of the kernel, and equal
   operands for the base kernel, each aligned to 64 bytes. */
struct state {
    const struct bench_kernels *of;
    const struct bench_kernel *row;
    unsigned char *x, *base;
};

static size_t aligned(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static void *setup(const struct bench_case *c)
{
    const size_t head = aligned(sizeof(struct state));
    const size_t bytes = aligned(c->of->bytes);
    struct state *s = bench_alloc(head + 2 * bytes);

    if (s == NULL)
        return NULL;
    s->of = c->of;
    s->row = c->kernel;
    s->x = (unsigned char *)s + head;
    s->base = s->x + bytes;
    c->of->fill(s->x);
    c->of->fill(s->base);
    return s;
}

static void run(void *state)
{
    struct state *s = state;

    s->row->call(s->of->table(), s->x);
}

static bool same(const struct state *s)
{
    const double tolerance = s->row->tolerance;
    const size_t exact_from =
        tolerance == 0 ? 0 : s->of->floats * sizeof(float);
    const float *x = (const float *)(const void *)s->x;
    const float *y = (const float *)(const void *)s->base;

    for (size_t i = 0; tolerance > 0 && i < s->of->floats; i++)
        if (!(fabs((double)x[i] - (double)y[i]) <=
              tolerance * (1 + fabs((double)y[i]))))
            return false;
    return memcmp(s->x + exact_from, s->base + exact_from,
                  s->of->bytes - exact_from) == 0;
}

/* A kernel that writes nothing must fail the check. */
static const char *check(void *state)
{
    struct state *s = state;
    bool wrote;

    run(s);
    wrote = memcmp(s->x, s->base, s->of->bytes) != 0;
    s->row->call(s->of->base, s->base);
    if (!wrote)
        return "the kernel wrote nothing";
    if (strcmp(locant_isa(), *(const char *const *)s->of->table()) != 0 ||
        !same(s))
        return "the result differs from that of the base kernel";
    return NULL;
}

static void teardown(void *state)
{
    locant_release(state);
}

static double amount(const struct bench_case *c)
{
    return c->kernel->amount;
}

#define IN_CACHE                                                               \
    .every_isa = true, .one_thread = true, .setup = setup, .check = check,     \
    .run = run, .teardown = teardown, .amount = amount

const struct bench_work work_each = { .unit = "ns/number", IN_CACHE };
const struct bench_work work_flops = { .unit = "GFLOP/s",
                                       .peak = PEAK_FMA,
                                       IN_CACHE };
const struct bench_work work_dots = { .unit = "GFLOP/s",
                                      .peak = PEAK_DOT,
                                      IN_CACHE };
const struct bench_work work_moves = { .unit = "GB/s",
                                       .peak = PEAK_STREAM,
                                       IN_CACHE };

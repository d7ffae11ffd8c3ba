/*
 * bench_roof.c - the machine's roofs, in the same run and on the same threads
 * as what is compared with them.
 *
 * Each thread goes through a slice of its own so often that a sample takes
 * about a millisecond: waking a thread takes some 30 us on a virtual machine,
 * which halved the roof when samples were as short.
 */
#include "bench.h"
#include "roof_kernels.h"
#include <string.h>

static const struct roof_kernels *const all[] = {
#ifdef LCT_HAVE_AVX512BF16
    &roof_avx512bf16,
#endif
#ifdef LCT_HAVE_AVX512
    &roof_avx512,
#endif
#ifdef LCT_HAVE_AVX2
    &roof_avx2,
#endif
#ifdef LCT_HAVE_NEON
    &roof_neon,
#endif
#ifdef LCT_HAVE_BASE
    &roof_base,
#endif
};

/* The best this CPU runs: a roof is the machine's, not a kernel's. */
static const struct roof_kernels *best(void)
{
    for (int i = 0; locant_isa_at(i, NULL) != NULL; i++) {
        int available;
        const char *isa = locant_isa_at(i, &available);

        for (size_t k = 0; available && k < sizeof(all) / sizeof(all[0]); k++)
            if (strcmp(all[k]->isa, isa) == 0)
                return all[k];
    }
    return all[0];
}

enum { FMA_ROUNDS = 1000000, MOST_TASKS = 1024, SAMPLE_BYTES = 32 << 20,
       LARGEST = 256 << 20, PAD = 16 };

struct roof_job {
    const struct roof_kernels *kernels;
    float *x;
    size_t n, times; /* floats of a task, and how often it goes through them */
    struct {
        float value, pad[PAD - 1];
    } sink[MOST_TASKS];
};

static void stream_task(void *context, size_t task, int slot)
{
    struct roof_job *job = context;

    (void)slot;
    for (size_t i = 0; i < job->times; i++)
        job->kernels->stream(job->x + task * job->n, job->n);
}

static void read_task(void *context, size_t task, int slot)
{
    struct roof_job *job = context;

    (void)slot;
    for (size_t i = 0; i < job->times; i++)
        job->sink[task].value +=
            job->kernels->read(job->x + task * job->n, job->n);
}

static void fma_task(void *context, size_t task, int slot)
{
    struct roof_job *job = context;

    (void)slot;
    job->sink[task].value = job->kernels->fma(FMA_ROUNDS, 0.5f, (float)task);
}

static void dot_task(void *context, size_t task, int slot)
{
    struct roof_job *job = context;

    (void)slot;
    job->sink[task].value = job->kernels->dot(FMA_ROUNDS, 0.5f, 0.25f);
}

/* Fastest time of one call within about 'budget', in ns. */
static double fastest(locant_task body, struct roof_job *job, double budget)
{
    double least = 0, start = bench_now(), from = start, to;
    int samples = 0;

    do {
        locant_parallel_for((size_t)locant_threads(), body, job);
        to = bench_now();
        if (least == 0 || to - from < least)
            least = to - from;
        from = to;
        samples++;
    } while (to - start < budget || samples < 3);
    return least;
}

/* One buffer for all: it grows to the largest that was asked for. */
static struct {
    float *x;
    size_t bytes;
} buffer;

static bool grow(size_t bytes)
{
    if (bytes <= buffer.bytes)
        return true;
    bench_roof_release();
    buffer.x = locant_alloc(bytes);
    if (buffer.x == NULL)
        return false;
    buffer.bytes = bytes;
    for (size_t i = 0; i < bytes / sizeof(float); i++)
        buffer.x[i] = 1;
    return true;
}

void bench_roof_release(void)
{
    locant_release(buffer.x);
    buffer.x = NULL;
    buffer.bytes = 0;
}

/* More than LARGEST is no other than LARGEST: no cache holds either. */
static double memory_roof(locant_task body, size_t bytes, double moves,
                          double budget)
{
    struct roof_job job = { .kernels = best() };
    size_t threads = (size_t)locant_threads(), step = PAD * sizeof(float);
    size_t part = (bytes < LARGEST ? bytes : LARGEST) / threads / step * step;

    if (part == 0)
        part = step;
    if (!grow(part * threads))
        return 0;
    job.x = buffer.x;
    job.n = part / sizeof(float);
    job.times = part < SAMPLE_BYTES ? SAMPLE_BYTES / part : 1;
    return moves * (double)part * (double)threads * (double)job.times /
           fastest(body, &job, budget);
}

static double arithmetic_roof(locant_task body, double flops, double budget)
{
    struct roof_job job = { .kernels = best() };

    return flops * FMA_ROUNDS * locant_threads() /
           fastest(body, &job, budget);
}

enum bench_roof bench_bound(const struct bench_case *c, const char *isa)
{
    if (c->work->roof != ROOF_FMA || c->dtype != LOCANT_BF16)
        return c->work->roof;
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
        if (strcmp(all[k]->isa, isa) == 0 && all[k]->dot != NULL)
            return ROOF_DOT;
    return ROOF_FMA;
}

double bench_roof(enum bench_roof roof, size_t bytes, double budget)
{
    if (roof == ROOF_STREAM)
        return memory_roof(stream_task, bytes, 2, budget);
    if (roof == ROOF_READ)
        return memory_roof(read_task, bytes, 1, budget);
    if (roof == ROOF_FMA)
        return arithmetic_roof(fma_task, best()->flops, budget);
    if (roof == ROOF_DOT && best()->dot != NULL)
        return arithmetic_roof(dot_task, best()->dot_flops, budget);
    return 0;
}

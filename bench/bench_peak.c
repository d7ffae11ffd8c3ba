/*
 * bench_peak.c - peak speeds of the machine, measured in the same run and with
 * the same number of threads as the cases.
 *
 * A sample takes about a millisecond, in which each thread passes over its own
 * slice many times.  Waking a thread takes some 30 us on a virtual machine;
 * samples of that length gave half the speed.
 */
#include "bench.h"
#include "peak_kernels.h"
#include <string.h>

static const struct peak_kernels *const all[] = {
#ifdef LCT_HAVE_AVX512BF16
    &peak_avx512bf16,
#endif
#ifdef LCT_HAVE_AVX512
    &peak_avx512,
#endif
#ifdef LCT_HAVE_AVX2
    &peak_avx2,
#endif
#ifdef LCT_HAVE_NEON
    &peak_neon,
#endif
#ifdef LCT_HAVE_BASE
    &peak_base,
#endif
};

/* The best instruction set of this CPU, even if another is in use, because a
   peak describes the machine. */
static const struct peak_kernels *best(void)
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

enum {
    FMA_ROUNDS = 1000000,
    MOST_TASKS = 1024,
    SAMPLE_BYTES = 32 << 20,
    LARGEST = 256 << 20, /* bytes, more than every cache */
    PAD = 16             /* floats of a cache line */
};

struct peak_job {
    const struct peak_kernels *kernels;
    float *x;
    size_t n, times; /* floats of a task, and passes over them */
    struct {
        float value, pad[PAD - 1];
    } sink[MOST_TASKS];
};

static void stream_task(void *context, size_t task, int slot)
{
    struct peak_job *job = context;

    (void)slot;
    for (size_t i = 0; i < job->times; i++)
        job->kernels->stream(job->x + task * job->n, job->n);
}

static void read_task(void *context, size_t task, int slot)
{
    struct peak_job *job = context;

    (void)slot;
    for (size_t i = 0; i < job->times; i++)
        job->sink[task].value +=
            job->kernels->read(job->x + task * job->n, job->n);
}

static void fma_task(void *context, size_t task, int slot)
{
    struct peak_job *job = context;

    (void)slot;
    job->sink[task].value = job->kernels->fma(FMA_ROUNDS, 0.5f, (float)task);
}

static void dot_task(void *context, size_t task, int slot)
{
    struct peak_job *job = context;

    (void)slot;
    job->sink[task].value = job->kernels->dot(FMA_ROUNDS, 0.5f, 0.25f);
}

/* Fastest time of one call, in ns, within about 'budget' ns. */
static double fastest(locant_task body, struct peak_job *job, double budget)
{
    double least = 0, start = bench_clock_wall(), from = start, to;
    int samples = 0;

    do {
        locant_parallel_for((size_t)locant_threads(), body, job);
        to = bench_clock_wall();
        if (least == 0 || to - from < least)
            least = to - from;
        from = to;
        samples++;
    } while (to - start < budget || samples < 3);
    return least;
}

/* One buffer for all tasks; it grows to the largest size needed. */
static struct {
    float *x;
    size_t bytes;
} buffer;

static bool grow(size_t bytes)
{
    if (bytes <= buffer.bytes)
        return true;
    bench_peak_release();
    buffer.x = locant_alloc(bytes);
    if (buffer.x == NULL)
        return false;
    buffer.bytes = bytes;
    for (size_t i = 0; i < bytes / sizeof(float); i++)
        buffer.x[i] = 1;
    return true;
}

void bench_peak_release(void)
{
    locant_release(buffer.x);
    buffer.x = NULL;
    buffer.bytes = 0;
}

/* moves: how often a byte is moved, as it is read and perhaps written. */
static double memory_peak(locant_task body, size_t bytes, double moves,
                          double budget)
{
    struct peak_job job = { .kernels = best() };
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

static double arithmetic_peak(locant_task body, double flops, double budget)
{
    struct peak_job job = { .kernels = best() };

    return flops * FMA_ROUNDS * locant_threads() / fastest(body, &job, budget);
}

enum bench_peak bench_bound(const struct bench_case *c, const char *isa)
{
    if (c->work->peak != PEAK_FMA || c->dtype != LOCANT_BF16)
        return c->work->peak;
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
        if (strcmp(all[k]->isa, isa) == 0 && all[k]->dot != NULL)
            return PEAK_DOT;
    return PEAK_FMA;
}

double bench_peak_speed(enum bench_peak peak, size_t bytes, double budget)
{
    if (peak == PEAK_STREAM)
        return memory_peak(stream_task, bytes, 2, budget);
    if (peak == PEAK_READ)
        return memory_peak(read_task, bytes, 1, budget);
    if (peak == PEAK_FMA)
        return arithmetic_peak(fma_task, best()->flops, budget);
    if (peak == PEAK_DOT && best()->dot != NULL)
        return arithmetic_peak(dot_task, best()->dot_flops, budget);
    return 0;
}

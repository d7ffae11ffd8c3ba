/*
 * bench_roof.c - the machine's roofs, in the same run and on the same threads
 * as what is compared with them.
 */
#include "bench.h"
#include "roof_kernels.h"
#include <string.h>

static const struct roof_kernels *const all[] = {
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

enum { FMA_ROUNDS = 20000, MOST_TASKS = 1024 };

struct roof_job {
    const struct roof_kernels *kernels;
    float *x;
    size_t n; /* per task */
    float sink[MOST_TASKS];
};

static void stream_task(void *context, size_t task, int slot)
{
    struct roof_job *job = context;

    (void)slot;
    job->kernels->stream(job->x + task * job->n, job->n);
}

static void read_task(void *context, size_t task, int slot)
{
    struct roof_job *job = context;

    (void)slot;
    job->sink[task] = job->kernels->read(job->x + task * job->n, job->n);
}

static void fma_task(void *context, size_t task, int slot)
{
    struct roof_job *job = context;

    (void)slot;
    job->sink[task] = job->kernels->fma(FMA_ROUNDS, 0.5f, (float)task);
}

static void run_stream(void *job)
{
    locant_parallel_for((size_t)locant_threads(), stream_task, job);
}

static void run_read(void *job)
{
    locant_parallel_for((size_t)locant_threads(), read_task, job);
}

static void run_fma(void *job)
{
    locant_parallel_for((size_t)locant_threads(), fma_task, job);
}

/* Fastest time of one call, in ns: what the machine can do. */
static double fastest(void (*run)(void *), size_t bytes)
{
    struct roof_job job = { .kernels = best() };
    struct bench_result r = { 0 };

    job.n = bytes / sizeof(float) / (size_t)locant_threads();
    if (bytes > 0)
        job.x = locant_alloc(bytes);
    if (bytes > 0 && job.x == NULL)
        return 0;
    bench_time(&r, run, &job, 100e6);
    locant_release(job.x);
    return r.min_ns;
}

/* One entry each is remembered: rows of one size follow one another. */
struct memo {
    size_t bytes;
    int threads;
    double speed;
};

static double remembered(struct memo *m, void (*run)(void *), size_t bytes,
                         double moved)
{
    if (m->bytes != bytes || m->threads != locant_threads()) {
        double ns = fastest(run, bytes);

        m->bytes = bytes;
        m->threads = locant_threads();
        m->speed = ns > 0 ? moved / ns : 0;
    }
    return m->speed;
}

double bench_stream(size_t bytes)
{
    static struct memo m;

    return remembered(&m, run_stream, bytes, 2.0 * (double)bytes);
}

double bench_read(size_t bytes)
{
    static struct memo m;

    return remembered(&m, run_read, bytes, (double)bytes);
}

double bench_fma(void)
{
    static struct memo m;

    return remembered(&m, run_fma, 0, best()->flops * FMA_ROUNDS *
                                          locant_threads());
}

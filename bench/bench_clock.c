/* bench_clock.c - clocks of this process */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include <time.h>

static double nanoseconds(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

double bench_clock_wall(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

double bench_clock_cpu(void)
{
    return nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
}

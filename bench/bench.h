/* bench.h - what one row of the benchmark is */
#ifndef BENCH_H
#define BENCH_H
#include "locant.h"
#include <stdbool.h>

/* What a speed is a part of. */
enum bench_roof {
    ROOF_NONE,
    ROOF_STREAM, /* reading and writing the same bytes in place */
    ROOF_FMA     /* fused multiply-adds from registers */
};

/* One row of the table of cases. */
struct bench_case {
    const char *name;
    const struct bench_work *work;
    const char *spec;  /* encoding */
    int64_t heads, tokens, dim;
    bool causal;
    bool quick;        /* also measured by --quick */
};

/*
 * One kind of work.  'setup' allocates and returns NULL when it cannot;
 * 'check' returns NULL when the results are right, else what is wrong.
 */
struct bench_work {
    const char *unit;
    enum bench_roof roof;
    bool every_isa;    /* else measured once, on the best */
    bool one_thread;
    void *(*setup)(const struct bench_case *c);
    const char *(*check)(void *state);
    void (*run)(void *state);
    void (*teardown)(void *state);
    double (*amount)(const struct bench_case *c); /* pairs, bytes or flops */
};

/* What was measured; times are of one call. */
struct bench_result {
    const struct bench_case *c;
    const char *isa;
    int threads, samples;
    double min_ns, median_ns;
    double spread; /* distance of the quartiles / median */
    double speed;  /* in the unit, at the median */
    double part;   /* of the roof, both at their fastest; 0: none */
    double roof;   /* in the unit */
};

extern const struct bench_work work_angle, work_angle_libm, work_rotate,
    work_rotate_naive, work_forward, work_backward;

double bench_now(void); /* ns */

/* Time 'run' for about 'budget' ns: samples, min_ns, median_ns, spread. */
void bench_time(struct bench_result *r, void (*run)(void *), void *state,
                double budget);

/* The machine's roofs with the threads of now: GB/s, GB/s, GFLOP/s. */
double bench_stream(size_t bytes);
double bench_read(size_t bytes);
double bench_fma(void);

enum bench_format { FORMAT_MARKDOWN, FORMAT_JSON, FORMAT_CSV };
void bench_print_head(enum bench_format format, bool quick);
void bench_print_row(enum bench_format format, const struct bench_result *r,
                     bool first);
void bench_print_foot(enum bench_format format);
#endif

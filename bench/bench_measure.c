/*
 * bench_measure.c - measures one row: checks, times, compares with the peak.
 *
 * A sample takes at least 20 us.  The peak is measured before, between and
 * after the samples of each row, because a shared machine changes from one
 * second to the next.  The fastest sample is compared with the fastest peak,
 * which removes the noise of other processes.  Samples of a case and of its
 * baseline alternate.  A row has a note if its threads did not run all the
 * time: other processes had the CPUs, or the work did not divide evenly.
 */
#include "bench.h"
#include <stdarg.h>
#include <string.h>

enum { ROUNDS = 3, MOST_SAMPLES = 102 };

/* Runs the case, or its baseline. */
struct runner {
    void (*run)(void *);
    void *state;
    int calls;               /* per sample */
    double once;             /* ns of a first sample */
    double ns[MOST_SAMPLES]; /* per call */
    int n;                   /* samples taken */
};

static double time_sample(const struct runner *x)
{
    double t = bench_clock_wall();

    for (int i = 0; i < x->calls; i++)
        x->run(x->state);
    return bench_clock_wall() - t;
}

static void take_sample(struct runner *x)
{
    x->ns[x->n++] = time_sample(x) / x->calls;
}

/* Whether a sample is so long that cold caches do not matter. */
static bool is_slow(const struct runner *x)
{
    return x->once > 50e6;
}

/*
 * Choose how many calls make a sample, so that the clock is fine enough.  A
 * slow sample is kept as a measurement, because it needs no warm-up.
 */
static void choose_calls(struct runner *x)
{
    const double least = 20e3;

    x->calls = 1;
    while ((x->once = time_sample(x)) < least)
        x->calls *= 2;
    if (is_slow(x))
        x->ns[x->n++] = x->once / x->calls;
}

/* Bytes for the measurement of the peak; 'amount' counts reads and writes. */
static size_t peak_bytes(const struct bench_case *c)
{
    double amount = c->work->amount(c);

    return (size_t)(c->work->peak == PEAK_STREAM ? amount / 2 : amount);
}

static void update_peak(struct bench_result *r, double budget)
{
    enum bench_peak bound = bench_bound(r->c, r->isa);
    double speed = bound == PEAK_NONE
                       ? 0
                       : bench_peak_speed(bound, peak_bytes(r->c), budget);

    if (speed > r->peak)
        r->peak = speed;
}

/* Takes samples of x, and of y if it is not NULL, in turn. */
static void time_round(struct bench_result *r, struct runner *x,
                       struct runner *y, int samples)
{
    double cpu = -bench_clock_cpu(), wall = -bench_clock_wall();

    for (int i = 0; i < samples; i++) {
        take_sample(x);
        if (y != NULL)
            take_sample(y);
    }
    cpu += bench_clock_cpu();
    wall += bench_clock_wall();
    if (r->cpus == 0 || cpu / wall < r->cpus)
        r->cpus = cpu / wall;
}

/* Measures x, y and the peak.  A sample kept by choose_calls() is a round. */
static void time_rounds(struct bench_result *r, struct runner *x,
                        struct runner *y, double budget)
{
    const double longest = 2e9; /* longer samples are not repeated */
    const double burst = budget / 20;
    double both;
    int each; /* samples per round */

    update_peak(r, burst);
    choose_calls(x);
    if (y != NULL)
        choose_calls(y);
    both = x->once + (y != NULL ? y->once : 0);
    each = (int)(budget / both / ROUNDS);
    each = each < 1                       ? 1
           : each > MOST_SAMPLES / ROUNDS ? MOST_SAMPLES / ROUNDS
                                          : each;
    for (int round = x->n; round < ROUNDS && x->once < longest; round++) {
        update_peak(r, burst);
        if (!is_slow(x))
            x->run(x->state); /* the peak has evicted its operands */
        time_round(r, x, y, each);
    }
    update_peak(r, burst);
}

/* ----------------------------------------------------------------- one row */

void bench_note(struct bench_result *r, const char *format, ...)
{
    size_t n = strlen(r->note);
    va_list args;

    if (n > 0)
        n += (size_t)snprintf(r->note + n, sizeof(r->note) - n, "; ");
    va_start(args, format);
    vsnprintf(r->note + n, sizeof(r->note) - n, format, args);
    va_end(args);
}

void bench_note_idle(struct bench_result *r)
{
    if (r->cpus > 0 && r->cpus < 0.8 * r->threads)
        bench_note(r, "%.1f of %d CPUs", r->cpus, r->threads);
}

static void summarise(struct bench_result *r, struct runner *x,
                      struct runner *y)
{
    const struct bench_work *w = r->c->work;
    double amount = w->amount(r->c);
    struct bench_summary s = bench_summarise(x->ns, x->n);

    r->samples = x->n;
    r->min_ns = s.min;
    r->median_ns = s.median;
    r->spread = s.spread;
    /* work per time, or time per work */
    r->speed =
        strncmp(w->unit, "ns/", 3) == 0 ? s.median / amount : amount / s.median;
    if (r->peak > 0) {
        r->of_peak = amount / s.min / r->peak;
        r->of_peak_median = amount / s.median / r->peak;
    }
    if (y != NULL) {
        struct bench_summary other = bench_summarise(y->ns, y->n);

        r->of_baseline = other.min / s.min;
        r->of_baseline_median = other.median / s.median;
    }
    bench_note_idle(r);
    if (bench_bound(r->c, r->isa) != w->peak)
        bench_note(r, "peak: dot products");
}

const char *bench_cannot(struct bench_result *r, const char *why)
{
    snprintf(r->note, sizeof(r->note), "%s", why);
    r->cannot = true;
    return NULL;
}

/* The runner of the baseline, whose case 'other' becomes; NULL if there is none
   or its setup fails. */
static struct runner *open_baseline(struct runner *y, struct bench_case *other,
                                    const struct bench_case *c)
{
    if (c->work->baseline == NULL || !c->work->baseline(other, c))
        return NULL;
    *y = (struct runner){ .run = other->work->run,
                          .state = other->work->setup(other) };
    return y->state != NULL ? y : NULL;
}

const char *bench_measure(struct bench_result *r, bool quick)
{
    const struct bench_work *w = r->c->work;
    struct runner x = { .run = w->run }, y_memory, *y;
    struct bench_case other;
    /* with every_isa there are many rows, so each gets less time */
    double budget = w->every_isa ? 20e6 : 60e6; /* ns */
    const char *wrong = NULL;

    if (w->measure != NULL)
        return w->measure(r, quick);
    x.state = w->setup(r->c);
    if (x.state == NULL)
        return bench_cannot(r, locant_last_error());
    wrong = w->check(x.state);
    if (wrong == NULL) {
        y = open_baseline(&y_memory, &other, r->c);
        if (!quick)
            budget = 600e6;
        time_rounds(r, &x, y, budget);
        summarise(r, &x, y);
        if (y != NULL)
            other.work->teardown(y->state);
    }
    w->teardown(x.state);
    return wrong;
}

/*
 * bench_measure.c - one row: checked, then timed, then judged.
 *
 * A sample is at least 20 us long.  The roof is measured before, between and
 * after the samples of each row, for a shared machine changes from one second
 * to the next; fastest stands against fastest, since the noise of others is no
 * part of a roof.  A case that is compared with another takes turns with it.  A
 * row whose threads did not run all the time says so: others had the CPUs, or
 * the work did not divide.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include <string.h>
#include <time.h>

static double ask_clock(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

double bench_now(void)
{
    return ask_clock(CLOCK_MONOTONIC);
}

double bench_cpu(void)
{
    return ask_clock(CLOCK_PROCESS_CPUTIME_ID);
}

enum { ROUNDS = 3, MOST_SAMPLES = 102 };

/* One of the two that take turns. */
struct runner {
    void (*run)(void *);
    void *state;
    int calls; /* of one sample */
    double once; /* ns of a sample */
    double ns[MOST_SAMPLES];
    int n;
};

static double sample(const struct runner *x)
{
    double t = bench_now();

    for (int i = 0; i < x->calls; i++)
        x->run(x->state);
    return bench_now() - t;
}

static void take(struct runner *x)
{
    x->ns[x->n++] = sample(x) / x->calls;
}

/* A work that takes this long needs no warming of caches. */
static bool slow(const struct runner *x)
{
    return x->once > 50e6;
}

/*
 * How many calls a sample needs, so that the clock does not matter.  Where one
 * takes long, this first one counts already: setting up warmed it.
 */
static void size_up(struct runner *x)
{
    const double least = 20e3;

    x->calls = 1;
    while ((x->once = sample(x)) < least)
        x->calls *= 2;
    if (slow(x))
        x->ns[x->n++] = x->once / x->calls;
}

/* What a roof does with that much work: the amount counts reading and writing.
 */
static size_t roof_bytes(const struct bench_case *c)
{
    double amount = c->work->amount(c);

    return (size_t)(c->work->roof == ROOF_STREAM ? amount / 2 : amount);
}

static void better_roof(struct bench_result *r, double budget)
{
    enum bench_roof bound = bench_bound(r->c, r->isa);
    double speed = bound == ROOF_NONE ? 0
                 : bench_roof(bound, roof_bytes(r->c), budget);

    if (speed > r->roof)
        r->roof = speed;
}

static void round_of(struct bench_result *r, struct runner *x,
                     struct runner *y, int samples)
{
    double cpu = -bench_cpu(), wall = -bench_now();

    for (int i = 0; i < samples; i++) {
        take(x);
        if (y != NULL)
            take(y);
    }
    cpu += bench_cpu();
    wall += bench_now();
    if (r->cpus == 0 || cpu / wall < r->cpus)
        r->cpus = cpu / wall;
}

/* Samples of 'x', and of 'y' in turns with it (NULL: alone). */
static void time_rounds(struct bench_result *r, struct runner *x,
                        struct runner *y, double budget)
{
    const double longest = 2e9; /* of a sample that is taken once more */
    const double burst = budget / 20;
    double both;
    int each; /* samples of a round */

    better_roof(r, burst);
    size_up(x);
    if (y != NULL)
        size_up(y);
    both = x->once + (y != NULL ? y->once : 0);
    each = (int)(budget / both / ROUNDS);
    each = each < 1 ? 1 : each > MOST_SAMPLES / ROUNDS ? MOST_SAMPLES / ROUNDS
                                                       : each;
    for (int round = x->n; round < ROUNDS && x->once < longest; round++) {
        better_roof(r, burst);
        if (!slow(x))
            x->run(x->state);
        round_of(r, x, y, each);
    }
    better_roof(r, burst);
}

/* ----------------------------------------------------------------- one row */

/* Amount of work per time, or time per amount, in the unit of the work. */
static void judge(struct bench_result *r, struct runner *x, struct runner *y)
{
    const struct bench_work *w = r->c->work;
    double amount = w->amount(r->c);
    struct bench_summary s = bench_summarise(x->ns, x->n);

    r->samples = x->n;
    r->min_ns = s.min;
    r->median_ns = s.median;
    r->spread = s.spread;
    r->speed = strncmp(w->unit, "ns/", 3) == 0 ? s.median / amount
                                               : amount / s.median;
    if (r->roof > 0) {
        r->part = amount / s.min / r->roof;
        r->part_median = amount / s.median / r->roof;
    }
    if (y != NULL) {
        struct bench_summary other = bench_summarise(y->ns, y->n);

        r->beside = other.min / s.min;
        r->beside_median = other.median / s.median;
    }
    /* Threads that waited, for each other or for other processes. */
    if (r->cpus > 0 && r->cpus < 0.8 * r->threads)
        snprintf(r->note, sizeof(r->note), "%.1f of %d CPUs", r->cpus,
                 r->threads);
    if (bench_bound(r->c, r->isa) != w->roof) {
        size_t n = strlen(r->note);

        snprintf(r->note + n, sizeof(r->note) - n, "%sroof: dot products",
                 n > 0 ? "; " : "");
    }
}

static void cannot(struct bench_result *r, const char *why)
{
    snprintf(r->note, sizeof(r->note), "%s", why);
    r->cannot = true;
}

/* The runner of the case beside, if there is one and it can be set up. */
static struct runner *open_beside(struct runner *y, const struct bench_case *c)
{
    struct bench_case other;

    if (c->work->beside == NULL || !c->work->beside(&other, c))
        return NULL;
    *y = (struct runner){ .run = c->work->run,
                          .state = c->work->setup(&other) };
    return y->state != NULL ? y : NULL;
}

const char *bench_measure(struct bench_result *r, bool quick)
{
    const struct bench_work *w = r->c->work;
    struct runner x = { .run = w->run }, y_memory, *y;
    const char *wrong = NULL;

    if (w->measure != NULL)
        return w->measure(r, quick);
    x.state = w->setup(r->c);
    if (x.state == NULL) {
        cannot(r, locant_last_error());
        return NULL;
    }
    wrong = w->check(x.state);
    if (wrong == NULL) {
        y = open_beside(&y_memory, r->c);
        /* a quick kernel is timed on every instruction set */
        time_rounds(r, &x, y, !quick ? 600e6 : w->every_isa ? 20e6 : 60e6);
        judge(r, &x, y);
        w->teardown(y != NULL ? y->state : NULL);
    }
    w->teardown(x.state);
    return wrong;
}

/*
 * bench.c - one table of cases, one runner.
 *
 *     locant_bench [--quick] [--json | --csv] [--threads N] [--isa NAME]
 *                  [--only TEXT]
 *
 * Every case is checked before it is timed.  A sample is at least 20 us long; a
 * row gives the median and the minimum of its samples, the distance of the
 * quartiles, the speed at the median, and the part of the machine's own roof,
 * measured in the same run: there fastest stands against fastest, for the noise
 * of a shared machine is no part of a roof.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct bench_case cases[] = {
    { "angles, table of 64 rows", &work_angle, "", 1, 64, 128, .quick = true },
    { "angles, single row", &work_angle, "", 1, 1, 128, .quick = false },
    { "angles by libm, double", &work_angle_libm, "", 1, 64, 128,
      .quick = true },

    { "rotate half, [1,32,1024,128]", &work_rotate, "rope(pairing=half)",
      32, 1024, 128, .quick = true },
    { "rotate interleaved, [1,32,1024,128]", &work_rotate,
      "rope(pairing=interleaved)", 32, 1024, 128, .quick = true },
    { "rotate half, [1,8,64,128]", &work_rotate, "rope(pairing=half)",
      8, 64, 128, .quick = true },
    { "rotate half, [1,32,4096,128]", &work_rotate, "rope(pairing=half)",
      32, 4096, 128, .quick = false },
    { "rotate interleaved, [1,32,4096,128]", &work_rotate,
      "rope(pairing=interleaved)", 32, 4096, 128, .quick = false },
    { "rotate half, plain C loop, [1,32,1024,128]", &work_rotate_naive,
      "rope(pairing=half)", 32, 1024, 128, .quick = true },

    { "forward none, T=S=1024", &work_forward, "none", 4, 1024, 64,
      .quick = true },
    { "forward rope, T=S=1024", &work_forward, "rope", 4, 1024, 64,
      .quick = true },
    { "forward alibi, T=S=1024", &work_forward, "alibi", 4, 1024, 64,
      .quick = true },
    { "forward t5, T=S=1024", &work_forward, "t5", 4, 1024, 64,
      .quick = true },
    { "forward none, causal, T=S=1024", &work_forward, "none", 4, 1024, 64,
      .causal = true },
    { "forward rope, causal, T=S=1024", &work_forward, "rope", 4, 1024, 64,
      .causal = true },
    { "backward none, T=S=1024", &work_backward, "none", 4, 1024, 64,
      .quick = true },
    { "backward rope, T=S=1024", &work_backward, "rope", 4, 1024, 64,
      .quick = true },
    { "backward alibi, T=S=1024", &work_backward, "alibi", 4, 1024, 64,
      .quick = true },
    { "backward t5, T=S=1024", &work_backward, "t5", 4, 1024, 64,
      .quick = true },
    { "backward none, causal, T=S=1024", &work_backward, "none", 4, 1024, 64,
      .causal = true },
};

struct options {
    enum bench_format format;
    bool quick;
    int threads;
    const char *isa, *only;
};

double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double sample(void (*run)(void *), void *state, int calls)
{
    double t = bench_now();

    for (int i = 0; i < calls; i++)
        run(state);
    return bench_now() - t;
}

void bench_time(struct bench_result *r, void (*run)(void *), void *state,
                double budget)
{
    enum { LEAST = 5, MOST = 101 };
    double ns[MOST];
    double t = sample(run, state, 1); /* warm */
    int calls = 1, n;

    while ((t = sample(run, state, calls)) < 20e3)
        calls *= 2;
    n = t * MOST < budget ? MOST : (int)(budget / t);
    if (n < LEAST)
        n = LEAST;
    for (int i = 0; i < n; i++)
        ns[i] = sample(run, state, calls) / calls;
    qsort(ns, (size_t)n, sizeof(ns[0]), ascending);
    r->samples = n;
    r->min_ns = ns[0];
    r->median_ns = ns[n / 2];
    r->spread = (ns[n - 1 - n / 4] - ns[n / 4]) / ns[n / 2];
}

/* Amount of work per time, or time per amount, in the unit of the work. */
static void judge(struct bench_result *r)
{
    const struct bench_work *w = r->c->work;
    double amount = w->amount(r->c);

    r->speed = amount / r->median_ns;
    if (strcmp(w->unit, "ns/pair") == 0)
        r->speed = r->median_ns / amount;
    if (w->roof == ROOF_STREAM) /* the amount counts reading and writing */
        r->roof = bench_stream((size_t)(amount / 2));
    if (w->roof == ROOF_FMA)
        r->roof = bench_fma();
    if (r->roof > 0)
        r->part = amount / r->min_ns / r->roof;
}

/* Returns whether the row could be measured and was right. */
static bool measure(struct bench_result *r, const struct options *o)
{
    const struct bench_work *w = r->c->work;
    void *state;
    const char *wrong;

    if (locant_set_threads(w->one_thread ? 1 : o->threads) != LOCANT_OK)
        return false;
    r->threads = locant_threads();
    state = w->setup(r->c);
    wrong = state == NULL ? "cannot be set up" : w->check(state);
    if (wrong != NULL)
        fprintf(stderr, "locant_bench: %s (%s): %s\n", r->c->name, r->isa,
                wrong);
    else
        bench_time(r, w->run, state, o->quick ? 0.1e9 : 1e9);
    w->teardown(state);
    if (wrong == NULL)
        judge(r);
    return wrong == NULL;
}

static bool wanted(const struct bench_case *c, const struct options *o)
{
    return (c->quick || !o->quick) &&
           (o->only == NULL || strstr(c->name, o->only) != NULL);
}

static bool run_case(const struct bench_case *c, const struct options *o,
                     bool *first)
{
    bool good = true;
    int available;

    for (int i = 0; locant_isa_at(i, &available) != NULL; i++) {
        const char *isa = locant_isa_at(i, NULL);
        struct bench_result r = { .c = c, .isa = isa };

        if (!available || (o->isa != NULL && strcmp(o->isa, isa) != 0))
            continue;
        if (!c->work->every_isa) /* plain C, as the rest of the program */
            r.isa = "-";
        if (locant_set_isa(isa) != LOCANT_OK || !measure(&r, o)) {
            good = false;
        } else {
            bench_print_row(o->format, &r, *first);
            *first = false;
        }
        /* In a hurry, attention on the best only. */
        if (!c->work->every_isa || (o->quick && c->work->roof == ROOF_FMA))
            break;
    }
    return good;
}

static void usage(FILE *f)
{
    fputs("usage: locant_bench [--quick] [--json | --csv] [--threads N] "
          "[--isa NAME] [--only TEXT]\n", f);
}

static bool parse(struct options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;

        if (strcmp(argv[i], "--quick") == 0) {
            o->quick = true;
        } else if (strcmp(argv[i], "--json") == 0) {
            o->format = FORMAT_JSON;
        } else if (strcmp(argv[i], "--csv") == 0) {
            o->format = FORMAT_CSV;
        } else if (strcmp(argv[i], "--threads") == 0 && next != NULL) {
            o->threads = (int)strtol(next, NULL, 10);
            i++;
        } else if (strcmp(argv[i], "--isa") == 0 && next != NULL) {
            o->isa = next;
            i++;
        } else if (strcmp(argv[i], "--only") == 0 && next != NULL) {
            o->only = next;
            i++;
        } else {
            fprintf(stderr, "locant_bench: unknown option '%s'\n", argv[i]);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct options o = { .format = FORMAT_MARKDOWN };
    bool good = true, first = true;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    if (!parse(&o, argc, argv)) {
        usage(stderr);
        return 2;
    }
    if (locant_set_threads(o.threads) != LOCANT_OK ||
        (o.isa != NULL && locant_set_isa(o.isa) != LOCANT_OK)) {
        fprintf(stderr, "locant_bench: %s\n", locant_last_error());
        return 2;
    }
    bench_print_head(o.format, o.quick);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (wanted(&cases[i], &o))
            good = run_case(&cases[i], &o, &first) && good;
    bench_print_foot(o.format);
    return good ? 0 : 1;
}

/*
 * bench_train.c - training steps of 'locant train': batch, forward, backward
 * and optimiser.
 *
 * Each row trains a run on generated text in a temporary store, and stops it
 * when its time budget is used.  The first step, which allocates, and the
 * checkpoint at the end are not timed.
 */
#define _XOPEN_SOURCE 700
#include "bench.h"
#include <string.h>

enum { VOCAB = 256 }; /* bytes */

double bench_train_flops(const struct bench_case *c)
{
    double layers = (double)c->layers, width = (double)(c->heads * c->dim);
    double ff = 4 * width;
    double weights =
        layers * (4 * width * width + 2 * width * ff) + width * VOCAB;

    return 3 * (2 * weights + 2 * layers * width * (double)c->tokens);
}

#ifdef BENCH_LAB
#    include "locant/lab.h"
#    include <ftw.h>
#    include <stdlib.h>
#    include <unistd.h>

/* ----------------------------------------------------------------- growth */

/* A row of a family with 'grows'; all rows so far are kept. */
struct point {
    const struct bench_family *family;
    char spec[128];
    int threads;
    int64_t tokens;
    double ns; /* per token */
};
static struct point points[BENCH_RANGE];
static int n_points;

static bool is_last(const struct bench_case *c, bool quick)
{
    struct bench_range r;

    return bench_range_parse(&r, quick ? c->family->quick
                                       : c->family->tokens) == NULL &&
           c->tokens == r.at[r.n - 1];
}

static void remember(const struct bench_result *r)
{
    struct point p = { .family = r->c->family,
                       .threads = r->threads,
                       .tokens = r->c->tokens,
                       .ns = 1e9 / r->speed };

    snprintf(p.spec, sizeof(p.spec), "%s", r->c->spec);
    if (n_points < BENCH_RANGE)
        points[n_points++] = p;
}

/* Notes how time per token grows with length, and what the cost model says. */
static void note_growth(struct bench_result *r)
{
    double tokens[BENCH_RANGE], ns[BENCH_RANGE], flops[BENCH_RANGE];
    int n = 0;

    for (int i = 0; i < n_points; i++) {
        struct bench_case c = *r->c;

        if (points[i].family != c.family || points[i].threads != r->threads ||
            strcmp(points[i].spec, c.spec) != 0)
            continue;
        c.tokens = points[i].tokens;
        tokens[n] = (double)c.tokens;
        ns[n] = points[i].ns;
        flops[n++] = bench_train_flops(&c);
    }
    if (n > 1)
        bench_note(r,
                   "over %d lengths time per token ~ length^%.2f, cost model"
                   " ^%.2f",
                   n, bench_exponent(tokens, ns, n),
                   bench_exponent(tokens, flops, n));
}

/* ----------------------------------------------------------------- timing */

enum { MOST = 64, STEPS = 1000000 }; /* the budget ends a run long before */

/* Times between the progress reports of a run. */
struct timing {
    double budget;      /* ns, after which the run is stopped */
    double first, last; /* wall clock at the first and the last report */
    double cpu;         /* CPU time between them */
    int64_t step;       /* at the last report */
    double ns[MOST];    /* per step */
    int n, least;       /* samples, and how many are needed */
    bool begun;
};

static int time_step(const locant_progress *p, void *context)
{
    struct timing *w = context;
    double now = bench_clock_wall();

    if (!w->begun) {
        w->begun = true;
        w->first = now;
        w->cpu = -bench_clock_cpu();
    } else {
        w->ns[w->n++] = (now - w->last) / (double)(p->step - w->step);
    }
    w->last = now;
    w->step = p->step;
    if (w->n == MOST || (w->n >= w->least && now - w->first >= w->budget)) {
        w->cpu += bench_clock_cpu();
        return 1;
    }
    return 0;
}

static void summarise(struct bench_result *r, struct timing *w)
{
    double tokens = (double)(r->c->batch * r->c->tokens);
    double flops = bench_train_flops(r->c); /* per token */
    struct bench_summary s = bench_summarise(w->ns, w->n);

    r->samples = w->n;
    r->min_ns = s.min;
    r->median_ns = s.median;
    r->spread = s.spread;
    r->speed = 1e9 * tokens / s.median;
    r->peak *= 1e9 / flops; /* tokens/s */
    r->of_peak = 1e9 * tokens / s.min / r->peak;
    r->of_peak_median = r->speed / r->peak;
    r->cpus = w->cpu / (w->last - w->first);
    bench_note(r, "cost model %.3g MFLOP per token: %.3g GFLOP/s", 1e-6 * flops,
               1e-9 * r->speed * flops);
    bench_note_idle(r);
}

/* ---------------------------------------------------------------- training */

static locant_status train(struct timing *w, locant_store *store,
                           const locant_corpus *corpus,
                           const struct bench_case *c)
{
    locant_train_options o = LOCANT_TRAIN_INIT;
    locant_status status;
    int64_t run;

    o.encoding = c->spec;
    o.layers = c->layers;
    o.heads = c->heads;
    o.width = c->heads * c->dim;
    o.ff = 4 * o.width;
    o.batch = c->batch;
    o.length = c->tokens;
    o.steps = STEPS;
    o.checkpoint_every = STEPS;
    o.progress = time_step;
    o.context = w;
    status = locant_train(&run, store, corpus, &o);
    return status == LOCANT_ERR_INTERRUPTED ? LOCANT_OK : status;
}

static locant_status train_in(struct timing *w, const char *directory,
                              const struct bench_case *c)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    locant_corpus *corpus = NULL;
    locant_store *store = NULL;
    locant_status status;

    o.kind = LOCANT_CORPUS_GENERATED;
    o.seed = 1;
    o.max_bytes = 1 << 20;
    status = locant_corpus_create(&corpus, &o);
    if (status == LOCANT_OK)
        status = locant_store_open(&store, directory);
    if (status == LOCANT_OK)
        status = train(w, store, corpus, c);
    locant_store_close(store);
    locant_corpus_free(corpus);
    return status;
}

static int remove_one(const char *path, const struct stat *s, int kind,
                      struct FTW *walk)
{
    (void)s;
    (void)kind;
    (void)walk;
    return remove(path);
}

static void update_peak(struct bench_result *r, double budget)
{
    double speed = bench_peak_speed(PEAK_FMA, 0, budget);

    r->peak = speed > r->peak ? speed : r->peak;
}

static const char *measure(struct bench_result *r, bool quick)
{
    struct timing w = { .budget = quick ? 150e6 : 1.5e9,
                        .least = quick ? 1 : 3 };
    char directory[] = P_tmpdir "/locant-bench-XXXXXX";

    if (mkdtemp(directory) == NULL)
        return bench_cannot(r, "no folder could be made in " P_tmpdir);
    update_peak(r, w.budget / 20);
    if (train_in(&w, directory, r->c) == LOCANT_OK) {
        update_peak(r, w.budget / 20);
        summarise(r, &w);
        if (r->c->family->grows) {
            remember(r);
            if (is_last(r->c, quick))
                note_growth(r);
        }
    } else {
        bench_cannot(r, locant_last_error());
    }
    nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return NULL;
}
#else
static const char *measure(struct bench_result *r, bool quick)
{
    (void)quick;
    return bench_cannot(r, "this build does not have liblocant_lab");
}
#endif

const struct bench_work work_train = {
    .unit = "tokens/s",
    .doors = LOCANT_DOOR_INPUT | LOCANT_DOOR_ROTATE | LOCANT_DOOR_SCORE |
             LOCANT_DOOR_CONTENT,
    .measure = measure,
};

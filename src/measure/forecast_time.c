/* forecast_time.c - see forecast_time.h */
#include "forecast_time.h"
#include <math.h>

/* More threads than this are taken to be as many. */
enum { MOST_THREADS = 256 };

/* When each thread is free, in seconds from the beginning. */
struct threads {
    double free[MOST_THREADS];
    int n;
};

static void begin(struct threads *t, int n, double at)
{
    t->n = n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : n;
    for (int i = 0; i < t->n; i++)
        t->free[i] = at;
}

/* Run one job of each encoding, in order. */
static void run_round(struct threads *t, const struct lct_forecast_jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        int first = 0;

        for (int k = 1; k < t->n; k++)
            if (t->free[k] < t->free[first])
                first = k;
        t->free[first] += jobs->seconds[i];
    }
}

static double end_of(const struct threads *t)
{
    double end = 0;

    for (int i = 0; i < t->n; i++)
        end = fmax(end, t->free[i]);
    return end;
}

/* Try the learning rates; then all threads begin at the same time. */
static void begin_seeds(struct threads *t, const struct lct_forecast_jobs *jobs)
{
    begin(t, jobs->threads, 0);
    for (int i = 0; i < jobs->rates; i++)
        run_round(t, jobs);
    begin(t, jobs->threads, end_of(t));
}

double lct_forecast_total(const struct lct_forecast_jobs *jobs, int seeds)
{
    struct threads t;

    begin_seeds(&t, jobs);
    for (int s = 0; s < seeds; s++)
        run_round(&t, jobs);
    return end_of(&t) + jobs->after;
}

int lct_forecast_seeds(const struct lct_forecast_jobs *jobs, double limit,
                       int asked)
{
    const int least = asked < LCT_FEWEST_SEEDS ? asked : LCT_FEWEST_SEEDS;
    struct threads t;
    int seeds = 0;

    if (!(limit > 0))
        return asked;
    begin_seeds(&t, jobs);
    while (seeds < asked) {
        run_round(&t, jobs);
        if (end_of(&t) + jobs->after > limit)
            break;
        seeds++;
    }
    return seeds > least ? seeds : least;
}

double lct_work_left(const struct lct_work *w, int threads)
{
    double each[LCT_WORK_KINDS], sum = 0;

    for (int i = 0; i < LCT_WORK_KINDS; i++)
        each[i] = w->timed[i] > 0 ? w->seconds[i] / w->timed[i] : NAN;
    for (int i = 0; i < LCT_WORK_KINDS; i++) {
        const double other = each[1 - i];

        sum += fmax(0, w->total[i] - w->done[i]) *
               (isnan(each[i]) ? other : each[i]);
    }
    return sum / (threads < 1 ? 1 : threads);
}

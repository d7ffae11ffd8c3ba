/* forecast_time.h - the arithmetic of forecasts, without a clock */
#ifndef LCT_FORECAST_TIME_H
#define LCT_FORECAST_TIME_H
#include <stddef.h>

/* A limit leaves at least two seeds: one shows no variation between seeds. */
enum { LCT_FEWEST_SEEDS = 2 };

/* The jobs of a report: one for each encoding, again for each seed, and before
   them for each learning rate that is tried. */
struct lct_forecast_jobs {
    double *seconds; /* [n] of each encoding's job on one thread */
    size_t n;
    int threads, rates;
    double after; /* seconds after the last job */
};

/* Seconds of the whole report. Jobs begin in order, each on the thread that is
   free first; every learning rate is tried before the first seed begins. */
double lct_forecast_total(const struct lct_forecast_jobs *jobs, int seeds);

/* The most seeds, at most 'asked', with which the report ends within 'limit'
   seconds (0: no limit), but at least LCT_FEWEST_SEEDS if as many were asked
   for. */
int lct_forecast_seeds(const struct lct_forecast_jobs *jobs, double limit,
                       int asked);

/* Work of two kinds, of jobs that run in parallel. Their costs are estimates;
   what a kind's cost takes is measured by the jobs themselves. */
enum lct_work_kind { LCT_TRAINS, LCT_EVALUATES, LCT_WORK_KINDS };
struct lct_work {
    double total[LCT_WORK_KINDS];   /* cost of all jobs */
    double done[LCT_WORK_KINDS];    /* of it, in this session or before */
    double timed[LCT_WORK_KINDS];   /* of it, in this session */
    double seconds[LCT_WORK_KINDS]; /* that threads took for 'timed' */
};

/* Seconds left if all threads stay busy. A kind that has not been timed is
   taken to be as fast as the other; NAN if neither has been. */
double lct_work_left(const struct lct_work *w, int threads);
#endif

/*
 * forecast.c - times every encoding and chooses how many seeds fit a limit.
 *
 * For every encoding one thread trains a few steps on the text, and passes
 * windows of the shortest and the longest length through the model. As many
 * encodings are timed in parallel as there are threads. The time of a token
 * grows linearly with the length of its window, because of attention, so these
 * two give the time of every window of an evaluation. Jobs are then laid out on
 * the threads as they will run. Probes after the last job count as so many
 * tokens. The forecast leaves out the reading of the text before it, and the
 * page: half a second together on the machine of docs/SPEED.md.
 */
#define _POSIX_C_SOURCE 200809L
#include "forecast.h"
#include "../store/clock.h"
#include "../files/hash.h"
#include "../store/notice.h"
#include "jobs.h"
#include "measures.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ timing */

enum { SHORTEST = 128, LONGEST = 2048 };

/* What probing one model takes, in tokens evaluated in windows of the shortest
   length: measured with the models of smoke, eight encodings. */
enum { PROBE_TOKENS = 137000 };

struct timing {
    const struct lct_plan *plan;
    double *seconds; /* [n] of a job */
    double *probe;   /* [n] of the probes of its first model */
};

/* Fill with pseudo-random bytes. Any would do: times do not depend on them. */
static void fill(int32_t *tokens, size_t n)
{
    uint32_t x = 1;

    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        tokens[i] = (int32_t)(x >> 24);
    }
}

/* The less of the times of two forward passes over LONGEST tokens, after one
   that touches memory for the first time. */
static locant_status time_passes(double *seconds, struct lct_model *m,
                                 const int32_t *tokens, int64_t T)
{
    *seconds = INFINITY;
    for (int i = 0; i < 3; i++) {
        const double begun = lct_clock();
        double loss;

        LCT_TRY(
            lct_model_forward(m, tokens, tokens, LONGEST / T, T, NULL, &loss));
        if (i > 0)
            *seconds = fmin(*seconds, lct_clock() - begun);
    }
    return LOCANT_OK;
}

/* Seconds of a token in windows of T tokens. */
static locant_status
time_token(double *seconds, const struct lct_model_config *config, int64_t T)
{
    int32_t *tokens = locant_alloc(LONGEST * sizeof *tokens);
    struct lct_model *m = NULL;
    locant_status status = LOCANT_OK;

    if (tokens == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "locant_report_run: no memory for a forecast");
    else
        fill(tokens, LONGEST);
    if (status == LOCANT_OK)
        status = lct_model_create(&m, config, LONGEST / T, T, false);
    if (status == LOCANT_OK)
        status = lct_model_init(m, 1);
    if (status == LOCANT_OK)
        status = time_passes(seconds, m, tokens, T);
    *seconds /= (double)(LONGEST / T * T);
    lct_model_free(m);
    locant_release(tokens);
    return status;
}

/* Seconds of the evaluations of encoding i, if a token takes 'near' in the
   shortest windows and 'far' in those of 'reach'. */
static double evaluation_seconds(const struct lct_plan *plan, size_t i,
                                 int64_t reach, double near, double far)
{
    const int64_t blocks = plan->blocks, length = plan->train.length;
    const double slope =
        reach > SHORTEST ? (far - near) / (double)(reach - SHORTEST) : 0;
    double mean;
    const double tokens = lct_evaluation_windows(&mean, blocks, length, reach);
    /* measures read windows of all lengths: 1364 on average */
    const double more =
        (double)lct_measures_tokens(blocks, plan->specs[i], length);

    return tokens * (near + slope * (mean - SHORTEST)) +
           more * (near + slope * (1364 - SHORTEST));
}

static locant_status time_encoding(struct lct_job *job)
{
    struct timing *t = job->jobs->state;
    const struct lct_plan *plan = t->plan;
    const size_t i = job->i;
    locant_train_options o = plan->train;
    struct lct_model_config config;
    double step = 0, near = 0, far = 0;
    locant_encoding *e;
    int64_t reach;
    locant_status status;

    LCT_TRY(locant_encoding_create(&e, plan->specs[i]));
    config = lct_train_config(&o, e);
    reach = locant_encoding_length_limit(e) < LONGEST ? SHORTEST : LONGEST;
    o.encoding = plan->specs[i];
    status = lct_train_time(&step, job->jobs->lab.corpus, &o);
    if (status == LOCANT_OK)
        status = time_token(&near, &config, SHORTEST);
    far = near;
    if (status == LOCANT_OK && reach > SHORTEST)
        status = time_token(&far, &config, reach);
    locant_encoding_free(e);
    t->seconds[i] =
        (double)o.steps * step + evaluation_seconds(plan, i, reach, near, far);
    t->probe[i] = PROBE_TOKENS * near;
    return status;
}

/* Time the plan's jobs. Probes run one after another, each on all threads. */
static locant_status time_jobs(struct lct_forecast_jobs *out,
                               const struct lct_plan *plan,
                               const locant_report_options *o,
                               const locant_corpus *corpus)
{
    const size_t n = plan->n;
    const struct lct_stage stage = { time_encoding, n };
    double *seconds = locant_alloc(2 * n * sizeof *seconds);
    struct timing t = { plan, seconds, seconds ? seconds + n : NULL };
    struct lct_jobs jobs = { .state = &t, .lab.corpus = corpus };

    if (seconds == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for %zu encodings", n);
    *out = (struct lct_forecast_jobs){ .seconds = seconds,
                                       .n = n,
                                       .threads = locant_threads(),
                                       .rates = plan->n_rates };
    LCT_TRY(lct_jobs_run(&jobs, &stage, 1));
    for (size_t i = 0; i < n && o->preset != LOCANT_PRESET_SMOKE; i++)
        out->after += t.probe[i] / out->threads;
    return LOCANT_OK;
}

/* Time the plan, and choose the seeds that fit the limit. */
static locant_status time_plan(struct lct_forecast *f,
                               const struct lct_plan *plan,
                               const locant_report_options *o,
                               const locant_corpus *corpus)
{
    struct lct_forecast_jobs jobs = { .seconds = NULL };
    locant_status status = time_jobs(&jobs, plan, o, corpus);

    f->seconds_per_seed = 0;
    for (size_t i = 0; i < jobs.n && status == LOCANT_OK; i++)
        f->seconds_per_seed += jobs.seconds[i] / jobs.threads;
    f->fixed_seconds = f->seconds_per_seed * plan->n_rates + jobs.after;
    if (status == LOCANT_OK) {
        f->seeds = lct_forecast_seeds(&jobs, f->limit, f->asked);
        f->total = lct_forecast_total(&jobs, f->seeds);
    }
    locant_release(jobs.seconds);
    return status;
}

/* ------------------------------------------------------------------- limit */

/* The limit in seconds, 0 for none. Without 'minutes' it is the limit that the
   help of the preset states, or none if seeds were asked for. */
static double limit_of(const locant_report_options *o)
{
    static const int minutes[] = { [LOCANT_PRESET_QUICK] = 12,
                                   [LOCANT_PRESET_HOUR] = 60,
                                   [LOCANT_PRESET_FULL] = 0,
                                   [LOCANT_PRESET_HOMEWORK] = 5 };

    if (o->minutes > 0)
        return 60.0 * o->minutes;
    return o->seeds > 0 ? 0 : 60.0 * minutes[o->preset];
}

/* The key of the forecast in the store. Reports with the same key use the same
   forecast. */
static void print_key(char out[128], const struct lct_plan *plan,
                      const locant_corpus *corpus, double limit)
{
    uint64_t h =
        lct_hash(LCT_HASH_BEGIN, locant_corpus_info_of(corpus)->sha256, 64);

    for (size_t i = 0; i < plan->n; i++)
        h = lct_hash(h, plan->specs[i], strlen(plan->specs[i]) + 1);
    h = lct_hash(h, &plan->train.vocabulary, sizeof plan->train.vocabulary);
    h = lct_hash(h, &plan->train.optimizer, sizeof plan->train.optimizer);
    h = lct_hash(h, &plan->train.steps, sizeof plan->train.steps);
    snprintf(out, 128, "seeds;%s;%d;%.0f;%016llx", plan->name, plan->seeds,
             limit, (unsigned long long)h);
}

static locant_status print_forecast(char out[200], const struct lct_forecast *f)
{
    json_t *json =
        json_pack("{s:f, s:f, s:f, s:f, s:i, s:i}", "seed", f->seconds_per_seed,
                  "once", f->fixed_seconds, "total", f->total, "limit",
                  f->limit, "asked", f->asked, "seeds", f->seeds);
    const size_t n = json ? json_dumpb(json, out, 199, 0) : 0;

    json_decref(json);
    if (n == 0 || n > 199)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for a forecast");
    out[n] = '\0';
    return LOCANT_OK;
}

/* Read a stored forecast. False if it is damaged, or of another limit or number
   of seeds. */
static bool read_forecast(struct lct_forecast *f, const char *text)
{
    struct lct_forecast kept = { 0 };
    json_t *json = json_loads(text, 0, NULL);
    bool good = json_unpack(json, "{s:F, s:F, s:F, s:F, s:i, s:i}", "seed",
                            &kept.seconds_per_seed, "once", &kept.fixed_seconds,
                            "total", &kept.total, "limit", &kept.limit, "asked",
                            &kept.asked, "seeds", &kept.seeds) == 0;

    json_decref(json);
    if (!good || kept.limit != f->limit || kept.asked != f->asked ||
        kept.seeds < 1 || kept.seeds > kept.asked ||
        !(kept.seconds_per_seed >= 0) || kept.seconds_per_seed > 1e9 ||
        !(kept.fixed_seconds >= 0) || kept.fixed_seconds > 1e9 ||
        !(kept.total >= 0) || kept.total > 1e9)
        return false;
    *f = kept;
    return true;
}

/* Read the forecast that was made when this report began, or make it now. */
static locant_status decide(struct lct_forecast *f, const struct lct_plan *plan,
                            const locant_report_options *o, locant_store *store,
                            const locant_corpus *corpus)
{
    char key[128], text[200], *kept;
    bool found;

    print_key(key, plan, corpus, f->limit);
    LCT_TRY(lct_store_read_plan(&kept, store, key));
    found = kept != NULL && read_forecast(f, kept);
    locant_release(kept);
    if (found)
        return LOCANT_OK;
    LCT_TRY(time_plan(f, plan, o, corpus));
    LCT_TRY(print_forecast(text, f));
    LCT_TRY(lct_store_keep_plan(&kept, store, key, text));
    if (kept != NULL) /* the forecast of another process, if it was first */
        (void)read_forecast(f, kept);
    locant_release(kept);
    return LOCANT_OK;
}

static void notify(const struct lct_forecast *f, const locant_report_options *o)
{
    char message[256];
    int n = snprintf(message, sizeof message,
                     "about %.1f minutes on this"
                     " machine, minus what the store already has",
                     f->total / 60);

    if (f->seeds < f->asked)
        snprintf(message + n, sizeof message - (size_t)n,
                 ": %d seeds for %d, which would take more than %.0f minutes "
                 "(--seeds %d alone trains them all)",
                 f->seeds, f->asked, f->limit / 60, f->asked);
    lct_notice("report", message, o->progress, o->context);
}

locant_status lct_forecast(struct lct_forecast *out, struct lct_plan *plan,
                           const locant_report_options *options,
                           locant_store *store, const locant_corpus *corpus)
{
    struct lct_forecast f = { .limit = limit_of(options),
                              .asked = plan->seeds,
                              .seeds = plan->seeds };

    *out = (struct lct_forecast){ 0 };
    if (f.limit == 0 && options->with)
        LCT_TRY(time_plan(&f, plan, options, corpus));
    if (f.limit > 0)
        LCT_TRY(decide(&f, plan, options, store, corpus));
    plan->seeds = f.seeds;
    LCT_TRY(lct_forecast_notify_seeds(&f, plan, options->progress,
                                      options->context));
    if (f.limit > 0)
        notify(&f, options);
    *out = f;
    return LOCANT_OK;
}

/*
 * forecast.c - times every encoding and chooses how many seeds fit a limit.
 *
 * For every encoding one thread runs two training steps, then two forward
 * passes over 2048 tokens. The second of each is timed. As many encodings are
 * timed in parallel as there are threads. The forecast leaves out the
 * optimiser, the reading of text, and what follows the last evaluation.
 */
#define _POSIX_C_SOURCE 200809L
#include "forecast.h"
#include "../store/clock.h"
#include "../files/hash.h"
#include "../store/notice.h"
#include "jobs.h"
#include "measures.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------- decision */

int lct_forecast_seeds(const struct lct_forecast *f)
{
    int seeds = f->asked;

    while (f->limit > 0 && seeds > LCT_FEWEST_SEEDS &&
           f->fixed_seconds + seeds * f->seconds_per_seed > f->limit)
        seeds--;
    return seeds;
}

/* ------------------------------------------------------------------ timing */

enum { LONGEST = 2048 };

struct timing {
    const struct lct_plan *plan;
    double *step;  /* [n] seconds of a training step */
    double *token; /* [n] seconds of a token evaluated */
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

/* Time one pass, with backward if 'train': *all is seconds of the whole pass,
   *forward of its forward part. */
static locant_status time_pass(double *all, double *forward,
                               struct lct_model *m, const int32_t *tokens,
                               int64_t B, int64_t T, bool train)
{
    const double begun = lct_clock();
    double loss;

    LCT_TRY(lct_model_forward(m, tokens, tokens, B, T, NULL, &loss));
    *forward = lct_clock() - begun;
    if (train)
        LCT_TRY(lct_model_backward(m));
    *all = lct_clock() - begun;
    return LOCANT_OK;
}

/* Time the second of two passes. */
static locant_status time_model(double *all, double *forward,
                                const struct lct_model_config *config,
                                int64_t B, int64_t T, bool train)
{
    const size_t n = (size_t)(B * T);
    int32_t *tokens = locant_alloc(n * sizeof *tokens);
    struct lct_model *m = NULL;
    locant_status status = LOCANT_OK;

    if (tokens == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "locant_report_run: no memory for a forecast");
    else
        fill(tokens, n);
    if (status == LOCANT_OK)
        status = lct_model_create(&m, config, B, T, train);
    if (status == LOCANT_OK)
        status = lct_model_init(m, 1);
    for (int i = 0; i < 2 && status == LOCANT_OK; i++)
        status = time_pass(all, forward, m, tokens, B, T, train);
    lct_model_free(m);
    locant_release(tokens);
    return status;
}

/*
 * The time of a token grows linearly with the length of its window, because of
 * attention. The windows of an evaluation have about 1000 tokens on average, so
 * the time of a token is taken as the mean of its times at the trained length
 * and at 2048.
 */
static locant_status time_encoding(struct lct_job *job)
{
    struct timing *t = job->jobs->state;
    const size_t i = job->i;
    const locant_train_options *o = &t->plan->train;
    locant_encoding *e;
    struct lct_model_config config;
    double step = 0, short_pass = 0, long_pass = 0, unused;
    int64_t reach;
    locant_status status;

    LCT_TRY(locant_encoding_create(&e, t->plan->specs[i]));
    config = lct_train_config(o, e);
    reach = locant_encoding_length_limit(e) < LONGEST ? o->length : LONGEST;
    status = time_model(&step, &short_pass, &config, o->batch, o->length, true);
    if (status == LOCANT_OK)
        status = time_model(&unused, &long_pass, &config, LONGEST / reach,
                            reach, false);
    locant_encoding_free(e);
    t->step[i] = step;
    t->token[i] =
        (short_pass / (double)(o->batch * o->length) + long_pass / LONGEST) / 2;
    return status;
}

/* Seconds that one seed of encoding i takes on one thread. */
static double seconds_of(const struct timing *t, size_t i)
{
    const int64_t blocks = t->plan->blocks, length = t->plan->train.length;
    const int64_t tokens =
        lct_evaluation_tokens(blocks, length) +
        lct_measures_tokens(blocks, t->plan->specs[i], length);

    return (double)t->plan->train.steps * t->step[i] +
           (double)tokens * t->token[i];
}

static locant_status time_plan(struct lct_forecast *f,
                               const struct lct_plan *plan)
{
    const size_t n = plan->n;
    const struct lct_stage stage = { time_encoding, n };
    double *seconds = locant_alloc(2 * n * sizeof *seconds);
    struct timing t = { plan, seconds, seconds ? seconds + n : NULL };
    struct lct_jobs jobs = { .state = &t };
    locant_status status;

    if (seconds == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for %zu encodings", n);
    status = lct_jobs_run(&jobs, &stage, 1);
    f->seconds_per_seed = 0;
    for (size_t i = 0; i < n && status == LOCANT_OK; i++)
        f->seconds_per_seed += seconds_of(&t, i) / locant_threads();
    f->fixed_seconds = f->seconds_per_seed * plan->n_rates;
    locant_release(seconds);
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

static locant_status print_forecast(char out[160], const struct lct_forecast *f)
{
    json_t *json =
        json_pack("{s:f, s:f, s:f, s:i, s:i}", "seed", f->seconds_per_seed,
                  "once", f->fixed_seconds, "limit", f->limit, "asked",
                  f->asked, "seeds", f->seeds);
    const size_t n = json ? json_dumpb(json, out, 159, 0) : 0;

    json_decref(json);
    if (n == 0 || n > 159)
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
    bool good = json_unpack(json, "{s:F, s:F, s:F, s:i, s:i}", "seed",
                            &kept.seconds_per_seed, "once", &kept.fixed_seconds,
                            "limit", &kept.limit, "asked", &kept.asked, "seeds",
                            &kept.seeds) == 0;

    json_decref(json);
    if (!good || kept.limit != f->limit || kept.asked != f->asked ||
        kept.seeds < 1 || kept.seeds > kept.asked ||
        !(kept.seconds_per_seed >= 0) || kept.seconds_per_seed > 1e9 ||
        !(kept.fixed_seconds >= 0) || kept.fixed_seconds > 1e9)
        return false;
    *f = kept;
    return true;
}

/* Read the forecast that was made when this report began, or make it now. */
static locant_status decide(struct lct_forecast *f, const struct lct_plan *plan,
                            locant_store *store, const locant_corpus *corpus)
{
    char key[128], text[160], *kept;
    bool found;

    print_key(key, plan, corpus, f->limit);
    LCT_TRY(lct_store_read_plan(&kept, store, key));
    found = kept != NULL && read_forecast(f, kept);
    locant_release(kept);
    if (found)
        return LOCANT_OK;
    LCT_TRY(time_plan(f, plan));
    f->seeds = lct_forecast_seeds(f);
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
                     (f->fixed_seconds + f->seeds * f->seconds_per_seed) / 60);

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
        LCT_TRY(time_plan(&f, plan));
    if (f.limit > 0)
        LCT_TRY(decide(&f, plan, store, corpus));
    plan->seeds = f.seeds;
    LCT_TRY(lct_forecast_notify_seeds(&f, plan, options->progress,
                                      options->context));
    if (f.limit > 0)
        notify(&f, options);
    *out = f;
    return LOCANT_OK;
}

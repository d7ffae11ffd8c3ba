/* surface.c - trains a model for every trained length and evaluates it at every
   length */
#define _POSIX_C_SOURCE 200809L
#include "surface.h"
#include "extension.h"
#include "jobs.h"
#include "results_tasks.h"
#include <math.h>
#include <string.h>

enum { WINDOWS = 4 }; /* windows of a block, by P4 */

static const struct grid {
    int64_t trained[LCT_SURFACE_TRAINED]; /* ends with 0 */
    int64_t longest;
    int seeds; /* at most */
} smoke = { { 64, 128 }, 256, 1 }, usual = { { 32, 64, 128, 256 }, 1024, 2 },
  large = { { 32, 64, 128, 256 }, 2048, LCT_SURFACE_SEEDS };

static const struct grid *const grids[] = {
    [LOCANT_PRESET_SMOKE] = &smoke,    [LOCANT_PRESET_QUICK] = &usual,
    [LOCANT_PRESET_HOUR] = &large,     [LOCANT_PRESET_FULL] = &large,
    [LOCANT_PRESET_HOMEWORK] = &usual,
};

/* ------------------------------------------------------------------ create */

static void set_lengths(struct lct_surface *x, const struct grid *g)
{
    while (x->n_trained < LCT_SURFACE_TRAINED && g->trained[x->n_trained]) {
        x->trained[x->n_trained] = g->trained[x->n_trained];
        x->n_trained++;
    }
    for (int64_t length = g->trained[0]; length <= g->longest; length *= 2)
        x->length[x->n_lengths++] = length;
}

/* Is this one of the default encodings? */
static bool is_default(const char *spec)
{
    return strcmp(spec, "sinusoidal") == 0 || strcmp(spec, "rope") == 0 ||
           strcmp(spec, "alibi") == 0;
}

/* Choose the encodings: of all in the plan if 'asked' for, else of the
   defaults. */
static locant_status choose(struct lct_surface *x, const struct lct_plan *plan,
                            bool asked)
{
    const int64_t longest = x->length[x->n_lengths - 1];

    x->encodings = locant_alloc(plan->n * sizeof *x->encodings);
    if (x->encodings == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_report_run: no memory");
    for (size_t i = 0; i < plan->n; i++) {
        locant_encoding *e;
        int64_t reach;

        if (!asked && !is_default(plan->specs[i]))
            continue;
        LCT_TRY(locant_encoding_create(&e, plan->specs[i]));
        reach = locant_encoding_length_limit(e);
        locant_encoding_free(e);
        if (reach >= longest)
            memcpy(x->encodings[x->n++].spec, plan->specs[i],
                   sizeof x->encodings->spec);
        else
            x->left_out++;
    }
    if (x->n == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_report_run: no encoding is defined at %lld"
                           " positions, expected one for the surface",
                           (long long)longest);
    return LOCANT_OK;
}

locant_status lct_surface_create(struct lct_surface **out,
                                 const struct lct_plan *plan,
                                 const locant_report_options *options)
{
    const struct grid *g = grids[options->preset];
    struct lct_surface *x = locant_alloc(sizeof *x);

    *out = x;
    if (x == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_report_run: no memory");
    x->train = plan->train;
    x->want = plan->blocks;
    x->seeds = plan->seeds < g->seeds ? plan->seeds : g->seeds;
    set_lengths(x, g);
    return choose(x, plan, options->encodings != NULL);
}

void lct_surface_fit(struct lct_surface *x, const struct lct_plan *plan)
{
    if (x->seeds > plan->seeds)
        x->seeds = plan->seeds;
}

void lct_surface_free(struct lct_surface *x)
{
    if (x) {
        locant_release(x->loss);
        locant_release(x->encodings);
    }
    locant_release(x);
}

double *lct_surface_at(const struct lct_surface *x, size_t e, int t, int k)
{
    const size_t cell =
        ((size_t)x->n_trained * e + (size_t)t) * (size_t)x->n_lengths +
        (size_t)k;

    return x->loss + cell * (size_t)x->seeds * (size_t)x->blocks;
}

/* --------------------------------------------------------------------- job */

/* What the jobs share. */
struct state {
    struct lct_surface *x;
    struct lct_extension_shared shared;
};

/* The run of a job. Jobs are ordered by seed, so that a report stopped early
   leaves whole seeds. */
struct run_index {
    size_t e;
    int t, seed;
};

static struct run_index run_of_job(const struct lct_surface *x, size_t i)
{
    const size_t trained = (size_t)x->n_trained;

    return (struct run_index){ i / trained % x->n, (int)(i % trained),
                               (int)(i / trained / x->n) };
}

static locant_status train(struct lct_job *job)
{
    const struct state *s = job->jobs->state;
    struct lct_surface *x = s->x;
    const struct run_index at = run_of_job(x, job->i);
    locant_train_options o = x->train;
    char plain[256]; /* without the plan's length; o.length replaces it */

    lct_without_length(plain, x->encodings[at.e].spec, x->train.length);
    o.encoding = plain;
    o.seed = (uint64_t)at.seed + 1;
    o.learning_rate = x->encodings[at.e].rate;
    o.batch = o.batch * o.length / x->trained[at.t];
    o.length = x->trained[at.t];
    return lct_job_train(&x->encodings[at.e].run[at.t][at.seed], job, &o);
}

/* Evaluate the run of a job at every length. */
static locant_status evaluate(struct lct_job *job)
{
    const struct state *s = job->jobs->state;
    const struct lct_surface *x = s->x;
    const struct run_index at = run_of_job(x, job->i);
    struct lct_extension_shared shared = s->shared;
    struct lct_extension_cell cell = {
        .run = x->encodings[at.e].run[at.t][at.seed], .crop = true
    };
    const bool failed = lct_run_failed(shared.store, cell.run);
    locant_run_info run;

    LCT_TRY(locant_store_run(&run, shared.store, cell.run));
    cell.spec = run.encoding;
    shared.context = job;
    for (int k = 0; k < x->n_lengths; k++) {
        double *loss = lct_surface_at(x, at.e, at.t, k) + at.seed * x->blocks;
        double speed;

        cell.length = x->length[k];
        lct_job_expect_tokens(job, (double)(WINDOWS * x->blocks * cell.length));
        for (int64_t b = 0; b < x->blocks; b++)
            loss[b] = NAN;
        if (!failed)
            LCT_TRY(lct_extension_measure(loss, NULL, &speed, &shared, &cell));
    }
    return LOCANT_OK;
}

double lct_surface_cost(const struct lct_surface *x)
{
    const locant_train_options *o = &x->train;
    const double runs = (double)x->n * x->n_trained * x->seeds;
    double read = 0;

    for (int k = 0; k < x->n_lengths; k++)
        read += (double)(WINDOWS * x->want * x->length[k]);
    return runs *
           (LCT_TRAIN_COST * (double)(o->steps * o->batch * o->length) + read);
}

static locant_status run(struct state *s, struct lct_jobs *jobs)
{
    struct lct_surface *x = s->x;
    const size_t runs = x->n * (size_t)(x->n_trained * x->seeds);
    const struct lct_stage stages[] = { { train, runs }, { evaluate, runs } };
    size_t n;

    LCT_TRY(lct_extension_set_blocks(&s->shared, x->want, x->train.vocabulary));
    x->blocks = s->shared.blocks;
    n = runs * (size_t)(x->n_lengths * x->blocks);
    x->loss = locant_alloc(n * sizeof *x->loss);
    if (x->loss == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for %zu losses", n);
    return lct_jobs_run(jobs, stages, 2);
}

/* Copy the learning rates that the plan chose. */
static void copy_rates(struct lct_surface *x, const struct lct_plan *plan)
{
    for (size_t e = 0; e < x->n; e++)
        for (size_t i = 0; i < plan->n; i++)
            if (strcmp(plan->specs[i], x->encodings[e].spec) == 0)
                x->encodings[e].rate = plan->rate[i];
}

locant_status lct_surface_run(struct lct_surface *x,
                              const struct lct_plan *plan,
                              const struct lct_lab *lab)
{
    struct state s = { .x = x,
                       .shared = { .store = lab->store,
                                   .corpus = lab->corpus,
                                   .tick = lct_job_on_tick } };
    struct lct_jobs jobs = { .state = &s,
                             .phase = "surface",
                             .lab = *lab,
                             .total_cost = lct_surface_cost(x) };
    locant_status status;

    copy_rates(x, plan);
    status = run(&s, &jobs);
    x->failures = jobs.failures;
    x->seconds = jobs.seconds;
    return status;
}

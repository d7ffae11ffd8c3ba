/*
 * extension.c - trains a model with RoPE for each seed, fine-tunes it, and
 * evaluates every method and every fine-tune at every length.
 *
 * Stages: base runs; fine-tunes of them on text, and runs that learn to find
 * needles; fine-tunes of the latter; losses; searches for needles. Every result
 * is stored at once, so after a stop the same call continues the work.
 */
#define _POSIX_C_SOURCE 200809L
#include "extension.h"
#include "jobs.h"
#include "tasks.h"
#include <inttypes.h>
#include <math.h>

enum { TUNINGS = 8 }; /* at most */

/* What the jobs share. */
struct state {
    const struct lct_extension_plan *plan;
    struct lct_extension *x;
    struct lct_extension_shared shared;
    locant_optimizer optimizer; /* of the runs on text */
    int vocabulary;
    /* ids of runs, 0: never begun; those of base runs are in x->base */
    int64_t needle[LCT_EXT_SEEDS];
    int64_t tuned[LCT_EXT_SEEDS][TUNINGS];
    int64_t tuned_needle[LCT_EXT_SEEDS][TUNINGS];
};

static size_t methods(void)
{
    return (size_t)lct_extension_methods();
}

static size_t tunings(void)
{
    return (size_t)lct_extension_tunings();
}

/* True if the loss of the run stopped being finite, or if the run never began
   because its parent had failed. A failed run is not continued or evaluated. */
static bool has_failed(const struct state *s, int64_t run)
{
    return run == 0 || lct_run_failed(s->shared.store, run);
}

/* ---------------------------------------------------------------- training */

static locant_status train_base(struct lct_job *job)
{
    const struct state *s = job->jobs->state;
    locant_train_options o = lct_extension_options(s->plan);

    o.seed = job->i + 1;
    o.optimizer = s->optimizer;
    o.vocabulary = s->vocabulary;
    return lct_job_train(&s->x->base[job->i], job, &o);
}

/*
 * Fine-tune a base run on text, or a run that learned to find needles on
 * needles. A fine-tune has as many tokens per step as the base run, a twentieth
 * of the steps, and a tenth of the base learning rates.
 */
static locant_status tune(struct lct_job *job, size_t seed, size_t which,
                          bool needle)
{
    struct state *s = job->jobs->state;
    const struct lct_extension_tuning *how = lct_extension_tuning((int)which);
    locant_train_options o = lct_extension_options(s->plan);
    char spec[256];

    LCT_TRY(lct_extension_spec(spec, how->train, LCT_EXT_TUNED_FACTOR));
    if (needle) {
        const int64_t batch = o.batch;

        LCT_TRY(locant_task_options(&o, "T12"));
        o.batch = batch;
        o.steps = s->plan->needle_steps;
    }
    o.encoding = spec;
    o.seed = seed + 1;
    o.optimizer = s->optimizer;
    o.parent = needle ? s->needle[seed] : s->x->base[seed];
    o.batch = o.batch * LCT_EXT_TRAINED / how->length;
    o.length = how->length;
    o.steps = lct_extension_tuned_steps(o.steps);
    o.learning_rate = s->plan->rate / 10;
    o.muon_rate /= 10;
    o.constant_rate = 1;
    return has_failed(s, o.parent)
               ? LOCANT_OK
               : lct_job_train(needle ? &s->tuned_needle[seed][which]
                                      : &s->tuned[seed][which],
                               job, &o);
}

/* Train a base run to find needles, at the trained length and with its own
   encoding. */
static locant_status learn_needle(struct lct_job *job, size_t seed)
{
    struct state *s = job->jobs->state;
    locant_train_options o;

    LCT_TRY(locant_task_options(&o, "T12"));
    o.encoding = "rope";
    o.seed = seed + 1;
    o.parent = s->x->base[seed];
    /* the learning rate of T12, but as many tokens per step as the base run */
    o.batch = lct_extension_options(s->plan).batch;
    o.steps = s->plan->needle_steps;
    o.length = LCT_EXT_TRAINED;
    return has_failed(s, o.parent) ? LOCANT_OK
                                   : lct_job_train(&s->needle[seed], job, &o);
}

static locant_status tune_and_learn_needles(struct lct_job *job)
{
    const struct state *s = job->jobs->state;
    const size_t seeds = (size_t)s->plan->seeds, i = job->i;

    /* the longest runs begin first, so that no thread waits for them */
    return i < seeds ? learn_needle(job, i)
                     : tune(job, i % seeds, i / seeds - 1, false);
}

static locant_status tune_needles(struct lct_job *job)
{
    const struct state *s = job->jobs->state;
    const size_t seeds = (size_t)s->plan->seeds;

    return tune(job, job->i % seeds, job->i / seeds, true);
}

/* ------------------------------------------------------------------ losses */

/* One seed of a method or of a fine-tune. */
struct variant {
    struct lct_extension_row *row; /* its results */
    size_t seed;
    const char *pattern; /* of the spec to evaluate with */
    bool tuned, crop;
    int64_t run;        /* evaluated for losses */
    int64_t needle_run; /* searches for needles */
};

static struct variant variant_of(const struct state *s, size_t i)
{
    const size_t rows = methods() + tunings(), at = i % rows, seed = i / rows;
    struct variant v = { .row = &s->x->row[at],
                         .seed = seed,
                         .tuned = at >= methods() };

    if (v.tuned) {
        v.pattern = lct_extension_tuning((int)(at - methods()))->spec;
        v.run = s->tuned[seed][at - methods()];
        v.needle_run = s->tuned_needle[seed][at - methods()];
    } else {
        v.pattern = lct_extension_method((int)at)->spec;
        v.crop = lct_extension_method((int)at)->crop;
        v.run = s->x->base[seed];
        v.needle_run = s->needle[seed];
    }
    return v;
}

static locant_status evaluate_at(struct lct_extension_loss *to,
                                 double *position, struct lct_job *job,
                                 size_t seed,
                                 const struct lct_extension_cell *cell)
{
    const struct state *s = job->jobs->state;
    struct lct_extension_shared shared = s->shared;
    double speed = NAN;

    shared.context = job;
    lct_job_expect_tokens(job, (double)(shared.blocks * cell->length));
    LCT_TRY(lct_extension_measure(to->loss + (int64_t)seed * shared.blocks,
                                  position, &speed, &shared, cell));
    pthread_mutex_lock(&job->jobs->mutex);
    to->speed = fmax(to->speed, speed); /* fmax() ignores a NAN */
    pthread_mutex_unlock(&job->jobs->mutex);
    return LOCANT_OK;
}

static void set_undefined(struct lct_extension_loss *to, size_t seed,
                          int64_t blocks)
{
    for (int64_t b = 0; b < blocks; b++)
        to->loss[(int64_t)seed * blocks + b] = NAN;
}

/* Evaluate one run at every length, and at the trained length with the encoding
   for the longest. */
static locant_status evaluate_row(struct lct_job *job)
{
    const struct state *s = job->jobs->state;
    const struct variant v = variant_of(s, job->i);
    const int last = s->plan->factors - 1;
    double *position = v.row->position[v.seed];
    char spec[256];
    struct lct_extension_cell cell = { .run = v.run,
                                       .spec = spec,
                                       .crop = v.crop };

    for (int i = 0; i < LCT_EXT_BUCKETS; i++)
        position[i] = NAN;
    for (int f = 0; f <= last; f++)
        set_undefined(&v.row->at[f], v.seed, s->shared.blocks);
    set_undefined(&v.row->short_inputs, v.seed, s->shared.blocks);
    if (has_failed(s, v.run))
        return LOCANT_OK;
    for (int f = 0; f <= last; f++) {
        const int64_t factor = lct_extension_factor(f);

        LCT_TRY(lct_extension_spec(spec, v.pattern,
                                   v.tuned ? LCT_EXT_TUNED_FACTOR : factor));
        cell.length = v.crop ? LCT_EXT_TRAINED : factor * LCT_EXT_TRAINED;
        LCT_TRY(evaluate_at(&v.row->at[f], f == last ? position : NULL, job,
                            v.seed, &cell));
    }
    cell.length = LCT_EXT_TRAINED;
    return evaluate_at(&v.row->short_inputs, NULL, job, v.seed, &cell);
}

/* ----------------------------------------------------------------- needles */

/* Where the scores of a job are added. */
struct found {
    struct lct_jobs *jobs;
    struct lct_extension_needle *to;
};

static int add_score(const locant_task_score *score, void *context)
{
    struct found *f = context;

    if (score->place >= 0) /* a part of the score of all places */
        return 0;
    pthread_mutex_lock(&f->jobs->mutex);
    f->to->items += score->items;
    f->to->exact += score->exact;
    pthread_mutex_unlock(&f->jobs->mutex);
    return 0;
}

/* Search for needles at 128 x factor. */
static locant_status search_at(struct lct_extension_needle *to,
                               struct lct_job *job, const struct variant *v,
                               int64_t factor)
{
    const struct state *s = job->jobs->state;
    const int64_t length = factor * LCT_EXT_TRAINED;
    struct found found = { job->jobs, to };
    char spec[256];
    const struct lct_task_reading as = { spec, v->crop ? LCT_EXT_TRAINED : 0 };
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;

    LCT_TRY(lct_extension_spec(spec, v->pattern,
                               v->tuned ? LCT_EXT_TUNED_FACTOR : factor));
    o.items = s->plan->items;
    o.lengths = &length;
    o.n_lengths = 1;
    o.progress = lct_job_on_score;
    o.context = job;
    lct_job_expect_tokens(job, (double)(o.items * length));
    return lct_task_evaluate_as(s->shared.store, v->needle_run, &as, &o,
                                add_score, &found);
}

static locant_status search_needles(struct lct_job *job)
{
    const struct state *s = job->jobs->state;
    const struct variant v = variant_of(s, job->i);

    if (has_failed(s, v.needle_run))
        return LOCANT_OK;
    for (int f = 0; f < s->plan->factors; f++)
        LCT_TRY(search_at(&v.row->needle[f], job, &v, lct_extension_factor(f)));
    if (v.tuned)
        return search_at(&v.row->needle_short, job, &v, 1);
    if (v.row == s->x->row) /* of method none */
        return search_at(&s->x->needle_trained, job, &v, 1);
    return LOCANT_OK;
}

/* --------------------------------------------------------------------- all */

double lct_extension_cost(const struct lct_extension_plan *p)
{
    const double batch = 16 * LCT_EXT_TRAINED, seeds = p->seeds;
    const double rows = lct_extension_methods() + lct_extension_tunings();
    /* a bound: 2 + 4 + .. + 2^factors, and 1 for short inputs */
    const double lengths = LCT_EXT_TRAINED * (double)(2 << p->factors);

    return LCT_TRAIN_COST * seeds * batch *
               (double)(p->steps + p->needle_steps) *
               (1 + .05 * lct_extension_tunings()) +
           seeds * lengths * rows * (double)(p->blocks + p->items);
}

static locant_status allocate(const struct state *s)
{
    const size_t rows = methods() + tunings();
    const size_t n = (size_t)s->plan->seeds * (size_t)s->shared.blocks;
    bool allocated;

    s->x->row = locant_alloc(rows * sizeof *s->x->row);
    allocated = s->x->row != NULL;
    for (size_t i = 0; i < rows && allocated; i++) {
        struct lct_extension_row *row = &s->x->row[i];

        for (int f = 0; f < s->plan->factors && allocated; f++) {
            row->at[f].loss = locant_alloc(n * sizeof(double));
            row->at[f].speed = NAN;
            allocated = row->at[f].loss != NULL;
        }
        row->short_inputs.loss = locant_alloc(n * sizeof(double));
        row->short_inputs.speed = NAN;
        allocated = allocated && row->short_inputs.loss != NULL;
    }
    return allocated ? LOCANT_OK
                     : locant_fail(LOCANT_ERR_NOMEM,
                                   "locant_report_run: no memory"
                                   " for %zu losses",
                                   n * rows);
}

static locant_status run(struct state *s, struct lct_jobs *jobs)
{
    const size_t seeds = (size_t)s->plan->seeds, rows = methods() + tunings();
    const struct lct_stage stages[] = {
        { train_base, seeds },
        { tune_and_learn_needles, seeds * (tunings() + 1) },
        { tune_needles, seeds * tunings() },
        { evaluate_row, seeds * rows },
        { search_needles, seeds * rows },
    };

    LCT_TRY(
        lct_extension_set_blocks(&s->shared, s->plan->blocks, s->vocabulary));
    s->x->blocks = s->shared.blocks;
    LCT_TRY(allocate(s));
    return lct_jobs_run(jobs, stages, sizeof stages / sizeof stages[0]);
}

locant_status lct_extension_run(struct lct_extension **out,
                                const struct lct_extension_plan *plan,
                                const struct lct_lab *lab)
{
    struct state *s = locant_alloc(sizeof *s);
    struct lct_extension *x = locant_alloc(sizeof *x);
    struct lct_jobs jobs = { .state = s,
                             .phase = "extend",
                             .lab = *lab,
                             .total_cost = lct_extension_cost(plan) };
    locant_status status;

    *out = x;
    if (s == NULL || x == NULL) {
        locant_release(s);
        return locant_fail(LOCANT_ERR_NOMEM, "locant_report_run: no memory");
    }
    x->plan = s->plan = plan;
    s->x = x;
    s->optimizer = lab->optimizer;
    s->vocabulary = lab->vocabulary;
    s->shared = (struct lct_extension_shared){ .store = lab->store,
                                               .corpus = lab->corpus,
                                               .tick = lct_job_on_tick };
    status = run(s, &jobs);
    x->failures = jobs.failures;
    x->seconds = jobs.seconds;
    locant_release(s);
    return status;
}

void lct_extension_free(struct lct_extension *x)
{
    const int rows = lct_extension_methods() + lct_extension_tunings();

    for (int i = 0; x && x->row && i < rows; i++) {
        for (int f = 0; f < LCT_EXT_FACTORS; f++)
            locant_release(x->row[i].at[f].loss);
        locant_release(x->row[i].short_inputs.loss);
    }
    if (x)
        locant_release(x->row);
    locant_release(x);
}

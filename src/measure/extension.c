/*
 * extension.c - trains a model of RoPE for each seed, trains it further in a
 * few ways, and evaluates it at every length in every way.
 *
 * Stages: base runs; runs that continue them; runs that continue those that
 * learned needles; evaluations; searches for needles. Every result is stored at
 * once, so the same call continues.
 */
#define _POSIX_C_SOURCE 200809L
#include "extension.h"
#include "jobs.h"
#include "tasks.h"
#include <inttypes.h>
#include <math.h>

enum { TUNINGS = 8 };

/* What the jobs share. */
struct state {
    const struct lct_extension_plan *plan;
    struct lct_extension *x;
    struct lct_extension_place place;
    int64_t needle[LCT_EXT_SEEDS], tuned[LCT_EXT_SEEDS][TUNINGS],
        tuned_needle[LCT_EXT_SEEDS][TUNINGS];
};

static size_t methods(void)
{
    return (size_t)lct_extension_methods();
}

static size_t tunings(void)
{
    return (size_t)lct_extension_tunings();
}

/* Has the run no results? Its loss stopped being finite, or it never began
   because its parent's did. Such a run has no children and is not evaluated. */
static bool has_failed(const struct state *s, int64_t run)
{
    return run == 0 || lct_run_failed(s->place.store, run);
}

/* ---------------------------------------------------------------- training */

static locant_status train_base(struct lct_job *job)
{
    const struct state *s = job->jobs->state;
    locant_train_options o = lct_extension_options(s->plan);

    o.seed = job->i + 1;
    return lct_job_train(&s->x->base[job->i], job, &o);
}

/*
 * Fine-tune a base run on text, or a run that has learned needles on needles:
 * with as many tokens a step as the base run, a twentieth of the steps, a tenth
 * of the base learning rate.
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
    o.parent = needle ? s->needle[seed] : s->x->base[seed];
    o.batch = o.batch * LCT_EXT_TRAINED / how->length;
    o.length = how->length;
    o.steps = lct_extension_tuned(o.steps);
    o.learning_rate = s->plan->rate / 10;
    o.constant_rate = 1;
    return has_failed(s, o.parent)
               ? LOCANT_OK
               : lct_job_train(needle ? &s->tuned_needle[seed][which]
                                      : &s->tuned[seed][which],
                               job, &o);
}

/* Needles are learned at the trained length, by the encoding as trained. */
static locant_status learn_needle(struct lct_job *job, size_t seed)
{
    struct state *s = job->jobs->state;
    locant_train_options o;

    LCT_TRY(locant_task_options(&o, "T12"));
    o.encoding = "rope";
    o.seed = seed + 1;
    o.parent = s->x->base[seed];
    /* the learning rate of T12, but as many tokens a step as other runs here */
    o.batch = lct_extension_options(s->plan).batch;
    o.steps = s->plan->needle_steps;
    o.length = LCT_EXT_TRAINED;
    return has_failed(s, o.parent) ? LOCANT_OK
                                   : lct_job_train(&s->needle[seed], job, &o);
}

static locant_status train_on(struct lct_job *job)
{
    const struct state *s = job->jobs->state;
    const size_t seeds = (size_t)s->plan->seeds, i = job->i;

    return i < seeds ? learn_needle(job, i) /* needles first: they take
                                               longest */
                     : tune(job, i % seeds, i / seeds - 1, false);
}

static locant_status train_needles_on(struct lct_job *job)
{
    const struct state *s = job->jobs->state;
    const size_t seeds = (size_t)s->plan->seeds;

    return tune(job, job->i % seeds, job->i / seeds, true);
}

/* ---------------------------------------------------------------- readings */

/* One seed of a row of results, which is a method or a fine-tuned model. */
struct way {
    struct lct_extension_row *row;
    size_t seed;
    const char *pattern;
    bool tuned, crop;
    int64_t run, needle_run;
};

static struct way way_of(const struct state *s, size_t i)
{
    const size_t rows = methods() + tunings(), at = i % rows, seed = i / rows;
    struct way way = { .row = &s->x->row[at],
                       .seed = seed,
                       .tuned = at >= methods() };

    if (way.tuned) {
        way.pattern = lct_extension_tuning((int)(at - methods()))->spec;
        way.run = s->tuned[seed][at - methods()];
        way.needle_run = s->tuned_needle[seed][at - methods()];
    } else {
        way.pattern = lct_extension_method((int)at)->spec;
        way.crop = lct_extension_method((int)at)->crop;
        way.run = s->x->base[seed];
        way.needle_run = s->needle[seed];
    }
    return way;
}

static locant_status read_at(struct lct_extension_loss *to, double *position,
                             struct lct_job *job, size_t seed,
                             const struct lct_extension_cell *cell)
{
    const struct state *s = job->jobs->state;
    struct lct_extension_place place = s->place;
    double speed = NAN;

    place.context = job;
    lct_job_reads(job, (double)(place.blocks * cell->length));
    LCT_TRY(lct_extension_measure(to->loss + (int64_t)seed * place.blocks,
                                  position, &speed, &place, cell));
    pthread_mutex_lock(&job->jobs->mutex);
    to->speed = fmax(to->speed, speed); /* if one is NAN, fmax() gives the
                                           other */
    pthread_mutex_unlock(&job->jobs->mutex);
    return LOCANT_OK;
}

static void no_loss(struct lct_extension_loss *to, size_t seed, int64_t blocks)
{
    for (int64_t b = 0; b < blocks; b++)
        to->loss[(int64_t)seed * blocks + b] = NAN;
}

/* Evaluate one run at every length; and at the trained length with the settings
   of the longest. */
static locant_status read_row(struct lct_job *job)
{
    const struct state *s = job->jobs->state;
    const struct way way = way_of(s, job->i);
    const int last = s->plan->factors - 1;
    double *position = way.row->position[way.seed];
    char spec[256];
    struct lct_extension_cell cell = { .run = way.run,
                                       .spec = spec,
                                       .crop = way.crop };

    for (int i = 0; i < LCT_EXT_BUCKETS; i++)
        position[i] = NAN;
    for (int f = 0; f <= last; f++)
        no_loss(&way.row->at[f], way.seed, s->place.blocks);
    no_loss(&way.row->short_inputs, way.seed, s->place.blocks);
    if (has_failed(s, way.run))
        return LOCANT_OK;
    for (int f = 0; f <= last; f++) {
        const int64_t factor = lct_extension_factor(f);

        LCT_TRY(lct_extension_spec(spec, way.pattern,
                                   way.tuned ? LCT_EXT_TUNED_FACTOR : factor));
        cell.length = way.crop ? LCT_EXT_TRAINED : factor * LCT_EXT_TRAINED;
        LCT_TRY(read_at(&way.row->at[f], f == last ? position : NULL, job,
                        way.seed, &cell));
    }
    cell.length = LCT_EXT_TRAINED;
    return read_at(&way.row->short_inputs, NULL, job, way.seed, &cell);
}

/* ----------------------------------------------------------------- needles */

struct found {
    struct lct_jobs *jobs;
    struct lct_extension_needle *to;
};

static int take_score(const locant_task_score *score, void *context)
{
    struct found *f = context;

    if (score->place >= 0)
        return 0;
    pthread_mutex_lock(&f->jobs->mutex);
    f->to->items += score->items;
    f->to->exact += score->exact;
    pthread_mutex_unlock(&f->jobs->mutex);
    return 0;
}

/* Search for needles at 128 x factor. */
static locant_status find_needles(struct lct_extension_needle *to,
                                  struct lct_job *job, const struct way *way,
                                  int64_t factor)
{
    const struct state *s = job->jobs->state;
    const int64_t length = factor * LCT_EXT_TRAINED;
    struct found found = { job->jobs, to };
    char spec[256];
    const struct lct_task_reading as = { spec,
                                         way->crop ? LCT_EXT_TRAINED : 0 };
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;

    LCT_TRY(lct_extension_spec(spec, way->pattern,
                               way->tuned ? LCT_EXT_TUNED_FACTOR : factor));
    o.items = s->plan->items;
    o.lengths = &length;
    o.n_lengths = 1;
    o.progress = lct_job_on_score;
    o.context = job;
    lct_job_reads(job, (double)(o.items * length));
    return lct_task_evaluate_as(s->place.store, way->needle_run, &as, &o,
                                take_score, &found);
}

static locant_status read_needles(struct lct_job *job)
{
    const struct state *s = job->jobs->state;
    const struct way way = way_of(s, job->i);

    if (has_failed(s, way.needle_run))
        return LOCANT_OK;
    for (int f = 0; f < s->plan->factors; f++)
        LCT_TRY(find_needles(&way.row->needle[f], job, &way,
                             lct_extension_factor(f)));
    if (way.tuned)
        return find_needles(&way.row->needle_short, job, &way, 1);
    return way.row != s->x->row
               ? LOCANT_OK
               : find_needles(&s->x->needle_trained, job, &way, 1);
}

/* --------------------------------------------------------------------- all */

double lct_extension_cost(const struct lct_extension_plan *p)
{
    const double batch = 16 * LCT_EXT_TRAINED, seeds = p->seeds;
    const double rows = lct_extension_methods() + lct_extension_tunings();
    const double lengths = LCT_EXT_TRAINED * (double)(2 << p->factors);

    return LCT_TRAIN_COST * seeds * batch *
               (double)(p->steps + p->needle_steps) *
               (1 + .05 * lct_extension_tunings()) +
           seeds * lengths * rows * (double)(p->blocks + p->items);
}

static locant_status allocate(const struct state *s)
{
    const size_t rows = methods() + tunings();
    const size_t n = (size_t)s->plan->seeds * (size_t)s->place.blocks;
    bool good;

    s->x->row = locant_alloc(rows * sizeof *s->x->row);
    good = s->x->row != NULL;
    for (size_t i = 0; i < rows && good; i++) {
        struct lct_extension_row *row = &s->x->row[i];

        for (int f = 0; f < s->plan->factors && good; f++) {
            row->at[f].loss = locant_alloc(n * sizeof(double));
            row->at[f].speed = NAN;
            good = row->at[f].loss != NULL;
        }
        row->short_inputs.loss = locant_alloc(n * sizeof(double));
        row->short_inputs.speed = NAN;
        good = good && row->short_inputs.loss != NULL;
    }
    return good ? LOCANT_OK
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
        { train_on, seeds * (tunings() + 1) },
        { train_needles_on, seeds * tunings() },
        { read_row, seeds * rows },
        { read_needles, seeds * rows },
    };

    LCT_TRY(lct_extension_blocks(&s->place, s->plan->blocks));
    s->x->blocks = s->place.blocks;
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
                             .all = lct_extension_cost(plan) };
    locant_status status;

    *out = x;
    if (s == NULL || x == NULL) {
        locant_release(s);
        return locant_fail(LOCANT_ERR_NOMEM, "locant_report_run: no memory");
    }
    x->plan = s->plan = plan;
    s->x = x;
    s->place = (struct lct_extension_place){ .store = lab->store,
                                             .corpus = lab->corpus,
                                             .tick = lct_job_on_read };
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

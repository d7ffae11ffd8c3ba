/*
 * extension.c - the job: train a model of RoPE for each seed, train it on in a
 * few ways, and read it at every length in every way.
 *
 * Waves, each side by side: base runs; what is trained on from them; what is
 * trained on from those that learned needles; readings.  All of it is in the
 * store as it comes, so that the same call continues.
 */
#define _POSIX_C_SOURCE 200809L
#include "extension.h"
#include "../store/checkpoint.h"
#include "job_waves.h"
#include "../train/train.h"
#include "tasks.h"
#include <inttypes.h>
#include <math.h>

enum { TUNINGS = 8 };

struct job {
    const struct lct_extension_plan *plan;
    struct lct_extension *x;
    struct lct_extension_place place;
    int64_t needle[LCT_EXT_SEEDS], tuned[LCT_EXT_SEEDS][TUNINGS],
        tuned_needle[LCT_EXT_SEEDS][TUNINGS];
    struct lct_job waves;
};

static struct job *job_of(const struct lct_task_in_wave *t)
{
    return t->waves->job;
}

/*
 * A run whose loss stopped being finite, or that was never begun because its
 * parent's did.  Nothing is trained on from it and nothing is read of it.
 */
static bool has_failed(const struct job *j, int64_t run)
{
    return run == 0 || lct_run_failed(j->place.store, run);
}

/* ---------------------------------------------------------------- training */

static locant_status train_base(struct lct_task_in_wave *t, size_t i)
{
    struct job *j = job_of(t);
    locant_train_options o = lct_extension_options(j->plan);

    o.seed = i + 1;
    return lct_wave_train(&j->x->base[i], t, j->place.store, j->place.corpus,
                          &o);
}

/* As many tokens a step, a twentieth of the steps, a tenth of the base's rate:
   of a run on text, and of one that has learned needles. */
static locant_status tune(struct lct_task_in_wave *t, size_t seed, int which,
                          bool needle)
{
    struct job *j = job_of(t);
    const struct lct_extension_tuning *how = lct_extension_tuning(which);
    locant_train_options o = lct_extension_options(j->plan);
    char spec[256];

    LCT_TRY(lct_extension_spec(spec, how->train, LCT_EXT_TUNED_FACTOR));
    if (needle) {
        const int64_t batch = o.batch;

        LCT_TRY(locant_task_options(&o, "T12"));
        o.batch = batch;
        o.steps = j->plan->needle_steps;
    }
    o.encoding = spec;
    o.seed = seed + 1;
    o.parent = needle ? j->needle[seed] : j->x->base[seed];
    o.batch = o.batch * LCT_EXT_TRAINED / how->length;
    o.length = how->length;
    o.steps = (o.steps + 19) / 20;
    o.learning_rate = j->plan->rate / 10;
    o.constant_rate = 1;
    return has_failed(j, o.parent)
               ? LOCANT_OK
               : lct_wave_train(needle ? &j->tuned_needle[seed][which]
                                       : &j->tuned[seed][which],
                                t, j->place.store,
                                needle ? NULL : j->place.corpus, &o);
}

/* Needles are learned at the trained length, by the encoding as trained. */
static locant_status learn_needle(struct lct_task_in_wave *t, size_t seed)
{
    struct job *j = job_of(t);
    locant_train_options o;

    LCT_TRY(locant_task_options(&o, "T12"));
    o.encoding = "rope";
    o.seed = seed + 1;
    o.parent = j->x->base[seed];
    /* T12's rate, but as many tokens a step as all of this job */
    o.batch = lct_extension_options(j->plan).batch;
    o.steps = j->plan->needle_steps;
    o.length = LCT_EXT_TRAINED;
    return has_failed(j, o.parent)
               ? LOCANT_OK
               : lct_wave_train(&j->needle[seed], t, j->place.store, NULL, &o);
}

static locant_status train_on(struct lct_task_in_wave *t, size_t i)
{
    const size_t seeds = (size_t)job_of(t)->plan->seeds;

    return i < seeds ? learn_needle(t, i) /* the longest first */
                     : tune(t, i % seeds, (int)(i / seeds) - 1, false);
}

static locant_status train_needles_on(struct lct_task_in_wave *t, size_t i)
{
    const size_t seeds = (size_t)job_of(t)->plan->seeds;

    return tune(t, i % seeds, (int)(i / seeds), true);
}

/* ---------------------------------------------------------------- readings */

static locant_status read_at(struct lct_extension_loss *to, double *position,
                             struct lct_task_in_wave *t, size_t seed,
                             const struct lct_extension_cell *cell)
{
    struct job *j = job_of(t);
    struct lct_extension_place place = j->place;
    double speed = NAN;

    place.context = t;
    t->cost += (double)(place.blocks * cell->length);
    LCT_TRY(lct_extension_measure(to->loss + (int64_t)seed * place.blocks,
                                  position, &speed, &place, cell));
    pthread_mutex_lock(&j->waves.mutex);
    to->speed = fmax(to->speed, speed); /* the other one where one is NAN */
    pthread_mutex_unlock(&j->waves.mutex);
    return LOCANT_OK;
}

static void no_loss(struct lct_extension_loss *to, size_t seed, int64_t blocks)
{
    for (int64_t b = 0; b < blocks; b++)
        to->loss[(int64_t)seed * blocks + b] = NAN;
}

/* One run at every length, and at the trained one as at the longest. */
static locant_status read_row(struct lct_task_in_wave *t,
                              struct lct_extension_row *row, size_t seed,
                              const char *pattern, bool tuned,
                              struct lct_extension_cell cell)
{
    const int last = job_of(t)->plan->factors - 1;
    double *position = row->position[seed];
    const int64_t blocks = job_of(t)->place.blocks;
    const bool failed = has_failed(job_of(t), cell.run);
    char spec[256];

    cell.spec = spec;
    for (int i = 0; i < LCT_EXT_BUCKETS; i++)
        position[i] = NAN;
    for (int f = 0; f <= last; f++)
        no_loss(&row->at[f], seed, blocks);
    no_loss(&row->short_inputs, seed, blocks);
    for (int f = 0; f <= last && !failed; f++) {
        const int64_t factor = lct_extension_factor(f);

        LCT_TRY(lct_extension_spec(spec, pattern,
                                   tuned ? LCT_EXT_TUNED_FACTOR : factor));
        cell.length = cell.crop ? LCT_EXT_TRAINED : factor * LCT_EXT_TRAINED;
        LCT_TRY(read_at(&row->at[f], f == last ? position : NULL, t, seed,
                        &cell));
    }
    cell.length = LCT_EXT_TRAINED;
    return failed ? LOCANT_OK
                  : read_at(&row->short_inputs, NULL, t, seed, &cell);
}

static locant_status read_method(struct lct_task_in_wave *t, size_t i)
{
    struct job *j = job_of(t);
    const size_t methods = (size_t)lct_extension_methods();
    const struct lct_extension_method *m = lct_extension_method(
        (int)(i % methods));
    const size_t seed = i / methods;
    const struct lct_extension_cell cell = {.run = j->x->base[seed],
                                            .crop = m->crop};

    return read_row(t, &j->x->row[i % methods], seed, m->spec, false, cell);
}

static locant_status read_tuned(struct lct_task_in_wave *t, size_t i)
{
    struct job *j = job_of(t);
    const size_t tunings = (size_t)lct_extension_tunings();
    const size_t seed = i / tunings, which = i % tunings;
    const struct lct_extension_cell cell = {.run = j->tuned[seed][which]};

    return read_row(t, &j->x->row[(size_t)lct_extension_methods() + which],
                    seed, lct_extension_tuning((int)which)->spec, true, cell);
}

/* ----------------------------------------------------------------- needles */

struct found {
    struct job *job;
    struct lct_extension_needle *to;
};

static int take_score(const locant_task_score *score, void *context)
{
    struct found *f = context;

    if (score->place >= 0)
        return 0;
    pthread_mutex_lock(&f->job->waves.mutex);
    f->to->items += score->items;
    f->to->exact += score->exact;
    pthread_mutex_unlock(&f->job->waves.mutex);
    return 0;
}

/* Of a run at 128 x factor, under 'pattern' for a factor 'scaled'. */
struct search {
    int64_t run, factor, scaled, crop;
    const char *pattern;
};

static locant_status find_needles(struct lct_extension_needle *to,
                                  struct lct_task_in_wave *t,
                                  const struct search *of)
{
    const int64_t length = of->factor * LCT_EXT_TRAINED;
    struct job *j = job_of(t);
    struct found found = {j, to};
    char spec[256];
    const struct lct_task_reading as = {spec, of->crop};
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;

    if (has_failed(j, of->run))
        return LOCANT_OK;
    LCT_TRY(lct_extension_spec(spec, of->pattern, of->scaled));
    o.items = j->plan->items;
    o.lengths = &length;
    o.n_lengths = 1;
    o.progress = lct_wave_on_score;
    o.context = t;
    t->cost += (double)(o.items * length);
    t->last = 0;
    return lct_task_evaluate_as(j->place.store, of->run, &as, &o, take_score,
                                &found);
}

static locant_status read_needles(struct lct_task_in_wave *t, size_t i)
{
    struct job *j = job_of(t);
    const size_t methods = (size_t)lct_extension_methods();
    const size_t seed = i / methods, which = i % methods;
    const struct lct_extension_method *m = lct_extension_method((int)which);
    struct search of = {.run = j->needle[seed], .pattern = m->spec,
                        .crop = m->crop ? LCT_EXT_TRAINED : 0};

    for (int f = 0; f < j->plan->factors; f++) {
        of.factor = of.scaled = lct_extension_factor(f);
        LCT_TRY(find_needles(&j->x->row[which].needle[f], t, &of));
    }
    of.factor = of.scaled = 1;
    return which > 0 ? LOCANT_OK : find_needles(&j->x->needle_trained, t, &of);
}

static locant_status read_tuned_needles(struct lct_task_in_wave *t, size_t i)
{
    struct job *j = job_of(t);
    const size_t tunings = (size_t)lct_extension_tunings();
    const size_t seed = i / tunings, which = i % tunings;
    struct lct_extension_row *row =
        &j->x->row[(size_t)lct_extension_methods() + which];
    struct search of = {.run = j->tuned_needle[seed][which],
                        .scaled = LCT_EXT_TUNED_FACTOR,
                        .pattern = lct_extension_tuning((int)which)->spec};

    for (int f = 0; f < j->plan->factors; f++) {
        of.factor = lct_extension_factor(f);
        LCT_TRY(find_needles(&row->needle[f], t, &of));
    }
    of.factor = 1;
    return find_needles(&row->needle_short, t, &of);
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

static locant_status do_all(struct job *j)
{
    const size_t seeds = (size_t)j->plan->seeds;
    const size_t methods = (size_t)lct_extension_methods();
    const size_t tunings = (size_t)lct_extension_tunings();
    struct lct_job *w = &j->waves;

    LCT_TRY(lct_wave(w, train_base, seeds));
    LCT_TRY(lct_wave(w, train_on, seeds * (tunings + 1)));
    LCT_TRY(lct_wave(w, train_needles_on, seeds * tunings));
    LCT_TRY(lct_wave(w, read_method, seeds * methods));
    LCT_TRY(lct_wave(w, read_tuned, seeds * tunings));
    LCT_TRY(lct_wave(w, read_needles, seeds * methods));
    return lct_wave(w, read_tuned_needles, seeds * tunings);
}

static locant_status allocate(struct job *j)
{
    const size_t rows =
        (size_t)(lct_extension_methods() + lct_extension_tunings());
    const size_t n = (size_t)j->plan->seeds * (size_t)j->place.blocks;
    bool good;

    j->x->row = locant_alloc(rows * sizeof *j->x->row);
    good = j->x->row != NULL;
    for (size_t i = 0; i < rows && good; i++) {
        struct lct_extension_row *row = &j->x->row[i];

        for (int f = 0; f < j->plan->factors && good; f++) {
            row->at[f].loss = locant_alloc(n * sizeof(double));
            row->at[f].speed = NAN;
            good = row->at[f].loss != NULL;
        }
        row->short_inputs.loss = locant_alloc(n * sizeof(double));
        row->short_inputs.speed = NAN;
        good = good && row->short_inputs.loss != NULL;
    }
    return good ? LOCANT_OK
                : locant_fail(LOCANT_ERR_NOMEM, "locant_report_run: no memory"
                              " for %zu losses", n * rows);
}

locant_status lct_extension_run(struct lct_extension **out,
                                const struct lct_extension_plan *plan,
                                locant_store *store,
                                const locant_corpus *corpus,
                                locant_progress_fn progress, void *context)
{
    struct job *j = locant_alloc(sizeof *j);
    struct lct_extension *x = locant_alloc(sizeof *x);
    locant_status status;

    *out = x;
    if (j == NULL || x == NULL) {
        locant_release(j);
        return locant_fail(LOCANT_ERR_NOMEM, "locant_report_run: no memory");
    }
    x->plan = j->plan = plan;
    j->x = x;
    j->place = (struct lct_extension_place){
        .store = store, .corpus = corpus, .tick = lct_wave_on_read};
    lct_job_begin(&j->waves, j, "extend", lct_extension_cost(plan), progress,
                  context);
    status = lct_extension_blocks(&j->place, plan->blocks);
    x->blocks = j->place.blocks;
    if (status == LOCANT_OK)
        status = allocate(j);
    if (status == LOCANT_OK)
        status = do_all(j);
    x->failures = j->waves.failures;
    x->seconds = lct_clock() - j->waves.begun;
    lct_job_end(&j->waves);
    locant_release(j->place.ends);
    locant_release(j);
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

/*
 * extension.c - the job: train a model of RoPE for each seed, train it on in a
 * few ways, and read it at every length in every way.
 *
 * Three waves side by side: base runs; what is trained on from them; readings.
 * All of it is in the store as it comes, so that the same call continues.
 */
#define _POSIX_C_SOURCE 200809L
#include "extension.h"
#include "tasks.h"
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { TUNINGS = 8, TRAIN_COST = 3 };

struct job;
struct task;
typedef locant_status (*job_task)(struct task *t, size_t i);

struct job {
    const struct lct_extension_plan *plan;
    struct lct_extension *x;
    struct lct_extension_place place;
    locant_progress_fn progress;
    void *context;
    int64_t needle[LCT_EXT_SEEDS], tuned[LCT_EXT_SEEDS][TUNINGS];
    job_task task;
    double begun, all;     /* of everything, in tokens; trained ones thrice */
    pthread_mutex_t mutex; /* guards what follows */
    double done, spent;    /* of it; in this sitting */
    bool stop;
    locant_status status;
    char sentence[512];
};

/* One of a wave: what it costs, and has told of that. */
struct task {
    struct job *job;
    double cost, told;
    int64_t last; /* tokens that its run has told */
};

/* ---------------------------------------------------------------- progress */

static int tell(struct task *t, locant_progress *p, double tokens)
{
    struct job *j = t->job;
    int stop;

    pthread_mutex_lock(&j->mutex);
    t->told += tokens;
    j->done += tokens;
    j->spent += tokens;
    p->done = (int64_t)j->done;
    p->total = (int64_t)fmax(j->all, j->done);
    p->elapsed = lct_clock() - j->begun;
    p->left = p->elapsed * (double)(p->total - p->done) / j->spent;
    if (!j->stop && j->progress && j->progress(p, j->context) != 0)
        j->stop = true;
    stop = j->stop;
    pthread_mutex_unlock(&j->mutex);
    return stop;
}

static int on_train(const locant_progress *progress, void *context)
{
    struct task *t = context;
    locant_progress p = *progress;
    const int64_t more = p.done - t->last;

    t->last = p.done;
    return tell(t, &p, TRAIN_COST * (double)more);
}

static int on_score(const locant_progress *progress, void *context)
{
    struct task *t = context;
    locant_progress p = *progress;
    const int64_t more = p.done - t->last;

    t->last = p.done;
    return tell(t, &p, (double)more);
}

static int on_read(int64_t tokens, void *context)
{
    locant_progress p = {.phase = "extend", .loss = NAN, .rate = NAN};

    return tell(context, &p, (double)tokens);
}

/* ------------------------------------------------------------------- waves */

static void work(void *context, size_t i, int slot)
{
    struct job *j = context;
    struct task t = {.job = j};
    locant_status status;
    bool stop;

    (void)slot;
    pthread_mutex_lock(&j->mutex);
    stop = j->stop;
    pthread_mutex_unlock(&j->mutex);
    if (stop)
        return;
    status = j->task(&t, i);
    pthread_mutex_lock(&j->mutex);
    if (status == LOCANT_OK)
        j->done += t.cost - t.told; /* the rest was there already */
    j->stop = j->stop || status != LOCANT_OK;
    if (status != LOCANT_OK && (j->status == LOCANT_OK ||
                                j->status == LOCANT_ERR_INTERRUPTED)) {
        j->status = status;
        snprintf(j->sentence, sizeof j->sentence, "%s", locant_last_error());
    }
    pthread_mutex_unlock(&j->mutex);
}

static locant_status wave(struct job *j, job_task task, size_t n)
{
    j->task = task;
    locant_parallel_for(n, work, j);
    if (j->status != LOCANT_OK && j->status != LOCANT_ERR_INTERRUPTED)
        return locant_fail(j->status, "%s", j->sentence);
    if (j->stop)
        return locant_fail(LOCANT_ERR_INTERRUPTED,
                           "locant_report_run: stopped; every run has its"
                           " checkpoint and the same call continues");
    return LOCANT_OK;
}

static locant_train_options base_options(const struct lct_extension_plan *p)
{
    locant_train_options o = LOCANT_TRAIN_INIT;

    o.encoding = "rope";
    o.layers = p->layers;
    o.width = p->width;
    o.heads = o.kv_heads = p->heads;
    o.ff = p->ff;
    o.steps = p->steps;
    o.learning_rate = p->rate;
    o.length = LCT_EXT_TRAINED;
    return o;
}

/* What training with these options costs; its progress goes to 't'. */
static void follow(locant_train_options *o, struct task *t)
{
    t->cost = TRAIN_COST * (double)(o->steps * o->batch * o->length);
    o->progress = on_train;
    o->context = t;
}

static locant_status train_base(struct task *t, size_t i)
{
    struct job *j = t->job;
    locant_train_options o = base_options(j->plan);

    o.seed = i + 1;
    follow(&o, t);
    return locant_train(&j->x->base[i], j->place.store, j->place.corpus, &o);
}

/* The same batches of tokens, a twentieth of the steps, a tenth of the rate. */
static locant_status tune(struct task *t, size_t seed, int which)
{
    struct job *j = t->job;
    const struct lct_extension_tuning *how = lct_extension_tuning(which);
    locant_train_options o = base_options(j->plan);
    char spec[256];

    LCT_TRY(lct_extension_spec(spec, how->train, LCT_EXT_TUNED_FACTOR));
    o.encoding = spec;
    o.seed = seed + 1;
    o.parent = j->x->base[seed];
    o.batch = o.batch * o.length / how->length;
    o.length = how->length;
    o.steps = (o.steps + 19) / 20;
    o.learning_rate /= 10;
    o.constant_rate = 1;
    follow(&o, t);
    return locant_train(&j->tuned[seed][which], j->place.store, j->place.corpus,
                        &o);
}

/* Needles are learned at the trained length, by the encoding as trained. */
static locant_status learn_needle(struct task *t, size_t seed)
{
    struct job *j = t->job;
    locant_train_options o;

    LCT_TRY(locant_task_options(&o, "T12"));
    o.encoding = "rope";
    o.seed = seed + 1;
    o.parent = j->x->base[seed];
    o.steps = j->plan->needle_steps;
    o.length = LCT_EXT_TRAINED;
    follow(&o, t);
    return locant_train(&j->needle[seed], j->place.store, NULL, &o);
}

static locant_status train_on(struct task *t, size_t i)
{
    const size_t seeds = (size_t)t->job->plan->seeds;

    return i < seeds ? learn_needle(t, i) /* the longest first */
                     : tune(t, i % seeds, (int)(i / seeds) - 1);
}

/* ---------------------------------------------------------------- readings */

static locant_status read_at(struct lct_extension_loss *to, double *position,
                             struct task *t, size_t seed,
                             const struct lct_extension_cell *cell)
{
    struct job *j = t->job;
    struct lct_extension_place place = j->place;
    double speed = NAN;

    place.context = t;
    t->cost += (double)(place.blocks * cell->length);
    LCT_TRY(lct_extension_measure(to->loss + (int64_t)seed * place.blocks,
                                  position, &speed, &place, cell));
    pthread_mutex_lock(&j->mutex);
    to->speed = fmax(to->speed, speed); /* the other one where one is NAN */
    pthread_mutex_unlock(&j->mutex);
    return LOCANT_OK;
}

/* One run at every length, and at the trained one as at the longest. */
static locant_status read_row(struct task *t, struct lct_extension_row *row,
                              size_t seed, const char *pattern, bool tuned,
                              struct lct_extension_cell cell)
{
    const int last = t->job->plan->factors - 1;
    double *position = row->position[seed];
    char spec[256];

    cell.spec = spec;
    for (int i = 0; i < LCT_EXT_BUCKETS; i++)
        position[i] = NAN;
    for (int f = 0; f <= last; f++) {
        const int64_t factor = lct_extension_factor(f);

        LCT_TRY(lct_extension_spec(spec, pattern,
                                   tuned ? LCT_EXT_TUNED_FACTOR : factor));
        cell.length = cell.crop ? LCT_EXT_TRAINED : factor * LCT_EXT_TRAINED;
        LCT_TRY(read_at(&row->at[f], f == last ? position : NULL, t, seed,
                        &cell));
    }
    cell.length = LCT_EXT_TRAINED;
    return read_at(&row->short_inputs, NULL, t, seed, &cell);
}

static locant_status read_method(struct task *t, size_t i)
{
    struct job *j = t->job;
    const size_t methods = (size_t)lct_extension_methods();
    const struct lct_extension_method *m = lct_extension_method(
        (int)(i % methods));
    const size_t seed = i / methods;
    const struct lct_extension_cell cell = {.run = j->x->base[seed],
                                            .crop = m->crop};

    return read_row(t, &j->x->row[i % methods], seed, m->spec, false, cell);
}

static locant_status read_tuned(struct task *t, size_t i)
{
    struct job *j = t->job;
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
    pthread_mutex_lock(&f->job->mutex);
    f->to->items += score->items;
    f->to->exact += score->exact;
    pthread_mutex_unlock(&f->job->mutex);
    return 0;
}

static locant_status find_needles(struct lct_extension_needle *to,
                                  struct task *t, size_t seed,
                                  const struct lct_extension_method *m,
                                  int64_t factor)
{
    const int64_t length = factor * LCT_EXT_TRAINED;
    struct job *j = t->job;
    struct found found = {j, to};
    char spec[256];
    const struct lct_task_reading as = {spec, m->crop ? LCT_EXT_TRAINED : 0};
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;

    LCT_TRY(lct_extension_spec(spec, m->spec, factor));
    o.items = j->plan->items;
    o.lengths = &length;
    o.n_lengths = 1;
    o.progress = on_score;
    o.context = t;
    t->cost += (double)(o.items * length);
    t->last = 0;
    return lct_task_evaluate_as(j->place.store, j->needle[seed], &as, &o,
                                take_score, &found);
}

static locant_status read_needles(struct task *t, size_t i)
{
    struct job *j = t->job;
    const size_t methods = (size_t)lct_extension_methods();
    const size_t seed = i / methods, which = i % methods;
    const struct lct_extension_method *m = lct_extension_method((int)which);

    for (int f = 0; f < j->plan->factors; f++)
        LCT_TRY(find_needles(&j->x->row[which].needle[f], t, seed, m,
                             lct_extension_factor(f)));
    if (which > 0)
        return LOCANT_OK;
    return find_needles(&j->x->needle_trained, t, seed, m, 1);
}

/* --------------------------------------------------------------------- all */

/* Tokens of everything, a trained one three times. */
static double cost_of(const struct lct_extension_plan *p)
{
    const double batch = 16 * LCT_EXT_TRAINED, seeds = p->seeds;
    const double rows = lct_extension_methods() + lct_extension_tunings();
    const double lengths = LCT_EXT_TRAINED * (double)(2 << p->factors);

    return TRAIN_COST * seeds * batch *
               ((double)p->steps * (1 + .05 * lct_extension_tunings()) +
                (double)p->needle_steps) +
           seeds * lengths * (rows * (double)p->blocks +
                              lct_extension_methods() * (double)p->items);
}

static locant_status do_all(struct job *j)
{
    const size_t seeds = (size_t)j->plan->seeds;
    const size_t methods = (size_t)lct_extension_methods();
    const size_t tunings = (size_t)lct_extension_tunings();

    LCT_TRY(wave(j, train_base, seeds));
    LCT_TRY(wave(j, train_on, seeds * (tunings + 1)));
    LCT_TRY(wave(j, read_method, seeds * methods));
    LCT_TRY(wave(j, read_tuned, seeds * tunings));
    return wave(j, read_needles, seeds * methods);
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

static locant_status find_blocks(struct job *j)
{
    struct lct_extension_place *p = &j->place;

    p->want = j->plan->blocks;
    p->ends = locant_alloc((size_t)p->want * sizeof *p->ends);
    if (p->ends == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_report_run: no memory for"
                           " %" PRId64 " blocks", p->want);
    p->blocks = (int64_t)lct_test_blocks(p->ends, (size_t)p->want, p->corpus,
                                         LCT_EVAL_SEED);
    if (p->blocks == 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "locant_report_run: no file of the test split has"
                           " the 2304 bytes a block needs");
    j->x->blocks = p->blocks;
    return LOCANT_OK;
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
        .store = store, .corpus = corpus, .tick = on_read};
    j->progress = progress;
    j->context = context;
    j->begun = lct_clock();
    j->all = cost_of(plan);
    pthread_mutex_init(&j->mutex, NULL);
    status = find_blocks(j);
    if (status == LOCANT_OK)
        status = allocate(j);
    if (status == LOCANT_OK)
        status = do_all(j);
    x->seconds = lct_clock() - j->begun;
    pthread_mutex_destroy(&j->mutex);
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

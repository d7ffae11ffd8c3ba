/*
 * queue.c - get the jobs of a plan done, side by side, and say how far.
 *
 * Workers take the next job from a counter.  The first failure stops the rest
 * as an interruption does: with a checkpoint.
 */
#define _POSIX_C_SOURCE 200809L
#include "../store/checkpoint.h"
#include "measures.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

struct job {
    struct queue *queue;
    int64_t *id;               /* of its run, to be written */
    const double *rate;        /* learning rate, known when it begins */
    const char *spec;
    uint64_t seed;
    int64_t cost;              /* of its evaluation, in tokens */
    int64_t trained, found;    /* tokens done; of them before this sitting */
    int64_t evaluated, counted; /* tokens done; of them in this sitting */
    bool seen;                 /* has told its progress */
    double begun, told;        /* evaluation's begin; last report */
};

struct queue {
    struct lct_plan *plan;
    locant_store *store;
    const locant_corpus *corpus;
    locant_progress_fn progress;
    void *context;
    struct job *jobs;
    size_t n, limit;           /* jobs; those that may begin now */
    int64_t cost;              /* of all evaluations, in tokens */
    double begun;
    pthread_mutex_t mutex; /* guards what follows, and what jobs have done */
    size_t next;
    bool stop;
    locant_status status;
    char sentence[512];
};

/* ---------------------------------------------------------------- progress */

/* A trained token costs forward and backward: three times a forward. */
enum { TRAIN_COST = 3 };

/* Under the mutex: add up all jobs, tell the caller. */
static void tell(struct queue *q, locant_progress *p)
{
    const locant_train_options *o = &q->plan->train;
    int64_t train = o->steps * o->batch * o->length;
    double cost = 0, spent = 0, all;

    p->done = 0;
    p->total = (int64_t)q->n * train + q->cost;
    for (size_t i = 0; i < q->n; i++) {
        const struct job *j = &q->jobs[i];

        p->done += j->trained + j->evaluated;
        cost += (double)(TRAIN_COST * j->trained + j->evaluated);
        spent += (double)(TRAIN_COST * (j->trained - j->found) + j->counted);
    }
    all = (double)q->n * (double)(TRAIN_COST * train) + (double)q->cost;
    p->elapsed = lct_clock() - q->begun;
    p->left = spent > 0 ? p->elapsed * (all - cost) / spent : NAN;
    if (q->progress && q->progress(p, q->context) != 0)
        q->stop = true;
}

static int on_train(const locant_progress *progress, void *context)
{
    struct job *j = context;
    struct queue *q = j->queue;
    const locant_train_options *o = &q->plan->train;
    locant_progress p = *progress;
    int stop;

    pthread_mutex_lock(&q->mutex);
    if (!j->seen)
        j->found = progress->done - o->batch * o->length;
    j->seen = true;
    j->trained = progress->done;
    if (!q->stop)
        tell(q, &p);
    stop = q->stop;
    pthread_mutex_unlock(&q->mutex);
    return stop;
}

static int on_evaluate(int64_t tokens, void *context)
{
    struct job *j = context;
    struct queue *q = j->queue;
    const locant_train_options *o = &q->plan->train;
    double now = lct_clock();
    int stop;

    pthread_mutex_lock(&q->mutex);
    j->evaluated += tokens;
    j->counted += tokens;
    if (!q->stop && now - j->told >= .1) {
        locant_progress p = {
            .phase = "evaluate", .encoding = j->spec, .seed = j->seed,
            .step = o->steps, .steps = o->steps, .loss = NAN,
            .rate = now > j->begun ? (double)j->counted / (now - j->begun)
                                   : NAN};

        j->told = now;
        tell(q, &p);
    }
    stop = q->stop;
    pthread_mutex_unlock(&q->mutex);
    return stop;
}

/* A job that is over counts in full, whatever it found done already. */
static void count_trained(struct job *j)
{
    struct queue *q = j->queue;
    const locant_train_options *o = &q->plan->train;

    pthread_mutex_lock(&q->mutex);
    j->trained = o->steps * o->batch * o->length;
    if (!j->seen)
        j->found = j->trained;
    pthread_mutex_unlock(&q->mutex);
}

/* The loss of this run stopped being finite: say so while the others go on. */
static void tell_failure(struct job *j)
{
    struct queue *q = j->queue;
    char notice[640];
    locant_progress p = {.phase = "train", .loss = NAN, .rate = NAN,
                         .notice = notice};

    snprintf(notice, sizeof notice, "%s; the others go on",
             locant_last_error());
    pthread_mutex_lock(&q->mutex);
    tell(q, &p);
    pthread_mutex_unlock(&q->mutex);
}

static void count_evaluated(struct job *j)
{
    struct queue *q = j->queue;

    pthread_mutex_lock(&q->mutex);
    j->evaluated = j->cost;
    pthread_mutex_unlock(&q->mutex);
}

/* -------------------------------------------------------------------- jobs */

static locant_status run_job(struct job *j)
{
    struct queue *q = j->queue;
    locant_train_options o = q->plan->train;
    int64_t *id = j->id;
    locant_evaluation unused;

    o.encoding = j->spec;
    o.seed = j->seed;
    o.learning_rate = *j->rate;
    o.progress = on_train;
    o.context = j;
    LCT_TRY(lct_train_or_fail(id, q->store, q->corpus, &o));
    if (lct_run_failed(q->store, *id)) {
        tell_failure(j);
        return LOCANT_OK;
    }
    count_trained(j);
    j->begun = lct_clock();
    LCT_TRY(lct_evaluate(&unused, q->store, *id, q->corpus, q->plan->blocks,
                         on_evaluate, j));
    LCT_TRY(lct_evaluate_more(q->store, *id, q->corpus, q->plan->blocks,
                              on_evaluate, j));
    count_evaluated(j);
    return LOCANT_OK;
}

static struct job *next_job(struct queue *q)
{
    struct job *j = NULL;

    pthread_mutex_lock(&q->mutex);
    if (!q->stop && q->next < q->limit)
        j = &q->jobs[q->next++];
    pthread_mutex_unlock(&q->mutex);
    return j;
}

/* The sentence of a failure belongs to this thread: carry it home. */
static void keep_failure(struct queue *q, locant_status status)
{
    pthread_mutex_lock(&q->mutex);
    q->stop = true;
    if (q->status == LOCANT_OK || q->status == LOCANT_ERR_INTERRUPTED) {
        q->status = status;
        strncpy(q->sentence, locant_last_error(), sizeof q->sentence - 1);
    }
    pthread_mutex_unlock(&q->mutex);
}

static void work(void *context, size_t task, int slot)
{
    struct queue *q = context;
    struct job *j = next_job(q);
    locant_status status = j ? run_job(j) : LOCANT_OK;

    (void)task;
    (void)slot;
    if (status != LOCANT_OK)
        keep_failure(q, status);
}

/* Rates to be tried first, then every seed. */
static void list_jobs(struct queue *q)
{
    struct lct_plan *plan = q->plan;
    const int64_t blocks = plan->blocks, length = plan->train.length;
    const size_t tries = plan->n * (size_t)plan->n_rates;

    for (size_t i = 0; i < q->n; i++) {
        const size_t at = i < tries ? i : i - tries, e = at % plan->n;

        q->jobs[i] = (struct job){
            .queue = q, .spec = plan->specs[e],
            .seed = i < tries ? 1 : 1 + at / plan->n,
            .id = i < tries ? &plan->tried[at] : &plan->runs[at],
            .rate = i < tries ? &plan->rates[at / plan->n] : &plan->rate[e],
            .cost = lct_evaluation_tokens(blocks, length) +
                    lct_more_tokens(blocks, plan->specs[e], length)};
        q->cost += q->jobs[i].cost;
    }
}

/* Jobs up to 'limit'. */
static locant_status run_jobs(struct queue *q, size_t limit)
{
    q->limit = limit;
    locant_parallel_for(limit - q->next, work, q);
    if (q->status != LOCANT_OK && q->status != LOCANT_ERR_INTERRUPTED)
        return locant_fail(q->status, "%s", q->sentence);
    if (q->stop)
        return locant_fail(LOCANT_ERR_INTERRUPTED,
                           "locant_report_run: stopped; every run has its"
                           " checkpoint and the same call continues");
    return LOCANT_OK;
}

static locant_status run_queue(struct queue *q)
{
    const size_t tries = q->plan->n * (size_t)q->plan->n_rates;
    locant_status status = LOCANT_OK;

    list_jobs(q);
    pthread_mutex_init(&q->mutex, NULL);
    q->begun = lct_clock();
    if (tries > 0)
        status = run_jobs(q, tries);
    if (status == LOCANT_OK)
        status = lct_choose_rates(q->plan, q->store,
                                  locant_corpus_info_of(q->corpus)->sha256);
    if (status == LOCANT_OK)
        status = run_jobs(q, q->n);
    pthread_mutex_destroy(&q->mutex);
    return status;
}

locant_status lct_plan_run(struct lct_plan *plan, locant_store *store,
                           const locant_corpus *corpus,
                           locant_progress_fn progress, void *context)
{
    struct queue q = {.plan = plan, .store = store, .corpus = corpus,
                      .progress = progress, .context = context};
    locant_status status;

    q.n = plan->n * (size_t)(plan->seeds + plan->n_rates);
    q.jobs = locant_alloc(q.n * sizeof *q.jobs);
    if (q.jobs == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for %zu jobs", q.n);
    status = run_queue(&q);
    locant_release(q.jobs);
    return status;
}

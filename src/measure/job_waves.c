/* job_waves.c - tasks side by side, wave after wave, and their progress */
#define _POSIX_C_SOURCE 200809L
#include "job_waves.h"
#include "../store/checkpoint.h"
#include "plan.h"
#include <math.h>
#include <stdio.h>

/* ---------------------------------------------------------------- progress */

static int tell(struct lct_task_in_wave *t, locant_progress *p, double tokens)
{
    struct lct_job *w = t->waves;
    int stop;

    pthread_mutex_lock(&w->mutex);
    t->told += tokens;
    w->done += tokens;
    w->spent += tokens;
    p->done = (int64_t)w->done;
    p->total = (int64_t)fmax(w->all, w->done);
    p->elapsed = lct_clock() - w->begun;
    p->left = p->elapsed * (double)(p->total - p->done) / w->spent;
    if (!w->stop && w->progress && w->progress(p, w->context) != 0)
        w->stop = true;
    stop = w->stop;
    pthread_mutex_unlock(&w->mutex);
    return stop;
}

/* What a run has done since it told last, 'cost' each. */
static int tell_more(struct lct_task_in_wave *t, const locant_progress *from,
                     int cost)
{
    locant_progress p = *from;
    const int64_t more = p.done - t->last;

    t->last = p.done;
    return tell(t, &p, cost * (double)more);
}

static int on_train(const locant_progress *progress, void *context)
{
    return tell_more(context, progress, LCT_TRAIN_COST);
}

int lct_wave_on_score(const locant_progress *progress, void *context)
{
    return tell_more(context, progress, 1);
}

int lct_wave_on_read(int64_t tokens, void *context)
{
    struct lct_task_in_wave *t = context;
    locant_progress p = {.phase = t->waves->phase, .loss = NAN, .rate = NAN};

    return tell(t, &p, (double)tokens);
}

void lct_wave_follow(locant_train_options *o, struct lct_task_in_wave *t)
{
    t->cost = LCT_TRAIN_COST * (double)(o->steps * o->batch * o->length);
    o->progress = on_train;
    o->context = t;
}

/* 'sentence': why this run has no finite loss. */
static void tell_failure(struct lct_task_in_wave *t, const char *sentence)
{
    struct lct_job *w = t->waves;
    char notice[640];
    locant_progress p = {.phase = w->phase, .loss = NAN, .rate = NAN,
                         .notice = notice};

    snprintf(notice, sizeof notice, "%s; the others go on, and numbers leave it"
             " out", sentence);
    pthread_mutex_lock(&w->mutex);
    w->failures++;
    pthread_mutex_unlock(&w->mutex);
    (void)tell(t, &p, 0);
}

locant_status lct_wave_train(int64_t *run, struct lct_task_in_wave *t,
                             locant_store *store, const locant_corpus *corpus,
                             const locant_train_options *options)
{
    locant_train_options o = *options;

    lct_wave_follow(&o, t);
    LCT_TRY(lct_train_or_fail(run, store, corpus, &o));
    if (lct_run_failed(store, *run))
        tell_failure(t, locant_last_error());
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- waves */

void lct_job_begin(struct lct_job *w, void *job, const char *phase,
                     double all, locant_progress_fn progress, void *context)
{
    *w = (struct lct_job){.job = job, .phase = phase, .all = all,
                            .progress = progress, .context = context,
                            .begun = lct_clock()};
    pthread_mutex_init(&w->mutex, NULL);
}

void lct_job_end(struct lct_job *w)
{
    pthread_mutex_destroy(&w->mutex);
}

/* The sentence of a failure belongs to this thread: carry it home. */
static void finish(struct lct_job *w, const struct lct_task_in_wave *t,
                   locant_status status)
{
    pthread_mutex_lock(&w->mutex);
    if (status == LOCANT_OK)
        w->done += t->cost - t->told; /* the rest was there already */
    w->stop = w->stop || status != LOCANT_OK;
    if (status != LOCANT_OK && (w->status == LOCANT_OK ||
                                w->status == LOCANT_ERR_INTERRUPTED)) {
        w->status = status;
        snprintf(w->sentence, sizeof w->sentence, "%s", locant_last_error());
    }
    pthread_mutex_unlock(&w->mutex);
}

static void work(void *context, size_t i, int slot)
{
    struct lct_job *w = context;
    struct lct_task_in_wave t = {.waves = w};
    bool stop;

    (void)slot;
    pthread_mutex_lock(&w->mutex);
    stop = w->stop;
    pthread_mutex_unlock(&w->mutex);
    if (!stop)
        finish(w, &t, w->work(&t, i));
}

locant_status lct_wave(struct lct_job *w, lct_wave_work task, size_t n)
{
    w->work = task;
    locant_parallel_for(n, work, w);
    if (w->status != LOCANT_OK && w->status != LOCANT_ERR_INTERRUPTED)
        return locant_fail(w->status, "%s", w->sentence);
    if (w->stop)
        return locant_fail(LOCANT_ERR_INTERRUPTED,
                           "locant_report_run: stopped; every run has its"
                           " checkpoint and the same call continues");
    return LOCANT_OK;
}

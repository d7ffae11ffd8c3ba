/* jobs.c - runs stages of parallel jobs and reports their progress */
#define _POSIX_C_SOURCE 200809L
#include "jobs.h"
#include "../store/clock.h"
#include <math.h>
#include <stdio.h>

/* ---------------------------------------------------------------- progress */

/* Seconds left. Jobs measure what training and evaluation take, so the estimate
   becomes better as they run. */
static double seconds_left(const struct lct_jobs *jobs, double elapsed)
{
    const struct lct_work *now = &jobs->work;
    const double done = now->done[LCT_TRAINS] + now->done[LCT_EVALUATES];
    const double timed = now->timed[LCT_TRAINS] + now->timed[LCT_EVALUATES];
    struct lct_work w = *now;

    if (jobs->train_cost > 0) {
        w.total[LCT_TRAINS] = jobs->train_cost;
        w.total[LCT_EVALUATES] = jobs->total_cost - jobs->train_cost;
        return lct_work_left(&w, locant_threads());
    }
    return timed > 0 ? elapsed * fmax(0, jobs->total_cost - done) / timed : NAN;
}

/* Count 'cost' more of the job as done, 'session_cost' of it in this session.
   Complete 'p' and, if 'due', report it. Returns nonzero if the job is to
   stop. */
static int count_progress(struct lct_job *job, locant_progress *p,
                          enum lct_work_kind kind, double cost,
                          double session_cost, bool due)
{
    struct lct_jobs *jobs = job->jobs;
    struct lct_work *work = &jobs->work;
    const double now = lct_clock();
    double done;
    int stop;

    pthread_mutex_lock(&jobs->mutex);
    job->reported_cost[kind] += cost;
    work->done[kind] += cost;
    work->timed[kind] += session_cost;
    work->seconds[kind] += now - job->counted;
    job->counted = now;
    done = work->done[LCT_TRAINS] + work->done[LCT_EVALUATES];
    p->done = (int64_t)done;
    p->total = (int64_t)fmax(jobs->total_cost, done);
    p->elapsed = now - jobs->begun;
    p->left = seconds_left(jobs, p->elapsed);
    if (due && !jobs->stop && jobs->lab.progress &&
        jobs->lab.progress(p, jobs->lab.context) != 0)
        jobs->stop = true;
    stop = jobs->stop;
    pthread_mutex_unlock(&jobs->mutex);
    return stop;
}

/* A progress callback counts all tokens of the run. In the first report, those
   before the last step were trained in earlier sessions. */
static int on_train(const locant_progress *progress, void *context)
{
    struct lct_job *job = context;
    locant_progress p = *progress;
    const int64_t more = p.done - job->last_tokens;
    const int64_t in_session = job->last_tokens == 0 && job->step_tokens < more
                                   ? job->step_tokens
                                   : more;

    job->last_tokens = p.done;
    return count_progress(job, &p, LCT_TRAINS, LCT_TRAIN_COST * (double)more,
                          LCT_TRAIN_COST * (double)in_session, true);
}

int lct_job_on_score(const locant_progress *progress, void *context)
{
    struct lct_job *job = context;
    locant_progress p = *progress;
    const double more = (double)(p.done - job->last_tokens);

    job->last_tokens = p.done;
    return count_progress(job, &p, LCT_EVALUATES, more, more, true);
}

void lct_job_expect_tokens(struct lct_job *job, double tokens)
{
    job->cost[LCT_EVALUATES] += tokens;
    job->last_tokens = 0;
    if (job->evaluation_begun == 0)
        job->evaluation_begun = lct_clock();
}

int lct_job_on_tick(int64_t tokens, void *context)
{
    struct lct_job *job = context;
    const double now = lct_clock();
    const bool due = now - job->report_time >= .1;
    locant_progress p = { .phase = job->jobs->phase,
                          .encoding = job->encoding,
                          .seed = job->seed,
                          .step = job->steps,
                          .steps = job->steps,
                          .loss = NAN,
                          .rate = NAN };

    job->evaluated += (double)tokens;
    if (now > job->evaluation_begun)
        p.rate = job->evaluated / (now - job->evaluation_begun);
    if (due)
        job->report_time = now;
    return count_progress(job, &p, LCT_EVALUATES, (double)tokens,
                          (double)tokens, due);
}

static void report_failure(struct lct_job *job)
{
    struct lct_jobs *jobs = job->jobs;
    char notice[640];
    locant_progress p = {
        .phase = jobs->phase, .loss = NAN, .rate = NAN, .notice = notice
    };

    snprintf(notice, sizeof notice,
             "%s; other runs continue, and the numbers"
             " leave it out",
             locant_last_error());
    pthread_mutex_lock(&jobs->mutex);
    jobs->failures++;
    pthread_mutex_unlock(&jobs->mutex);
    (void)count_progress(job, &p, LCT_TRAINS, 0, 0, true);
}

locant_status lct_job_train(int64_t *run, struct lct_job *job,
                            const locant_train_options *options)
{
    const struct lct_jobs *jobs = job->jobs;
    locant_train_options o = *options;

    o.progress = on_train;
    o.context = job;
    if (o.source)
        o.optimizer = jobs->lab.task_optimizer;
    job->step_tokens = o.batch * o.length;
    job->cost[LCT_TRAINS] +=
        LCT_TRAIN_COST * (double)(o.steps * job->step_tokens);
    LCT_TRY(lct_train_may_fail(run, jobs->lab.store,
                               o.source ? NULL : jobs->lab.corpus, &o));
    if (lct_run_failed(jobs->lab.store, *run))
        report_failure(job);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- stages */

/* Account for a job that ended. Errors are per thread, so the message of the
   first one is copied. */
static void finish_job(struct lct_jobs *jobs, const struct lct_job *job,
                       locant_status status)
{
    pthread_mutex_lock(&jobs->mutex);
    if (status == LOCANT_OK)
        /* what the job did not report was in the store already */
        for (int i = 0; i < LCT_WORK_KINDS; i++)
            jobs->work.done[i] += job->cost[i] - job->reported_cost[i];
    else
        jobs->stop = true;
    if (status != LOCANT_OK &&
        (jobs->status == LOCANT_OK || jobs->status == LOCANT_ERR_INTERRUPTED)) {
        jobs->status = status;
        snprintf(jobs->error, sizeof jobs->error, "%s", locant_last_error());
    }
    pthread_mutex_unlock(&jobs->mutex);
}

/* Run the next job. Jobs begin in order of index although the pool may hand out
   tasks in another order. */
static void run_next(void *context, size_t task, int slot)
{
    struct lct_jobs *jobs = context;
    struct lct_job job = { .jobs = jobs, .counted = lct_clock() };
    bool stop;

    (void)task;
    (void)slot;
    pthread_mutex_lock(&jobs->mutex);
    stop = jobs->stop;
    job.i = jobs->next_job++;
    pthread_mutex_unlock(&jobs->mutex);
    if (!stop)
        finish_job(jobs, &job, jobs->stage->run(&job));
}

static locant_status outcome(const struct lct_jobs *jobs)
{
    if (jobs->status != LOCANT_OK && jobs->status != LOCANT_ERR_INTERRUPTED)
        return locant_fail(jobs->status, "%s", jobs->error);
    if (jobs->stop)
        return locant_fail(LOCANT_ERR_INTERRUPTED,
                           "locant_report_run: stopped; every run has its"
                           " checkpoint and the same call continues");
    return LOCANT_OK;
}

locant_status lct_jobs_run(struct lct_jobs *jobs, const struct lct_stage *stage,
                           size_t stages)
{
    locant_status status = LOCANT_OK;

    jobs->begun = lct_clock();
    pthread_mutex_init(&jobs->mutex, NULL);
    for (size_t i = 0; i < stages && status == LOCANT_OK; i++) {
        jobs->stage = &stage[i];
        jobs->next_job = 0;
        locant_parallel_for(stage[i].n, run_next, jobs);
        status = outcome(jobs);
    }
    pthread_mutex_destroy(&jobs->mutex);
    jobs->seconds = lct_clock() - jobs->begun;
    return status;
}

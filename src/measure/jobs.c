/* jobs.c - jobs in parallel, stage after stage, and their progress */
#define _POSIX_C_SOURCE 200809L
#include "jobs.h"
#include "../store/clock.h"
#include <math.h>
#include <stdio.h>

/* ---------------------------------------------------------------- progress */

/* Count 'cost' more of the job as done, 'spent' of it in this session, and
   report it if 'due'. Returns nonzero if the job is asked to stop. */
static int count_progress(struct lct_job *job, locant_progress *p, double cost,
                          double spent, bool due)
{
    struct lct_jobs *jobs = job->jobs;
    int stop;

    pthread_mutex_lock(&jobs->mutex);
    job->told += cost;
    jobs->done += cost;
    jobs->spent += spent;
    p->done = (int64_t)jobs->done;
    p->total = (int64_t)fmax(jobs->all, jobs->done);
    p->elapsed = lct_clock() - jobs->begun;
    p->left = jobs->spent > 0
                  ? p->elapsed * (double)(p->total - p->done) / jobs->spent
                  : NAN;
    if (due && !jobs->stop && jobs->lab.progress &&
        jobs->lab.progress(p, jobs->lab.context) != 0)
        jobs->stop = true;
    stop = jobs->stop;
    pthread_mutex_unlock(&jobs->mutex);
    return stop;
}

/* Of the tokens in the first report of a run, all but those of one step were
   trained in earlier sessions. */
static int on_train(const locant_progress *progress, void *context)
{
    struct lct_job *job = context;
    locant_progress p = *progress;
    const int64_t more = p.done - job->last;
    const int64_t fresh = job->last == 0 && job->step < more ? job->step : more;

    job->last = p.done;
    return count_progress(job, &p, LCT_TRAIN_COST * (double)more,
                          LCT_TRAIN_COST * (double)fresh, true);
}

int lct_job_on_score(const locant_progress *progress, void *context)
{
    struct lct_job *job = context;
    locant_progress p = *progress;
    const double more = (double)(p.done - job->last);

    job->last = p.done;
    return count_progress(job, &p, more, more, true);
}

void lct_job_reads(struct lct_job *job, double tokens)
{
    job->cost += tokens;
    job->last = 0;
    if (job->begun == 0)
        job->begun = lct_clock();
}

int lct_job_on_read(int64_t tokens, void *context)
{
    struct lct_job *job = context;
    const double now = lct_clock();
    const bool due = now - job->reported >= .1;
    locant_progress p = { .phase = job->jobs->phase,
                          .encoding = job->encoding,
                          .seed = job->seed,
                          .step = job->steps,
                          .steps = job->steps,
                          .loss = NAN,
                          .rate = NAN };

    job->read += (double)tokens;
    if (now > job->begun)
        p.rate = job->read / (now - job->begun);
    if (due)
        job->reported = now;
    return count_progress(job, &p, (double)tokens, (double)tokens, due);
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
    (void)count_progress(job, &p, 0, 0, true);
}

locant_status lct_job_train(int64_t *run, struct lct_job *job,
                            const locant_train_options *options)
{
    const struct lct_jobs *jobs = job->jobs;
    locant_train_options o = *options;

    o.progress = on_train;
    o.context = job;
    job->step = o.batch * o.length;
    job->cost += LCT_TRAIN_COST * (double)(o.steps * job->step);
    LCT_TRY(lct_train_may_fail(run, jobs->lab.store,
                               o.source ? NULL : jobs->lab.corpus, &o));
    if (lct_run_failed(jobs->lab.store, *run))
        report_failure(job);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- stages */

/* Account for a job that ended. The message of a failure is copied because
   it is kept per thread. */
static void finish(struct lct_jobs *jobs, const struct lct_job *job,
                   locant_status status)
{
    pthread_mutex_lock(&jobs->mutex);
    if (status == LOCANT_OK)
        jobs->done += job->cost - job->told; /* the rest was in the store
                                               already */
    else
        jobs->stop = true;
    if (status != LOCANT_OK &&
        (jobs->status == LOCANT_OK || jobs->status == LOCANT_ERR_INTERRUPTED)) {
        jobs->status = status;
        snprintf(jobs->error, sizeof jobs->error, "%s", locant_last_error());
    }
    pthread_mutex_unlock(&jobs->mutex);
}

/* Run the next job: jobs begin in order, whatever the order of tasks. */
static void work(void *context, size_t task, int slot)
{
    struct lct_jobs *jobs = context;
    struct lct_job job = { .jobs = jobs };
    bool stop;

    (void)task;
    (void)slot;
    pthread_mutex_lock(&jobs->mutex);
    stop = jobs->stop;
    job.i = jobs->next++;
    pthread_mutex_unlock(&jobs->mutex);
    if (!stop)
        finish(jobs, &job, jobs->stage->run(&job));
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
        jobs->next = 0;
        locant_parallel_for(stage[i].n, work, jobs);
        status = outcome(jobs);
    }
    pthread_mutex_destroy(&jobs->mutex);
    jobs->seconds = lct_clock() - jobs->begun;
    return status;
}

/* jobs.h - long work in stages of parallel jobs, with the progress of the
   whole. The result of a job may be in the store already. */
#ifndef LCT_JOBS_H
#define LCT_JOBS_H
#include "plan.h"

/* A trained token costs forward and backward: three times a forward. */
enum { LCT_TRAIN_COST = 3 };

struct lct_job;

/* 'n' jobs that may run in parallel once the stage before has ended. */
struct lct_stage {
    locant_status (*run)(struct lct_job *job);
    size_t n;
};

/* Stages of jobs. The caller sets the members up to 'all'. */
struct lct_jobs {
    void *state;       /* what the jobs share */
    const char *phase; /* name of the phase in which runs are evaluated */
    struct lct_lab lab;
    double all; /* cost of everything in tokens; trained tokens count thrice */
    double seconds;   /* duration; written by lct_jobs_run() */
    int64_t failures; /* runs whose loss stopped being finite; written, too */

    const struct lct_stage *stage; /* the running stage */
    double begun;
    pthread_mutex_t mutex; /* guards what follows, and what jobs share */
    size_t next;           /* next job of the stage */
    double done, spent;    /* part of 'all' done; in this session */
    bool stop;
    locant_status status;
    char error[512];
};

/* One job of a stage. */
struct lct_job {
    struct lct_jobs *jobs;
    size_t i;
    const char *encoding; /* spec to report while reading; may be NULL */
    uint64_t seed;
    int64_t steps;
    double cost, told; /* its whole cost; part reported so far */
    int64_t step;      /* tokens of one step of its training */
    int64_t last;      /* tokens that its run has reported */
    /* while reading: clock at the start and at the last report; tokens read */
    double begun, reported, read;
};

/*
 * Run the stages one after another. The first failure stops the other jobs as
 * an interruption does, and is returned. Every job stores its results, so after
 * a stop or a kill the same call continues.
 */
locant_status lct_jobs_run(struct lct_jobs *jobs, const struct lct_stage *stage,
                           size_t stages);

/*
 * locant_train() with these options, as part of a job. If the loss stopped
 * being finite, that is reported and counted, and the result is OK so that
 * other jobs go on.
 */
locant_status lct_job_train(int64_t *run, struct lct_job *job,
                            const locant_train_options *options);

/*
 * Announce that the job will read at most 'tokens'. Then pass lct_job_on_read()
 * as the tick of an evaluation, or lct_job_on_score() as the progress of
 * scoring a task, with the job as 'context'.
 */
void lct_job_reads(struct lct_job *job, double tokens);
int lct_job_on_read(int64_t tokens, void *context);
int lct_job_on_score(const locant_progress *progress, void *context);
#endif

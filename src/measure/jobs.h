/* jobs.h - stages of parallel jobs that train and evaluate, and report their
   progress together. The store may have the result of a job already. */
#ifndef LCT_JOBS_H
#define LCT_JOBS_H
#include "forecast_time.h"
#include "plan.h"

/* Cost of training on one token, in tokens evaluated: backward takes twice as
   long as forward. */
enum { LCT_TRAIN_COST = 3 };

struct lct_job;

/* 'n' jobs that run in parallel after the previous stage has ended. */
struct lct_stage {
    locant_status (*run)(struct lct_job *job);
    size_t n;
};

/* Stages of jobs. The caller sets the members up to 'total_cost'. Costs are in
   tokens; trained tokens count LCT_TRAIN_COST times. */
struct lct_jobs {
    void *state;       /* what the jobs share */
    const char *phase; /* name of the phase in which runs are evaluated */
    struct lct_lab lab;
    double total_cost; /* of all jobs */
    double train_cost; /* of it, training; 0: not known */

    /* written by lct_jobs_run() */
    double seconds;   /* duration */
    int64_t failures; /* runs whose loss stopped being finite */

    const struct lct_stage *stage; /* the running stage */
    double begun;                  /* clock when the first stage began */
    pthread_mutex_t mutex; /* guards what follows, and what jobs share */
    size_t next_job;       /* index in the stage */
    struct lct_work work;  /* its 'total' is set when it is used */
    bool stop;             /* jobs are to stop, and no other is to begin */
    locant_status status;  /* of the first job that failed, with its message */
    char error[512];
};

/* One job of a stage. */
struct lct_job {
    struct lct_jobs *jobs;
    size_t i; /* index in the stage */

    /* set by the job, to be reported during its evaluations */
    const char *encoding; /* spec; may be NULL */
    uint64_t seed;
    int64_t steps;

    double cost[LCT_WORK_KINDS];          /* announced so far */
    double reported_cost[LCT_WORK_KINDS]; /* reported so far */
    double counted;      /* clock at the last report, or at the beginning */
    int64_t step_tokens; /* tokens of one training step */
    int64_t last_tokens; /* tokens in the last report of training or scoring */

    /* of its evaluations */
    double evaluation_begun; /* clock; 0: not begun */
    double report_time;      /* clock at the last report */
    double evaluated;        /* tokens */
};

/*
 * Run the stages one after another. The first failure stops the other jobs, as
 * an interruption does, and its status is returned. Every job stores its
 * results, so after a stop or a kill the same call continues the work.
 */
locant_status lct_jobs_run(struct lct_jobs *jobs, const struct lct_stage *stage,
                           size_t stages);

/*
 * locant_train() with these options, as part of a job. A run whose loss stopped
 * being finite is reported and counted, and the status is OK, so that other
 * jobs continue.
 */
locant_status lct_job_train(int64_t *run, struct lct_job *job,
                            const locant_train_options *options);

/*
 * Add to the job's cost the tokens that it is about to evaluate. Then pass
 * lct_job_on_tick() as the tick of an evaluation, or lct_job_on_score() as the
 * progress callback of scoring a task, with the job as 'context'.
 */
void lct_job_expect_tokens(struct lct_job *job, double tokens);
int lct_job_on_tick(int64_t tokens, void *context);
int lct_job_on_score(const locant_progress *progress, void *context);
#endif

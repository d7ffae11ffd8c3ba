/*
 * jobs.h - a long work as stages of jobs side by side, each of which may be in
 * the store already, and how far all of it has come.
 */
#ifndef LCT_JOBS_H
#define LCT_JOBS_H
#include "plan.h"

/* A trained token costs forward and backward: three times a forward. */
enum { LCT_TRAIN_COST = 3 };

struct lct_job;

/* 'n' jobs that may run side by side, once the stage before has ended. */
struct lct_stage {
    locant_status (*run)(struct lct_job *job);
    size_t n;
};

/* A work.  The caller sets the first members. */
struct lct_jobs {
    void *work;
    const char *phase;           /* what reading is called */
    locant_store *store;
    const locant_corpus *corpus; /* NULL: it trains on sources alone */
    locant_progress_fn progress; /* or NULL */
    void *context;
    double all;  /* what everything costs, in tokens; trained ones thrice */
    double seconds;   /* that it took; written by lct_jobs_run() */
    int64_t failures; /* runs whose loss stopped being finite; written, too */

    const struct lct_stage *stage; /* the one that runs */
    double begun;
    pthread_mutex_t mutex; /* guards what follows, and what jobs share */
    size_t next;           /* job of the stage */
    double done, spent;    /* of 'all'; in this sitting */
    bool stop;
    locant_status status;
    char error[512];
};

/* One job of a stage. */
struct lct_job {
    struct lct_jobs *jobs;
    size_t i;
    const char *encoding; /* what progress says of a reading; may be NULL */
    uint64_t seed;
    int64_t steps;
    double cost, told;    /* what it costs, added up; has told of that */
    int64_t step;         /* tokens of a step of its training */
    int64_t last;         /* tokens that its run has told */
    double begun, reported, read; /* of reading: clocks, tokens */
};

/*
 * Run the stages, one after another.  The first failure stops the rest as an
 * interruption does, and is what this returns.  Stopped or killed, the same
 * call continues, as every job leaves in the store what it finished.
 */
locant_status lct_jobs_run(struct lct_jobs *jobs, const struct lct_stage *stage,
                           size_t stages);

/*
 * locant_train() with these options, as part of a job.  Where the loss stopped
 * being finite that is said, once, and counted; OK, for others are to go on.
 */
locant_status lct_job_train(int64_t *run, struct lct_job *job,
                            const locant_train_options *options);

/*
 * Reading 'tokens' or fewer is part of the job.  lct_job_on_read() is then the
 * tick, lct_job_on_score() the progress of scoring a task; their 'context' is
 * the job.
 */
void lct_job_reads(struct lct_job *job, double tokens);
int lct_job_on_read(int64_t tokens, void *context);
int lct_job_on_score(const locant_progress *progress, void *context);
#endif

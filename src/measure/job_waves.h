/*
 * job_waves.h - a long job as waves of tasks side by side, each of which may be
 * in the store already, and how far all of it has come.
 */
#ifndef LCT_JOB_WAVES_H
#define LCT_JOB_WAVES_H
#include "plan.h"

/* A trained token costs forward and backward: three times a forward. */
enum { LCT_TRAIN_COST = 3 };

struct lct_task_in_wave;
typedef locant_status (*lct_wave_work)(struct lct_task_in_wave *t, size_t i);

struct lct_job {
    void *job;             /* whose waves they are */
    const char *phase;     /* what reading is called */
    locant_progress_fn progress;
    void *context;
    lct_wave_work work;    /* of this wave */
    double begun, all;     /* of everything, in tokens; trained ones thrice */
    pthread_mutex_t mutex; /* guards what follows, and what tasks share */
    double done, spent;    /* of it; in this sitting */
    bool stop;
    int64_t failures; /* runs whose loss stopped being finite */
    locant_status status;
    char sentence[512];
};

/* One of a wave: what it costs, which it says, and has told of that. */
struct lct_task_in_wave {
    struct lct_job *waves;
    double cost, told;
    int64_t last; /* tokens that its run has told */
};

/* 'all': what everything costs, in tokens, trained ones thrice. */
void lct_job_begin(struct lct_job *w, void *job, const char *phase,
                     double all, locant_progress_fn progress, void *context);
void lct_job_end(struct lct_job *w);

/*
 * Tasks 0 .. n - 1, side by side.  The first failure stops the rest as an
 * interruption does, and is what this returns.
 */
locant_status lct_wave(struct lct_job *w, lct_wave_work work, size_t n);

/* What training with these options costs; its progress goes to 't'. */
void lct_wave_follow(locant_train_options *o, struct lct_task_in_wave *t);

/*
 * locant_train() with these options, which follow 't'.  Where the loss stopped
 * being finite that is said, once, and counted; OK, for others are to go on.
 */
locant_status lct_wave_train(int64_t *run, struct lct_task_in_wave *t,
                             locant_store *store, const locant_corpus *corpus,
                             const locant_train_options *options);

/* Progress of scoring a task, of reading: for a locant_progress_fn, a tick;
   'context' is the struct lct_task_in_wave. */
int lct_wave_on_score(const locant_progress *progress, void *context);
int lct_wave_on_read(int64_t tokens, void *context);
#endif

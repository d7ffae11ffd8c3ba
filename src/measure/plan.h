/* plan.h - the runs that a report compares: what it trains and evaluates.
   Extension, surface and tasks have plans of their own; see report_parts.h. */
#ifndef LCT_PLAN_H
#define LCT_PLAN_H
#include "../train/train.h"
#include <locant/report.h>

enum {
    LCT_RATES = 3,            /* learning rates tried, at most */
    LCT_MOST_ENCODINGS = 1000 /* encodings of a report, at most */
};

/* Is this the name of a preset? */
bool lct_is_preset(const char *name);
/* The name of preset i; NULL past the end. */
const char *lct_preset_name(int i);

/* Where runs are stored, what they read, where progress is reported, and what
   trains every run. */
struct lct_lab {
    locant_store *store;
    const locant_corpus *corpus; /* NULL: no run reads text */
    locant_progress_fn progress; /* or NULL */
    void *context;
    locant_optimizer task_optimizer; /* of runs on tasks */
    locant_optimizer optimizer;      /* of the extension's runs on text */
    int vocabulary;                  /* of the same */
};

/* What a report trains and evaluates. */
struct lct_plan {
    const char *name;           /* of the preset; NULL: chosen runs */
    locant_train_options train; /* a job sets encoding and seed */
    char (*specs)[256];         /* [n] canonical, resolved */
    size_t n;
    int seeds;               /* the seeds are 1 .. seeds */
    int64_t blocks;          /* of the test text, per evaluation */
    int ngram_order[2];      /* of gate g2; for comparison */
    int judged;              /* index of the length of the ranking */
    int64_t *runs;           /* [seeds, n]: ids of runs; 0: not made yet, or
                                none was chosen */
    double rates[LCT_RATES]; /* learning rates to try with seed 1 */
    int n_rates;             /* 0: train.learning_rate for all */
    double *rate;            /* [n]: learning rate chosen for each encoding */
    double *valid;           /* [n_rates, n]: validation loss with each rate */
    int64_t *tried;          /* [n_rates, n]: run with each rate */
    bool rates_known;        /* 'rate' came from options->plan */
    char corpus_sha256[65];  /* of options->plan; "": any text */
    int part, parts;         /* the jobs of this part alone, 1 .. parts; parts
                                0: all */
};

locant_status lct_plan_create(struct lct_plan *plan,
                              const locant_report_options *options);
void lct_plan_free(struct lct_plan *plan);

/*
 * The canonical spec of 'spec' as trained with these options, whose own
 * encoding is ignored. Fails if a model with these options cannot be trained
 * with it.
 */
locant_status lct_plan_resolve(char out[256], const char *spec,
                               const locant_train_options *options);

/*
 * For every encoding, choose the learning rate of the run of 'tried' with the
 * least validation loss at the trained length; the first rate if no run has a
 * validation loss. Losses on the test text do not count.
 */
locant_status lct_choose_rates(struct lct_plan *plan, locant_store *store,
                               const char *corpus_sha256);

/* Find the runs of 'tried' that are done in the store, and write their ids;
   *found counts them. */
locant_status lct_plan_find_tried(size_t *found, struct lct_plan *plan,
                                  locant_store *store,
                                  const locant_corpus *corpus);

/* Fail with PARAM unless the text is that of options->plan, if it had one. */
locant_status lct_plan_check_text(const struct lct_plan *plan,
                                  const locant_corpus *corpus);

/* The number of runs that lct_plan_run() trains, or finds. */
size_t lct_plan_jobs(const struct lct_plan *plan);

/* locant_train(), but OK if the loss stopped being finite, so that other jobs
   go on; see lct_run_failed(). */
locant_status lct_train_may_fail(int64_t *run, locant_store *store,
                                 const locant_corpus *corpus,
                                 const locant_train_options *options);

/* Tokens that the evaluations of a run of encoding e read. */
double lct_plan_evaluation_tokens(const struct lct_plan *plan, size_t e);

/* Cost of one seed of all encodings in tokens. Trained tokens count three
   times. */
double lct_plan_cost(const struct lct_plan *plan);

/*
 * Train and evaluate what the store lacks, in parallel. A run whose loss stops
 * being finite does not stop the others. A part does either the runs that try
 * learning rates or, if the rates are known or not to be chosen, those of the
 * seeds: job j, seed by seed and encoding by encoding, is of part j mod parts.
 */
locant_status lct_plan_run(struct lct_plan *plan, const struct lct_lab *lab);
#endif

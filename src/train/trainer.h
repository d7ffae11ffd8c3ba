/* trainer.h - the state of one training run in one process */
#ifndef LCT_TRAINER_H
#define LCT_TRAINER_H
#include "../store/checkpoint.h"
#include "ranks.h"
#include "train.h"

enum { LCT_METRICS = 256 };

/* What a run takes from o.parent, besides its vocabulary and parameters. */
struct lct_train_parent {
    char encoding[256], model[128], key[1024];
    int64_t encoding_parameters;
};

enum { LCT_ADVICE_STEPS = 9 };

/* How much of the first steps of a session the ranks spend on messages. */
struct lct_train_advice {
    double seconds; /* for the messages of the last step */
    double share[LCT_ADVICE_STEPS];
    int steps; /* that have a share */
};

struct lct_trainer {
    locant_store *store;
    const locant_corpus *corpus;             /* NULL: o.source makes the rows */
    const struct lct_vocabulary *vocabulary; /* NULL: tokens are bytes, or the
                                                symbols of the source */
    struct lct_vocabulary *of_parent; /* vocabulary, read from o.parent */
    const struct lct_split *text;     /* [3] parts of the corpus in tokens;
                                         NULL: o.source */
    double tokens_per_byte; /* of the targets of this step; 1 without text */
    locant_train_options o;
    locant_encoding *encoding; /* resolved at o.length + o.memory */
    struct lct_ranks ranks;
    bool in_blocks; /* rows in several leaves are gathered block by block */
    struct lct_model *model;   /* for the rows of this rank's leaves */
    real *m, *v;               /* moments of AdamW, [parameters]; m of a matrix
                                  that Muon updates is its momentum */
    real *muon;                /* scratch of Muon, [slots, muon_size] */
    size_t muon_size;          /* enough for its largest matrix */
    int slots;                 /* matrices that it updates at a time */
    int32_t *tokens, *targets; /* [batch, length], in order of leaves */
    int32_t *row;              /* [length] scratch; NULL: a row is one leaf */
    real *loss;                /* [rows of this rank, length]; NULL: one rank */
    struct lct_checkpoint_memory memory; /* of all rows; no data: one rank, or
                                            nothing is remembered */
    size_t *starts;                 /* [batch] first tokens of the windows */
    char key[1024];                 /* identifies the run */
    struct lct_train_parent parent; /* of zeros: there is none */
    char *path;                     /* of the checkpoint */
    const struct lct_train_hooks *hooks;
    int64_t id;             /* of the run in the store */
    int64_t only;           /* see lct_train() */
    int lock;               /* descriptor of the run's lock, or -1 */
    int64_t step;           /* steps done */
    int64_t first_step;     /* steps done before this session */
    int64_t saved_step;     /* of the last checkpoint */
    bool wish;              /* to stop, of this rank */
    bool stop;              /* some rank wished it in this step */
    struct lct_held held;   /* see lct_train_hold() */
    uint64_t checksum;      /* hash of all batches so far */
    double earlier_seconds; /* of earlier sessions */
    double session_start, recorded, reported; /* times of lct_clock() */
    double forward_seconds, backward_seconds; /* of this session */
    struct lct_train_advice advice;
    struct lct_metric metrics[LCT_METRICS]; /* not recorded yet */
    size_t n_metrics;
    locant_corpus *probe_text; /* text that heads are probed on; NULL: not
                                  loaded yet */
    char notice[512];          /* a message for the user, or "" */
    bool notice_shown;
};

/* ------------------------------------------------------------------ set up */

/* Check the arguments of locant_train(). */
locant_status lct_train_check(const int64_t *run, const locant_store *store,
                              const locant_corpus *corpus,
                              const locant_train_options *o);

/* A trainer with these options, of no store yet; NOMEM. To be freed, also after
   a failure. */
locant_status lct_trainer_create(struct lct_trainer **out,
                                 const locant_corpus *corpus,
                                 const locant_train_options *options);
void lct_trainer_free(struct lct_trainer *t);

/* Read t->parent from the store of rank 0, for all ranks, and copy its sizes to
   the options. All ranks return the same. */
locant_status lct_train_find_parent(struct lct_trainer *t);

/* Fail unless the parameters of the run's encoding, 'own' numbers, can be those
   of its parent. */
locant_status lct_train_check_parent(const struct lct_trainer *t, int64_t own);

/* Create the encoding, the model and the buffers of a batch, and the key of the
   run. */
locant_status lct_train_set_up(struct lct_trainer *t);

/* -------------------------------------------------------------------- step */

/*
 * One step: batch, forward, backward, update; its metric is appended. Under a
 * group each rank passes its leaves, and all do the update. If the
 * loss or the norm of the gradient is not finite, *not_finite names it, *value
 * is its value, and parameters, moments and step have not changed. Otherwise
 * *not_finite is NULL.
 */
locant_status lct_train_step(struct lct_trainer *t, const char **not_finite,
                             double *value);
#endif

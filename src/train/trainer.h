/* trainer.h - what the files of training share: one run in one process */
#ifndef LCT_TRAINER_H
#define LCT_TRAINER_H
#include "train.h"

enum { LCT_METRICS = 256 };

struct lct_trainer {
    locant_store *store;
    const locant_corpus *corpus; /* NULL: the source needs none */
    locant_train_options o;
    locant_encoding *encoding; /* resolved with o.length */
    struct lct_model *model;
    real *m, *v;
    int32_t *tokens, *targets; /* [batch, length] */
    size_t *starts;            /* [batch] */
    char key[1024];
    char parent_key[1024];     /* of o.parent; empty without one */
    char *path;                /* of the checkpoint */
    const struct lct_train_hooks *hooks;
    int64_t id, only;          /* only: see lct_train() */
    int lock;
    int64_t step;
    uint64_t checksum;
    double seconds, since;     /* of earlier sittings; start of this one */
    double recorded, reported; /* clock of the last record and report */
    int64_t first;             /* steps done before this sitting */
    double forward, backward;  /* seconds of this sitting's steps */
    struct lct_metric metrics[LCT_METRICS];
    size_t n_metrics;
    locant_corpus *probe_text; /* what heads are looked at on; NULL: not yet */
    char notice[512];          /* what the user should know, or "" */
    bool told;                 /* ... and was told */
};

/* ------------------------------------------------------------------ set up */

/* Say what is wrong with the arguments of locant_train(), or nothing. */
locant_status lct_train_check(const int64_t *run, const locant_store *store,
                              const locant_corpus *corpus,
                              const locant_train_options *o);

/* Encoding, model, room for a batch, and the row of the run in the store, if
   there is one. */
locant_status lct_train_set_up(struct lct_trainer *t);
void lct_train_release(struct lct_trainer *t);

/* Initial parameters: the parent's, or drawn from the seed. */
locant_status lct_train_first_values(struct lct_trainer *t);

/* -------------------------------------------------------------------- step */

/*
 * One step: batch, forward, backward, update; its metric is appended.  *broken
 * names what stopped being finite and *value says what it became; then neither
 * parameters, moments nor step have changed.  Otherwise *broken is NULL.
 */
locant_status lct_train_step(struct lct_trainer *t, const char **broken,
                             double *value);
#endif

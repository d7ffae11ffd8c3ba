/* trainer.h - what the files of training share: one run in one process */
#ifndef LCT_TRAINER_H
#define LCT_TRAINER_H
#include "train.h"

enum { LCT_METRICS = 256 };

struct lct_trainer {
    locant_store *store;
    const locant_corpus *corpus; /* NULL: the source needs none */
    locant_train_options o;
    locant_encoding *encoding; /* resolved at o.length */
    struct lct_model *model;
    real *m, *v;
    int32_t *tokens, *targets; /* [batch, length] */
    size_t *starts;            /* [batch] */
    char key[1024];
    char parent_key[1024]; /* key of o.parent; empty if there is none */
    char *path;            /* of the checkpoint */
    const struct lct_train_hooks *hooks;
    int64_t id, only; /* only: see lct_train() */
    int lock;
    int64_t step;
    uint64_t checksum;
    double seconds, since;     /* seconds of earlier sessions; start of this
                                  one */
    double recorded, reported; /* clock of the last record and report */
    int64_t first;             /* steps done before this session */
    double forward, backward;  /* seconds of this session's steps */
    struct lct_metric metrics[LCT_METRICS];
    size_t n_metrics;
    locant_corpus *probe_text; /* text that heads are probed on; NULL: not
                                  loaded yet */
    char notice[512];          /* a message for the user, or "" */
    bool told;                 /* the user has seen it */
};

/* ------------------------------------------------------------------ set up */

/* Check the arguments of locant_train(). */
locant_status lct_train_check(const int64_t *run, const locant_store *store,
                              const locant_corpus *corpus,
                              const locant_train_options *o);

/* Create the encoding, the model and the buffers of a batch, and find or insert
   the run if there is a store. */
locant_status lct_train_set_up(struct lct_trainer *t);
void lct_train_release(struct lct_trainer *t);

/* Initial parameters: the parent's, or drawn from the seed. */
locant_status lct_train_first_values(struct lct_trainer *t);

/* -------------------------------------------------------------------- step */

/*
 * One step: batch, forward, backward, update; its metric is appended. If a
 * number stopped being finite, *broken names it, *value is what it became, and
 * parameters, moments and step have not changed. Otherwise *broken is NULL.
 */
locant_status lct_train_step(struct lct_trainer *t, const char **broken,
                             double *value);
#endif

/* store_eval.h - evaluations in the store: rows and curves */
#ifndef LCT_STORE_EVAL_H
#define LCT_STORE_EVAL_H
#include "store.h"
#include "locant/evaluate.h"

/* Identifies an evaluation; a NULL string is the same as "". */
struct lct_evaluation_key {
    int64_t run;
    const char *corpus_sha256;
    int64_t want;         /* number of blocks asked for */
    const char *encoding; /* spec it was evaluated under; "": the trained one */
    const char *policy;   /* beyond a table: "clamp", ..; "": undefined */
    const char *lengths;  /* "128,4096"; "": the five of the protocols */
};

/* The single numbers of an evaluation, named as in locant_evaluation. */
struct lct_evaluation_row {
    int64_t id; /* set by reading, ignored by writing */
    int64_t blocks;
    double own_window, valid, shuffled, causality, tokens_per_second;
};

/* How the context of a target but its last bytes is changed. */
enum lct_change_of_context {
    LCT_CONTEXT_SHUFFLED,
    LCT_CONTEXT_REPLACED,
    LCT_CONTEXT_TRUNCATED,
    LCT_CHANGED
};
/* Their names, as protocols of curves. */
extern const char *const lct_changed_names[LCT_CHANGED];

/*
 * The losses of one protocol ("P1", ..): mean[i] at length[i], loss[i, b] of
 * block b. For P2 a length is the first position of a bucket. Lengths increase.
 */
struct lct_curve {
    char protocol[16];
    size_t n, blocks; /* blocks 0: only means */
    int64_t *length;  /* [n] */
    double *mean;     /* [n] */
    double *loss;     /* [n, blocks] */
};

/* The evaluation of that key, if there is one. */
locant_status lct_store_find_evaluation(struct lct_evaluation_row *out,
                                        bool *found, locant_store *s,
                                        const struct lct_evaluation_key *key);

/*
 * Read the curve of an evaluation by one protocol; n is 0 if there is none. To
 * be freed, also after a failure.
 */
locant_status lct_store_read_curve(struct lct_curve *out, locant_store *s,
                                   int64_t evaluation, const char *protocol);
void lct_curve_free(struct lct_curve *c);

/* Record an evaluation with its curves; existing rows are kept. */
locant_status lct_store_add_evaluation(locant_store *s,
                                       const struct lct_evaluation_key *key,
                                       const struct lct_evaluation_row *row,
                                       const struct lct_curve *curves,
                                       size_t n);

/*
 * Read the evaluation under the trained encoding; *found tells whether it
 * exists. 'want' is the number of blocks asked for. 'block_loss' may be NULL;
 * *block_loss, [lengths, blocks] by P1, is memory of locant_alloc().
 */
locant_status lct_store_load_evaluation(locant_evaluation *out,
                                        double **block_loss, bool *found,
                                        locant_store *s, int64_t run,
                                        const char *corpus_sha256,
                                        int64_t want);

/* The same for any evaluation. Missing values are NAN, unused lengths 0. */
locant_status lct_store_load_by_key(locant_evaluation *out, double **block_loss,
                                    bool *found, locant_store *s,
                                    const struct lct_evaluation_key *key);

/* Losses of each block; a NULL member is not recorded. */
struct lct_block_losses {
    const double *p1, *p3; /* [lengths, blocks] */
    const double *p4;      /* [blocks] */
    const double *changed; /* [LCT_CHANGED, blocks], or NULL */
};

/* Record an evaluation; existing rows are kept. */
locant_status lct_store_save_evaluation(locant_store *s,
                                        const struct lct_evaluation_key *key,
                                        const locant_evaluation *e,
                                        const struct lct_block_losses *losses);

/* Losses of the blocks by one protocol, [lengths, blocks] of locant_alloc();
   NULL if there is no such evaluation or curve, or if its shape differs. */
locant_status lct_store_read_block_losses(double **out, locant_store *s,
                                          const struct lct_evaluation_key *key,
                                          const char *protocol, size_t lengths,
                                          size_t blocks);
#endif

/* eval.h - what the protocols of an evaluation share */
#ifndef LCT_EVAL_H
#define LCT_EVAL_H
#include "../train/load_trained.h"
#include "evaluate.h"

enum {
    LONGEST = 2048,
    SHORTEST = 128,
    TARGETS = LCT_EVAL_TARGETS,
    STRIDE = 16, /* targets of a window of P4 */
    SHUFFLED = 8 /* shuffled targets of a block */
};

extern const int64_t lct_eval_lengths[LOCANT_EVAL_LENGTHS];

/* An evaluation in progress. */
struct lct_eval {
    locant_run_info run;
    locant_encoding *encoding;
    struct lct_model *model;
    int64_t memory; /* of the model */
    enum locant_eval_policy policy;
    struct lct_model *trained; /* with a policy: the model with its tables as
                                  trained */
    locant_encoding *own;      /* of 'trained' */
    int64_t extended;          /* length that the tables are extended to */
    const struct lct_split *test, *valid;
    size_t *ends;
    int64_t blocks;
    int32_t *tokens, *targets; /* [room] */
    real *loss;                /* [room] */
    int64_t room;
    int32_t *part, *part_targets; /* [room]: one segment of all rows */
    real *part_loss;              /* [room] */
    int64_t span;       /* longest window the encoding is defined for */
    double *block_loss; /* [lengths, blocks]: P1 */
    double *mean_loss;  /* [lengths, blocks]: P3 */
    double *own_loss;   /* [blocks]: P4 */
    real *head;         /* [blocks, 128]: first losses of P2 */
    real *shortest;     /* [blocks, 128]: losses of P1 at 128 */
    locant_evaluation e;
    lct_tick tick;
    void *context;
};

static inline int64_t lct_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------------ set up */

/* Read the run. Fail unless it is finished and was trained on this corpus, and
   'want' is in range. */
locant_status lct_eval_begin(struct lct_eval *ev, locant_store *store,
                             int64_t run, const locant_corpus *corpus,
                             int64_t want);

/* Allocate, choose the blocks, and set every result to NAN. */
locant_status lct_eval_prepare(struct lct_eval *ev, const locant_corpus *corpus,
                               int64_t want);

/* Set memory and span; call it when the model is loaded. */
void lct_eval_span(struct lct_eval *ev);

/* Means over blocks of P1 and P3. */
void lct_eval_means(struct lct_eval *ev);
void lct_eval_release(struct lct_eval *ev);

/* ----------------------------------------------------------------- windows */

/* Copy the window of T tokens that ends at 'end' to row b of the batch. */
void lct_eval_window(struct lct_eval *ev, int64_t b, int64_t T,
                     const uint8_t *bytes, size_t end);

/* Compute the losses of the B windows of T tokens in the batch; then call the
   tick. */
locant_status lct_eval_forward(struct lct_eval *ev, int64_t B, int64_t T);

/* The same for tokens at .. at + n - 1 of 'rows' rows from 'first' on; the tick
   is not called. */
locant_status lct_eval_segment(struct lct_eval *ev, int64_t first, int64_t rows,
                               int64_t T, int64_t at, int64_t n);

double lct_eval_sum(const real *x, int64_t n);

/* --------------------------------------------------------------- protocols */

/* Measure P1 at e.length[k], which is not the longest. */
locant_status lct_eval_same_targets(struct lct_eval *ev, int k);

/* Measure P2, and P1 at the longest length if the window is that long. */
locant_status lct_eval_by_position(struct lct_eval *ev);

/* Measure P3 at e.length[k], which is not the longest: on the same bytes at
   every length. At the longest it is the mean of P2. */
locant_status lct_eval_non_overlapping(struct lct_eval *ev, int k);

/* P4 into own_loss: the last 16 targets of windows of T tile the 64 of P1. *sum
   is the sum of all these losses. */
locant_status lct_eval_tiles(double *sum, struct lct_eval *ev, int64_t T);

/* ------------------------------------------------------------------ checks */

/* Mean loss of the validation split at the trained length. */
locant_status lct_eval_validation(struct lct_eval *ev);

/* Check that later bytes do not change earlier losses. Call it after P2. */
locant_status lct_eval_causality(struct lct_eval *ev);

/* The same if positions depend on the length, or end before the shortest
   window: compare a window of T with one whose second half differs. */
locant_status lct_eval_causality_at(struct lct_eval *ev, int64_t T);

/* How much the loss rises when all but the last 8 bytes are shuffled. Call it
   after P1. */
locant_status lct_eval_shuffled(struct lct_eval *ev);
#endif

/* eval.h - the state and the parts of an evaluation, for evaluate*.c and
   extension_cell.c */
#ifndef LCT_EVAL_H
#define LCT_EVAL_H
#include "../corpus/vocabulary.h"
#include "../group/group.h"
#include "../train/load_trained.h"
#include "evaluate.h"

enum {
    LONGEST = 2048,             /* window of the protocols, in tokens */
    SHORTEST = 128,             /* window of the protocols, in tokens */
    TARGETS = LCT_EVAL_TARGETS, /* of a block in P1 and P4 */
    STRIDE = 16,                /* targets of a window of P4 */
    CHANGED_TARGETS = 8,        /* of a block, scored with changed contexts */
    LCT_EVAL_HEAD = 8 /* bytes of the news of a rank before its losses, which
                         are aligned: its status */
};

/* Window lengths of the protocols: 128, 256, .. 2048. */
extern const int64_t lct_eval_lengths[LOCANT_EVAL_LENGTHS];

struct lct_eval;

/* Windows that are evaluated at once, and what is done with their losses. */
struct lct_eval_batch {
    void (*use)(struct lct_eval *ev, const struct lct_eval_batch *x,
                const real *loss);      /* [B, T] */
    int64_t B, T;                       /* windows, and tokens of each */
    int64_t first;                      /* block or window, for 'use' */
    int64_t window[LONGEST / SHORTEST]; /* for 'use' */
    void *context;                      /* for 'use' */
};

/* An evaluation in progress. */
struct lct_eval {
    locant_run_info run;
    locant_encoding *encoding;
    struct lct_model *model;
    int64_t memory; /* tokens that each layer remembers; 0: no memory */
    enum locant_eval_policy policy;
    struct lct_model *trained; /* with a policy: the model with its tables as
                                  trained */
    locant_encoding *trained_encoding; /* of 'trained' */
    int64_t extended;                  /* positions in the extended tables */
    const struct lct_split *train, *test, *valid;
    size_t *ends; /* [blocks]: one past the last target of each */
    int64_t blocks;
    double *target_bytes; /* [LONGEST]: mean over blocks of the bytes of each
                             target of the longest window */
    int64_t room;         /* most tokens of a batch */
    int32_t *tokens, *targets;          /* [room]: a batch of windows */
    real *loss;                         /* [room]: of its targets */
    int32_t *segment, *segment_targets; /* [room]: one segment of each row */
    real *segment_loss;                 /* [room] */
    int64_t span;       /* longest window the encoding is defined for */
    double *block_loss; /* [lengths, blocks]: P1 */
    double *mean_loss;  /* [lengths, blocks]: P3 */
    double *own_loss;   /* [blocks]: P4 */
    double *changed;    /* [LCT_CHANGED, blocks]: P1 at 128 with a changed
                           context */
    real *head;         /* [blocks, 128]: first losses of P2 */
    real *shortest;     /* [blocks, 128]: losses of P1 at 128 */
    locant_evaluation result;
    lct_tick tick;
    void *context;
    const locant_group *group; /* 'watched', or NULL: one process */
    struct lct_watched_group watched;
    struct lct_vocabulary *vocabulary; /* NULL: tokens are bytes */
    struct lct_eval_batch *waiting; /* [ranks]: their losses are not used yet */
    int waits;                      /* how many */
    int32_t *kept;       /* [ranks, 2, room]: tokens and targets of those */
    unsigned char *news; /* status and losses of each rank */
    size_t *begin;       /* [ranks + 1]: where they are */
};

static inline int64_t lct_eval_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------------ set up */

/* Read the run. Fail unless it is finished and was trained on this corpus, and
   the number of blocks is in range. */
locant_status lct_eval_begin(struct lct_eval *ev, locant_store *store,
                             int64_t run, const locant_corpus *corpus,
                             int64_t want);

/* Encode the corpus as the run reads it, allocate, choose the blocks, and set
   every result to NAN. */
locant_status lct_eval_prepare(struct lct_eval *ev, locant_store *store,
                               const locant_corpus *corpus, int64_t want);

/* Choose blocks of the test split, at most 'want': *blocks is their number.
   FORMAT, in the name of 'fn', if there is none. */
locant_status lct_eval_choose_blocks(size_t *ends, int64_t *blocks,
                                     int64_t want, const char *fn,
                                     const struct lct_split *test);

/* Set memory and span of the loaded model. */
void lct_eval_set_span(struct lct_eval *ev);

/* Set the results of P1 and P3: means over blocks. */
void lct_eval_set_means(struct lct_eval *ev);
void lct_eval_release(struct lct_eval *ev);

/* ----------------------------------------------------------------- windows */

/* Copy the window of T tokens that ends at 'end' to row b of the batch. */
void lct_eval_copy_window(struct lct_eval *ev, int64_t b, int64_t T,
                          const struct lct_split *text, size_t end);

/* Compute the losses of the B windows of T tokens in the batch, and call the
   tick. */
locant_status lct_eval_forward(struct lct_eval *ev, int64_t B, int64_t T);

/* With a policy, extend the tables for windows of T tokens. */
locant_status lct_eval_extend(struct lct_eval *ev, int64_t T);

/* Call the tick for n tokens; INTERRUPTED if it asks to stop. */
locant_status lct_eval_tick(struct lct_eval *ev, int64_t n);

/*
 * Evaluate the batch whose windows were copied, and use the losses: at once
 * without a group. With one, as soon as there is a batch for each rank. Those
 * that are left are evaluated in lct_eval_settle(), each by all ranks if they
 * are few and can be shared out. Batches are used in order, the same by all
 * ranks.
 */
locant_status lct_eval_batch(struct lct_eval *ev,
                             const struct lct_eval_batch *x);
/* Use the losses of batches that wait. */
locant_status lct_eval_settle(struct lct_eval *ev);

/* Compute the losses of tokens at .. at + n - 1 of 'rows' windows from window
   'first' on. The tick is not called. */
locant_status lct_eval_forward_segment(struct lct_eval *ev, int64_t first,
                                       int64_t rows, int64_t T, int64_t at,
                                       int64_t n);

/* The sum in double of n losses. */
double lct_eval_sum(const real *x, int64_t n);

/*
 * Bytes of a target at places 'first' to first + n - 1 of the longest window,
 * mean over them and over blocks; 1 if tokens are bytes. A loss per token
 * divided by it is a loss per byte. Single blocks are divided by the mean of
 * all, so that the mean of their losses is that of all bytes.
 */
double lct_eval_bytes(const struct lct_eval *ev, int64_t first, int64_t n);

/* P1 of a window of T losses: the mean of those of its targets, per byte. */
double lct_eval_target_mean(const struct lct_eval *ev, const real *loss,
                            int64_t T);

/* --------------------------------------------------------------- protocols */

/* Evaluate a run by all protocols, or read the result from the store; 'ev' has
   tick and group, and is to be released. */
locant_status lct_eval_protocols(locant_evaluation *out, struct lct_eval *ev,
                                 locant_store *store, int64_t run,
                                 const locant_corpus *corpus, int64_t want);

/* Measure P1 at result.length[k], which is not the longest. */
locant_status lct_eval_same_targets(struct lct_eval *ev, int k);

/* Measure P2 on windows of 'span', and P1 and P3 if that is the longest
   length. */
locant_status lct_eval_by_position(struct lct_eval *ev);

/* Measure P3 at result.length[k], which is not the longest. */
locant_status lct_eval_non_overlapping(struct lct_eval *ev, int k);

/* Measure P4 with windows of T into own_loss: the last 16 targets of 4 windows
   are the 64 targets of P1. *mean is that of all targets, per byte. */
locant_status lct_eval_own_window(double *mean, struct lct_eval *ev, int64_t T);

/* ------------------------------------------------------------------ checks */

/* Measure the mean loss of the validation split at the trained length. */
locant_status lct_eval_validate(struct lct_eval *ev);

/* Check that later bytes do not change earlier losses. Call it after P2. */
locant_status lct_eval_check_causality(struct lct_eval *ev);

/* Check the same without P2, which does not fit an encoding whose positions
   depend on the length, or end before the shortest window: compare a window of
   T with one whose second half differs. */
locant_status lct_eval_check_causality_at(struct lct_eval *ev, int64_t T);

/* Measure how much the loss rises when all context but the last 8 bytes is
   shuffled, replaced or left out. Call it after P1. */
locant_status lct_eval_change_context(struct lct_eval *ev);

/* ------------------------------------------------------------------- ranks */

/* Share the evaluation out over these ranks; NULL or one rank: do not. 'ev' has
   to stay where it is. */
void lct_eval_set_group(struct lct_eval *ev, const locant_group *g);

/* Is this rank 0, which alone has the store, or the only process? */
bool lct_eval_has_store(const struct lct_eval *ev);

/* The first exchange: refuse ranks of another build, run, corpus or options.
   'status' tells whether this rank can begin. */
locant_status lct_eval_greet(const struct lct_eval *ev, int64_t run,
                             const char *sha256, const char *options,
                             locant_status status);

/* Rank 0 tells what its store has: 'status', the run, its vocabulary, or the
   result.  This and the next ones return the first failure of any rank. */
locant_status lct_eval_share_run(struct lct_eval *ev, locant_evaluation *out,
                                 bool *found, locant_store *store,
                                 locant_status status);

/* Make the models that rank 0 loads, without values; with ev->encoding or, if
   that is NULL, the trained one. */
locant_status lct_eval_make_models(struct lct_eval *ev);

/* Give all ranks the parameters that rank 0 has loaded, and reserve room for
   losses. */
locant_status lct_eval_share_models(struct lct_eval *ev, locant_status status);

/* The end: whether rank 0 has recorded the result, and that result. */
locant_status lct_eval_share_result(struct lct_eval *ev, locant_status status);

/* If an exchange has failed, add to its message what becomes of the
   evaluation. */
locant_status lct_eval_say_lost(const struct lct_eval *ev,
                                locant_status status);
#endif

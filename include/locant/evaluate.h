/*
 * evaluate.h - losses of a trained run at several lengths.
 *
 * The protocols P1 to P4 score the same targets of the test split at each
 * length, so that losses of encodings and lengths can be compared.
 */
#ifndef LOCANT_EVALUATE_H
#define LOCANT_EVALUATE_H

#include "lab.h"

LOCANT_BEGIN_DECLS

enum { LOCANT_EVAL_LENGTHS = 5, LOCANT_EVAL_BUCKETS = 64 };

/*
 * Losses in nats per byte; NAN where the encoding is undefined (a learned table
 * beyond its length).  Lengths count tokens, which are bytes unless the run has
 * a vocabulary.  Then the losses of the targets of all blocks are added and
 * divided by the bytes that these targets stand for.
 */
typedef struct locant_evaluation {
    int64_t length[LOCANT_EVAL_LENGTHS];    /* 128, 256, 512, 1024, 2048 */
    double  same_targets[LOCANT_EVAL_LENGTHS]; /* P1: last 64 tokens scored */
    double  by_position[LOCANT_EVAL_BUCKETS];  /* P2: at 2048, 32 wide */
    double  own_window;                     /* P4: window 128, stride 16 */
    double  valid;                     /* validation at the trained length */
    double  shuffled;      /* P1 at 128, plus the mean increase of the losses of
                              8 targets per block when the context is shuffled,
                              except the last tokens, as few as span 8 bytes */
    double  causality;     /* largest |P2 - forward at 128| over positions
                              below 128, or below half the length of a shorter
                              table.  If positions depend on the length: largest
                              change of losses in the first half of a window of
                              128 when its second half is replaced */
    int64_t blocks;        /* targets = 64 x blocks */
    double  tokens_per_second; /* forward at 2048 */
    double  non_overlapping[LOCANT_EVAL_LENGTHS]; /* P3: all targets of the last
                              2048 tokens, cut into windows of each length, also
                              the first of a window, with little context */
    double  replaced;      /* as 'shuffled', with what was shuffled replaced by
                              the tokens at the same places of a window of
                              another file; of the training text if no other
                              file has a block */
    double  truncated;     /* as 'shuffled', with the last tokens as the only
                              context */
} locant_evaluation;

/*
 * Evaluate a finished run on 'blocks' blocks of the test split (0: 96) by
 * protocols P1 to P4, record the result in the store, and write *out.  A result
 * recorded for the same corpus and blocks is read instead.
 * Errors: NULL, PARAM (no such run, not done), IO, FORMAT, NOMEM, INTERRUPTED.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_evaluate(locant_evaluation *out, locant_store *store, int64_t run,
                const locant_corpus *corpus, int64_t blocks);

/* Which row a position beyond the end of a learned table takes. */
enum locant_eval_policy {
    LOCANT_POLICY_NONE     = 0, /* none: the loss is undefined */
    LOCANT_POLICY_CLAMP    = 1, /* the last row */
    LOCANT_POLICY_WRAP     = 2, /* the rows from the first on, again */
    LOCANT_POLICY_RESAMPLE = 3  /* for a window longer than the table, the table
                                   is interpolated linearly to the window, from
                                   its first row to its last */
};
/* "none", "clamp", "wrap", "resample"; NULL past the end. */
LOCANT_API const char *locant_eval_policy_name(enum locant_eval_policy policy);

typedef struct locant_eval_options {
    size_t      struct_size;
    int64_t     blocks;      /* 0: 96 */
    const char *encoding;    /* spec; NULL: the trained one */
    enum locant_eval_policy policy;
    const int64_t *lengths;  /* increasing, 64 .. 2048; NULL: 128, 256, .. */
    size_t      n_lengths;   /* at most LOCANT_EVAL_LENGTHS */
    const locant_group *group; /* share the windows out among these ranks; NULL:
                                one process */
} locant_eval_options;

#define LOCANT_EVAL_INIT { .struct_size = sizeof(locant_eval_options) }

/*
 * Evaluate a finished run with another encoding, or beyond the end of its
 * table: P1 at the lengths, in that order, and P2 if the last of them is 2048,
 * on the targets of locant_evaluate(); the rest of *out is NAN.  Nothing is
 * trained: a parameter takes the trained tensor of the same name and part, for
 * instance t5's table in temperature(kind=logn)+t5.  Lengths that a spec leaves
 * out are the trained length.  The result is recorded under spec, policy and
 * lengths; a recorded one is read instead.  With neither encoding nor policy
 * nor lengths this is locant_evaluate().
 *
 * With a group every rank calls this with the same run, corpus and options, and
 * gets the same *out.  Each evaluates its share of the windows, or of the
 * tokens of a window where there are few; the losses have the bits of one
 * process, whatever the number of ranks (tokens_per_second is a time, not a
 * loss).  Rank 0 alone reads and writes the store; 'store' of the others is not
 * used and may be NULL.  Ranks with another build, text or option than rank 0
 * are refused with both values (PARAM) before the first window.  A failure of
 * one rank, also INTERRUPTED by its poll, is returned by all; IO if a rank is
 * lost.
 * Errors: as locant_evaluate(), PARAM (options, a parameter without a trained
 * tensor, a policy for an encoding without a table), UNSUPPORTED (a table that
 * cannot be longer).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_evaluate_as(locant_evaluation *out, locant_store *store, int64_t run,
                   const locant_corpus *corpus,
                   const locant_eval_options *options);

LOCANT_END_DECLS
#endif /* LOCANT_EVALUATE_H */

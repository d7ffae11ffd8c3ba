/*
 * surface.h - loss by (length trained on, length read): what ALiBi's table 5
 * shows of itself, of a few encodings.
 *
 * A model is trained for each length, all with as many tokens a step, and read
 * at every length on the same 64 targets of each block: by windows whose last
 * 16 targets tile them (P4), so that no target lacks more than 15 bytes of the
 * context, at any length.
 */
#ifndef LCT_SURFACE_H
#define LCT_SURFACE_H
#include "plan.h"

enum {
    LCT_SURFACE_TRAINED = 4,
    LCT_SURFACE_LENGTHS = 7,
    LCT_SURFACE_SEEDS = 3
};

struct lct_surface_of {
    char spec[256];
    double rate;
    int64_t run[LCT_SURFACE_TRAINED][LCT_SURFACE_SEEDS];
};

struct lct_surface {
    locant_train_options train; /* at 'length', which the others vary */
    int n_trained, n_lengths, seeds;
    int64_t trained[LCT_SURFACE_TRAINED], length[LCT_SURFACE_LENGTHS];
    int64_t want, blocks;       /* asked for; that there are */
    size_t n, left_out;         /* encodings; those that end too early */
    struct lct_surface_of *of;  /* [n] */
    double *loss; /* [n, trained, lengths, seeds, blocks], nats per byte; NAN
                     where the run's loss stopped being finite */
    int64_t failures; /* such runs */
    double seconds;
};

/*
 * What there is to do beside a plan: its model, its steps, at most so many of
 * its seeds; of the encodings asked for, or of sinusoidal, rope and alibi,
 * those that are defined at every length.  PARAM where none is.  To be freed,
 * also after a failure.
 */
locant_status lct_surface_create(struct lct_surface **out,
                                 const struct lct_plan *plan,
                                 const locant_report_options *options);
void lct_surface_free(struct lct_surface *x);

/* The plan has lost seeds: it has no more of them. */
void lct_surface_fit(struct lct_surface *x, const struct lct_plan *plan);

/* Tokens of everything, a trained one three times. */
double lct_surface_cost(const struct lct_surface *x);

/*
 * Train and read what the store lacks, side by side.  What the plan trained is
 * not trained again.  Stopped or killed, the same call continues.
 */
locant_status lct_surface_run(struct lct_surface *x,
                              const struct lct_plan *plan, locant_store *store,
                              const locant_corpus *corpus,
                              locant_progress_fn progress, void *context);

/* loss [seeds, blocks] of encoding e, trained at index t, read at index k. */
double *lct_surface_at(const struct lct_surface *x, size_t e, int t, int k);
#endif

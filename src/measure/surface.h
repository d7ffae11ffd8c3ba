/*
 * surface.h - loss by (trained length, evaluated length) for a few encodings,
 * like table 5 of the ALiBi paper.
 *
 * A model is trained at each trained length, all with the same number of tokens
 * per step, and evaluated at every length on the same 64 targets of each block.
 * Four windows score 16 targets each, the last of the window (P4), so a target
 * has at most 15 bytes less context than the length.
 */
#ifndef LCT_SURFACE_H
#define LCT_SURFACE_H
#include "plan.h"

enum {
    LCT_SURFACE_TRAINED = 4,
    LCT_SURFACE_LENGTHS = 7,
    LCT_SURFACE_SEEDS = 3
};

struct lct_surface_encoding {
    char spec[256];
    double rate; /* learning rate */
    int64_t run[LCT_SURFACE_TRAINED][LCT_SURFACE_SEEDS];
};

struct lct_surface {
    locant_train_options train; /* of the plan; runs vary length and batch */
    int n_trained, n_lengths, seeds;
    int64_t trained[LCT_SURFACE_TRAINED], length[LCT_SURFACE_LENGTHS];
    int64_t want, blocks; /* blocks requested, available */
    size_t n, left_out;   /* number of encodings; of those left out, which are
                             not defined at every length */
    struct lct_surface_encoding *encodings; /* [n] */
    double *loss; /* [n, trained, lengths, seeds, blocks], nats per byte; NAN
                     where the run's loss stopped being finite */
    int64_t failures; /* number of such runs */
    double seconds;   /* duration of the runs */
};

/*
 * Plan a surface with the model and steps of a plan, and at most its seeds. It
 * has those of the encodings asked for, by default of sinusoidal, rope and
 * alibi, that are defined at every length. PARAM if there are none. To be
 * freed, also after a failure.
 */
locant_status lct_surface_create(struct lct_surface **out,
                                 const struct lct_plan *plan,
                                 const locant_report_options *options);
void lct_surface_free(struct lct_surface *x);

/* Leave out seeds that the plan no longer has. */
void lct_surface_fit(struct lct_surface *x, const struct lct_plan *plan);

/* Cost of everything in tokens. Trained tokens count three times. */
double lct_surface_cost(const struct lct_surface *x);

/*
 * Train and evaluate what the store lacks, in parallel. Runs of the plan are
 * not trained again. After a stop or a kill, the same call continues.
 */
locant_status lct_surface_run(struct lct_surface *x,
                              const struct lct_plan *plan,
                              const struct lct_lab *lab);

/* loss [seeds, blocks] of encoding e, trained at length index t, evaluated at
   length index k. */
double *lct_surface_at(const struct lct_surface *x, size_t e, int t, int k);
#endif

/*
 * extension.h - methods that use a trained model with RoPE on longer texts than
 * it was trained on: zero-shot, and after a short fine-tune.
 *
 * One small model with RoPE is trained for each seed. A zero-shot method
 * changes only its positions. A fine-tune trains it further, for a twentieth of
 * its steps. All methods and lengths are scored on the same targets (P1), so
 * their losses can be compared.
 */
#ifndef LCT_EXTENSION_H
#define LCT_EXTENSION_H
#include "evaluate.h"
#include "plan.h"

enum {
    LCT_EXT_FACTORS = 4,      /* 2, 4, 8, 16: of the trained length */
    LCT_EXT_SEEDS = 16,       /* at most */
    LCT_EXT_TRAINED = 128,    /* trained length */
    LCT_EXT_TUNED_FACTOR = 4, /* for which fine-tunes are made */
    LCT_EXT_BUCKET = 32,      /* positions in a bucket of P2 */
    LCT_EXT_BUCKETS = LCT_EXT_TRAINED * 16 / LCT_EXT_BUCKET
};

/*
 * A zero-shot method: the spec of an encoding, with '@' in place of the factor.
 * "crop" changes the text instead: the model reads at most the last 128 bytes
 * before each target (P4).
 */
struct lct_extension_method {
    const char *id, *title, *spec, *source;
    bool crop;
};

/* Method i, NULL past the end. The baselines none and crop come first. */
const struct lct_extension_method *lct_extension_method(int i);
int lct_extension_methods(void);

/*
 * A fine-tune with the encoding 'train' in rows of 'length' bytes, evaluated
 * with the encoding 'spec'. Both have '@' in place of the factor.
 */
struct lct_extension_tuning {
    const char *id, *title, *train, *spec;
    int64_t length;
};
const struct lct_extension_tuning *lct_extension_tuning(int i);
int lct_extension_tunings(void);

/* Steps of the fine-tune of a run of 'steps': a twentieth, rounded up. */
static inline int64_t lct_extension_tuned_steps(int64_t steps)
{
    return (steps + 19) / 20;
}

/* Put the factor into a pattern, and print the canonical spec. */
locant_status lct_extension_spec(char out[256], const char *pattern,
                                 int64_t factor);

/* The model, and how much is trained and evaluated. */
struct lct_extension_plan {
    const char *name;
    int64_t layers, width, heads, ff, steps;
    double rate;
    int seeds;
    int64_t blocks;       /* requested */
    int64_t items;        /* needles searched for at each length */
    int64_t needle_steps; /* steps of learning to find needles */
    int factors;          /* how many of 2, 4, 8, 16 are used */
};
/* The plan of a preset; that of quick for a preset without its own. */
const struct lct_extension_plan *lct_extension_plan(locant_preset preset);

/* Factor i: 2, 4, 8, 16. */
int64_t lct_extension_factor(int i);

/* Cost of everything in tokens; trained tokens count three times. */
double lct_extension_cost(const struct lct_extension_plan *p);

/* Options of the base run, without its seed. */
locant_train_options lct_extension_options(const struct lct_extension_plan *p);

/* ----------------------------------------------------------------- results */

/* Losses at one length. */
struct lct_extension_loss {
    double *loss; /* [seeds, blocks] of P1 (crop: of P4), nats per byte; NAN
                     where the loss of training stopped being finite */
    double speed; /* tokens per second of the fastest seed */
};

/* Needles searched for, and those found exactly. */
struct lct_extension_needle {
    int64_t items, exact;
};

/* The results of one method, or of one fine-tune. */
struct lct_extension_row {
    struct lct_extension_loss at[LCT_EXT_FACTORS]; /* at 128 x factor */
    /* at 128, with the encoding for the largest factor */
    struct lct_extension_loss short_inputs;
    /* at 128 x factor, of all seeds together; at 128, only of fine-tunes */
    struct lct_extension_needle needle[LCT_EXT_FACTORS], needle_short;
    /* P2 at the longest length; NAN if not measured */
    double position[LCT_EXT_SEEDS][LCT_EXT_BUCKETS];
};

struct lct_extension {
    const struct lct_extension_plan *plan;
    int64_t blocks;              /* blocks available */
    int64_t failures;            /* runs whose loss stopped being finite */
    int64_t base[LCT_EXT_SEEDS]; /* ids of the base runs */
    struct lct_extension_needle needle_trained; /* encoding none, at 128 */
    struct lct_extension_row *row;              /* [methods + tunings] */
    double seconds;
};

/*
 * Train and evaluate what the store lacks, in parallel, and collect the
 * results. After a stop or a kill the same call continues the work. A run whose
 * loss stops being finite is left out, and so are the runs that would continue
 * it. *out is to be freed, also after a failure.
 */
locant_status lct_extension_run(struct lct_extension **out,
                                const struct lct_extension_plan *plan,
                                const struct lct_lab *lab);
void lct_extension_free(struct lct_extension *x);

/* -------------------------------------------------------------------- cells */

/* One measurement of one run. */
struct lct_extension_cell {
    int64_t run;
    const char *spec; /* canonical */
    int64_t length;
    bool crop; /* measure P4 with windows of that length instead of P1 */
};

/* What all measurements share. */
struct lct_extension_shared {
    locant_store *store;
    const locant_corpus *corpus;
    int64_t want;   /* blocks requested */
    int64_t blocks; /* blocks available */
    lct_tick tick;
    void *context;
};

/* Set the number of blocks requested, and the number available to models of
   this vocabulary. */
locant_status lct_extension_set_blocks(struct lct_extension_shared *p,
                                       int64_t want, int vocabulary);

/*
 * Measure loss [blocks] of P1 (crop: of P4), position [length / 32] of P2 (may
 * be NULL; crop: not written), and tokens per second. They come from the store
 * if it has them; else they are computed and stored.
 */
locant_status lct_extension_measure(double *loss, double *position,
                                    double *speed,
                                    const struct lct_extension_shared *p,
                                    const struct lct_extension_cell *cell);
#endif

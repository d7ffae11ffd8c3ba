/*
 * extension.h - methods that use a trained model of rotary positions on longer
 * texts than it was trained on: zero-shot, and after a short fine-tune.
 *
 * One small model of RoPE is trained for each seed; everything else changes the
 * positions of that model, or trains it on for a twentieth of its steps. All
 * lengths are scored on the same targets (P1), so a column compares methods and
 * a row compares lengths.
 */
#ifndef LCT_EXTENSION_H
#define LCT_EXTENSION_H
#include "evaluate.h"
#include "plan.h"

enum {
    LCT_EXT_FACTORS = 4, /* 2, 4, 8, 16 */
    LCT_EXT_SEEDS = 16,
    LCT_EXT_TRAINED = 128,
    LCT_EXT_TUNED_FACTOR = 4,
    LCT_EXT_BUCKET = 32,
    LCT_EXT_BUCKETS = LCT_EXT_TRAINED * 16 / LCT_EXT_BUCKET
};

/*
 * A zero-shot method: an encoding with '@' in place of the factor. "crop" is no
 * encoding: the model gets the last 128 bytes before each target (P4).
 */
struct lct_extension_method {
    const char *id, *title, *spec, *source;
    bool crop;
};
/* Method i; the baselines none and crop come first. NULL past the end. */
const struct lct_extension_method *lct_extension_method(int i);
int lct_extension_methods(void);

/*
 * A fine-tune: trained as 'train' at 'length' bytes a row, evaluated as 'spec'.
 * Both have '@' in place of the factor.
 */
struct lct_extension_tuning {
    const char *id, *title, *train, *spec;
    int64_t length;
};
const struct lct_extension_tuning *lct_extension_tuning(int i);
int lct_extension_tunings(void);

/* Steps of a fine-tune of what was trained for 'steps': a twentieth, and at
   least one. */
static inline int64_t lct_extension_tuned(int64_t steps)
{
    return (steps + 19) / 20;
}

/* The canonical spec of a pattern for a factor. */
locant_status lct_extension_spec(char out[256], const char *pattern,
                                 int64_t factor);

/* How much is trained and evaluated. */
struct lct_extension_plan {
    const char *name;
    int64_t layers, width, heads, ff, steps;
    double rate;
    int seeds;
    int64_t blocks, items, needle_steps;
    int factors; /* how many of 2, 4, 8, 16 are used */
};
const struct lct_extension_plan *lct_extension_plan(locant_preset preset);
int64_t lct_extension_factor(int i);

/* Cost of everything in tokens; trained tokens count three times. */
double lct_extension_cost(const struct lct_extension_plan *p);

/* Options of the base run, without its seed. */
locant_train_options lct_extension_options(const struct lct_extension_plan *p);

/* ----------------------------------------------------------------- results */

/* Losses on the blocks: loss[seeds, blocks] of P1, nats per byte. */
struct lct_extension_loss {
    double *loss; /* NAN where the run's loss stopped being finite */
    double speed; /* tokens per second of the fastest seed */
};

struct lct_extension_needle {
    int64_t items, exact;
};

/* The results of one method, or of one fine-tune. */
struct lct_extension_row {
    struct lct_extension_loss at[LCT_EXT_FACTORS]; /* at 128 x factor */
    struct lct_extension_loss short_inputs; /* at 128, with the settings of the
                                               largest factor */
    struct lct_extension_needle needle[LCT_EXT_FACTORS]; /* all seeds
                                                            together */
    struct lct_extension_needle needle_short; /* at 128; of tuned rows */
    /* P2 at the longest length; NAN if not measured */
    double position[LCT_EXT_SEEDS][LCT_EXT_BUCKETS];
};

struct lct_extension {
    const struct lct_extension_plan *plan;
    int64_t blocks;   /* blocks available */
    int64_t failures; /* runs whose loss stopped being finite */
    int64_t base[LCT_EXT_SEEDS];
    struct lct_extension_needle needle_trained; /* encoding none, at 128 */
    struct lct_extension_row *row;              /* [methods + tunings] */
    double seconds;
};

/*
 * Train and evaluate what the store lacks, in parallel, and collect the
 * results. Stopped or killed, the same call continues. A run whose loss stops
 * being finite is left out, and so are the runs that would continue it. *out is
 * to be freed, also after a failure.
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
    bool crop; /* score windows of that length (P4) instead of P1 */
};

/* What all measurements have in common. */
struct lct_extension_place {
    locant_store *store;
    const locant_corpus *corpus;
    int64_t want;   /* blocks requested */
    int64_t blocks; /* blocks available */
    lct_tick tick;
    void *context;
};

/* Set 'want', and 'blocks' to the number available. */
locant_status lct_extension_blocks(struct lct_extension_place *p, int64_t want);

/*
 * Measure loss [blocks] of P1, position [length / 32] of P2 (may be NULL), and
 * tokens per second. They come from the store if it has them, else they are
 * computed and recorded.
 */
locant_status lct_extension_measure(double *loss, double *position,
                                    double *speed,
                                    const struct lct_extension_place *p,
                                    const struct lct_extension_cell *cell);
#endif

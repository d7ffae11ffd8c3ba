/* run.h - checkpoints, training, evaluation and the job queue of the lab */
#ifndef LCT_RUN_H
#define LCT_RUN_H
#include "../model/model.h"
#include "store.h"

enum { LCT_VOCAB = 256, LCT_EVAL_TARGETS = 64, LCT_EVAL_BLOCKS = 96 };

/* Of a run, at most. */
#define LCT_STEPS_MAX (INT64_C(1) << 40)

/* The blocks of every evaluation are chosen by this seed. */
enum { LCT_EVAL_SEED = 1 };

/* Seconds of a clock that never jumps. */
double lct_clock(void);

/* FNV-1a, 64 bits, continued from 'h'; begin with LCT_HASH_BEGIN. */
#define LCT_HASH_BEGIN 0xcbf29ce484222325u
uint64_t lct_hash(uint64_t h, const void *bytes, size_t size);

/* -------------------------------------------------------------- checkpoint */

/* What a checkpoint holds besides the parameters of the model. */
struct lct_checkpoint {
    const char *key;   /* of the run; compared on reading */
    int64_t step;
    double seconds;
    uint64_t checksum; /* of every batch so far */
    real *m, *v;       /* [size] moments; NULL on reading: neither they nor
                          what the model remembered are wanted */
};

/*
 * Write durably: on return the new checkpoint is on the disk; before that the
 * old one is.
 */
locant_status lct_checkpoint_write(const char *path, struct lct_model *model,
                                   const struct lct_checkpoint *c);

/*
 * Read into the model and *c.  A file that is cut, changed or of another run is
 * refused with FORMAT, and neither is touched.
 */
locant_status lct_checkpoint_read(struct lct_checkpoint *c,
                                  struct lct_model *model, const char *path);

/* ------------------------------------------------------------------- train */

/* locant_train() of the run 'only' and no other; 0: of any. */
locant_status lct_train(int64_t *run, locant_store *store,
                        const locant_corpus *corpus,
                        const locant_train_options *options, int64_t only);

/*
 * All of the options that continuing needs, as JSON in memory of
 * locant_alloc(); 'encoding' is the resolved spec.
 */
locant_status lct_options_text(char **out, const locant_train_options *options,
                               const char *encoding);

/*
 * Milliseconds a token of training, forward and backward; what AdamW takes is
 * neither.  Of the last sitting; NAN: not known.
 */
struct lct_speed {
    double forward, backward;
};
locant_status lct_speed_keep(locant_store *store, int64_t run,
                             const struct lct_speed *x);
locant_status lct_speed_read(struct lct_speed *x, locant_store *store,
                             int64_t run);

/* ----------------------------------------------------------------- sources */

/* One row of a batch. */
struct lct_item {
    uint64_t seed, step, row;
    int64_t length;
};

/*
 * What to train on besides text: rows that are a function of (seed, step, row,
 * length) and 'context' alone.
 */
struct locant_source {
    const char *name; /* of what decides the rows; part of a run's key, at most
                         200 bytes without ';' */
    int64_t vocab;    /* words, at most LCT_VOCAB */
    int64_t shortest; /* row it can make; 0: any */
    /* tokens [length] 0 .. vocab - 1, targets [length] too or -1: not scored */
    void (*fill)(int32_t *tokens, int32_t *targets,
                 const struct lct_item *item, const void *context);
    const void *context;
};

/* ------------------------------------------------------------------- model */

/* Of a run's options: layers, width, .. memory, parent.  Errors: PARAM. */
locant_status lct_check_sizes(const locant_train_options *o);

/* "layers=3,width=64,.." of at most 127 bytes, and back: only what the first
   writes, with sizes that options may have. */
void lct_model_text(char out[128], const struct lct_model_config *config);
locant_status lct_model_parse(struct lct_model_config *config,
                              const char *text);

/*
 * The model of a run with what its checkpoint holds, verified, and room for
 * 'room' tokens.  Both are to be freed, also after a failure.
 */
locant_status lct_load_trained(struct lct_model **model,
                               locant_encoding **encoding, locant_store *store,
                               const locant_run_info *run, int64_t room);

/*
 * The same tensors in a model of another encoding, which outlives it.  PARAM
 * where a parameter of one encoding has no partner of its shape in the other.
 * The model is to be freed, also after a failure.
 */
locant_status lct_load_trained_as(struct lct_model **model,
                                  const locant_encoding *encoding,
                                  locant_store *store,
                                  const locant_run_info *run, int64_t room);

/*
 * A row can name a model of any size, and memory is taken before its checkpoint
 * at 'path' is read: FORMAT when the file is too small to hold it.
 */
locant_status lct_check_room(const locant_run_info *run, const char *path,
                             const locant_store *store);

/* The encoding of a run, to be freed.  FORMAT names the store and the run. */
locant_status lct_run_encoding(locant_encoding **out, const locant_store *store,
                               const locant_run_info *run);

/* Rows of segments that 'room' tokens hold, of a model with memory. */
int64_t lct_memory_rows(int64_t length, int64_t room);

/* Fail unless the encoding is defined at every position of 'length' tokens. */
locant_status lct_check_reach(const locant_encoding *e, int64_t length);

/* -------------------------------------------------------------- evaluation */

/* Called with the tokens just evaluated; nonzero stops. */
typedef int (*lct_tick)(int64_t tokens, void *context);

/* locant_evaluate() with a way to stop; tick may be NULL. */
locant_status lct_evaluate(locant_evaluation *out, locant_store *store,
                           int64_t run, const locant_corpus *corpus,
                           int64_t blocks, lct_tick tick, void *context);

/* locant_evaluate_as() with a way to stop; tick may be NULL. */
locant_status lct_evaluate_as(locant_evaluation *out, locant_store *store,
                              int64_t run, const locant_corpus *corpus,
                              const locant_eval_options *options, lct_tick tick,
                              void *context);

/* Tokens one evaluation feeds to a model trained at 'length', at most. */
int64_t lct_evaluation_tokens(int64_t blocks, int64_t length);

/* -------------------------------------------------------------------- plan */

enum { LCT_MOST_ENCODINGS = 1000 };

/* Is this the name of a preset? */
bool lct_is_preset(const char *name);

/* What a report trains and evaluates. */
struct lct_plan {
    const char *name;
    locant_train_options train; /* encoding and seed are of the job */
    char (*specs)[256];         /* [n] canonical, resolved */
    size_t n;
    int seeds;                  /* 1 .. seeds */
    int64_t blocks;
    int ngram_order[2];
    int judged;                 /* index of the length ranks are made at */
    int64_t *runs;              /* [n, seeds]: ids; 0 not reached */
    double rates[LCT_RATES];    /* learning rates to try with seed 1 */
    int n_rates;                /* 0: train.learning_rate for all */
    double *rate;               /* [n]: of each encoding, chosen */
    double *valid;              /* [n_rates, n]: validation loss of each */
    int64_t *tried;             /* [n_rates, n]: its run */
};

locant_status lct_plan_create(struct lct_plan *plan,
                              const locant_report_options *options);
void lct_plan_free(struct lct_plan *plan);

/*
 * The rate of the least validation loss, for every encoding, from what the
 * store has of 'tried'.  No other loss is looked at; a run without one is never
 * chosen, unless all are.
 */
locant_status lct_choose_rates(struct lct_plan *plan, locant_store *store,
                               const char *corpus_sha256);

/*
 * Train and evaluate what the store lacks, side by side.  A run whose loss
 * stopped being finite does not stop the others.
 */
locant_status lct_plan_run(struct lct_plan *plan, locant_store *store,
                           const locant_corpus *corpus,
                           locant_progress_fn progress, void *context);

/* Did this run end because its loss was not finite? */
bool lct_run_failed(locant_store *store, int64_t id);

/* locant_train(); OK also where it ended so, for others are to go on. */
locant_status lct_train_or_fail(int64_t *run, locant_store *store,
                                const locant_corpus *corpus,
                                const locant_train_options *options);

/* ----------------------------------------------------------------- results */

/* Read everything a page needs; lct_results_free() also after a failure. */
locant_status lct_results_collect(struct lct_results *r,
                                  const struct lct_plan *plan,
                                  locant_store *store,
                                  const locant_corpus *corpus);
void lct_results_free(struct lct_results *r);

/* The n-grams that models are compared with, as the store keeps them or counted
   now. */
locant_status lct_references(struct lct_results *r, const struct lct_plan *plan,
                             locant_store *store, const locant_corpus *corpus);

/*
 * The same from finished runs of one model, trained alike, with whatever
 * evaluation the store has of each: runs of one encoding are a group, in order
 * of first appearance.  PARAM where they differ.  Not 'ended': also of runs
 * that are not finished, without what is learned only at their end.
 */
locant_status lct_results_of_runs(struct lct_results *r, locant_store *store,
                                  const int64_t *runs, size_t n, bool ended);

/* Parts of them: one run with the evaluation of 'blocks' (0: none), and the
   parameters of a group's first run. */
locant_status lct_read_result(struct lct_result *out, int64_t blocks,
                              locant_store *store, int64_t id, const char *sha);
locant_status lct_read_params(struct lct_group *g, locant_store *store);

/*
 * What probes found of the first run of each group; with 'measure', what the
 * store does not have yet is found out now.
 */
locant_status lct_results_probe(struct lct_results *r, locant_store *store,
                                bool measure, locant_progress_fn progress,
                                void *context);

/* Gate g1: does an encoding have the properties it declares?  The sentence
   says which one it lacks. */
locant_status lct_check_properties(bool *held, char sentence[256],
                                   const char *spec, int64_t heads,
                                   int64_t width);
#endif

/* results.h - what a page is made from: runs and what was measured of them */
#ifndef LCT_RESULTS_H
#define LCT_RESULTS_H
#include "identities.h"
#include "../corpus/corpus.h"
#include "plan.h"
#include "statistics.h"

/* How the loss of a block of test text is measured. */
enum lct_measure {
    LCT_P1,       /* same targets, at each length */
    LCT_P3,       /* all targets of non-overlapping windows */
    LCT_P4,       /* own window: the same window at every length */
    LCT_SHUFFLED, /* P1 at 128 with a changed context */
    LCT_REPLACED,
    LCT_TRUNCATED,
    LCT_LOGN, /* P1 under temperature(kind=logn,length=<trained>) */
    LCT_CLAMP,
    LCT_WRAP,
    LCT_RESAMPLE, /* P1 beyond the end of a table */
    LCT_MEASURES
};

/* One run with its evaluation, as the page needs it. */
struct lct_result {
    locant_run_info run;
    locant_evaluation eval;
    double *block_loss;         /* [lengths, blocks] P1; NAN: undefined */
    double *more[LCT_MEASURES]; /* P4 and changed contexts [blocks], others
                                   [lengths, blocks]; NULL: not measured, or
                                   P1 */
    size_t n_steps;
    /* Training curve, [n_steps] each: step, loss, norm of the gradient of all
       parameters and of the encoding's (NAN: it has none). One allocation. */
    double *step, *step_loss, *step_norm, *step_own_norm;
    char batch_checksum[17];        /* of all batches trained on; gate g6 */
    int64_t bytes;                  /* memory of the model in training */
    double forward_ms, backward_ms; /* per token in training; NAN: not known */
};

/*
 * More parameters than an encoding has: a sum of eight parts, each row once, of
 * which formula has 16, crossformer 14, fire and dpb 6 and others fewer, has
 * below 64, and two kinds of layers have twice as many.
 */
enum { LCT_GROUP_PARAMS = 128 };

struct json_t;

/* All runs of one encoding. */
struct lct_group {
    char spec[256]; /* as resolved */
    const locant_encoding_info *info;
    unsigned doors, traits;
    int64_t reach;              /* number of positions it is defined at */
    struct lct_result *results; /* [n], by seed */
    size_t n;
    /* the encoding's parameters in the first seed's model, of layer 0 if layers
       have their own; F32, dense */
    locant_tensor params[LCT_GROUP_PARAMS];
    int n_params;
    struct json_t *probe;    /* lct_probe_read() of the first run; or NULL */
    double rate;             /* learning rate, chosen if several were tried */
    double valid[LCT_RATES]; /* validation loss of each of r->rates */
};

struct lct_extension;
struct lct_surface;
struct lct_task_point;

struct lct_results {
    struct lct_group *groups;
    size_t n;
    int64_t layers, heads, width, trained_length;
    int vocabulary;         /* 0: tokens are bytes; else their number */
    double bytes_per_token; /* of the test text, with a vocabulary; 0: not
                               known */
    int64_t scored_bytes;   /* bytes of all P1 targets; 0: not known */
    int judged; /* index of the length of the ranking; 0: the longest */
    locant_corpus_info corpus;
    bool text_kept; /* the store has the text of the corpus */
    struct lct_folder folders[LCT_FOLDERS];
    size_t n_folders;
    double ngram[2]; /* losses of n-grams on the P1 targets; gate g2 uses the
                        first */
    int ngram_order[2];
    double cache[LOCANT_EVAL_LENGTHS]; /* losses of the cache n-gram; NAN or 0:
                                          none */
    int cache_order;                   /* of its n-gram of the training text */
    double rates[LCT_RATES];           /* learning rates tried with seed 1 */
    int n_rates;                       /* 0: none, all have the same */
    char cpu[64], isa[16], commit[64], compiler[320], date[32];
    int threads;
    double seconds;
    double forecast, limit; /* seconds forecast at the beginning; the limit on
                               them. 0: none */
    int seeds_asked;        /* before the forecast left some out */
    const char *preset;     /* NULL: runs that the caller chose */
    locant_report_gate gates[7];
    struct lct_extension *extension; /* extension.h; NULL: not asked for */
    struct lct_surface *surface;     /* surface.h; NULL: not asked for */
    struct lct_task_point *tasks;    /* [n_tasks], results_tasks.h; in order */
    size_t n_tasks;
    struct lct_identity identities[LCT_IDENTITIES];
    int n_identities;
    struct json_t *numbers; /* lct_numbers_create(); NULL: not yet */
};

/* Set the spec of a group and the properties of its encoding. */
locant_status lct_group_set(struct lct_group *g, const char *spec);

/* Fill a report row from a group. */
void lct_report_row_of(locant_report_row *row, const struct lct_group *g);

/* Read everything a page needs; lct_results_free() also after a failure. */
locant_status lct_results_collect(struct lct_results *r,
                                  const struct lct_plan *plan,
                                  locant_store *store,
                                  const locant_corpus *corpus);
void lct_results_free(struct lct_results *r);

/*
 * Read the results of these runs, each with the evaluation that the store has.
 * Runs of one encoding are a group, in order of first appearance. PARAM if runs
 * differ in more than encoding and seed. Without 'ended', runs may be
 * unfinished, and what is known only at their end is left out.
 */
locant_status lct_results_of_runs(struct lct_results *r, locant_store *store,
                                  const int64_t *runs, size_t n, bool ended);

/* Number of blocks of the latest evaluation of a run as trained, on its own
   corpus, at the lengths of a report; 0 if there is none. */
locant_status lct_evaluated_blocks(int64_t *blocks, locant_store *store,
                                   const locant_run_info *run);

/* The ids of all runs in increasing order, as "3,5,7-20"; to be released. */
locant_status lct_results_list_runs(char **out, const struct lct_results *r);

/* Set the losses of the n-grams that models are compared with, from the
   store or counted now. */
locant_status lct_results_read_references(struct lct_results *r,
                                          const struct lct_plan *plan,
                                          locant_store *store,
                                          const locant_corpus *corpus);

/* Read one run with its evaluation of 'blocks' (0: none) of the corpus
   'sha'. */
locant_status lct_read_result(struct lct_result *out, int64_t blocks,
                              locant_store *store, int64_t id, const char *sha);
/* Copy the encoding's parameters from the model of a group's first run. */
locant_status lct_read_params(struct lct_group *g, locant_store *store);

/* Read the probe of the first run of each group. With 'measure', measure what
   the store lacks. */
locant_status lct_results_probe(struct lct_results *r, locant_store *store,
                                bool measure, locant_progress_fn progress,
                                void *context);

/* Store the numbers of extension and surface, each with one of its runs. */
locant_status lct_sections_keep(locant_store *store,
                                const struct lct_results *r);

/*
 * *numbers is {section: its numbers}, those stored last with any of these runs;
 * to be released with json_decref(). PARAM if there are none, FORMAT if they
 * are not what a report writes.
 */
locant_status lct_section_read(struct json_t **numbers, locant_store *store,
                               const char *section, const int64_t *runs,
                               size_t n);
#endif

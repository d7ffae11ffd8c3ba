/*
 * lab.h - what the parts of the lab share: splits of a corpus, n-gram
 * references, the results a page is made from.
 */
#ifndef LCT_LAB_H
#define LCT_LAB_H
#include "../core/error.h"
#include "locant/encoding.h"
#include "locant/lab.h"
#include "statistics.h"
#include <stdbool.h>

/* ------------------------------------------------------------------ corpus */

enum lct_part { LCT_TRAIN = 0, LCT_VALID = 1, LCT_TEST = 2 };

/*
 * One part of a corpus: its files one after another, a zero byte before each.
 * File f is bytes[start[f]] (the zero) to bytes[start[f + 1] - 1].
 */
struct lct_split {
    const uint8_t *bytes;
    size_t size;
    const size_t *start; /* [files + 1] */
    size_t files;
};

const struct lct_split *lct_corpus_split(const locant_corpus *corpus,
                                         enum lct_part part);

/* SHA-256 of 'size' bytes, hexadecimal, zero-terminated. */
void lct_sha256_hex(char out[65], const void *bytes, size_t size);

/*
 * The blocks every model is tested on: ends[b] is one past the last target, an
 * index into the test split; at least 2304 bytes of the same file before it,
 * at most 8 blocks a file.  Chosen by 'seed' alone.  Returns how many, at most
 * 'want'.
 */
size_t lct_test_blocks(size_t *ends, size_t want, const locant_corpus *corpus,
                       uint64_t seed);

/* The same of any part. */
size_t lct_blocks(size_t *ends, size_t want, const locant_corpus *corpus,
                  enum lct_part part, uint64_t seed);

/*
 * Starts of the training windows of one step: batch x (length + 1) bytes each
 * from the training split, drawn from (seed, step) alone.
 */
void lct_batch_starts(size_t *starts, int64_t batch, int64_t length,
                      const locant_corpus *corpus, uint64_t seed, int64_t step);

/*
 * The same with memory: row b begins at a place drawn from the seed, b parts of
 * 'batch' further on, and moves by 'length' a step, round and round.
 */
void lct_segment_starts(size_t *starts, int64_t batch, int64_t length,
                        const locant_corpus *corpus, uint64_t seed,
                        int64_t step);

/* ------------------------------------------------------------------ n-gram */

/*
 * Mean loss (nats per byte) of an interpolated byte n-gram of that order
 * (order 0: unigram; Witten-Bell weights, Moffat 1990) counted on the first
 * 'train_bytes' of the training split and scored on the P1 targets.
 */
locant_status lct_ngram_loss(double *out, const locant_corpus *corpus,
                             int order, size_t train_bytes, const size_t *ends,
                             size_t blocks, int64_t targets);

/* What a cache n-gram is counted and scored on. */
struct lct_cache_job {
    int order;             /* of the n-gram of the training text */
    size_t train_bytes;
    const int64_t *lengths; /* [n_lengths] of context, targets .. 2048 */
    size_t n_lengths;
    const size_t *ends;    /* [blocks] of the test split */
    size_t blocks;
    int64_t targets;       /* the last of each block */
    uint64_t seed;         /* chooses as many blocks of the validation split */
};

/*
 * out[k]: mean loss (nats per byte) of that n-gram mixed with one of the last
 * lengths[k] bytes, the weights fitted on the validation split; NAN if that has
 * no file for a block.
 */
locant_status lct_cache_loss(double *out, const locant_corpus *corpus,
                             const struct lct_cache_job *job);

/* ------------------------------------------------------------------- build */

/* Compiler and its options. */
const char *lct_compiler(void);

/* "locant 1.0.0, avx2, gcc 12.2.0, -O3 ..": what a sitting computes with. */
void lct_build_text(char out[512]);

/* ----------------------------------------------------------------- results */

/* What the losses of a block are of. */
enum lct_measure {
    LCT_P1, /* same targets, at each length */
    LCT_P3, /* all targets of windows side by side */
    LCT_P4, /* own window: the same at every length */
    LCT_LOGN, /* P1 under temperature(kind=logn,length=<trained>) */
    LCT_CLAMP, LCT_WRAP, LCT_RESAMPLE, /* P1 beyond the end of a table */
    LCT_MEASURES
};

/* One run with its evaluation, as the page needs it. */
struct lct_result {
    locant_run_info run;
    locant_evaluation eval;
    double *block_loss; /* [lengths, blocks]: P1 per block; NAN undefined */
    double *more[LCT_MEASURES]; /* the other measures: P4 [blocks], [lengths,
                                   blocks]; NULL: not measured, or P1 */
    size_t n_steps;
    /* [n_steps]: training curve; norms of the gradient, of all parameters and
       of the encoding's, NAN where it has none */
    double *step, *step_loss, *step_norm, *step_own_norm;
    char batch_checksum[17]; /* of every batch trained on; gate g6 */
    int64_t bytes;           /* memory of the model in training */
    double forward_ms, backward_ms; /* a token, in training; NAN: not known */
};

enum { LCT_RATES = 3 }; /* learning rates tried, at most */

enum { LCT_GROUP_PARAMS = 24 }; /* more of one encoding are not shown */

/* ------------------------------------------------------------- identities */

enum { LCT_IDENTITIES = 10 };

/* What a paper proves, and the largest difference of its two sides here. */
struct lct_identity {
    const char *name, *formula, *source;
    double bound, error;
    bool above; /* the difference must exceed the bound: sides differ */
    bool holds;
};

/* Try number i on this machine. */
locant_status lct_identity(struct lct_identity *out, int i);

struct json_t;

/* All runs of one encoding. */
struct lct_group {
    char spec[256];            /* as resolved */
    const locant_encoding_info *info;
    unsigned doors, traits;
    int64_t reach;             /* positions it is defined at */
    struct lct_result *results; /* [n], by seed */
    size_t n;
    /* trained, of the first seed; of layer 0 where layers have their own; F32,
       dense */
    locant_tensor params[LCT_GROUP_PARAMS];
    int n_params;
    struct json_t *probe; /* what probes found of the first run; or NULL */
    double rate;               /* learning rate; chosen where some were tried */
    double valid[LCT_RATES];   /* validation loss of each of r->rates */
};

struct lct_extension;
struct lct_surface;
struct lct_task_point;

/* The largest folders of headers that a corpus took files from. */
enum { LCT_FOLDERS = 12 };
struct lct_folder {
    char name[96]; /* cut there */
    size_t bytes;
};

/* How many there are: none of other text, whose names are the user's own. */
size_t lct_corpus_folders(struct lct_folder out[LCT_FOLDERS],
                          const locant_corpus *corpus);

struct lct_results {
    struct lct_group *groups;
    size_t n;
    int64_t layers, heads, width, trained_length;
    int judged;                /* lct_judged(); 0: the longest length */
    locant_corpus_info corpus;
    bool text_kept;            /* the store has its text */
    struct lct_folder folders[LCT_FOLDERS];
    size_t n_folders;
    double ngram[2];           /* losses of ngram_order[] on the P1 targets;
                                  gate g2 asks for the first */
    int ngram_order[2];
    double cache[LOCANT_EVAL_LENGTHS]; /* of the cache n-gram; NAN or 0: none */
    int cache_order;           /* of its fixed part */
    double rates[LCT_RATES];   /* learning rates tried with seed 1 */
    int n_rates;               /* 0: none, all have the same */
    char cpu[64], isa[16], commit[64], compiler[320], date[32];
    int threads;
    double seconds;
    double forecast, limit;    /* seconds told at the beginning, and at most
                                  wanted; 0: neither */
    int seeds_asked;           /* of which a forecast may have left out some */
    const char *preset;
    locant_report_gate gates[7];
    struct lct_extension *extension; /* extension.h; NULL: not asked for */
    struct lct_surface *surface;     /* surface.h; NULL: not asked for */
    struct lct_task_point *tasks; /* [n_tasks], results_tasks.h; in order */
    size_t n_tasks;
    struct lct_identity identities[LCT_IDENTITIES];
    int n_identities;
    struct json_t *numbers; /* lct_numbers_create(); NULL: not yet */
};

/* Fill a report row from a group. */
void lct_report_row_of(locant_report_row *row, const struct lct_group *g);

/*
 * P1 losses of all groups at length index k, less those at index 'base' unless
 * it is negative: (*out)[groups, seeds, blocks] in nats per byte, memory of
 * locant_alloc().  Only blocks that all have; NAN where there is no run.
 */
locant_status lct_losses(double **out, size_t *seeds, size_t *blocks,
                         const struct lct_results *r, int k, int base);

/* A measure at length index k; k does not matter to P4. */
struct lct_term {
    enum lct_measure measure;
    int k;
};

/* The same of any measure, less another unless 'less' is NULL. */
locant_status lct_measured(double **out, size_t *seeds, size_t *blocks,
                           const struct lct_results *r, struct lct_term term,
                           const struct lct_term *less);

/* Whether any run has it. */
bool lct_has_measure(const struct lct_results *r, enum lct_measure measure);

/* What is claimed of losses has a corrected p below it. */
#define LCT_ALPHA .05

/* Seeds are advised for that power; no more than a report takes. */
#define LCT_POWER .8
enum { LCT_MOST_SEEDS = 1000 };

/* A paired t test over seeds; NAN where undefined, and of one seed. */
struct lct_test {
    double mean, half, deviation; /* half of the 95 % t interval */
    double p;         /* of the t test */
    double corrected; /* for all tests of its list */
    double exact;     /* p by flipping signs, not corrected */
    int sign;         /* 1: above zero in every run, -1: below, 0: neither */
};

/* Are there seeds enough for the t test to tell anything? */
bool lct_is_tested(const struct lct_results *r);

/* out[groups]: the change of loss from the trained length to length index k,
   corrected by Holm. */
locant_status lct_test_changes(struct lct_test *out,
                               const struct lct_results *r, int k);

/* The encoding of the lowest loss at some length, the next one, r->n where
   there is none, and pairs of encodings that are defined. */
struct lct_order {
    size_t first, next, pairs;
};

/* out[groups]: the difference from the first at length index k, corrected for
   all pairs; undefined for the first itself. */
locant_status lct_test_order(struct lct_test *out, struct lct_order *order,
                             const struct lct_results *r, int k);

/* The lengths that the verdict speaks of: the trained one, twice that, and the
   longest. */
enum { LCT_ANSWERED = 3 };
extern const int lct_answered[LCT_ANSWERED];

/* rank[groups] at length index k: locant_ranks() at 95 %. */
locant_status lct_rank(int *rank, const struct lct_results *r, int k);

/* Index of the length that ranks are made at. */
int lct_judged(const struct lct_results *r);

/* Context length k of the evaluations. */
int64_t lct_length(const struct lct_results *r, int k);

/* ----------------------------------------------------------------- numbers */

/*
 * The comparison declared before any result was seen: the change of loss from
 * the trained length to the one of this index, within each encoding.  That is
 * 1024, or the judged length if it is shorter.
 */
int lct_declared(const struct lct_results *r);

/* Points of a training curve at most: means over equal spans of steps. */
enum { LCT_CURVE_POINTS = 120 };

/*
 * Every number of the page as one JSON document, described in docs/NUMBERS.md;
 * null where undefined.  The page prints its numbers from there.  json_decref()
 * when done.
 */
locant_status lct_numbers_create(struct json_t **out,
                                 const struct lct_results *r);

/* Keep the numbers of long jobs in the store, each with a run of its own. */
locant_status lct_sections_keep(locant_store *store,
                                const struct lct_results *r);

/*
 * {section: numbers} that were kept last with one of these runs; PARAM where
 * there are none, FORMAT where they are not what a report writes.  json_decref
 * when done.
 */
locant_status lct_section_read(struct json_t **numbers, locant_store *store,
                               const char *section, const int64_t *runs,
                               size_t n);

/* What lies at a path such as "rows.3.loss.1024.mean"; NULL if nothing does. */
const struct json_t *lct_numbers_at(const struct json_t *numbers,
                                    const char *path);

/* ------------------------------------------------------------------- gates */

/* Judge gates g2 to g7 from the results; g1 is judged where they are made. */
locant_status lct_judge_gates(struct lct_results *r);

/*
 * Text or, if value >= 0, that value of a gate; 'bytes' of it, no zero after
 * them.
 */
typedef void (*lct_gate_piece)(void *context, const char *text, size_t bytes,
                               int value);

/*
 * A form with the values of a gate in it, piece by piece: {0.3} is value 0 with
 * three decimals, {1g} value 1 with three digits, {a} and {b} the specs.
 */
void lct_gate_expand(const locant_report_gate *g, const char *form,
                     lct_gate_piece piece, void *context);

/* The form of 'text' in English and in Chinese, and the English sentence. */
const char *lct_gate_form(const char *text);
const char *lct_gate_form_zh(const char *text);
void lct_gate_say(locant_report_gate *g);

/* The page: src/report.  Writes 'path' durably. */
locant_status lct_page_write(const char *path, const struct lct_results *r);
#endif

/* tasks.h - what the files of tasks share: rows, and the functions that make
   them */
#ifndef LCT_TASKS_H
#define LCT_TASKS_H
#include "locant/tasks.h"
#include "../train/train.h"

/* A row being made. Tokens are appended one after another. */
struct lct_row {
    locant_random random;
    int64_t length; /* in the task's unit */
    int64_t index;  /* in its test set; -1 in training */
    int64_t param;  /* parameter of the task: symbols, modulus, gap, .. */
    int64_t value;  /* value of the setting: pairs, per cent, .. */
    int64_t size;   /* tokens of the row */
    int64_t at;     /* tokens appended so far */
    int32_t *tokens, *targets, *places; /* [size]; places may be NULL */
};

void lct_row_append(struct lct_row *r, int32_t token);
/* Make 'token' the target of the last token appended. */
void lct_row_set_target(struct lct_row *r, int32_t token, int64_t place);
/* Set the target, then append it if the row has room: the last answer of a row
   may be a target only. */
void lct_row_append_answer(struct lct_row *r, int32_t token, int64_t place);
/* A random number of 0 .. n - 1. */
int32_t lct_row_draw(struct lct_row *r, int64_t n);
/* Draw n <= count <= LCT_DISTINCT different numbers of 0 .. count - 1. */
void lct_row_draw_distinct(struct lct_row *r, int32_t *out, int64_t n,
                           int32_t count);

/* The largest power of two that is at most n >= 1: a bucket of distances. */
int64_t lct_octave(int64_t n);

struct lct_task {
    locant_task_info info;
    void (*make)(struct lct_row *r);
    int64_t scale, extra;      /* a row has scale x length + extra tokens */
    int64_t shortest, longest; /* lengths that make() takes */
    int64_t param, value;      /* of its rows; 'value' in training */
    /* nats of a row's answers under the source; NULL: 0 */
    double (*floor)(const struct lct_row *r);
};

const struct lct_task *lct_task_find(const char *id);

/* locant_task_of(), if *run was read already. */
locant_status lct_task_of(const locant_task_info **out,
                          const locant_store *store,
                          const locant_run_info *run);
/* Task i, or NULL. */
const struct lct_task *lct_task_at(int i);

/* Tokens of a row. */
int64_t lct_task_size(const struct lct_task *task, int64_t length);

/* Make the row. The caller sets its random, length, index, value, size,
   memory. */
void lct_task_make(struct lct_row *r, const struct lct_task *task);

/* How a run reads rows: under another encoding with the same parameters,
   and, if crop > 0, only the last 'crop' tokens of each. */
struct lct_task_reading {
    const char *spec;
    int64_t crop;
};

/* locant_task_evaluate() with this reading, recorded under its spec or under
   "crop(N) SPEC"; 'as' may be NULL. */
locant_status lct_task_evaluate_as(locant_store *store, int64_t run,
                                   const struct lct_task_reading *as,
                                   const locant_task_eval_options *options,
                                   locant_task_visitor visit, void *context);

/* Make row 'index' of a test set. The caller sets memory and size of r. */
void lct_task_test_row(struct lct_row *r, const struct lct_task *task,
                       const locant_task_test *test, uint64_t seed,
                       int64_t index);

/* Nats per answer under the source, on 'items' rows of a test set; 0 if the
   task has no floor. */
locant_status lct_task_floor(double *out, const struct lct_task *task,
                             const locant_task_test *test, uint64_t seed,
                             int64_t items);

/* ------------------------------------------------------------------ makers */

void lct_make_delay(struct lct_row *r);
void lct_make_repeat(struct lct_row *r);
void lct_make_copy_unique(struct lct_row *r);
void lct_make_copy(struct lct_row *r);
void lct_make_reverse(struct lct_row *r);
void lct_make_sort(struct lct_row *r);
void lct_make_majority(struct lct_row *r);
void lct_make_count(struct lct_row *r);
void lct_make_flip_flop(struct lct_row *r);
void lct_make_selective(struct lct_row *r);
void lct_make_recall(struct lct_row *r);
void lct_make_needle(struct lct_row *r);
void lct_make_modular(struct lct_row *r);
void lct_make_markov(struct lct_row *r);
void lct_make_addition(struct lct_row *r);

enum {
    LCT_SELECTED = 16,  /* symbols to copy in T10 */
    LCT_DISTINCT = 150, /* symbols of T3 and T6 */
    LCT_MARKOV_SYMBOLS = 16,
    LCT_MARKOV_CONTEXTS = 256
};

/* ------------------------------------------------------------------- tally */

enum { LCT_PLACES = 64 }; /* different places of one test set, at most */

/* Sums over items. 'asked' and 'wrong' count within the item being added. */
struct lct_tally {
    int64_t place, items, exact, tokens, hits, asked, wrong;
    double loss;
};

/* at[0] counts all places together (place -1). */
struct lct_tallies {
    struct lct_tally at[LCT_PLACES + 1];
    int n;
};

/* One item: its targets, and which of them the model got right. */
struct lct_answers {
    int64_t size;
    const int32_t *targets, *places;
    const uint8_t *hit; /* [size], like the others; 1: right */
    const real *loss;
};

void lct_tally_begin(struct lct_tallies *all);
/* The tally of a place, created on first use; NULL if there is no room. */
struct lct_tally *lct_tally_of(struct lct_tallies *all, int64_t place);
/* Add an item; false if there is no room for its places. */
bool lct_tally_add(struct lct_tallies *all, const struct lct_answers *answers);
/* Sort by place; at[0] stays first. */
void lct_tally_sort(struct lct_tallies *all);

/* ------------------------------------------------------------------ Markov */

/*
 * The source of T14 and T15: P(x | c) = weight[c][x] / 65536 in the context
 *
 *     c = x[t-1] + 16 floor(x[t-2] / 4) + 64 floor(x[t-gap] / 4)
 *
 * with gap = 3, 37 or 100; before the beginning all symbols are 0.  The weights
 * are Dirichlet(.3) draws of one fixed seed, rounded.
 */
typedef uint16_t lct_markov_weights[LCT_MARKOV_CONTEXTS][LCT_MARKOV_SYMBOLS];
const lct_markov_weights *lct_markov(void);

/* -ln P of the answers of a row, summed. */
double lct_markov_floor(const struct lct_row *r);

#endif

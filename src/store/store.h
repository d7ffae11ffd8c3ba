/*
 * store.h - the SQLite database of runs, as the lab uses it.
 *
 * One connection, shared by the worker threads under one mutex.  Writes happen
 * between lct_store_begin() and lct_store_end(), reads between lct_store_lock()
 * and lct_store_unlock().
 */
#ifndef LCT_STORE_H
#define LCT_STORE_H
#include "../corpus/corpus.h"
#include "locant/encoding.h"
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>

enum { LCT_STORE_VERSION = 5, LCT_STORE_APPLICATION = 0x4c4f434e /* "LOCN" */ };

/* The steps that a statement of one connection may take; see store_guard.c. */
struct lct_store_guard {
    const char *path;
    int64_t steps, most, least;
};

struct locant_store {
    sqlite3 *db;
    struct lct_store_guard guard; /* of db */
    pthread_mutex_t mutex;
    char *directory;
    char *path; /* directory/runs.db */
    int64_t version; /* of the schema: an older one only when readonly */
    bool readonly;
    bool any_isa; /* runs may go on under another instruction set */
};

/* -------------------------------------------------------------- statements */

/* Record and return the failure SQLite just reported on this connection. */
locant_status lct_store_failed(const locant_store *s, sqlite3 *db);

/*
 * What is wrong is what the store holds: a refusal of these values becomes
 * FORMAT, its sentence after the path of the store and 'format', the row.  What
 * is not about values, as NOMEM and IO, stays, and so does OK.
 */
locant_status lct_store_blame(locant_status status, const locant_store *s,
                              const char *format, ...) LOCANT_PRINTF(3, 4);

/*
 * Prepare one statement and bind its parameters, one letter each in 'types':
 * i int64_t, d double (NAN becomes NULL), s string (NULL becomes NULL).
 */
locant_status lct_store_prepare(sqlite3_stmt **out, locant_store *s,
                                const char *sql, const char *types, ...);

/* Prepare, bind, run to the end. */
locant_status lct_store_exec(locant_store *s, const char *sql,
                             const char *types, ...);

/* Next row: *row says whether there is one. */
locant_status lct_store_step(bool *row, locant_store *s, sqlite3_stmt *stmt);

/*
 * The first column of the first row, memory of locant_alloc(); NULL if there is
 * no row, or NULL is there.  Takes the lock.
 */
locant_status lct_store_text(char **out, locant_store *s, const char *sql,
                             const char *types, ...);

/* Column as double: NAN for what is no number, or more than a loss can be. */
double lct_column_double(sqlite3_stmt *stmt, int i);
/* Column as text of at most size - 1 bytes: "" for NULL. */
void lct_column_text(char *out, size_t size, sqlite3_stmt *stmt, int i);

/* The time, UTC, ISO 8601. */
void lct_store_now(char out[32]);

/* ------------------------------------------------------------ transactions */

void lct_store_lock(locant_store *s);
void lct_store_unlock(locant_store *s);

/* Lock and BEGIN IMMEDIATE; on failure nothing is locked. */
locant_status lct_store_begin(locant_store *s, const char *fn);
/* Could it be written now?  To be asked before what takes long and is kept. */
locant_status lct_store_writable(locant_store *s, const char *fn);
/* COMMIT if 'status' is LOCANT_OK, else ROLLBACK; unlock; the status. */
locant_status lct_store_end(locant_store *s, locant_status status);

/* -------------------------------------------------------------------- open */

/* What kind of database this is, judged; *blank: nothing is in it. */
locant_status lct_store_inspect(bool *blank, int64_t *version, locant_store *s);

/* IO unless runs.db, if it is there, and what SQLite keeps beside it are files;
   nothing is opened. */
locant_status lct_store_check_files(bool *there, const char *path);

/* Make the schema what this version expects, in one transaction. */
locant_status lct_store_migrate(locant_store *s);

/* The scripts that lead from one version to another; SQLite's code. */
int lct_store_make_schema(sqlite3 *db, int64_t from, int64_t to);

/* FORMAT unless the database has the tables of that version, to the letter. */
locant_status lct_store_check_schema(locant_store *s, int64_t version);

/* What one statement of ours, and one of a user, may do at least. */
enum { LCT_STEPS = 100000000, LCT_STEPS_OF_USERS = 1000000000 };

/*
 * Make a new connection safe against the file at 'path'; both outlive it.  A
 * statement then takes at most 'least' steps of SQLite's virtual machine, and
 * 100 for each byte of the file.
 */
void lct_store_guard(struct lct_store_guard *g, sqlite3 *db, const char *path,
                     int64_t least);
/* The next statement begins. */
void lct_store_restart(struct lct_store_guard *g);

/* Connect to the file of the store for reading only, guarded. */
locant_status lct_store_connect_readonly(sqlite3 **out,
                                         struct lct_store_guard *g,
                                         const locant_store *s, int64_t least);

/* -------------------------------------------------------------------- runs */

/* What makes two runs the same run, and what is known before it starts. */
struct lct_run_new {
    const char *key; /* unique text of everything that decides the bits */
    const char *encoding, *model, *corpus_sha256;
    const char *source;  /* "text", or the name of a task; NULL: "text" */
    const char *options; /* JSON of all that continuing needs; may be NULL */
    int64_t parent;      /* run whose parameters begin this one; 0: none */
    int64_t only;        /* not 0: it must be this run, none is made */
    uint64_t seed;
    int64_t steps, batch, length, parameters, encoding_parameters, bytes;
};

/* The run of that key, made if there is none; one that has no options gets
   these. */
locant_status lct_store_find_run(int64_t *id, locant_store *s,
                                 const struct lct_run_new *run);

/* locant_store_runs() of those that have scores of tasks. */
locant_status lct_store_scored_runs(locant_store *s, locant_run_visitor visit,
                                    void *context);

/* What run_info leaves out; bytes: memory of the model in training. */
struct lct_run_extra {
    char key[1024];
    char batch_checksum[17];
    int64_t bytes;
};
locant_status lct_store_run_extra(struct lct_run_extra *out, locant_store *s,
                                  int64_t id);

/* What the run was made with, memory of locant_alloc(); NULL if not known. */
locant_status lct_store_run_options(char **out, locant_store *s, int64_t id);

/* One step of training. */
struct lct_metric {
    int64_t step;
    double loss, grad_norm, rate;
    double encoding_norm; /* of the encoding's parameters; NAN: it has none */
};

/* Where a run stands; 'message' may be NULL. */
struct lct_run_state {
    const char *status;
    int64_t step;
    double seconds;
    uint64_t checksum;
    const char *message;
};

/* Record steps and state in one transaction. */
locant_status lct_store_record(locant_store *s, int64_t id,
                               const struct lct_run_state *state,
                               const struct lct_metric *metrics, size_t n);

/*
 * A sitting begins: forget the steps after 'step', which it trains again, and
 * the sittings that trained nothing else, and record what it computes with.
 */
locant_status lct_store_rewind(locant_store *s, int64_t id, int64_t step);

/* The instruction set of the sitting that trained 'step'; "": not known. */
locant_status lct_store_sitting(char isa[16], locant_store *s, int64_t id,
                                int64_t step);

/* Recorded steps in order; memory of locant_alloc(), NULL if there are none. */
locant_status lct_store_metrics(struct lct_metric **out, size_t *n,
                                locant_store *s, int64_t id);

/* directory/checkpoints/run-<id>.<ending>, memory of locant_alloc(). */
locant_status lct_store_run_path(char **out, const locant_store *s, int64_t id,
                                 const char *ending);

/*
 * Take the lock of a run: *fd holds it until lct_store_unlock_run().  Fails
 * with UNSUPPORTED, naming process and host, while another holds it.
 */
locant_status lct_store_lock_run(int *fd, const locant_store *s, int64_t id);
void lct_store_unlock_run(int fd, const locant_store *s, int64_t id);
/* Remove the lock of a process that died with it; a held one stays. */
void lct_store_drop_lock(const locant_store *s, int64_t id);

/*
 * The checkpoint before the last one is kept, for the case that the last one is
 * damaged.  All of these are for the holder of the lock.
 */

/* Keep the checkpoint under a second name, which a new one does not replace. */
void lct_store_keep_previous(const locant_store *s, int64_t id);
/* Make the one that was kept the checkpoint; false: there is none. */
bool lct_store_use_previous(const locant_store *s, int64_t id);
/* It is needed no longer. */
void lct_store_drop_previous(const locant_store *s, int64_t id);

/*
 * Remove what a killed process left of a checkpoint it was writing, and with
 * 'all' the checkpoints.  To be called by the holder of the lock.
 */
void lct_store_clean_run(const locant_store *s, int64_t id, bool all);

/* ----------------------------------------------------------------- corpora */

/* How to read a text again; a corpus has one. */
struct lct_recipe {
    const char *sha256;
    const char *kind;  /* "headers", "files", "generated" */
    const char *paths; /* JSON list of absolute paths */
    uint64_t seed;
    int64_t max_bytes; /* as resolved, never 0 */
};

/* The recipe of a corpus, valid as long as it; false if it has none. */
bool lct_corpus_recipe(struct lct_recipe *out, const locant_corpus *corpus);

/* Record it in place of an older one of the same text, which may be gone. */
locant_status lct_store_keep_corpus(locant_store *s,
                                    const struct lct_recipe *recipe);

/* ------------------------------------------------------------- evaluations */

/* What two evaluations differ in; strings that are NULL are "". */
struct lct_evaluation_key {
    int64_t run;
    const char *corpus_sha256;
    int64_t want;         /* blocks asked for */
    const char *encoding; /* spec it was evaluated under; "": the trained one */
    const char *policy;   /* beyond a table: "clamp", ..; "": undefined */
    const char *lengths;  /* "128,4096"; "": the five of the protocols */
};

/* The numbers an evaluation has one of. */
struct lct_evaluation_row {
    int64_t id; /* read only */
    int64_t blocks;
    double own_window, valid, shuffled, causality, tokens_per_second;
};

/*
 * The losses of one protocol ("P1", ..): mean[i] at length[i], loss[i, b] of
 * block b.  P2 counts the position a bucket begins at as its length.  Lengths
 * rise.
 */
struct lct_curve {
    char protocol[16];
    size_t n, blocks; /* blocks 0: means alone */
    int64_t *length;  /* [n] */
    double *mean;     /* [n] */
    double *loss;     /* [n, blocks] */
};

/* The evaluation of that key, if there is one. */
locant_status lct_store_find_evaluation(struct lct_evaluation_row *out,
                                        bool *found, locant_store *s,
                                        const struct lct_evaluation_key *key);

/*
 * A curve of an evaluation; n is 0 when it has none of that protocol.  To be
 * freed, also after a failure.
 */
locant_status lct_store_read_curve(struct lct_curve *out, locant_store *s,
                                   int64_t evaluation, const char *protocol);
void lct_curve_free(struct lct_curve *c);

/* Record an evaluation with its curves; what is there already stays. */
locant_status lct_store_add_evaluation(locant_store *s,
                                       const struct lct_evaluation_key *key,
                                       const struct lct_evaluation_row *row,
                                       const struct lct_curve *curves,
                                       size_t n);

/*
 * Read an evaluation under the trained encoding back; *found tells whether it
 * was there.  'want' is the number of blocks asked for.  *block_loss [lengths,
 * blocks] is of locant_alloc(); pass NULL to leave it.
 */
locant_status lct_store_load_evaluation(locant_evaluation *out,
                                        double **block_loss, bool *found,
                                        locant_store *s, int64_t run,
                                        const char *corpus_sha256,
                                        int64_t want);

/* The same of any evaluation: length 0 is none. */
locant_status lct_store_load_under(locant_evaluation *out, double **block_loss,
                                   bool *found, locant_store *s,
                                   const struct lct_evaluation_key *key);

/* Losses of each block; what is NULL is not recorded. */
struct lct_block_losses {
    const double *p1, *p3; /* [lengths, blocks] */
    const double *p4;      /* [blocks] */
};

/* Record it; what is there already stays. */
locant_status lct_store_save_under(locant_store *s,
                                   const struct lct_evaluation_key *key,
                                   const locant_evaluation *e,
                                   const struct lct_block_losses *losses);

/*
 * Losses of the blocks by one protocol, [lengths, blocks] of locant_alloc();
 * NULL where there is no such evaluation or curve, or one of another shape.
 */
locant_status lct_store_block_losses(double **out, locant_store *s,
                                     const struct lct_evaluation_key *key,
                                     const char *protocol, size_t lengths,
                                     size_t blocks);

/* ------------------------------------------------------------------- tasks */

/* Of a test set: the store may ask for its floor, which looks at each. */
enum { LCT_MOST_ITEMS = 1 << 20 };

/* Items of one fixed test set that a run solved. */
struct lct_task_score {
    int64_t run;
    const char *task;     /* "T1", .. */
    const char *setting;  /* what else the items follow from: "pairs=8"; "" */
    const char *encoding; /* spec it was scored under; "": the trained one */
    int64_t test_seed, length;
    int64_t place;        /* distance, depth or t; -1: over all of them */
    int64_t items, exact; /* items, and those without an error */
    int64_t tokens, hits; /* of all answers, and those that are right */
    double loss;          /* nats per token of the answers */
};

/* Record scores in one transaction; those that are there already stay. */
locant_status lct_store_add_scores(locant_store *s,
                                   const struct lct_task_score *scores,
                                   size_t n);

/*
 * Scores of a run on a task by (setting, encoding, test_seed, length, place).
 * The strings are valid during the call, which holds the lock; nonzero stops.
 */
typedef int (*lct_score_visitor)(const struct lct_task_score *score,
                                 void *context);
locant_status lct_store_scores(locant_store *s, int64_t run, const char *task,
                               lct_score_visitor visit, void *context);

/* ------------------------------------------------------- probes and plans */

/*
 * What was found out about a run, as JSON.  'setting' is all it follows from
 * besides the run: "step=100;corpus=..".  Keeping another value replaces the
 * first.  Reading gives memory of locant_alloc(), NULL if there is none.
 */
locant_status lct_store_keep_probe(locant_store *s, int64_t run,
                                   const char *name, const char *setting,
                                   const char *value);
/* The same of an object, whose "kept" becomes one more than that of any run. */
locant_status lct_store_keep_last(locant_store *s, int64_t run,
                                  const char *name, const char *setting,
                                  const char *value);
locant_status lct_store_probe(char **out, locant_store *s, int64_t run,
                              const char *name, const char *setting);
/* All values whose setting begins so, by setting: a JSON list. */
locant_status lct_store_probes(char **out, locant_store *s, int64_t run,
                               const char *name, const char *prefix);

/*
 * What a job decided when it began, so that the same job continued decides the
 * same.  Gives the plan of that key, which is the first that was kept; memory
 * of locant_alloc().
 */
locant_status lct_store_keep_plan(char **out, locant_store *s, const char *key,
                                  const char *plan);

/* The same without keeping one; NULL if there is none. */
locant_status lct_store_plan(char **out, locant_store *s, const char *key);

/* The encoding of a run, to be freed.  FORMAT names the store and the run. */
locant_status lct_run_encoding(locant_encoding **out, const locant_store *store,
                               const locant_run_info *run);
#endif

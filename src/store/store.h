/*
 * store.h - the SQLite database of runs.
 *
 * The worker threads share one connection under one mutex. Writes happen
 * between lct_store_begin() and lct_store_end(), reads between lct_store_lock()
 * and lct_store_unlock().
 */
#ifndef LCT_STORE_H
#define LCT_STORE_H
#include "../corpus/corpus.h"
#include "locant/encoding.h"
#include "locant/tasks.h"
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>

enum { LCT_STORE_VERSION = 5, LCT_STORE_APPLICATION = 0x4c4f434e /* "LOCN" */ };

/* How long a connection waits for the lock of another. */
enum { LCT_STORE_BUSY_MS = 30000 };

/* Limits the steps of SQLite's virtual machine that each statement of one
   connection may take; see store_guard.c. */
struct lct_store_guard {
    const char *path;   /* of the database */
    int64_t steps;      /* of the current statement until now */
    int64_t max_steps;  /* base_steps, and more for a larger file */
    int64_t base_steps; /* what a statement may take of an empty file */
};

struct locant_store {
    sqlite3 *db;
    struct lct_store_guard guard; /* of db */
    pthread_mutex_t mutex;
    char *directory;
    char *path;      /* directory/runs.db */
    int64_t version; /* of the schema; an older one only if readonly */
    bool readonly;
    bool alone;   /* no other process may open it */
    int lock;     /* descriptor of the lock of a store that is open alone, or
                   -1 */
    bool any_isa; /* runs may go on under another instruction set */
};

/* -------------------------------------------------------------- statements */

/* Record and return the failure SQLite just reported on this connection. */
locant_status lct_store_fail(const locant_store *s, sqlite3 *db);

/*
 * Turn the refusal of a value that came from the store into FORMAT. The new
 * error message names the path of the store and the row ('format'), then the
 * old message. A status that is not about values (OK, NOMEM, IO, INTERRUPTED)
 * is returned unchanged.
 */
locant_status lct_store_blame(locant_status status, const locant_store *s,
                              const char *format, ...) LOCANT_PRINTF(3, 4);

/*
 * Prepare one statement and bind its parameters, one letter each in 'types':
 * i int64_t, d double (NAN becomes NULL), s string (NULL becomes NULL).
 */
locant_status lct_store_prepare(sqlite3_stmt **out, locant_store *s,
                                const char *sql, const char *types, ...);

/* Prepare one statement, bind its parameters, run it to the end. */
locant_status lct_store_exec(locant_store *s, const char *sql,
                             const char *types, ...);
/* The same in a transaction of its own. 'fn' names the public function in error
   messages, here and below. */
locant_status lct_store_write(locant_store *s, const char *fn, const char *sql,
                              const char *types, ...);

/*
 * Read the first row. 'types' has a letter for each parameter, '>', and one for
 * each column, whose value goes where the next argument points: i int64_t,
 * d double (see lct_column_double()), s char * (memory of locant_alloc();
 * unchanged if NULL), t char array, whose size_t size is the argument after it
 * and to which the text is truncated. If there is no row, only *found is
 * written. The caller of lct_store_get() holds the lock; lct_store_read() takes
 * it.
 */
locant_status lct_store_get(bool *found, locant_store *s, const char *sql,
                            const char *types, ...);
locant_status lct_store_read(bool *found, locant_store *s, const char *sql,
                             const char *types, ...);

/* Step to the next row; *row tells whether there is one. */
locant_status lct_store_step(bool *row, locant_store *s, sqlite3_stmt *stmt);

/* Read the first column of the first row, memory of locant_alloc(); *out is
   NULL if there is no row, or if the value is NULL. Takes the lock. */
locant_status lct_store_read_string(char **out, locant_store *s,
                                    const char *sql, const char *types, ...);

/* Column as double; NAN if it is not a number of at most 1e100. */
double lct_column_double(sqlite3_stmt *stmt, int i);
/* Column as text of at most size - 1 bytes: "" for NULL. */
void lct_column_text(char *out, size_t size, sqlite3_stmt *stmt, int i);

/* The current time, UTC, ISO 8601. */
void lct_store_now(char out[32]);

/* ------------------------------------------------------------ transactions */

void lct_store_lock(locant_store *s);
void lct_store_unlock(locant_store *s);

/* Lock and BEGIN IMMEDIATE; on failure nothing is locked. */
locant_status lct_store_begin(locant_store *s, const char *fn);
/* Fail if the store cannot be written. Call it before long work whose results
   are to be stored. */
locant_status lct_store_check_writable(locant_store *s, const char *fn);
/* Commit if 'status' is LOCANT_OK, else roll back; then unlock. Returns
   'status', or why the commit failed. */
locant_status lct_store_end(locant_store *s, locant_status status);

/* -------------------------------------------------------------------- open */

/* Refuse with IO unless 'path', if it exists, and the files that SQLite keeps
   beside it are regular files. Nothing is opened. */
locant_status lct_store_check_files(bool *there, const char *path);

/* Run the scripts from version 'from' to 'to'; returns SQLite's code. */
int lct_store_make_schema(sqlite3 *db, int64_t from, int64_t to);

/* FORMAT unless the database has each table and index of that version, made by
   the same SQL. It may have others. */
locant_status lct_store_check_schema(locant_store *s, int64_t version);

/* base_steps of a statement of locant, and of one of a user. */
enum { LCT_SQL_STEPS = 100000000, LCT_SQL_STEPS_OF_USERS = 1000000000 };

/*
 * Protect a new connection against a damaged or hostile file at 'path'; g and
 * 'path' must outlive it. A statement may then take 'base_steps' steps of
 * SQLite's virtual machine and 100 more for each byte of the file.
 */
void lct_store_protect(struct lct_store_guard *g, sqlite3 *db, const char *path,
                       int64_t base_steps);
/* Count steps from 0, because the next statement begins. */
void lct_store_reset_steps(struct lct_store_guard *g);

/* Connect to the file of the store for reading only, guarded. */
locant_status lct_store_connect_readonly(sqlite3 **out,
                                         struct lct_store_guard *g,
                                         const locant_store *s,
                                         int64_t base_steps);

/* -------------------------------------------------------------------- runs */

/* A run before it starts. */
struct lct_run_new {
    const char *key; /* unique: everything that the results depend on */
    const char *encoding, *model, *corpus_sha256;
    const char *source;  /* "text", or the name of a task; NULL: "text" */
    const char *options; /* JSON of all options needed to continue; may be
                            NULL */
    int64_t parent;      /* run that gives the first parameters; 0: none */
    int64_t only;        /* not 0: run must have this id; none is inserted */
    uint64_t seed;
    int64_t steps, batch, length, parameters, encoding_parameters;
    int64_t bytes; /* of memory for the model in training */
};

/* Find the run of that key, or insert it. Set its options if it has none. */
locant_status lct_store_find_or_add_run(int64_t *id, locant_store *s,
                                        const struct lct_run_new *run);

/* locant_store_runs(), limited to runs that have task scores. */
locant_status lct_store_visit_scored_runs(locant_store *s,
                                          locant_run_visitor visit,
                                          void *context);

/* Columns that locant_run_info lacks. */
struct lct_run_extra {
    char key[1024];
    char batch_checksum[17]; /* hexadecimal */
    int64_t bytes;           /* of memory for the model in training */
};
locant_status lct_store_read_run_extra(struct lct_run_extra *out,
                                       locant_store *s, int64_t id);

/* The options of a run as JSON, to be released; NULL if not known. */
locant_status lct_store_read_run_options(char **out, locant_store *s,
                                         int64_t id);

/* One step of training. */
struct lct_metric {
    int64_t step;
    double loss, grad_norm, rate;
    double encoding_norm; /* of the gradient of the encoding's parameters; NAN:
                             it has none */
};

/* State of a run; 'message' may be NULL. */
struct lct_run_state {
    const char *status;
    int64_t step;
    double seconds;    /* of training until 'step' */
    uint64_t checksum; /* of every batch until 'step' */
    const char *message;
};

/* Record n steps and the state in one transaction. */
locant_status lct_store_record(locant_store *s, int64_t id,
                               const struct lct_run_state *state,
                               const struct lct_metric *metrics, size_t n);

/*
 * Begin a session of training (table "sittings"). Delete the steps after
 * 'step', which are trained again, and the sessions that trained only those;
 * record the build and the instruction set.
 */
locant_status lct_store_begin_session(locant_store *s, int64_t id,
                                      int64_t step);

/* The instruction set of the session that trained 'step'; "" if not known. */
locant_status lct_store_read_session_isa(char isa[16], locant_store *s,
                                         int64_t id, int64_t step);

/* Recorded steps in order; memory of locant_alloc(), NULL if there are none. */
locant_status lct_store_read_metrics(struct lct_metric **out, size_t *n,
                                     locant_store *s, int64_t id);

/* Print the path of a file of the store, directory/<format>; at most 127 bytes
   follow the directory. *out is memory of locant_alloc(). */
locant_status lct_store_path(char **out, const locant_store *s,
                             const char *format, ...) LOCANT_PRINTF(3, 4);

/* Print the path directory/checkpoints/run-<id>.<ending>. */
locant_status lct_store_run_path(char **out, const locant_store *s, int64_t id,
                                 const char *ending);

/*
 * Take the lock of a run: *fd holds it until lct_store_unlock_run().  Fails
 * with UNSUPPORTED, naming process and host, while another holds it; the error
 * message begins with fn, the public function.
 */
locant_status lct_store_lock_run(int *fd, const locant_store *s, int64_t id,
                                 const char *fn);
void lct_store_unlock_run(int fd, const locant_store *s, int64_t id);
/* Take the lock of a store that is opened alone; as for a run. */
locant_status lct_store_lock_alone(locant_store *s, const char *fn);
/* Remove the lock file of a process that died; a lock that is held stays. */
void lct_store_drop_lock(const locant_store *s, int64_t id);

/*
 * The checkpoint before the last one is kept in case the last one is damaged.
 * The caller of these functions holds the lock.
 */

/* Keep the checkpoint under a second name, so that a new one does not replace
   it. */
void lct_store_keep_previous(const locant_store *s, int64_t id);
/* Make the kept checkpoint the current one; false: there is none. */
bool lct_store_restore_previous(const locant_store *s, int64_t id);
/* Remove the kept checkpoint. */
void lct_store_drop_previous(const locant_store *s, int64_t id);

/*
 * Remove temporary files of a process that was killed while it wrote a
 * checkpoint; with 'all' the checkpoints, too. The caller holds the lock.
 */
void lct_store_clean_run(const locant_store *s, int64_t id, bool all);

/* ----------------------------------------------------------------- corpora */

/* How to read the text of a corpus again. */
struct lct_recipe {
    const char *sha256;
    const char *kind;  /* "headers", "files", "generated" */
    const char *paths; /* JSON list of absolute paths */
    uint64_t seed;
    int64_t max_bytes; /* as resolved, never 0 */
};

/* The recipe of a corpus, valid as long as the corpus; false if it has none. */
bool lct_corpus_recipe(struct lct_recipe *out, const locant_corpus *corpus);

/* Record a recipe. It replaces an older one of the same text, whose files may
   be gone. */
locant_status lct_store_keep_corpus(locant_store *s,
                                    const struct lct_recipe *recipe);

/* ------------------------------------------------------------------- tasks */

/* Most items of a test set that a row may claim. The limit is necessary because
   computing the floor of a test set visits each item. */
enum { LCT_TASK_MAX_ITEMS = 1 << 20 };

/* Bytes of the setting of a score, with its final zero; a longer one that a
   store has is refused. */
enum { LCT_TASK_SETTING = 64 };

/* Items of one fixed test set that a run solved. */
struct lct_task_score {
    int64_t run;
    const char *encoding; /* spec it was scored under; "": the trained one */
    int64_t test_seed;
    locant_task_score score; /* 'setting' says what else the items depend on;
                                the floor is not in the store */
};

/* Record scores in one transaction; existing scores are kept. */
locant_status lct_store_add_scores(locant_store *s,
                                   const struct lct_task_score *scores,
                                   size_t n);

/*
 * Visit the scores of a run on a task, ordered by setting, encoding, test_seed,
 * length and place. The strings are valid during the visit, which holds the
 * lock. A visitor that returns nonzero stops.
 */
typedef int (*lct_score_visitor)(const struct lct_task_score *score,
                                 void *context);
locant_status lct_store_visit_scores(locant_store *s, int64_t run,
                                     const char *task, lct_score_visitor visit,
                                     void *context);

/* ------------------------------------------------------- probes and plans */

/*
 * Keep and read what a probe measured of a run, as JSON. 'setting' is
 * everything besides the run that the value depends on: "step=100;corpus=..". A
 * new value replaces the old one. Reading gives NULL if there is none; the
 * caller releases the text.
 */
locant_status lct_store_keep_probe(locant_store *s, int64_t run,
                                   const char *name, const char *setting,
                                   const char *value);
/* The same for a JSON object. Its member "kept" is set to one more than the
   largest "kept" that any run has for this name and setting, so that the latest
   object can be found. */
locant_status lct_store_keep_latest_probe(locant_store *s, int64_t run,
                                          const char *name, const char *setting,
                                          const char *value);
locant_status lct_store_read_probe(char **out, locant_store *s, int64_t run,
                                   const char *name, const char *setting);
/* All values whose setting begins with 'prefix', ordered by setting, as a JSON
   list. */
locant_status lct_store_read_probes(char **out, locant_store *s, int64_t run,
                                    const char *name, const char *prefix);

/*
 * Keep what a job decided when it began, so that it decides the same when it is
 * continued. *out is the plan of that key that was kept first, to be released.
 */
locant_status lct_store_keep_plan(char **out, locant_store *s, const char *key,
                                  const char *plan);

/* Read the plan of that key; NULL if there is none. */
locant_status lct_store_read_plan(char **out, locant_store *s, const char *key);

/* The encoding of a run, to be freed. An error message names the store and the
   run. */
locant_status lct_encoding_of_run(locant_encoding **out,
                                  const locant_store *store,
                                  const locant_run_info *run);
#endif

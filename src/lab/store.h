/*
 * store.h - the SQLite database of runs, as the lab uses it.
 *
 * One connection, shared by the worker threads under one mutex.  Writes happen
 * between lct_store_begin() and lct_store_end(), reads between lct_store_lock()
 * and lct_store_unlock().
 */
#ifndef LCT_STORE_H
#define LCT_STORE_H
#include "lab.h"
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>

enum { LCT_STORE_VERSION = 1, LCT_STORE_APPLICATION = 0x4c4f434e /* "LOCN" */ };

struct locant_store {
    sqlite3 *db;
    pthread_mutex_t mutex;
    char *directory;
    char *path; /* directory/runs.db */
    bool readonly;
};

/* -------------------------------------------------------------- statements */

/* Record and return the failure SQLite just reported on this connection. */
locant_status lct_store_failed(const locant_store *s, sqlite3 *db);

/*
 * Prepare one statement and bind its parameters, one letter each in 'types':
 * i int64_t, d double (NAN becomes NULL), s string.
 */
locant_status lct_store_prepare(sqlite3_stmt **out, locant_store *s,
                                const char *sql, const char *types, ...);

/* Prepare, bind, run to the end. */
locant_status lct_store_exec(locant_store *s, const char *sql,
                             const char *types, ...);

/* Next row: *row says whether there is one. */
locant_status lct_store_step(bool *row, locant_store *s, sqlite3_stmt *stmt);

/* Column as double: NAN for NULL. */
double lct_column_double(sqlite3_stmt *stmt, int i);
/* Column as text of at most size - 1 bytes: "" for NULL. */
void lct_column_text(char *out, size_t size, sqlite3_stmt *stmt, int i);

/* ------------------------------------------------------------ transactions */

void lct_store_lock(locant_store *s);
void lct_store_unlock(locant_store *s);

/* Lock and BEGIN IMMEDIATE; on failure nothing is locked. */
locant_status lct_store_begin(locant_store *s, const char *fn);
/* COMMIT if 'status' is LOCANT_OK, else ROLLBACK; unlock; the status. */
locant_status lct_store_end(locant_store *s, locant_status status);

/* -------------------------------------------------------------------- open */

/* Connect to the file of the store for reading only. */
locant_status lct_store_connect_readonly(sqlite3 **out, const locant_store *s);

/* -------------------------------------------------------------------- runs */

/* What makes two runs the same run, and what is known before it starts. */
struct lct_run_new {
    const char *key; /* unique text of everything that decides the bits */
    const char *encoding, *model, *corpus_sha256;
    uint64_t seed;
    int64_t steps, batch, length, parameters, encoding_parameters, bytes;
};

/* The run of that key, made if there is none. */
locant_status lct_store_find_run(int64_t *id, locant_store *s,
                                 const struct lct_run_new *run);

/* What run_info leaves out; bytes: memory of the model in training. */
struct lct_run_extra {
    char key[1024];
    char batch_checksum[17];
    int64_t bytes;
};
locant_status lct_store_run_extra(struct lct_run_extra *out, locant_store *s,
                                  int64_t id);

/* One step of training. */
struct lct_metric {
    int64_t step;
    double loss, grad_norm, rate;
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

/* Forget the steps after 'step': they will be trained again. */
locant_status lct_store_rewind(locant_store *s, int64_t id, int64_t step);

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

/*
 * Remove what a killed process left of a checkpoint it was writing, and with
 * 'all' the checkpoint.  To be called by the holder of the lock.
 */
void lct_store_clean_run(const locant_store *s, int64_t id, bool all);

/* ------------------------------------------------------------- evaluations */

/*
 * Read an evaluation back; *found tells whether it was there.  'want' is the
 * number of blocks asked for.  *block_loss [lengths, blocks] is of
 * locant_alloc(); pass NULL to leave it.
 */
locant_status lct_store_load_evaluation(locant_evaluation *out,
                                        double **block_loss, bool *found,
                                        locant_store *s, int64_t run,
                                        const char *corpus_sha256,
                                        int64_t want);

/* Record it; one that is there already stays. */
locant_status lct_store_save_evaluation(locant_store *s, int64_t run,
                                        const char *corpus_sha256, int64_t want,
                                        const locant_evaluation *e,
                                        const double *block_loss);
#endif

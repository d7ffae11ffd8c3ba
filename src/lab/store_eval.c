/* store_eval.c - evaluations in the database */
#include "store.h"
#include <math.h>

/* -------------------------------------------------------------------- read */

static locant_status read_row(locant_evaluation *e, int64_t *id, bool *found,
                              locant_store *s, sqlite3_stmt *stmt)
{
    LCT_TRY(lct_store_step(found, s, stmt));
    if (!*found)
        return LOCANT_OK;
    *id = sqlite3_column_int64(stmt, 0);
    e->blocks = sqlite3_column_int64(stmt, 1);
    e->own_window = lct_column_double(stmt, 2);
    e->valid = lct_column_double(stmt, 3);
    e->shuffled = lct_column_double(stmt, 4);
    e->causality = lct_column_double(stmt, 5);
    e->tokens_per_second = lct_column_double(stmt, 6);
    return LOCANT_OK;
}

static locant_status find_row(locant_evaluation *e, int64_t *id, bool *found,
                              locant_store *s, int64_t run, const char *sha,
                              int64_t want)
{
    sqlite3_stmt *stmt = NULL;
    locant_status status = lct_store_prepare(
        &stmt, s,
        "SELECT id, blocks, own_window, valid, shuffled, causality,"
        " tokens_per_second FROM evaluations"
        " WHERE run = ?1 AND corpus_sha256 = ?2 AND want = ?3",
        "isi", run, sha, want);

    if (status == LOCANT_OK)
        status = read_row(e, id, found, s, stmt);
    sqlite3_finalize(stmt);
    return status;
}

/* Rows (key, loss) in order of key into loss[], and keys[] if wanted. */
static locant_status read_curve(double *loss, int64_t *keys, size_t n,
                                locant_store *s, const char *sql, int64_t id)
{
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    size_t i = 0;
    locant_status status = lct_store_prepare(&stmt, s, sql, "i", id);

    while (status == LOCANT_OK && row) {
        status = lct_store_step(&row, s, stmt);
        if (status != LOCANT_OK || !row || i == n)
            break;
        if (keys)
            keys[i] = sqlite3_column_int64(stmt, 0);
        loss[i++] = lct_column_double(stmt, 1);
    }
    sqlite3_finalize(stmt);
    if (status == LOCANT_OK && (i != n || row))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: evaluation %lld does not have its %zu rows",
                           s->path, (long long)id, n);
    return status;
}

static locant_status read_blocks(double **out, locant_store *s, int64_t id,
                                 int64_t blocks)
{
    size_t n;

    if (blocks < 1 || __builtin_mul_overflow((size_t)blocks,
                                             (size_t)LOCANT_EVAL_LENGTHS, &n))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: evaluation %lld has %lld blocks", s->path,
                           (long long)id, (long long)blocks);
    *out = n > SIZE_MAX / sizeof **out ? NULL : locant_alloc(n * sizeof **out);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %lld blocks",
                           s->path, (long long)blocks);
    return read_curve(*out, NULL, n, s,
                      "SELECT block, loss FROM evaluation_blocks"
                      " WHERE evaluation = ?1 ORDER BY length, block", id);
}

static locant_status load(locant_evaluation *e, double **block_loss,
                          bool *found, locant_store *s, int64_t run,
                          const char *sha, int64_t want)
{
    int64_t id = 0;

    LCT_TRY(find_row(e, &id, found, s, run, sha, want));
    if (!*found)
        return LOCANT_OK;
    LCT_TRY(read_curve(e->same_targets, e->length, LOCANT_EVAL_LENGTHS, s,
                       "SELECT length, loss FROM evaluation_lengths"
                       " WHERE evaluation = ?1 ORDER BY length", id));
    LCT_TRY(read_curve(e->by_position, NULL, LOCANT_EVAL_BUCKETS, s,
                       "SELECT bucket, loss FROM evaluation_positions"
                       " WHERE evaluation = ?1 ORDER BY bucket", id));
    return block_loss ? read_blocks(block_loss, s, id, e->blocks) : LOCANT_OK;
}

locant_status lct_store_load_evaluation(locant_evaluation *out,
                                        double **block_loss, bool *found,
                                        locant_store *s, int64_t run,
                                        const char *corpus_sha256, int64_t want)
{
    locant_evaluation e = {0};
    double *blocks = NULL;
    locant_status status;

    *found = false;
    lct_store_lock(s);
    status = load(&e, block_loss ? &blocks : NULL, found, s, run,
                  corpus_sha256, want);
    lct_store_unlock(s);
    if (status != LOCANT_OK) {
        locant_release(blocks);
        return status;
    }
    if (*found)
        *out = e;
    if (block_loss)
        *block_loss = blocks;
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- write */

static locant_status save_blocks(locant_store *s, int64_t id,
                                 const locant_evaluation *e,
                                 const double *block_loss)
{
    sqlite3_stmt *stmt = NULL;
    bool row;
    size_t n = (size_t)e->blocks;
    locant_status status = lct_store_prepare(
        &stmt, s, "INSERT INTO evaluation_blocks VALUES (?1, ?2, ?3, ?4)", "i",
        id);

    for (size_t i = 0; i < LOCANT_EVAL_LENGTHS * n && status == LOCANT_OK;
         i++) {
        sqlite3_reset(stmt);
        sqlite3_bind_int64(stmt, 2, e->length[i / n]);
        sqlite3_bind_int64(stmt, 3, (int64_t)(i % n));
        sqlite3_bind_double(stmt, 4, block_loss[i]);
        status = lct_store_step(&row, s, stmt);
    }
    sqlite3_finalize(stmt);
    return status;
}

static locant_status save(locant_store *s, int64_t run, const char *sha,
                          int64_t want, const locant_evaluation *e,
                          const double *block_loss)
{
    int64_t id;

    LCT_TRY(lct_store_exec(
        s,
        "INSERT INTO evaluations (run, corpus_sha256, want, blocks, own_window,"
        " valid, shuffled, causality, tokens_per_second)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        "isiiddddd", run, sha, want, e->blocks, e->own_window, e->valid,
        e->shuffled, e->causality, e->tokens_per_second));
    id = sqlite3_last_insert_rowid(s->db);
    for (int i = 0; i < LOCANT_EVAL_LENGTHS; i++)
        LCT_TRY(lct_store_exec(
            s, "INSERT INTO evaluation_lengths VALUES (?1, ?2, ?3)", "iid", id,
            e->length[i], e->same_targets[i]));
    for (int i = 0; i < LOCANT_EVAL_BUCKETS; i++)
        LCT_TRY(lct_store_exec(
            s, "INSERT INTO evaluation_positions VALUES (?1, ?2, ?3)", "iid",
            id, (int64_t)i, e->by_position[i]));
    return save_blocks(s, id, e, block_loss);
}

locant_status lct_store_save_evaluation(locant_store *s, int64_t run,
                                        const char *corpus_sha256, int64_t want,
                                        const locant_evaluation *e,
                                        const double *block_loss)
{
    locant_evaluation there;
    int64_t id = 0;
    bool found = false;
    locant_status status;

    LCT_TRY(lct_store_begin(s, "locant_evaluate"));
    status = find_row(&there, &id, &found, s, run, corpus_sha256, want);
    if (status == LOCANT_OK && !found)
        status = save(s, run, corpus_sha256, want, e, block_loss);
    return lct_store_end(s, status);
}

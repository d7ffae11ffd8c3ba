/* store_runs.c - writes rows of runs and metrics, and reads metrics */
#define _GNU_SOURCE
#include "../group/build.h"
#include "store.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------- write */

static locant_status insert_run(int64_t *id, locant_store *s,
                                const struct lct_run_new *r)
{
    char started[32];

    lct_store_now(started);
    LCT_TRY(lct_store_exec(
        s,
        "INSERT INTO runs (key, status, encoding, model, corpus_sha256, seed,"
        " step, steps, batch, length, parameters, encoding_parameters, bytes,"
        " seconds, batch_checksum, started, source, options, parent)"
        " VALUES (?1, 'running', ?2, ?3, ?4, ?5, 0, ?6, ?7, ?8, ?9, ?10, ?11,"
        " 0, '', ?12, ?13, ?14, nullif(?15, 0))",
        "ssssiiiiiiisssi", r->key, r->encoding, r->model, r->corpus_sha256,
        (int64_t)r->seed, r->steps, r->batch, r->length, r->parameters,
        r->encoding_parameters, r->bytes, started,
        r->source ? r->source : "text", r->options, r->parent));
    *id = sqlite3_last_insert_rowid(s->db);
    /* a merge that was killed may have left the checkpoint of another run */
    lct_store_clean_run(s, *id, true);
    return LOCANT_OK;
}

locant_status lct_store_find_or_add_run(int64_t *id, locant_store *s,
                                        const struct lct_run_new *run)
{
    locant_status status;
    bool found;

    *id = 0;
    LCT_TRY(lct_store_begin(s, "locant_train"));
    status = lct_store_get(&found, s, "SELECT id FROM runs WHERE key = ?1",
                           "s>i", run->key, id);
    if (status == LOCANT_OK && run->only != 0 && *id != run->only)
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "locant_train: its options are"
                             " those of another run than its key");
    else if (status == LOCANT_OK && *id == 0)
        status = insert_run(id, s, run);
    else if (status == LOCANT_OK)
        status = lct_store_exec(s,
                                "UPDATE runs SET options = ?2 WHERE id = ?1"
                                " AND options IS NULL",
                                "is", *id, run->options);
    return lct_store_end(s, status);
}

static locant_status insert_metrics(locant_store *s, int64_t id,
                                    const struct lct_metric *m, size_t n)
{
    for (; n > 0; n--, m++) {
        LCT_TRY(lct_store_exec(
            s, "INSERT OR REPLACE INTO metrics VALUES (?1, ?2, ?3, ?4, ?5)",
            "iiddd", id, m->step, m->loss, m->grad_norm, m->rate));
        if (isfinite(m->encoding_norm))
            LCT_TRY(lct_store_exec(s,
                                   "INSERT OR REPLACE INTO gradients"
                                   " VALUES (?1, ?2, 'encoding', ?3)",
                                   "iid", id, m->step, m->encoding_norm));
    }
    return LOCANT_OK;
}

locant_status lct_store_record(locant_store *s, int64_t id,
                               const struct lct_run_state *state,
                               const struct lct_metric *metrics, size_t n)
{
    char checksum[17];
    locant_status status;

    snprintf(checksum, sizeof checksum, "%016" PRIx64, state->checksum);
    LCT_TRY(lct_store_begin(s, "locant_train"));
    status = insert_metrics(s, id, metrics, n);
    if (status == LOCANT_OK)
        status = lct_store_exec(
            s,
            "UPDATE runs SET status = ?2, step = ?3, seconds = ?4,"
            " batch_checksum = ?5, message = ?6 WHERE id = ?1",
            "isidss", id, state->status, state->step, state->seconds, checksum,
            state->message);
    return lct_store_end(s, status);
}

static locant_status begin_session(locant_store *s, int64_t id, int64_t step)
{
    static const char *const deletions[] = {
        "DELETE FROM metrics WHERE run = ?1 AND step > ?2",
        "DELETE FROM gradients WHERE run = ?1 AND step > ?2",
        "DELETE FROM sittings WHERE run = ?1 AND step > ?2",
    };
    char build[512], now[32];

    lct_build_text(build);
    lct_store_now(now);
    for (size_t i = 0; i < sizeof deletions / sizeof deletions[0]; i++)
        LCT_TRY(lct_store_exec(s, deletions[i], "ii", id, step));
    LCT_TRY(lct_store_exec(
        s, "INSERT OR REPLACE INTO sittings VALUES (?1, ?2, ?3, ?4)", "iiss",
        id, step + 1, locant_isa(), now));
    return lct_store_exec(
        s,
        "UPDATE runs SET status = 'running', step = ?2, message = NULL,"
        " build = ?3 WHERE id = ?1",
        "iis", id, step, build);
}

locant_status lct_store_begin_session(locant_store *s, int64_t id, int64_t step)
{
    LCT_TRY(lct_store_begin(s, "locant_train"));
    return lct_store_end(s, begin_session(s, id, step));
}

locant_status lct_store_read_session_isa(char isa[16], locant_store *s,
                                         int64_t id, int64_t step)
{
    locant_status status;
    bool found;

    isa[0] = 0;
    status =
        lct_store_read(&found, s,
                       "SELECT isa FROM sittings WHERE run = ?1 AND step <= ?2"
                       " ORDER BY step DESC LIMIT 1",
                       "ii>t", id, step, isa, (size_t)16);
    if (isa[strspn(isa, "abcdefghijklmnopqrstuvwxyz0123456789")] != 0)
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "%s: run %" PRId64 ": the"
                             " instruction set of a session is not a word",
                             s->path, id);
    return status;
}

static locant_status read_metrics(struct lct_metric **out, size_t *n,
                                  locant_store *s, sqlite3_stmt *stmt)
{
    struct lct_metric *m;
    bool row;

    LCT_TRY(lct_store_step(&row, s, stmt));
    if (!row)
        return LOCANT_OK;
    /* the last column of each row is the number of rows */
    m = locant_alloc((size_t)sqlite3_column_int64(stmt, 5) * sizeof *m);
    if (m == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the metrics",
                           s->path);
    *out = m;
    for (*n = 0; row; ++*n) {
        m[*n].step = sqlite3_column_int64(stmt, 0);
        m[*n].loss = lct_column_double(stmt, 1);
        m[*n].grad_norm = lct_column_double(stmt, 2);
        m[*n].rate = lct_column_double(stmt, 3);
        m[*n].encoding_norm = lct_column_double(stmt, 4);
        LCT_TRY(lct_store_step(&row, s, stmt));
    }
    return LOCANT_OK;
}

locant_status lct_store_read_metrics(struct lct_metric **out, size_t *n,
                                     locant_store *s, int64_t id)
{
    sqlite3_stmt *stmt = NULL;
    locant_status status;

    *out = NULL;
    *n = 0;
    lct_store_lock(s);
    status = lct_store_prepare(
        &stmt, s,
        s->version < 3
            ? "SELECT step, loss, grad_norm, rate, NULL, count(*) OVER ()"
              " FROM metrics WHERE run = ?1 ORDER BY step"
            : "SELECT m.step, loss, grad_norm, rate, norm, count(*) OVER ()"
              " FROM metrics m LEFT JOIN gradients g ON g.run = m.run"
              " AND g.step = m.step AND part = 'encoding'"
              " WHERE m.run = ?1 ORDER BY m.step",
        "i", id);
    if (status == LOCANT_OK)
        status = read_metrics(out, n, s, stmt);
    sqlite3_finalize(stmt);
    lct_store_unlock(s);
    if (status != LOCANT_OK) {
        locant_release(*out);
        *out = NULL;
    }
    return status;
}

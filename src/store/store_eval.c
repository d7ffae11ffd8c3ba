/* store_eval.c - evaluations in the database */
#include "store_eval.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* -------------------------------------------------------------------- read */

/* The caller holds the lock. */
static locant_status find_row(struct lct_evaluation_row *e, bool *found,
                              locant_store *s,
                              const struct lct_evaluation_key *key)
{
    return lct_store_get(
        found, s,
        "SELECT id, blocks, own_window, valid, shuffled, causality,"
        " tokens_per_second FROM evaluations"
        " WHERE run = ?1 AND corpus_sha256 = ?2 AND want = ?3"
        " AND encoding = ?4 AND policy = ?5 AND lengths = ?6",
        "isisss>iiddddd", key->run, key->corpus_sha256, key->want,
        or_empty(key->encoding), or_empty(key->policy), or_empty(key->lengths),
        &e->id, &e->blocks, &e->own_window, &e->valid, &e->shuffled,
        &e->causality, &e->tokens_per_second);
}

locant_status lct_store_find_evaluation(struct lct_evaluation_row *out,
                                        bool *found, locant_store *s,
                                        const struct lct_evaluation_key *key)
{
    locant_status status;

    lct_store_lock(s);
    status = find_row(out, found, s, key);
    lct_store_unlock(s);
    return status;
}

/* Read at most 'room' rows of 'sql' into length[] and loss[]; both may be NULL.
   *n is the number of all rows. */
static locant_status read_losses(int64_t *length, double *loss, size_t room,
                                 size_t *n, locant_store *s, const char *sql,
                                 int64_t id, const char *protocol)
{
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    locant_status status = lct_store_prepare(&stmt, s, sql, "is", id, protocol);

    for (*n = 0; status == LOCANT_OK; ++*n) {
        status = lct_store_step(&row, s, stmt);
        if (status != LOCANT_OK || !row)
            break;
        if (length && *n < room)
            length[*n] = sqlite3_column_int64(stmt, 0);
        if (loss && *n < room)
            loss[*n] = lct_column_double(stmt, 1);
    }
    sqlite3_finalize(stmt);
    return status;
}

static locant_status allocate(struct lct_curve *c, size_t losses,
                              const locant_store *s)
{
    c->length = locant_alloc(c->n * sizeof *c->length);
    c->mean = locant_alloc(c->n * sizeof *c->mean);
    if (losses > 0)
        c->loss = locant_alloc(losses * sizeof *c->loss);
    if (!c->length || !c->mean || (losses > 0 && !c->loss))
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %zu losses",
                           s->path, c->n + losses);
    return LOCANT_OK;
}

/* The caller holds the lock. */
static locant_status read_curve(struct lct_curve *c, locant_store *s,
                                int64_t id, const char *protocol)
{
    static const char means[] =
        "SELECT length, loss FROM curves"
        " WHERE evaluation = ?1 AND protocol = ?2 ORDER BY length";
    static const char blocks[] =
        "SELECT length, loss FROM losses"
        " WHERE evaluation = ?1 AND protocol = ?2 ORDER BY length, block";
    size_t losses, n;

    snprintf(c->protocol, sizeof c->protocol, "%s", protocol);
    LCT_TRY(read_losses(NULL, NULL, 0, &c->n, s, means, id, protocol));
    LCT_TRY(read_losses(NULL, NULL, 0, &losses, s, blocks, id, protocol));
    if (c->n == 0 && losses == 0)
        return LOCANT_OK;
    if (c->n == 0 || losses % c->n != 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: evaluation %lld has %zu lengths and %zu losses"
                           " of %s",
                           s->path, (long long)id, c->n, losses, protocol);
    c->blocks = losses / c->n;
    LCT_TRY(allocate(c, losses, s));
    LCT_TRY(read_losses(c->length, c->mean, c->n, &n, s, means, id, protocol));
    /* lengths are sorted; only P2, whose lengths are positions, begins at 0 */
    if (c->length[0] < (strcmp(protocol, "P2") != 0))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: evaluation %lld has a length"
                           " of %lld in %s",
                           s->path, (long long)id, (long long)c->length[0],
                           protocol);
    return read_losses(NULL, c->loss, losses, &n, s, blocks, id, protocol);
}

locant_status lct_store_read_curve(struct lct_curve *out, locant_store *s,
                                   int64_t evaluation, const char *protocol)
{
    locant_status status;

    *out = (struct lct_curve){ 0 };
    lct_store_lock(s);
    status = read_curve(out, s, evaluation, protocol);
    lct_store_unlock(s);
    return status;
}

void lct_curve_free(struct lct_curve *c)
{
    locant_release(c->length);
    locant_release(c->mean);
    locant_release(c->loss);
    *c = (struct lct_curve){ 0 };
}

/* ------------------------------------------------------------------- write */

static locant_status insert_curve(locant_store *s, int64_t id,
                                  const struct lct_curve *c)
{
    for (size_t i = 0; i < c->n; i++)
        LCT_TRY(lct_store_exec(
            s, "INSERT OR IGNORE INTO curves VALUES (?1, ?2, ?3, ?4)", "isid",
            id, c->protocol, c->length[i], c->mean[i]));
    for (size_t i = 0; i < c->n * c->blocks; i++)
        LCT_TRY(lct_store_exec(
            s, "INSERT OR IGNORE INTO losses VALUES (?1, ?2, ?3, ?4, ?5)",
            "isiid", id, c->protocol, c->length[i / c->blocks],
            (int64_t)(i % c->blocks), c->loss[i]));
    return LOCANT_OK;
}

/* Insert the curves that are not there yet. */
static locant_status insert_curves(locant_store *s, int64_t id,
                                   const struct lct_curve *curves, size_t n)
{
    for (size_t i = 0; i < n; i++)
        LCT_TRY(insert_curve(s, id, &curves[i]));
    return LOCANT_OK;
}

static locant_status insert_evaluation(locant_store *s,
                                       const struct lct_evaluation_key *key,
                                       const struct lct_evaluation_row *e,
                                       const struct lct_curve *curves, size_t n)
{
    LCT_TRY(lct_store_exec(
        s,
        "INSERT INTO evaluations (run, corpus_sha256, want, encoding, policy,"
        " lengths, blocks, own_window, valid, shuffled, causality,"
        " tokens_per_second)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        "isisssiddddd", key->run, key->corpus_sha256, key->want,
        or_empty(key->encoding), or_empty(key->policy), or_empty(key->lengths),
        e->blocks, e->own_window, e->valid, e->shuffled, e->causality,
        e->tokens_per_second));
    return insert_curves(s, sqlite3_last_insert_rowid(s->db), curves, n);
}

locant_status lct_store_add_evaluation(locant_store *s,
                                       const struct lct_evaluation_key *key,
                                       const struct lct_evaluation_row *row,
                                       const struct lct_curve *curves, size_t n)
{
    struct lct_evaluation_row existing = { 0 };
    bool found;
    locant_status status;

    LCT_TRY(lct_store_begin(s, "locant_evaluate"));
    status = find_row(&existing, &found, s, key);
    if (status == LOCANT_OK)
        status = found ? insert_curves(s, existing.id, curves, n)
                       : insert_evaluation(s, key, row, curves, n);
    return lct_store_end(s, status);
}

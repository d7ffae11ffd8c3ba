/* store_eval.c - evaluations in the database */
#include "store.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *text(const char *s)
{
    return s ? s : "";
}

/* -------------------------------------------------------------------- read */

static locant_status read_row(struct lct_evaluation_row *e, bool *found,
                              locant_store *s, sqlite3_stmt *stmt)
{
    LCT_TRY(lct_store_step(found, s, stmt));
    if (!*found)
        return LOCANT_OK;
    e->id = sqlite3_column_int64(stmt, 0);
    e->blocks = sqlite3_column_int64(stmt, 1);
    e->own_window = lct_column_double(stmt, 2);
    e->valid = lct_column_double(stmt, 3);
    e->shuffled = lct_column_double(stmt, 4);
    e->causality = lct_column_double(stmt, 5);
    e->tokens_per_second = lct_column_double(stmt, 6);
    return LOCANT_OK;
}

/* The lock is held. */
static locant_status find_row(struct lct_evaluation_row *e, bool *found,
                              locant_store *s,
                              const struct lct_evaluation_key *key)
{
    sqlite3_stmt *stmt = NULL;
    locant_status status = lct_store_prepare(
        &stmt, s,
        "SELECT id, blocks, own_window, valid, shuffled, causality,"
        " tokens_per_second FROM evaluations"
        " WHERE run = ?1 AND corpus_sha256 = ?2 AND want = ?3"
        " AND encoding = ?4 AND policy = ?5 AND lengths = ?6",
        "isisss", key->run, key->corpus_sha256, key->want, text(key->encoding),
        text(key->policy), text(key->lengths));

    *found = false;
    if (status == LOCANT_OK)
        status = read_row(e, found, s, stmt);
    sqlite3_finalize(stmt);
    return status;
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

/*
 * Rows (length, loss) into keys[] and loss[], at most 'room', both may be NULL;
 * *n is how many there are.
 */
static locant_status read_losses(int64_t *keys, double *loss, size_t room,
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
        if (keys && *n < room)
            keys[*n] = sqlite3_column_int64(stmt, 0);
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

/* The lock is held. */
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
                           " of %s", s->path, (long long)id, c->n, losses,
                           protocol);
    c->blocks = losses / c->n;
    LCT_TRY(allocate(c, losses, s));
    LCT_TRY(read_losses(c->length, c->mean, c->n, &n, s, means, id, protocol));
    return read_losses(NULL, c->loss, losses, &n, s, blocks, id, protocol);
}

locant_status lct_store_read_curve(struct lct_curve *out, locant_store *s,
                                   int64_t evaluation, const char *protocol)
{
    locant_status status;

    *out = (struct lct_curve){0};
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
    *c = (struct lct_curve){0};
}

/* ------------------------------------------------------------------- write */

static locant_status save_means(locant_store *s, int64_t id,
                                const struct lct_curve *c)
{
    for (size_t i = 0; i < c->n; i++)
        LCT_TRY(lct_store_exec(
            s, "INSERT INTO curves VALUES (?1, ?2, ?3, ?4)", "isid", id,
            c->protocol, c->length[i], c->mean[i]));
    return LOCANT_OK;
}

static locant_status save_losses(locant_store *s, int64_t id,
                                 const struct lct_curve *c)
{
    sqlite3_stmt *stmt = NULL;
    size_t n = c->n * c->blocks;
    bool row;
    locant_status status = lct_store_prepare(
        &stmt, s, "INSERT INTO losses VALUES (?1, ?2, ?3, ?4, ?5)", "is", id,
        c->protocol);

    for (size_t i = 0; i < n && status == LOCANT_OK; i++) {
        sqlite3_reset(stmt);
        sqlite3_bind_int64(stmt, 3, c->length[i / c->blocks]);
        sqlite3_bind_int64(stmt, 4, (int64_t)(i % c->blocks));
        sqlite3_bind_double(stmt, 5, c->loss[i]);
        status = lct_store_step(&row, s, stmt);
    }
    sqlite3_finalize(stmt);
    return status;
}

static locant_status save(locant_store *s,
                          const struct lct_evaluation_key *key,
                          const struct lct_evaluation_row *e,
                          const struct lct_curve *curves, size_t n)
{
    int64_t id;

    LCT_TRY(lct_store_exec(
        s,
        "INSERT INTO evaluations (run, corpus_sha256, want, encoding, policy,"
        " lengths, blocks, own_window, valid, shuffled, causality,"
        " tokens_per_second)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        "isisssiddddd", key->run, key->corpus_sha256, key->want,
        text(key->encoding), text(key->policy), text(key->lengths), e->blocks,
        e->own_window, e->valid, e->shuffled, e->causality,
        e->tokens_per_second));
    id = sqlite3_last_insert_rowid(s->db);
    for (size_t i = 0; i < n; i++) {
        LCT_TRY(save_means(s, id, &curves[i]));
        LCT_TRY(save_losses(s, id, &curves[i]));
    }
    return LOCANT_OK;
}

locant_status lct_store_add_evaluation(locant_store *s,
                                       const struct lct_evaluation_key *key,
                                       const struct lct_evaluation_row *row,
                                       const struct lct_curve *curves, size_t n)
{
    struct lct_evaluation_row there;
    bool found;
    locant_status status;

    LCT_TRY(lct_store_begin(s, "locant_evaluate"));
    status = find_row(&there, &found, s, key);
    if (status == LOCANT_OK && !found)
        status = save(s, key, row, curves, n);
    return lct_store_end(s, status);
}

/* ----------------------------------------- as trained, at the five lengths */

static locant_status take_means(double *out, size_t want, int64_t *length,
                                const struct lct_curve *c,
                                const locant_store *s, int64_t id)
{
    if (c->n != want)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: evaluation %lld has %zu losses of %s, expected"
                           " %zu", s->path, (long long)id, c->n, c->protocol,
                           want);
    memcpy(out, c->mean, want * sizeof *out);
    if (length)
        memcpy(length, c->length, want * sizeof *length);
    return LOCANT_OK;
}

static locant_status load(locant_evaluation *e, struct lct_curve c[2],
                          locant_store *s, const struct lct_evaluation_row *row)
{
    *e = (locant_evaluation){
        .own_window = row->own_window, .valid = row->valid,
        .shuffled = row->shuffled, .causality = row->causality,
        .blocks = row->blocks, .tokens_per_second = row->tokens_per_second};
    LCT_TRY(lct_store_read_curve(&c[0], s, row->id, "P1"));
    LCT_TRY(lct_store_read_curve(&c[1], s, row->id, "P2"));
    LCT_TRY(take_means(e->same_targets, LOCANT_EVAL_LENGTHS, e->length, &c[0],
                       s, row->id));
    LCT_TRY(take_means(e->by_position, LOCANT_EVAL_BUCKETS, NULL, &c[1], s,
                       row->id));
    if (e->blocks < 1 || c[0].blocks != (size_t)e->blocks)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: evaluation %lld has %zu losses a length,"
                           " expected %lld", s->path, (long long)row->id,
                           c[0].blocks, (long long)e->blocks);
    return LOCANT_OK;
}

locant_status lct_store_load_evaluation(locant_evaluation *out,
                                        double **block_loss, bool *found,
                                        locant_store *s, int64_t run,
                                        const char *corpus_sha256, int64_t want)
{
    const struct lct_evaluation_key key = {
        .run = run, .corpus_sha256 = corpus_sha256, .want = want};
    struct lct_curve curves[2] = {{{0}, 0, 0, NULL, NULL, NULL}};
    struct lct_evaluation_row row = {0};
    locant_evaluation e;
    locant_status status;

    if (block_loss)
        *block_loss = NULL;
    LCT_TRY(lct_store_find_evaluation(&row, found, s, &key));
    if (!*found)
        return LOCANT_OK;
    status = load(&e, curves, s, &row);
    if (status == LOCANT_OK) {
        *out = e;
        if (block_loss) {
            *block_loss = curves[0].loss;
            curves[0].loss = NULL;
        }
    }
    lct_curve_free(&curves[0]);
    lct_curve_free(&curves[1]);
    return status;
}

locant_status lct_store_save_evaluation(locant_store *s, int64_t run,
                                        const char *corpus_sha256, int64_t want,
                                        const locant_evaluation *e,
                                        const double *block_loss)
{
    const struct lct_evaluation_key key = {
        .run = run, .corpus_sha256 = corpus_sha256, .want = want};
    const struct lct_evaluation_row row = {
        0, e->blocks, e->own_window, e->valid, e->shuffled, e->causality,
        e->tokens_per_second};
    locant_evaluation copy = *e;
    int64_t position[LOCANT_EVAL_BUCKETS];
    const struct lct_curve curves[2] = {
        {"P1", LOCANT_EVAL_LENGTHS, (size_t)e->blocks, copy.length,
         copy.same_targets, (double *)block_loss},
        {"P2", LOCANT_EVAL_BUCKETS, 0, position, copy.by_position, NULL}};

    for (int64_t i = 0; i < LOCANT_EVAL_BUCKETS; i++)
        position[i] = i * (2048 / LOCANT_EVAL_BUCKETS);
    return lct_store_add_evaluation(s, &key, &row, curves, 2);
}

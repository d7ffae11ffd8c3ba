/*
 * store_rows.c - reads rows of runs. Values of a store become a configuration
 * only here.
 *
 * A store is not trusted. Every value is checked here like the options of
 * training, so that readers of a locant_run_info need no checks. Only the spec
 * of the encoding is checked later, when an encoding is made of it, because a
 * list may show a spec that this locant does not know.
 */
#define _GNU_SOURCE
#include "run_sizes.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char has_scores[] =
    " AND EXISTS (SELECT 1 FROM task_scores WHERE run = runs.id)";

/* 'column' of the row of 'table' for the last step of a run that has one. */
#define LAST(column, table, where)                                             \
    "(SELECT " column " FROM " table " WHERE run = runs.id" where              \
    " ORDER BY " table ".step DESC LIMIT 1)"

/*
 * The columns of a run. An INTEGER and a WORD must have a value, a NUMBER and a
 * TEXT may be NULL; a TEXT that does not fit is truncated. 'sql' is what is
 * selected, 'before' what is selected of a store older than version 'since'.
 */
/* clang-format off */
static const struct column {
    const char *name;
    enum { INTEGER, NUMBER, WORD, TEXT } kind;
    size_t offset, size;
    const char *sql;
    int since;
    const char *before;
} columns[] = {
#define SELECT(name, kind, sql, ...)                                           \
    { #name, kind, offsetof(locant_run_info, name),                            \
      sizeof((locant_run_info *)0)->name, sql, __VA_ARGS__ }
#define COLUMN(name, kind) SELECT(name, kind, #name, 0, NULL)
    COLUMN(id, INTEGER),         COLUMN(status, WORD),
    COLUMN(encoding, WORD),      COLUMN(model, WORD),
    COLUMN(corpus_sha256, WORD), COLUMN(seed, INTEGER),
    COLUMN(step, INTEGER),       COLUMN(steps, INTEGER),
    COLUMN(batch, INTEGER),      COLUMN(length, INTEGER),
    COLUMN(parameters, INTEGER), COLUMN(encoding_parameters, INTEGER),
    COLUMN(seconds, NUMBER),     COLUMN(started, WORD),
    COLUMN(batch_checksum, WORD),
    SELECT(train_loss, NUMBER, LAST("loss", "metrics", ""), 0, NULL),
    COLUMN(message, TEXT),
    SELECT(parent, INTEGER, "ifnull(parent, 0)", 2, "0"),
    SELECT(source, WORD, "source", 2, "'text'"),
    SELECT(gradient_norm, NUMBER, LAST("grad_norm", "metrics", ""), 0, NULL),
    SELECT(encoding_gradient_norm, NUMBER,
           LAST("norm", "gradients", " AND part = 'encoding'"), 3, "NULL"),
    SELECT(optimizer, WORD, "CASE WHEN instr(key, ';optimizer=muon') THEN"
           " 'muon' ELSE 'adamw' END", 0, NULL),
    SELECT(build, TEXT, "build", 4, "NULL"),
#undef SELECT
#undef COLUMN
};
/* clang-format on */

enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* ------------------------------------------------------------------ checks */

locant_status lct_store_blame(locant_status status, const locant_store *s,
                              const char *format, ...)
{
    const char *text = locant_last_error();
    const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    char what[128];
    va_list args;

    if (status == LOCANT_OK || status == LOCANT_ERR_NOMEM ||
        status == LOCANT_ERR_IO || status == LOCANT_ERR_INTERRUPTED)
        return status;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    /* drop the name of the function: its caller did nothing wrong */
    if (text[n] == ':' && text[n + 1] == ' ')
        text += n + 2;
    return locant_fail(LOCANT_ERR_FORMAT, "%s: %s: %s", s->path, what, text);
}

static locant_status refuse(const locant_run_info *run, const char *column,
                            const char *expected)
{
    return locant_fail(LOCANT_ERR_FORMAT, "%s of run %" PRId64 " is not %s",
                       column, run->id, expected);
}

/* Read a text if it fits and is printable, so that it can be shown and
   compared. */
static bool read_word(char *out, size_t size, sqlite3_stmt *stmt, int i)
{
    const char *text = (const char *)sqlite3_column_text(stmt, i);
    size_t n = (size_t)sqlite3_column_bytes(stmt, i);

    if (text == NULL || n >= size)
        return false;
    for (size_t k = 0; k < n; k++)
        if (text[k] < 0x20 || text[k] > 0x7e)
            return false;
    memcpy(out, text, n + 1);
    return true;
}

static bool read_value(locant_run_info *run, const struct column *c,
                       sqlite3_stmt *stmt, int i)
{
    const int type = sqlite3_column_type(stmt, i);
    char *at = (char *)run + c->offset;
    int64_t integer;
    double number;

    switch (c->kind) {
    case INTEGER:
        integer = sqlite3_column_int64(stmt, i);
        memcpy(at, &integer, sizeof integer);
        return type == SQLITE_INTEGER;
    case NUMBER:
        number = lct_column_double(stmt, i);
        memcpy(at, &number, sizeof number);
        return type != SQLITE_TEXT && type != SQLITE_BLOB;
    case WORD: return type == SQLITE_TEXT && read_word(at, c->size, stmt, i);
    default:
        lct_column_text(at, c->size, stmt, i);
        return type == SQLITE_TEXT || type == SQLITE_NULL;
    }
}

static bool known_status(const char *status)
{
    static const char *const all[] = { "running", "interrupted", "done",
                                       "failed" };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(status, all[i]) == 0)
            return true;
    return false;
}

/* Check the columns that are not options. */
static locant_status check_state(const locant_run_info *run)
{
    if (run->id < 1)
        return refuse(run, "id", "at least 1");
    if (!known_status(run->status))
        return refuse(run, "status", "running, interrupted, done or failed");
    if (run->step < 0 || run->step > run->steps)
        return refuse(run, "step", "0 .. steps");
    if (run->parameters < 0)
        return refuse(run, "parameters", "at least 0");
    if (run->encoding_parameters < 0 ||
        run->encoding_parameters > run->parameters)
        return refuse(run, "encoding_parameters", "0 .. parameters");
    if (!(run->seconds >= 0 && isfinite(run->seconds)))
        return refuse(run, "seconds", "a finite number of at least 0");
    if (strspn(run->corpus_sha256, "0123456789abcdef") !=
        strlen(run->corpus_sha256))
        return refuse(run, "corpus_sha256", "hexadecimal");
    return LOCANT_OK;
}

static locant_status check_run(const locant_run_info *run,
                               const locant_store *s)
{
    struct lct_model_config c;
    locant_train_options o = LOCANT_TRAIN_INIT;
    locant_status status = lct_model_parse(&c, run->model);

    o.batch = run->batch;
    o.length = run->length;
    o.steps = run->steps;
    o.parent = run->parent;
    if (status == LOCANT_OK)
        status = lct_check_sizes(&o);
    if (status == LOCANT_OK)
        status = check_state(run);
    return lct_store_blame(status, s, "run %" PRId64, run->id);
}

static locant_status read_run(locant_run_info *run, locant_store *s,
                              sqlite3_stmt *stmt)
{
    static const char *const expected[] = { [INTEGER] = "an integer",
                                            [NUMBER] = "a number or NULL",
                                            [WORD] = "printable text that fits",
                                            [TEXT] = "text or NULL" };
    double tokens;

    *run = (locant_run_info){ 0 };
    for (int i = 0; i < COLUMNS; i++)
        if (!read_value(run, &columns[i], stmt, i))
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: run %" PRId64 ": %s is"
                               " not %s",
                               s->path, run->id, columns[i].name,
                               expected[columns[i].kind]);
    tokens = (double)run->step * (double)run->batch * (double)run->length;
    run->tokens_per_second = run->seconds > 0 ? tokens / run->seconds : NAN;
    return check_run(run, s);
}

locant_status lct_encoding_of_run(locant_encoding **out, const locant_store *s,
                                  const locant_run_info *run)
{
    return lct_store_blame(locant_encoding_create(out, run->encoding), s,
                           "run %" PRId64, run->id);
}

/* -------------------------------------------------------------------- read */

enum { RUNS_PER_QUERY = 256 };

/* Print the query for at most ?3 runs with ids ?1 to ?2 that fulfil the SQL
   condition 'more', in a store of this version. */
static void print_query(char out[2048], int64_t version, const char *more)
{
    int n = 0;

    for (int i = 0; i < COLUMNS; i++)
        n += snprintf(
            out + n, 2048 - (size_t)n, "%s%s", i == 0 ? "SELECT " : ", ",
            version < columns[i].since ? columns[i].before : columns[i].sql);
    snprintf(out + n, 2048 - (size_t)n,
             " FROM runs WHERE id BETWEEN ?1 AND ?2%s ORDER BY id LIMIT ?3",
             more);
}

/* Read at most 'room' runs with ids 'first' to 'last'; 'more' is a further SQL
   condition. The lock is held. */
static locant_status read_runs(locant_run_info *run, size_t *n, size_t room,
                               locant_store *s, int64_t first, int64_t last,
                               const char *more)
{
    char sql[2048];
    sqlite3_stmt *stmt = NULL;
    locant_status status;
    bool row = true;

    print_query(sql, s->version, more);
    status =
        lct_store_prepare(&stmt, s, sql, "iii", first, last, (int64_t)room);
    for (*n = 0; status == LOCANT_OK; ++*n) {
        status = lct_store_step(&row, s, stmt);
        if (status != LOCANT_OK || !row || *n == room)
            break;
        status = read_run(&run[*n], s, stmt);
        /* pages of a damaged file can form a cycle */
        if (status == LOCANT_OK && *n > 0 && run[*n].id <= run[*n - 1].id)
            status = locant_fail(LOCANT_ERR_FORMAT,
                                 "%s: run %" PRId64 " comes twice", s->path,
                                 run[*n].id);
    }
    sqlite3_finalize(stmt);
    return status;
}

/*
 * Read RUNS_PER_QUERY runs, then visit them, and so on. Runs are visited after
 * the statement has ended and the lock is free, so that visitors may use the
 * store.
 */
static locant_status visit_runs(locant_store *store, const char *more,
                                locant_run_visitor visit, void *context)
{
    locant_status status = LOCANT_OK;
    locant_run_info *run;
    int64_t first = INT64_MIN;
    size_t n = RUNS_PER_QUERY;
    bool stop = false;

    run = locant_alloc(RUNS_PER_QUERY * sizeof *run);
    if (run == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %d runs",
                           store->path, RUNS_PER_QUERY);
    while (status == LOCANT_OK && n == RUNS_PER_QUERY && !stop) {
        lct_store_lock(store);
        status =
            read_runs(run, &n, RUNS_PER_QUERY, store, first, INT64_MAX, more);
        lct_store_unlock(store);
        for (size_t i = 0; status == LOCANT_OK && i < n && !stop; i++)
            stop = visit(&run[i], context) != 0;
        if (n > 0 && run[n - 1].id == INT64_MAX)
            break; /* there is no larger id */
        first = n > 0 ? run[n - 1].id + 1 : first;
    }
    locant_release(run);
    return status;
}

locant_status locant_store_runs(locant_store *store, locant_run_visitor visit,
                                void *context)
{
    LCT_NOT_NULL(__func__, store);
    LCT_NOT_NULL(__func__, visit);
    return visit_runs(store, "", visit, context);
}

locant_status lct_store_visit_scored_runs(locant_store *s,
                                          locant_run_visitor visit,
                                          void *context)
{
    /* a store of version 1, open for reading, has no scores */
    return s->version < 2 ? LOCANT_OK
                          : visit_runs(s, has_scores, visit, context);
}

locant_status locant_store_run(locant_run_info *out, locant_store *store,
                               int64_t id)
{
    locant_run_info run;
    locant_status status;
    size_t n;

    LCT_NOT_NULL(__func__, out);
    LCT_NOT_NULL(__func__, store);
    lct_store_lock(store);
    status = read_runs(&run, &n, 1, store, id, id, "");
    lct_store_unlock(store);
    if (status == LOCANT_OK && n == 0)
        status = locant_fail(LOCANT_ERR_PARAM, "%s: no run %" PRId64 " in %s",
                             __func__, id, store->directory);
    if (status == LOCANT_OK)
        *out = run;
    return status;
}

locant_status lct_store_read_run_extra(struct lct_run_extra *out,
                                       locant_store *s, int64_t id)
{
    bool found;

    LCT_TRY(lct_store_read(
        &found, s, "SELECT key, batch_checksum, bytes FROM runs WHERE id = ?1",
        "i>tti", id, out->key, sizeof out->key, out->batch_checksum,
        sizeof out->batch_checksum, &out->bytes));
    if (!found)
        return locant_fail(LOCANT_ERR_PARAM, "no run %" PRId64 " in %s", id,
                           s->directory);
    return LOCANT_OK;
}

locant_status lct_store_read_run_options(char **out, locant_store *s,
                                         int64_t id)
{
    *out = NULL;
    if (s->version < 2)
        return LOCANT_OK;
    return lct_store_read_string(
        out, s, "SELECT options FROM runs WHERE id = ?1", "i", id);
}

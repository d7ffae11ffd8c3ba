/* store.c - the database of runs: statements and transactions */
#define _XOPEN_SOURCE 700
#include "store.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* -------------------------------------------------------------- statements */

/*
 * The errno behind a failure, 0 if it is not known. SQLite's own copy is often
 * overwritten by now, so its file handles are asked too.
 */
static int system_error(sqlite3 *db)
{
    sqlite3_file *journal = NULL;
    int error = sqlite3_system_errno(db);

    if (error == 0)
        sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
    if (error == 0)
        sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER,
                             &journal);
    if (journal != NULL && journal->pMethods != NULL)
        journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO,
                                        &error);
    return error;
}

locant_status lct_store_fail(const locant_store *s, sqlite3 *db)
{
    int code = sqlite3_errcode(db) & 0xff, error = 0;
    locant_status status = LOCANT_ERR_IO;
    char why[128] = "";

    if (code == SQLITE_READONLY)
        return locant_fail(status,
                           "%s: can be read, not written: this user, "
                           "or this file system, may only read",
                           s->path);
    if (code == SQLITE_INTERRUPT)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: a query took more steps than"
                           " any of a store of its size",
                           s->path);
    if (code == SQLITE_NOMEM)
        status = LOCANT_ERR_NOMEM;
    else if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        status = LOCANT_ERR_FORMAT;
    if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN)
        error = system_error(db);
    if (error != 0 && strerror_r(error, why, sizeof why) != 0)
        snprintf(why, sizeof why, "error %d", error);
    return locant_fail(status, "%s: SQLite says: %s%s%s", s->path,
                       sqlite3_errmsg(db), error ? ": " : "", why);
}

void lct_store_reset_steps(struct lct_store_guard *g)
{
    g->steps = 0;
}

/* Bind one value for each letter of 'types', up to '>' or its end. */
static int bind(sqlite3_stmt *stmt, const char *types, va_list *args)
{
    int code = SQLITE_OK;

    for (int i = 1; *types && *types != '>' && code == SQLITE_OK;
         i++, types++) {
        if (*types == 'i')
            code = sqlite3_bind_int64(stmt, i, va_arg(*args, int64_t));
        else if (*types == 'd')
            code = sqlite3_bind_double(stmt, i, va_arg(*args, double));
        else
            code = sqlite3_bind_text(stmt, i, va_arg(*args, const char *), -1,
                                     SQLITE_TRANSIENT);
    }
    return code;
}

static locant_status prepare(sqlite3_stmt **out, locant_store *s,
                             const char *sql, const char *types, va_list *args)
{
    lct_store_reset_steps(&s->guard);
    if (sqlite3_prepare_v2(s->db, sql, -1, out, NULL) != SQLITE_OK)
        return lct_store_fail(s, s->db);
    if (bind(*out, types, args) != SQLITE_OK) {
        locant_status status = lct_store_fail(s, s->db);

        sqlite3_finalize(*out);
        *out = NULL;
        return status;
    }
    return LOCANT_OK;
}

locant_status lct_store_prepare(sqlite3_stmt **out, locant_store *s,
                                const char *sql, const char *types, ...)
{
    locant_status status;
    va_list args;

    va_start(args, types);
    status = prepare(out, s, sql, types, &args);
    va_end(args);
    return status;
}

locant_status lct_store_step(bool *row, locant_store *s, sqlite3_stmt *stmt)
{
    int code = sqlite3_step(stmt);

    *row = code == SQLITE_ROW;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return lct_store_fail(s, s->db);
    return LOCANT_OK;
}

static locant_status exec(locant_store *s, const char *sql, const char *types,
                          va_list *args)
{
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    locant_status status = prepare(&stmt, s, sql, types, args);

    while (status == LOCANT_OK && row)
        status = lct_store_step(&row, s, stmt);
    sqlite3_finalize(stmt);
    return status;
}

locant_status lct_store_exec(locant_store *s, const char *sql,
                             const char *types, ...)
{
    locant_status status;
    va_list args;

    va_start(args, types);
    status = exec(s, sql, types, &args);
    va_end(args);
    return status;
}

locant_status lct_store_write(locant_store *s, const char *fn, const char *sql,
                              const char *types, ...)
{
    locant_status status;
    va_list args;

    LCT_TRY(lct_store_begin(s, fn));
    va_start(args, types);
    status = exec(s, sql, types, &args);
    va_end(args);
    return lct_store_end(s, status);
}

/* A copy of column i; *out stays as it is if the column is NULL. */
static locant_status copy_text(char **out, locant_store *s, sqlite3_stmt *stmt,
                               int i)
{
    const unsigned char *text = sqlite3_column_text(stmt, i);
    const size_t size = (size_t)sqlite3_column_bytes(stmt, i) + 1;

    if (text == NULL)
        return LOCANT_OK;
    *out = locant_alloc(size);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %zu bytes",
                           s->path, size);
    memcpy(*out, text, size);
    return LOCANT_OK;
}

/* Store column i where the next argument points. */
static locant_status read_column(locant_store *s, sqlite3_stmt *stmt, int i,
                                 char type, va_list *args)
{
    char *text;

    if (type == 's')
        return copy_text(va_arg(*args, char **), s, stmt, i);
    if (type == 'i')
        *va_arg(*args, int64_t *) = sqlite3_column_int64(stmt, i);
    else if (type == 'd')
        *va_arg(*args, double *) = lct_column_double(stmt, i);
    else {
        text = va_arg(*args, char *);
        lct_column_text(text, va_arg(*args, size_t), stmt, i);
    }
    return LOCANT_OK;
}

static locant_status get(bool *found, locant_store *s, const char *sql,
                         const char *types, va_list *args)
{
    const char *columns = strchr(types, '>') + 1;
    sqlite3_stmt *stmt = NULL;
    locant_status status = prepare(&stmt, s, sql, types, args);

    *found = false;
    if (status == LOCANT_OK)
        status = lct_store_step(found, s, stmt);
    for (int i = 0; *found && columns[i] && status == LOCANT_OK; i++)
        status = read_column(s, stmt, i, columns[i], args);
    sqlite3_finalize(stmt);
    return status;
}

locant_status lct_store_get(bool *found, locant_store *s, const char *sql,
                            const char *types, ...)
{
    locant_status status;
    va_list args;

    va_start(args, types);
    status = get(found, s, sql, types, &args);
    va_end(args);
    return status;
}

locant_status lct_store_read(bool *found, locant_store *s, const char *sql,
                             const char *types, ...)
{
    locant_status status;
    va_list args;

    lct_store_lock(s);
    va_start(args, types);
    status = get(found, s, sql, types, &args);
    va_end(args);
    lct_store_unlock(s);
    return status;
}

locant_status lct_store_read_string(char **out, locant_store *s,
                                    const char *sql, const char *types, ...)
{
    sqlite3_stmt *stmt = NULL;
    locant_status status;
    bool row = false;
    va_list args;

    *out = NULL;
    lct_store_lock(s);
    va_start(args, types);
    status = prepare(&stmt, s, sql, types, &args);
    va_end(args);
    if (status == LOCANT_OK)
        status = lct_store_step(&row, s, stmt);
    if (row)
        status = copy_text(out, s, stmt, 0);
    sqlite3_finalize(stmt);
    lct_store_unlock(s);
    return status;
}

double lct_column_double(sqlite3_stmt *stmt, int i)
{
    const int type = sqlite3_column_type(stmt, i);
    const double x = sqlite3_column_double(stmt, i);

    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER)
        return NAN;
    /* locant writes sums of floats, which never exceed 1e100 */
    return fabs(x) <= 1e100 ? x : NAN;
}

void lct_store_now(char out[32])
{
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void lct_column_text(char *out, size_t size, sqlite3_stmt *stmt, int i)
{
    const char *text = (const char *)sqlite3_column_text(stmt, i);

    snprintf(out, size, "%s", text ? text : "");
}

/* ------------------------------------------------------------ transactions */

void lct_store_lock(locant_store *s)
{
    pthread_mutex_lock(&s->mutex);
}

void lct_store_unlock(locant_store *s)
{
    pthread_mutex_unlock(&s->mutex);
}

locant_status lct_store_begin(locant_store *s, const char *fn)
{
    locant_status status;

    if (s->readonly)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: store %s was opened for reading only", fn,
                           s->directory);
    lct_store_lock(s);
    status = lct_store_exec(s, "BEGIN IMMEDIATE", "");
    if (status != LOCANT_OK)
        lct_store_unlock(s);
    return status;
}

locant_status lct_store_end(locant_store *s, locant_status status)
{
    if (status == LOCANT_OK)
        status = lct_store_exec(s, "COMMIT", "");
    if (status != LOCANT_OK)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    lct_store_unlock(s);
    return status;
}

locant_status lct_store_check_writable(locant_store *s, const char *fn)
{
    LCT_TRY(lct_store_begin(s, fn));
    return lct_store_end(s, LOCANT_OK);
}

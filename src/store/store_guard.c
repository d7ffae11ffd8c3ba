/*
 * store_guard.c - makes it safe to read a database that is not trusted.
 *
 * The path is checked to be a regular file, and so are the files that SQLite
 * keeps beside it: a FIFO would block the command for ever, and opening a
 * device can change it. Every connection goes through lct_store_protect()
 * before its first statement. Every table and index of ours must then have our
 * SQL: a view in place of a table, a computed column or a table without its key
 * would change what our statements do. Views and triggers are off, so nothing
 * else in the schema is ever run. https://www.sqlite.org/security.html
 */
#define _XOPEN_SOURCE 700
#include "store.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The longest statements and values of locant stay below these limits. */
static const struct {
    int id, max;
} limits[] = {
    { SQLITE_LIMIT_LENGTH, 512 << 20 }, /* two texts of 256 MiB */
    { SQLITE_LIMIT_SQL_LENGTH, 1 << 20 }, { SQLITE_LIMIT_COLUMN, 256 },
    { SQLITE_LIMIT_EXPR_DEPTH, 200 },     { SQLITE_LIMIT_COMPOUND_SELECT, 64 },
    { SQLITE_LIMIT_VDBE_OP, 100000 },     { SQLITE_LIMIT_FUNCTION_ARG, 64 },
    { SQLITE_LIMIT_ATTACHED, 0 },         { SQLITE_LIMIT_TRIGGER_DEPTH, 16 },
    { SQLITE_LIMIT_WORKER_THREADS, 0 },
};

static const struct {
    int id, on;
} switches[] = {
    { SQLITE_DBCONFIG_DEFENSIVE, 1 },
    { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
    { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
    { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
    { SQLITE_DBCONFIG_DQS_DML, 0 },
    { SQLITE_DBCONFIG_DQS_DDL, 0 },
};

enum { STEPS_PER_CHECK = 1000 };

/*
 * Our statements take a few steps for each row, and a row is a few bytes: 100
 * steps for each byte on the disk are ten times what any statement needs. A
 * limit is necessary because pages of a damaged file can form a cycle, and then
 * a statement would never end.
 */
static int64_t max_steps(const struct lct_store_guard *g)
{
    struct stat st;
    int64_t bytes = stat(g->path, &st) == 0 ? (int64_t)st.st_blocks * 512 : 0;

    return g->base_steps + 100 * bytes;
}

/* SQLite interrupts the statement if this returns nonzero. */
static int count_steps(void *context)
{
    struct lct_store_guard *g = context;

    g->steps += STEPS_PER_CHECK;
    if (g->steps > g->max_steps)
        g->max_steps = max_steps(g); /* the file may have grown */
    return g->steps > g->max_steps;
}

void lct_store_protect(struct lct_store_guard *g, sqlite3 *db, const char *path,
                       int64_t base_steps)
{
    *g = (struct lct_store_guard){ .path = path, .base_steps = base_steps };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        sqlite3_limit(db, limits[i].id, limits[i].max);
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        sqlite3_db_config(db, switches[i].id, switches[i].on, NULL);
    sqlite3_progress_handler(db, STEPS_PER_CHECK, count_steps, g);
}

/* ------------------------------------------------------------------- files */

static locant_status refuse_kind(const char *path, const char *ending,
                                 mode_t mode)
{
    return locant_fail(LOCANT_ERR_IO, "%s%s: is %s, expected a file of a store",
                       path, ending,
                       S_ISDIR(mode)    ? "a folder"
                       : S_ISFIFO(mode) ? "a FIFO"
                       : S_ISSOCK(mode) ? "a socket"
                       : S_ISLNK(mode)  ? "a symbolic link"
                                        : "a device");
}

/* Check the files that SQLite keeps beside the database: it would write through
   a symbolic link. */
static locant_status check_beside(const char *path)
{
    static const char *const endings[] = { "-wal", "-shm", "-journal" };
    const size_t n = strlen(path);
    char *name = locant_alloc(n + 16);
    locant_status status = LOCANT_OK;
    struct stat st;

    if (name == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to open it", path);
    memcpy(name, path, n);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        memcpy(name + n, endings[i], strlen(endings[i]) + 1);
        if (status == LOCANT_OK && lstat(name, &st) == 0 &&
            !S_ISREG(st.st_mode))
            status = refuse_kind(path, endings[i], st.st_mode);
    }
    locant_release(name);
    return status;
}

locant_status lct_store_check_files(bool *there, const char *path)
{
    struct stat st;
    locant_status status;
    char *real;

    *there = stat(path, &st) == 0;
    if (!*there && errno != ENOENT)
        return locant_fail(LOCANT_ERR_IO, "%s: %s", path, strerror(errno));
    if (*there && !S_ISREG(st.st_mode))
        return refuse_kind(path, "", st.st_mode);
    /* if the database is a link, SQLite keeps its files beside the target */
    real = *there && lstat(path, &st) == 0 && S_ISLNK(st.st_mode)
               ? realpath(path, NULL)
               : NULL;
    status = check_beside(real ? real : path);
    free(real);
    return status;
}

/* ------------------------------------------------------------------ schema */

/* Refuse a database without the table or index of this row of our schema, or
   with one made by other SQL. */
static locant_status check_object(locant_store *s, sqlite3_stmt *ours)
{
    const char *type = (const char *)sqlite3_column_text(ours, 0);
    const char *name = (const char *)sqlite3_column_text(ours, 1);
    const char *sql = (const char *)sqlite3_column_text(ours, 2);
    sqlite3_stmt *theirs = NULL;
    bool row = false;
    locant_status status =
        lct_store_prepare(&theirs, s,
                          "SELECT type IS ?2 AND sql IS ?3 FROM sqlite_master"
                          " WHERE name = ?1",
                          "sss", name, type, sql);

    if (status == LOCANT_OK)
        status = lct_store_step(&row, s, theirs);
    if (status == LOCANT_OK && !row)
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "%s: has no %s %s, which a"
                             " store of locant has",
                             s->path, type, name);
    else if (status == LOCANT_OK && sqlite3_column_int(theirs, 0) != 1)
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "%s: its %s is not the %s that"
                             " a store of locant has",
                             s->path, name, type);
    sqlite3_finalize(theirs);
    return status;
}

locant_status lct_store_check_schema(locant_store *s, int64_t version)
{
    sqlite3 *empty = NULL;
    sqlite3_stmt *ours = NULL;
    locant_status status = LOCANT_OK;
    int code = sqlite3_open_v2(
        ":memory:", &empty, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

    if (code == SQLITE_OK)
        code = lct_store_make_schema(empty, 0, version);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(empty,
                                  "SELECT type, name, sql FROM"
                                  " sqlite_master",
                                  -1, &ours, NULL);
    while (code == SQLITE_OK && status == LOCANT_OK &&
           (code = sqlite3_step(ours)) == SQLITE_ROW) {
        status = check_object(s, ours);
        code = SQLITE_OK;
    }
    if (status == LOCANT_OK && code != SQLITE_DONE)
        status = locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the schema",
                             s->path);
    sqlite3_finalize(ours);
    sqlite3_close(empty);
    return status;
}

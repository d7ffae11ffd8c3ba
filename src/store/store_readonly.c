/* store_readonly.c - connections that only read the database of runs */
#define _GNU_SOURCE
#include "store.h"
#include <string.h>
#include <unistd.h>

/* "file:", the escaped path, "?immutable=1"; memory of locant_alloc(). */
static char *uri_of(const char *path)
{
    static const char hex[] = "0123456789ABCDEF";
    char *uri = locant_alloc(3 * strlen(path) + 32), *p = uri;

    if (uri == NULL)
        return NULL;
    p = stpcpy(p, "file:");
    for (; *path; path++) {
        if (strchr("%?# ", *path)) {
            *p++ = '%';
            *p++ = hex[(unsigned char)*path >> 4];
            *p++ = hex[(unsigned char)*path & 15];
        } else {
            *p++ = *path;
        }
    }
    stpcpy(p, "?immutable=1");
    return uri;
}

/* Guard a new connection and read from it; returns SQLite's code. */
static int guard_and_read(sqlite3 *db, struct lct_store_guard *g,
                          const locant_store *s, int64_t base_steps)
{
    lct_store_protect(g, db, s->path, base_steps);
    sqlite3_busy_timeout(db, LCT_STORE_BUSY_MS);
    return sqlite3_exec(db, "SELECT count(*) FROM sqlite_master", NULL, NULL,
                        NULL);
}

/*
 * A database in WAL mode needs its index file beside it. If that cannot be
 * created (read-only directory) and there is no log, no process writes, and the
 * file can be read without an index.
 */
static locant_status connect_immutable(sqlite3 **out, struct lct_store_guard *g,
                                       const locant_store *s)
{
    char *uri = uri_of(s->path);
    int code;

    if (uri == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to open it",
                           s->path);
    sqlite3_close(*out);
    *out = NULL;
    code = sqlite3_open_v2(
        uri, out, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
        NULL);
    locant_release(uri);
    if (code == SQLITE_OK)
        code = guard_and_read(*out, g, s, g->base_steps);
    return code == SQLITE_OK ? LOCANT_OK : lct_store_fail(s, *out);
}

static bool has_log(const locant_store *s)
{
    char *name = locant_alloc(strlen(s->path) + 5);
    bool there = true;

    if (name) {
        stpcpy(stpcpy(name, s->path), "-wal");
        there = access(name, F_OK) == 0;
    }
    locant_release(name);
    return there;
}

locant_status lct_store_connect_readonly(sqlite3 **out,
                                         struct lct_store_guard *g,
                                         const locant_store *s,
                                         int64_t base_steps)
{
    locant_status status = LOCANT_OK;
    int code = sqlite3_open_v2(
        s->path, out, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);

    if (code == SQLITE_OK)
        code = guard_and_read(*out, g, s, base_steps);
    if ((code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && !has_log(s))
        status = connect_immutable(out, g, s);
    else if (code != SQLITE_OK)
        status = lct_store_fail(s, *out);
    if (status != LOCANT_OK) {
        sqlite3_close(*out);
        *out = NULL;
    }
    return status;
}

/*
 * store_open.c - opening the database of runs.
 *
 * SQLite in WAL mode with synchronous=FULL: a transaction that returned is on
 * the disk.  Every write begins with BEGIN IMMEDIATE, because a transaction
 * that starts as a reader and then writes is refused at once under contention,
 * whatever the busy timeout.
 */
#define _GNU_SOURCE
#include "store.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

static locant_status check_version(const char *path, int64_t application,
                                   int64_t version)
{
    if (application != LCT_STORE_APPLICATION)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: an SQLite database of another program"
                           " (application_id %lld), expected a store of locant",
                           path, (long long)application);
    if (version < 1 || version > LCT_STORE_VERSION)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: schema version %lld was made by a newer"
                           " locant; this one knows version %d",
                           path, (long long)version, LCT_STORE_VERSION);
    return LOCANT_OK;
}

/*
 * Inspect the first 100 bytes without SQLite, which would recover a log and so
 * write to a file that may not be ours. The file header is described in
 * https://www.sqlite.org/fileformat2.html section 1.3. The schema is created
 * under a rollback journal, so the first header of our store is never only in a
 * log.
 */
static locant_status inspect_header(bool *empty, const char *path)
{
    unsigned char header[100] = { 0 };
    bool there;
    size_t got;
    FILE *f;

    *empty = true;
    LCT_TRY(lct_store_check_files(&there, path));
    if (!there)
        return LOCANT_OK;
    f = fopen(path, "rb");
    if (f == NULL)
        return locant_fail(LOCANT_ERR_IO, "%s: %s", path, strerror(errno));
    got = fread(header, 1, sizeof header, f);
    if (ferror(f)) {
        fclose(f);
        return locant_fail(LOCANT_ERR_IO, "%s: cannot be read", path);
    }
    fclose(f);
    if (got == 0)
        return LOCANT_OK;
    *empty = false;
    if (got < sizeof header || memcmp(header, "SQLite format 3", 16) != 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: not an SQLite database, expected a store of"
                           " locant",
                           path);
    return check_version(path, big_endian(header + 68),
                         big_endian(header + 60));
}

/* Check the database as SQLite reads it: a log beside it overrules the header.
   *blank tells whether it has no schema yet. */
static locant_status inspect(bool *blank, int64_t *version, locant_store *s)
{
    int64_t application = 0, tables = 0;
    bool found;

    *version = 0;
    LCT_TRY(
        lct_store_get(&found, s, "PRAGMA application_id", ">i", &application));
    LCT_TRY(lct_store_get(&found, s, "PRAGMA user_version", ">i", version));
    LCT_TRY(lct_store_get(&found, s, "SELECT count(*) FROM sqlite_master", ">i",
                          &tables));
    *blank = application == 0 && *version == 0 && tables == 0;
    if (*blank)
        return LOCANT_OK;
    LCT_TRY(check_version(s->path, application, *version));
    return lct_store_check_schema(s, *version);
}

static locant_status migrate(locant_store *s)
{
    int64_t version = 0;
    bool blank;
    locant_status status;

    LCT_TRY(lct_store_begin(s, "locant_store_open"));
    /* Look again: another process may have migrated since. */
    status = inspect(&blank, &version, s);
    lct_store_reset_steps(&s->guard);
    if (status == LOCANT_OK &&
        lct_store_make_schema(s->db, version, LCT_STORE_VERSION) != SQLITE_OK)
        status = lct_store_fail(s, s->db);
    return lct_store_end(s, status);
}

/*
 * Inspect in a transaction, because another process may create the schema
 * between two of the queries; then our store would look like the file of
 * another program.
 */
static locant_status inspect_snapshot(bool *blank, int64_t *version,
                                      locant_store *s)
{
    locant_status status;

    LCT_TRY(lct_store_exec(s, "BEGIN", ""));
    status = inspect(blank, version, s);
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/*
 * Switching to WAL needs exclusive access and ignores the busy timeout. On file
 * systems without shared memory SQLite keeps its rollback journal, which is as
 * safe.
 */
static locant_status enable_wal(locant_store *s)
{
    const struct timespec pause = { 0, 10 * 1000 * 1000 };
    int code = SQLITE_OK;

    for (int i = 0; i < LCT_STORE_BUSY_MS / 10; i++) {
        code =
            sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (code != SQLITE_BUSY && code != SQLITE_LOCKED)
            break;
        nanosleep(&pause, NULL);
    }
    return code == SQLITE_OK ? LOCANT_OK : lct_store_fail(s, s->db);
}

static locant_status connect_writable(locant_store *s)
{
    int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int64_t version;
    bool blank;

    if (sqlite3_open_v2(s->path, &s->db, flags, NULL) != SQLITE_OK)
        return lct_store_fail(s, s->db);
    lct_store_protect(&s->guard, s->db, s->path, LCT_SQL_STEPS);
    sqlite3_busy_timeout(s->db, LCT_STORE_BUSY_MS);
    if (s->alone)
        LCT_TRY(lct_store_exec(s, "PRAGMA locking_mode = EXCLUSIVE", ""));
    if (sqlite3_exec(s->db,
                     "PRAGMA synchronous = FULL;"
                     "PRAGMA foreign_keys = ON",
                     NULL, NULL, NULL) != SQLITE_OK)
        return lct_store_fail(s, s->db);
    LCT_TRY(inspect_snapshot(&blank, &version, s));
    if (version < LCT_STORE_VERSION)
        LCT_TRY(migrate(s));
    s->version = LCT_STORE_VERSION;
    return enable_wal(s);
}

static char *joined(const char *directory, const char *name)
{
    char *out = locant_alloc(strlen(directory) + strlen(name) + 2);

    if (out)
        stpcpy(stpcpy(stpcpy(out, directory), "/"), name);
    return out;
}

static locant_status make_directory(const char *path)
{
    struct stat st;

    if (mkdir(path, 0777) == 0)
        return LOCANT_OK;
    if (errno != EEXIST)
        return locant_fail(LOCANT_ERR_IO, "%s: cannot make this folder: %s",
                           path, strerror(errno));
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return locant_fail(LOCANT_ERR_IO, "%s: is not a folder", path);
    return LOCANT_OK;
}

static locant_status new_store(locant_store **out, const char *directory)
{
    locant_store *s = locant_alloc(sizeof *s);

    if (s) {
        s->lock = -1;
        pthread_mutex_init(&s->mutex, NULL);
        s->directory = joined(directory, "");
        s->path = joined(directory, "runs.db");
    }
    if (s == NULL || s->directory == NULL || s->path == NULL) {
        locant_store_close(s);
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the store",
                           directory);
    }
    s->directory[strlen(directory)] = 0;
    *out = s;
    return LOCANT_OK;
}

static locant_status open_writable(locant_store *s)
{
    char *checkpoints;
    locant_status status;
    bool empty;

    LCT_TRY(lct_store_path(&checkpoints, s, "checkpoints"));
    status = make_directory(s->directory);
    if (status == LOCANT_OK && s->alone)
        status = lct_store_lock_alone(s, "locant_store_open_alone");
    if (status == LOCANT_OK)
        status = inspect_header(&empty, s->path);
    if (status == LOCANT_OK)
        status = make_directory(checkpoints);
    if (status == LOCANT_OK)
        status = connect_writable(s);
    locant_release(checkpoints);
    return status;
}

static locant_status open_readonly(locant_store *s)
{
    bool blank;

    LCT_TRY(inspect_header(&blank, s->path));
    if (!blank) {
        LCT_TRY(
            lct_store_connect_readonly(&s->db, &s->guard, s, LCT_SQL_STEPS));
        LCT_TRY(inspect(&blank, &s->version, s));
    }
    if (blank)
        return locant_fail(LOCANT_ERR_IO, "%s: no store there", s->path);
    return LOCANT_OK;
}

enum access { SHARED, ALONE, READONLY };

static locant_status open_store(locant_store **out, const char *directory,
                                enum access access, const char *fn)
{
    locant_store *s = NULL;
    locant_status status;

    LCT_NOT_NULL(fn, out);
    LCT_NOT_NULL(fn, directory);
    *out = NULL;
    LCT_TRY(new_store(&s, directory));
    s->readonly = access == READONLY;
    s->alone = access == ALONE;
    status = s->readonly ? open_readonly(s) : open_writable(s);
    if (status == LOCANT_OK)
        *out = s;
    else
        locant_store_close(s);
    return status;
}

locant_status locant_store_open(locant_store **out, const char *directory)
{
    return open_store(out, directory, SHARED, __func__);
}

locant_status locant_store_open_alone(locant_store **out, const char *directory)
{
    return open_store(out, directory, ALONE, __func__);
}

locant_status locant_store_open_readonly(locant_store **out,
                                         const char *directory)
{
    return open_store(out, directory, READONLY, __func__);
}

void locant_store_any_isa(locant_store *store, int allowed)
{
    if (store != NULL)
        store->any_isa = allowed != 0;
}

void locant_store_close(locant_store *s)
{
    if (s == NULL)
        return;
    sqlite3_close(s->db);
    if (s->lock >= 0)
        close(s->lock);
    pthread_mutex_destroy(&s->mutex);
    locant_release(s->directory);
    locant_release(s->path);
    locant_release(s);
}

/* test_store_refusals.c - refuses foreign databases and queries that write */
/* needs: lab */
#define _GNU_SOURCE
#include "store_case.h"
#include <sys/stat.h>

static void make_database(const char *sql)
{
    sqlite3 *db;

    assert_int_equal(mkdir(scratch_file(&dir, "store"), 0777), 0);
    assert_int_equal(sqlite3_open(scratch_file(&dir, "store/runs.db"), &db), 0);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Opening the database, also for reading only, is refused with an error message
   of this ending, and changes no byte. */
static void check_refused(locant_status status, const char *ending)
{
    const char *path = scratch_file(&dir, "store/runs.db");
    size_t before, after;
    char *a = scratch_read(path, &before), *b, want[PATH_MAX + 256];
    locant_store *s = (void *)&dir;

    snprintf(want, sizeof want, "%s: %s", path, ending);
    CHECK_REFUSED(locant_store_open(&s, scratch_file(&dir, "store")), status,
                  want);
    CHECK(s == NULL);
    CHECK_REFUSED(locant_store_open_readonly(&s, scratch_file(&dir, "store")),
                  status, want);
    b = scratch_read(scratch_file(&dir, "store/runs.db"), &after);
    CHECK(before == after && memcmp(a, b, before) == 0);
    CHECK(access(scratch_file(&dir, "store/runs.db-wal"), F_OK) != 0);
    CHECK(access(scratch_file(&dir, "store/checkpoints"), F_OK) != 0);
    free(a);
    free(b);
}

IN_SCRATCH(refuses_a_foreign_database)
{
    make_database("CREATE TABLE t (x)");
    check_refused(LOCANT_ERR_FORMAT,
                  "an SQLite database of another program (application_id 0),"
                  " expected a store of locant");
}

IN_SCRATCH(refuses_a_newer_database)
{
    make_database("CREATE TABLE t (x); PRAGMA application_id = 1280262990;"
                  "PRAGMA user_version = 999");
    check_refused(LOCANT_ERR_FORMAT,
                  "schema version 999 was made by a newer locant; this one"
                  " knows version 5");
}

IN_SCRATCH(refuses_what_is_not_a_database)
{
    assert_int_equal(mkdir(scratch_file(&dir, "store"), 0777), 0);
    scratch_write(scratch_file(&dir, "store/runs.db"), "a letter\n", 9);
    check_refused(LOCANT_ERR_FORMAT,
                  "not an SQLite database, expected a store of locant");
}

IN_SCRATCH(begins_in_an_empty_file)
{
    assert_int_equal(mkdir(scratch_file(&dir, "store"), 0777), 0);
    scratch_write(scratch_file(&dir, "store/runs.db"), "", 0);
    locant_store_close(open_store());
    assert_int_equal(ask(&dir, "SELECT count(*) FROM runs"), 0);
}

IN_SCRATCH(reports_corrupt_pages)
{
    locant_store *s = open_store();
    size_t size;
    char *bytes;
    int refused = 0;

    for (int i = 0; i < 100; i++) {
        char key[16];

        snprintf(key, sizeof key, "%d", i);
        add_run(s, key);
    }
    locant_store_close(s);
    bytes = scratch_read(scratch_file(&dir, "store/runs.db"), &size);
    /* The page size of SQLite is 4096; the header page stays. */
    for (size_t page = 4096; page < size; page += 4096) {
        memset(bytes + page, 0xa5, 4096);
        scratch_write(scratch_file(&dir, "store/runs.db"), bytes, size);
        if (locant_store_open(&s, scratch_file(&dir, "store")) == LOCANT_OK) {
            int n = 0;
            locant_status status = locant_store_runs(s, count_run, &n);

            CHECK(status == LOCANT_OK || status == LOCANT_ERR_FORMAT);
            refused += status == LOCANT_ERR_FORMAT;
            if (status == LOCANT_ERR_FORMAT)
                CHECK(strstr(locant_last_error(),
                             "runs.db: SQLite says: "
                             "database disk image is malformed") != NULL);
            locant_store_close(s);
        }
    }
    CHECK(refused > 0);
    free(bytes);
}

IN_SCRATCH(refuses_a_readonly_folder)
{
    locant_store *s = open_store();
    pid_t child;

    add_run(s, "a");
    locant_store_close(s);
    assert_int_equal(chmod(dir.path, 0555), 0);
    assert_int_equal(chmod(scratch_file(&dir, "store"), 0555), 0);
    assert_int_equal(chmod(scratch_file(&dir, "store/runs.db"), 0444), 0);
    child = fork();
    if (child == 0) {
        int n = 0,
            bad = chdir(dir.path) != 0 || scratch_obey_permissions() != 0;

        bad |= locant_store_open(&s, "store") != LOCANT_ERR_IO;
        bad |= strstr(locant_last_error(), "store/runs.db: can be read, not"
                                           " written: ") == NULL;
        bad |= locant_store_open(&s, "new") != LOCANT_ERR_IO;
        bad |= strcmp(locant_last_error(), "new: cannot make this folder:"
                                           " Permission denied") != 0;
        /* ... but it can be read. */
        bad |= locant_store_open_readonly(&s, "store") != LOCANT_OK;
        if (!bad)
            bad |= locant_store_runs(s, count_run, &n) != LOCANT_OK || n != 1;
        if (bad)
            fprintf(stderr, "%s\n", locant_last_error());
        exit_child(bad);
    }
    wait_for(child);
    assert_int_equal(chmod(dir.path, 0755), 0);
    assert_int_equal(chmod(scratch_file(&dir, "store"), 0755), 0);
}

IN_SCRATCH(refuses_to_write_when_readonly)
{
    locant_store *s = open_store();
    int64_t id = add_run(s, "a");
    char want[PATH_MAX];

    locant_store_close(s);
    CHECK_OK(locant_store_open_readonly(&s, scratch_file(&dir, "store")));
    snprintf(want, sizeof want,
             "locant_store_remove: store %s was opened for"
             " reading only",
             scratch_file(&dir, "store"));
    CHECK_REFUSED(locant_store_remove(s, id), LOCANT_ERR_PARAM, want);
    locant_store_close(s);
    assert_int_equal(ask(&dir, "SELECT count(*) FROM runs"), 1);
}

/* --------------------------------------------------------------------- sql */

static int check_row(int n, const char *const *names, const char *const *values,
                     const char *kinds, void *context)
{
    assert_int_equal(n, 6);
    assert_string_equal(names[0], "id");
    assert_string_equal(names[1], "k");
    assert_string_equal(values[1], "a");
    assert_null(values[2]);
    assert_string_equal(values[3], "0.003");
    assert_string_equal(values[4], "0.1234567890123456");
    assert_string_equal(values[5], "1.2345678901234567e+300");
    assert_memory_equal(kinds, "itnrrr", 6);
    ++*(int *)context;
    return 0;
}

IN_SCRATCH(answers_queries)
{
    OWNED(locant_store) *s = open_store();
    int n = 0;

    add_run(s, "a");
    CHECK_OK(locant_store_sql(s,
                              "SELECT id, key AS k, message, 0.003,"
                              " 0.1234567890123456, 1.2345678901234567e300"
                              " FROM runs; -- x",
                              check_row, &n));
    assert_int_equal(n, 1);
}

IN_SCRATCH(refuses_sql_that_writes)
{
    static const char *const refused[] = {
        "INSERT INTO metrics VALUES (1, 1, 1, 1, 1)",
        "DELETE FROM runs",
        "UPDATE runs SET step = 5",
        "DROP TABLE runs",
        "CREATE TABLE x (y)",
        "CREATE TEMP TABLE x (y)",
        "ATTACH 'other.db' AS other",
        "VACUUM INTO 'copy.db'",
        "VACUUM",
        "BEGIN IMMEDIATE",
        "PRAGMA user_version = 7",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA writable_schema = 1",
        "SELECT load_extension('x')",
        "WITH x AS (SELECT 1) DELETE FROM runs",
        "REINDEX",
        "ANALYZE",
        "SELECT 1; SELECT 2",
        "SELECT 1; DELETE FROM runs",
        "SELECT",
        "",
        " -- nothing",
        "SELECT x FROM nowhere",
        "EXPLAIN DELETE FROM runs",
    };
    OWNED(locant_store) *s = open_store();
    int rows = 0;

    add_run(s, "a");
    for (size_t i = 0; i < LEN(refused); i++) {
        if (locant_store_sql(s, refused[i], count_row, &rows) !=
            LOCANT_ERR_PARAM)
            FAIL("'%s' was not refused", refused[i]);
        CHECK(strncmp(locant_last_error(), "locant_store_sql: ", 18) == 0);
    }
    assert_int_equal(rows, 0);
    assert_int_equal(ask(&dir, "SELECT step FROM runs"), 0);
    assert_int_equal(ask(&dir, "PRAGMA user_version"), LCT_STORE_VERSION);
    CHECK(access("copy.db", F_OK) != 0 && access("other.db", F_OK) != 0);
    REFUSES(PARAM, locant_store_sql(s, "DROP TABLE runs", count_row, &rows),
            "not a query: only reading is allowed here");
    REFUSES(PARAM, locant_store_sql(s, "SELECT 1; SELECT 2", count_row, &rows),
            "more than one statement: ' SELECT 2' follows the first");
}

IN_SCRATCH(refuses_bad_arguments)
{
    locant_store *s = open_store(), *other;
    locant_run_info info;
    char want[PATH_MAX];
    int n = 0;

    REFUSES(NULL, locant_store_open(NULL, "x"), "out is NULL");
    REFUSES(NULL, locant_store_open(&other, NULL), "directory is NULL");
    REFUSES(NULL, locant_store_runs(s, NULL, NULL), "visit is NULL");
    snprintf(want, sizeof want, "locant_store_run: no run 7 in %s",
             scratch_file(&dir, "store"));
    CHECK_REFUSED(locant_store_run(&info, s, 7), LOCANT_ERR_PARAM, want);
    CHECK(locant_store_run(&info, s, INT64_MIN) == LOCANT_ERR_PARAM);
    REFUSES(NULL, locant_store_sql(s, NULL, count_row, &n), "query is NULL");
    snprintf(want, sizeof want, "%s: no store there",
             scratch_file(&dir, "none/runs.db"));
    CHECK_REFUSED(
        locant_store_open_readonly(&other, scratch_file(&dir, "none")),
        LOCANT_ERR_IO, want);
    CHECK(access(scratch_file(&dir, "none"), F_OK) != 0);
    scratch_write(scratch_file(&dir, "file"), "", 0);
    snprintf(want, sizeof want, "%s: is not a folder",
             scratch_file(&dir, "file"));
    CHECK_REFUSED(locant_store_open(&other, scratch_file(&dir, "file")),
                  LOCANT_ERR_IO, want);
    locant_store_close(s);
    locant_store_close(NULL);
}

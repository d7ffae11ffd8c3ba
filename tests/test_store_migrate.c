/* test_store_migrate.c - a store of an older schema is migrated to this one */
/* needs: lab */
#define _GNU_SOURCE
#include "store_case.h"
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char corpus[] =
    "22139ead84b058c37e8fee07320d79ee816d69bdee3ab7311fc6680865079940";

/* The real type of the system calls; sqlite3_syscall_ptr has no parameters. */
typedef ssize_t (*write_call)(int, const void *, size_t, off_t);

static void make_old_store(const char *name)
{
    char file[PATH_MAX], *sql, *bytes;
    sqlite3 *db;
    size_t size;

    snprintf(file, sizeof file, "%s/runs.db", scratch_file(&dir, name));
    assert_int_equal(mkdir(scratch_file(&dir, name), 0777), 0);
    bytes = scratch_read(LOCANT_SOURCE "/tests/store_1.sql", &size);
    sql = bytes;
    sql[size] = 0;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        FAIL("%s\n", sqlite3_errmsg(db));
    assert_int_equal(
        sqlite3_exec(db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    free(bytes);
}

/* The one value of a query of store 'name', as text of malloc(). */
static char *text_of(const char *name, const char *query)
{
    sqlite3_stmt *stmt;
    sqlite3 *db;
    char file[PATH_MAX], *out;

    snprintf(file, sizeof file, "%s/runs.db", scratch_file(&dir, name));
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, query, -1, &stmt, NULL) != SQLITE_OK)
        FAIL("%s: %s\n", query, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    out = strdup((const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return out;
}

static int number_of(const char *name, const char *query)
{
    FREED_BY(free_memory) char *text = text_of(name, query);

    return atoi(text);
}

static char *schema_of(const char *name)
{
    return text_of(name, "SELECT group_concat(type || name || ifnull(sql, ''))"
                         " FROM (SELECT * FROM sqlite_master ORDER BY name)");
}

/* Everything that was in the old store, read as the lab reads it. */
static void check_contents(const char *name)
{
    locant_store *s;
    locant_run_info run;
    locant_evaluation e;
    struct lct_metric *m;
    double *loss;
    bool found;
    char *options;
    size_t n;

    s = store_at(scratch_file(&dir, name));
    CHECK_OK(locant_store_run(&run, s, 4));
    assert_string_equal(run.status, "failed");
    assert_string_equal(run.encoding, "t5");
    assert_string_equal(run.build, "");
    CHECK_OK(locant_store_run(&run, s, 2));
    assert_string_equal(run.encoding, "learned(length=16)");
    CHECK_OK(lct_store_read_run_options(&options, s, 2));
    assert_null(options);
    CHECK_OK(lct_store_read_metrics(&m, &n, s, 1));
    CHECK(n == 3 && m[2].loss == 5.8806945681571960449);
    locant_release(m);
    CHECK_OK(lct_store_load_evaluation(&e, &loss, &found, s, 1, corpus, 2));
    CHECK(found && e.blocks == 2 && e.own_window == 6.1114851683378219604);
    CHECK(e.length[0] == 128 && e.length[4] == 2048);
    CHECK(e.same_targets[1] == 6.1401821505278348922);
    CHECK(fabs(loss[0] - 6.4050574824214) < 1e-12); /* digits of the shell */
    CHECK(fabs(loss[9] - 5.88747118785977) < 1e-12);
    locant_release(loss);
    CHECK_OK(lct_store_load_evaluation(&e, NULL, &found, s, 2, corpus, 2));
    CHECK(found && isnan(e.same_targets[0]) && e.causality == 0);
    locant_store_close(s);
}

/* No row is lost and none is added. */
static void check_rows(const char *name)
{
    assert_int_equal(number_of(name, "PRAGMA user_version"), LCT_STORE_VERSION);
    assert_int_equal(number_of(name, "SELECT count(*) FROM"
                                     " pragma_foreign_key_check"),
                     0);
    assert_int_equal(number_of(name, "SELECT integrity_check = 'ok' FROM"
                                     " pragma_integrity_check"),
                     1);
    assert_int_equal(number_of(name, "SELECT count(*) FROM metrics"), 7);
    assert_int_equal(number_of(name, "SELECT count(*) FROM evaluations"), 2);
    assert_int_equal(number_of(name, "SELECT count(*) FROM curves"),
                     2 * (LOCANT_EVAL_LENGTHS + LOCANT_EVAL_BUCKETS));
    assert_int_equal(number_of(name, "SELECT count(*) FROM losses"),
                     2 * 2 * LOCANT_EVAL_LENGTHS);
    assert_int_equal(number_of(name, "SELECT max(length) FROM curves"
                                     " WHERE protocol = 'P2'"),
                     63 * 32);
}

IN_SCRATCH(keeps_every_row)
{
    locant_store *s;
    char *old, *new;

    make_old_store("store");
    check_contents("store");
    check_rows("store");
    s = store_at(scratch_file(&dir, "new"));
    locant_store_close(s);
    old = schema_of("store");
    new = schema_of("new");
    assert_string_equal(old, new);
    free(old);
    free(new);
    s = open_store();
    CHECK_OK(locant_store_remove(s, 1));
    CHECK(add_run(s, "a") == 5); /* ids that were used stay used */
    locant_store_close(s);
    assert_int_equal(ask(&dir, "SELECT count(*) FROM losses"),
                     2 * LOCANT_EVAL_LENGTHS);
}

IN_SCRATCH(reads_an_old_store_without_changing_it)
{
    locant_store *s;
    locant_run_info run;
    char *before, *after, *options;

    make_old_store("store");
    before = schema_of("store");
    CHECK_OK(locant_store_open_readonly(&s, scratch_file(&dir, "store")));
    CHECK_OK(locant_store_run(&run, s, 2));
    assert_string_equal(run.encoding, "learned(length=16)");
    CHECK_OK(lct_store_read_run_options(&options, s, 2));
    assert_null(options);
    locant_store_close(s);
    after = schema_of("store");
    assert_string_equal(before, after);
    assert_int_equal(number_of("store", "PRAGMA user_version"), 1);
    free(before);
    free(after);
}

/* ----------------------------------------------------------------- killed */

static int left; /* statements or writes before SIGKILL; below 0: never */

static int on_statement(unsigned kind, void *context, void *stmt, void *sql)
{
    (void)kind;
    (void)context;
    (void)stmt;
    (void)sql;
    if (left-- == 0)
        raise(SIGKILL);
    return 0;
}

/* Called for every connection that is opened. */
static int trace_statements(sqlite3 *db, const char **error, const void *api)
{
    (void)error;
    (void)api;
    return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, on_statement, NULL);
}

static ssize_t write_or_die(int fd, const void *bytes, size_t n, off_t at)
{
    if (left-- == 0) {
        if (pwrite(fd, bytes, n / 2, at) < 0) /* half of the write is done */
            _exit(1);
        raise(SIGKILL);
    }
    return pwrite(fd, bytes, n, at);
}

/* Count writes, or else statements. */
static void count_down(bool writes)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);

    if (writes) {
        vfs->xSetSystemCall(vfs, "pwrite", (sqlite3_syscall_ptr)write_or_die);
        vfs->xSetSystemCall(vfs, "pwrite64", (sqlite3_syscall_ptr)write_or_die);
    } else {
        sqlite3_auto_extension((void (*)(void))trace_statements);
    }
}

/* Open the store in a process that is killed at the n-th write, or else
   statement; false if it ended before. */
static bool killed_at(int n, bool writes)
{
    pid_t child = fork();
    locant_store *s;
    int status;

    if (child == 0) {
        left = n;
        count_down(writes);
        status = locant_store_open(&s, scratch_file(&dir, "store"));
        if (status == LOCANT_OK)
            locant_store_close(s);
        _exit(status != LOCANT_OK);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

static void copy_store(void)
{
    size_t size;
    FREED_BY(free_memory)
    char *bytes = scratch_read(scratch_file(&dir, "old/runs.db"), &size);

    scratch_write(scratch_file(&dir, "store/runs.db"), bytes, size);
    unlink(scratch_file(&dir, "store/runs.db-wal"));
    unlink(scratch_file(&dir, "store/runs.db-shm"));
}

/* Kill at each write, or else statement: the schema is the old or the new one,
   and opening again migrates. Returns the number of kills tried. */
static int check_killed(bool writes, const char *old, const char *new)
{
    const int stride = TEST_SANITIZED ? 7 : 1;
    bool dead = true;
    int n = 0;

    for (; dead; n += stride) {
        char *schema;

        copy_store();
        dead = killed_at(n, writes);
        schema = schema_of("store");
        if (number_of("store", "PRAGMA user_version") == 1)
            assert_string_equal(schema, old);
        else
            assert_string_equal(schema, new);
        free(schema);
        if (n % 4 == 0 || !dead) {
            check_contents("store");
            check_rows("store");
        }
    }
    return n;
}

IN_SCRATCH(is_old_or_new_when_killed)
{
    locant_store *s;
    char *old, *new;

    make_old_store("old");
    make_old_store("store");
    old = schema_of("old");
    s = open_store();
    locant_store_close(s);
    new = schema_of("store");
    /* 22 statements of the script, BEGIN, COMMIT, pragmas of opening */
    CHECK(check_killed(false, old, new) > 30);
    CHECK(check_killed(true, old, new) > 10);
    free(old);
    free(new);
}

/* store_case.h - a store in the folder of the test, and what tests do to it */
#ifndef STORE_CASE_H
#define STORE_CASE_H
#include "ask.h"
#include "corpora.h"
#include "scratch_case.h"
#include "store/store_eval.h"
#include "store_records.h"
#include <sys/wait.h>
#include <unistd.h>

static locant_store *open_store(void)
{
    return store_at(scratch_file(&dir, "store"));
}

/* Change the database by SQL, without the library. */
static inline void change(const char *sql)
{
    char *error = NULL;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(scratch_file(&dir, "store/runs.db"), &db), 0);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        FAIL("%s: %s\n", sql, error);
    sqlite3_close(db);
}

static inline int64_t add_run_on(locant_store *s, const char *key,
                                 const char *corpus_sha256)
{
    const struct lct_run_new run = { .key = key,
                                     .encoding = "alibi",
                                     .model = SMALL_MODEL,
                                     .seed = UINT64_MAX,
                                     .corpus_sha256 = corpus_sha256,
                                     .steps = 9,
                                     .batch = 2,
                                     .length = 4,
                                     .parameters = 100,
                                     .encoding_parameters = 3,
                                     .bytes = 1000 };
    int64_t id;

    CHECK_OK(lct_store_find_or_add_run(&id, s, &run));
    return id;
}

static inline int64_t add_run(locant_store *s, const char *key)
{
    return add_run_on(s, key, "00ff");
}

/* Count the rows of locant_store_sql(). */
static inline int count_row(int n, const char *const *names,
                            const char *const *values, const char *kinds,
                            void *rows)
{
    (void)n;
    (void)names;
    (void)values;
    (void)kinds;
    ++*(int *)rows;
    return 0;
}

/* ---------------------------------------------------------- child processes */

static inline void exit_child(int failed)
{
    _exit(failed ? 1 : 0);
}

static inline void wait_for(pid_t child)
{
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

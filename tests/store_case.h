/* store_case.h - a store in a test's folder, and runs for it */
#ifndef STORE_CASE_H
#define STORE_CASE_H
#include "ask.h"
#include "corpora.h"
#include "scratch_case.h"
#include "store/store_eval.h"

static locant_store *open_store(void)
{
    return store_at(scratch_file(&dir, "store"));
}

/* Change the store by SQL, without the library. */
static inline void change(const char *sql)
{
    char *error = NULL;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(scratch_file(&dir, "store/runs.db"), &db), 0);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        FAIL("%s: %s\n", sql, error);
    sqlite3_close(db);
}

static inline int64_t add_run(locant_store *s, const char *key)
{
    const struct lct_run_new run = {
        .key = key,
        .encoding = "alibi",
        .model = "layers=1,width=8,heads=2,kv_heads=2,ff=8,norm=layer",
        .seed = UINT64_MAX,
        .corpus_sha256 = "00ff",
        .steps = 9,
        .batch = 2,
        .length = 4,
        .parameters = 100,
        .encoding_parameters = 3,
        .bytes = 1000
    };
    int64_t id;

    CHECK_OK(lct_store_find_run(&id, s, &run));
    return id;
}

#endif

/* ask.h - reads a number from a store by SQL */
#ifndef ASK_H
#define ASK_H
#include "scratch.h"
#include "testing.h"
#include <sqlite3.h>

/* The integer that a query of dir/store returns; SQLite is called directly. */
static inline int64_t ask(struct scratch *dir, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *stmt;
    int64_t answer;

    assert_int_equal(sqlite3_open(scratch_file(dir, "store/runs.db"), &db), 0);
    sqlite3_busy_timeout(db, 30000);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    answer = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return answer;
}
#endif

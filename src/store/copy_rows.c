/* copy_rows.c - see copy_rows.h */
#include "copy_rows.h"
#include <inttypes.h>
#include <string.h>

static bool fits(sqlite3_stmt *row, int i, char type)
{
    const int found = sqlite3_column_type(row, i);

    switch (type) {
    case 'i': return found == SQLITE_INTEGER;
    case 'd':
        return found == SQLITE_FLOAT || found == SQLITE_INTEGER ||
               found == SQLITE_NULL;
    case 's': return found == SQLITE_TEXT;
    default: return found == SQLITE_TEXT || found == SQLITE_NULL;
    }
}

static const char *expected(char type)
{
    return type == 'i'   ? "an integer"
           : type == 'd' ? "a number or NULL"
           : type == 's' ? "text"
                         : "text or NULL";
}

static locant_status check_types(sqlite3_stmt *row, const locant_store *from,
                                 int64_t from_id,
                                 const struct lct_copied_rows *rows)
{
    for (int i = 0; rows->types[i]; i++)
        if (!fits(row, i, rows->types[i]))
            return locant_fail(
                LOCANT_ERR_FORMAT, "%s: %s of %" PRId64 ": %s is not %s",
                from->path, rows->name, from_id, sqlite3_column_name(row, i),
                expected(rows->types[i]));
    return LOCANT_OK;
}

static locant_status copy_row(locant_store *to, sqlite3_stmt *insert,
                              sqlite3_stmt *row)
{
    const int n = sqlite3_column_count(row);
    int code = sqlite3_reset(insert);
    bool more;

    for (int i = 0; i < n && code == SQLITE_OK; i++)
        code = sqlite3_bind_value(insert, i + 2, sqlite3_column_value(row, i));
    if (code != SQLITE_OK)
        return lct_store_fail(to, to->db);
    lct_store_reset_steps(&to->guard);
    return lct_store_step(&more, to, insert);
}

static locant_status copy_all(locant_store *to, sqlite3_stmt *insert,
                              locant_store *from, sqlite3_stmt *select,
                              int64_t from_id,
                              const struct lct_copied_rows *rows)
{
    bool row;

    for (;;) {
        LCT_TRY(lct_store_step(&row, from, select));
        if (!row)
            return LOCANT_OK;
        LCT_TRY(check_types(select, from, from_id, rows));
        LCT_TRY(copy_row(to, insert, select));
    }
}

locant_status lct_copy_rows(locant_store *to, int64_t to_id, locant_store *from,
                            int64_t from_id, const struct lct_copied_rows *rows)
{
    sqlite3_stmt *select = NULL, *insert = NULL;
    locant_status status;

    status = lct_store_prepare(&select, from, rows->select, "i", from_id);
    if (status == LOCANT_OK)
        status = lct_store_prepare(&insert, to, rows->insert, "i", to_id);
    if (status == LOCANT_OK)
        status = copy_all(to, insert, from, select, from_id, rows);
    sqlite3_finalize(select);
    sqlite3_finalize(insert);
    return status;
}

/* ----------------------------------------------------------------- compare */

/* Index of the first column in which two rows differ, or -1. Numbers are equal
   if their bits are. */
static int first_difference(sqlite3_stmt *a, sqlite3_stmt *b)
{
    for (int i = 0; i < sqlite3_column_count(a); i++) {
        const void *x, *y;
        int n;

        if (sqlite3_column_type(a, i) != sqlite3_column_type(b, i))
            return i;
        if (sqlite3_column_type(a, i) == SQLITE_FLOAT) {
            const double p = sqlite3_column_double(a, i);
            const double q = sqlite3_column_double(b, i);

            if (memcmp(&p, &q, sizeof p) != 0)
                return i;
            continue;
        }
        x = sqlite3_column_blob(a, i); /* of a number or text, as text */
        n = sqlite3_column_bytes(a, i);
        y = sqlite3_column_blob(b, i);
        if (n != sqlite3_column_bytes(b, i) ||
            (n > 0 && memcmp(x, y, (size_t)n) != 0))
            return i;
    }
    return -1;
}

static locant_status compare_all(locant_store *to, sqlite3_stmt *a,
                                 locant_store *from, sqlite3_stmt *b,
                                 const char *name, const char *what)
{
    bool row, other;

    for (int64_t n = 1;; n++) {
        int at;

        LCT_TRY(lct_store_step(&row, to, a));
        LCT_TRY(lct_store_step(&other, from, b));
        if (!row && !other)
            return LOCANT_OK;
        if (row != other)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: %s have unlike numbers of rows", what,
                               name);
        at = first_difference(a, b);
        if (at >= 0)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: row %" PRId64 " of %s has another %s", what,
                               n, name, sqlite3_column_name(a, at));
    }
}

locant_status lct_compare_rows(locant_store *to, int64_t to_id,
                               locant_store *from, int64_t from_id,
                               const struct lct_copied_rows *rows,
                               const char *what)
{
    sqlite3_stmt *a = NULL, *b = NULL;
    locant_status status;

    status = lct_store_prepare(&a, to, rows->select, "i", to_id);
    if (status == LOCANT_OK)
        status = lct_store_prepare(&b, from, rows->select, "i", from_id);
    if (status == LOCANT_OK)
        status = compare_all(to, a, from, b, rows->name, what);
    sqlite3_finalize(a);
    sqlite3_finalize(b);
    return status;
}

/*
 * store_sql.c - runs one query of the user.
 *
 * Three barriers: a connection that cannot write, sqlite3_stmt_readonly(), and
 * an authorizer that allows reading tables and nothing else, so that neither
 * ATTACH nor VACUUM INTO reaches another file.
 */
#include "store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int authorize_pragma(const char *name, const char *argument)
{
    static const char *const tables[] = { "table_info", "index_list",
                                          "index_info", "table_list" };

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(name, tables[i]) == 0)
            return SQLITE_OK;
    if (argument == NULL && (strcmp(name, "user_version") == 0 ||
                             strcmp(name, "application_id") == 0))
        return SQLITE_OK;
    return SQLITE_DENY;
}

/* The callback of sqlite3_set_authorizer(): the action decides what a and b
   are. */
static int authorize(void *context, int action, const char *a, const char *b,
                     const char *database, const char *trigger)
{
    (void)context;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION:
        return strcmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA: return authorize_pragma(a, b);
    default: return SQLITE_DENY;
    }
}

static locant_status refuse_sql(sqlite3 *db)
{
    if (sqlite3_errcode(db) == SQLITE_AUTH)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_store_sql: not a query: only reading is"
                           " allowed here");
    return locant_fail(sqlite3_errcode(db) == SQLITE_NOMEM ? LOCANT_ERR_NOMEM
                                                           : LOCANT_ERR_PARAM,
                       "locant_store_sql: SQLite says: %s", sqlite3_errmsg(db));
}

/* Prepare 'query' and refuse anything after its first statement. */
static locant_status prepare_one(sqlite3_stmt **out, sqlite3 *db,
                                 const char *query)
{
    sqlite3_stmt *more = NULL;
    const char *tail;
    int code;

    if (sqlite3_prepare_v2(db, query, -1, out, &tail) != SQLITE_OK)
        return refuse_sql(db);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_store_sql: the query is empty");
    if (!sqlite3_stmt_readonly(*out))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_store_sql: not a query: only reading is"
                           " allowed here");
    code = sqlite3_prepare_v2(db, tail, -1, &more, NULL);
    sqlite3_finalize(more);
    if (code != SQLITE_OK || more != NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_store_sql: more than one statement: '%.40s'"
                           " follows the first",
                           tail);
    return LOCANT_OK;
}

/* One row as its visitor sees it, and memory for the digits of reals. */
struct row {
    const char **names, **values; /* [columns] */
    char *kinds;                  /* [columns]; i, r, t, or n for NULL */
    char (*digits)[32];           /* [columns] */
};

static locant_status no_memory(const locant_store *s, int n)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %d columns",
                       s->path, n);
}

static locant_status make_row(struct row *r, sqlite3_stmt *stmt, int n,
                              const locant_store *s)
{
    size_t room = (size_t)n + 1;

    r->names = locant_alloc(room * sizeof *r->names);
    r->values = locant_alloc(room * sizeof *r->values);
    r->kinds = locant_alloc(room);
    r->digits = locant_alloc(room * sizeof *r->digits);
    if (!r->names || !r->values || !r->kinds || !r->digits)
        return no_memory(s, n);
    for (int i = 0; i < n; i++) {
        r->names[i] = sqlite3_column_name(stmt, i);
        if (r->names[i] == NULL)
            return no_memory(s, n);
    }
    return LOCANT_OK;
}

static void free_row(struct row *r)
{
    locant_release(r->names);
    locant_release(r->values);
    locant_release(r->kinds);
    locant_release(r->digits);
}

/* Print the fewest digits that read back as x, with a decimal point in any
   locale. */
static void print_real(char out[32], double x)
{
    char *comma;

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, x);
        if (strtod(out, NULL) == x)
            break;
    }
    comma = strchr(out, ',');
    if (comma != NULL)
        *comma = '.';
}

static locant_status fill_row(struct row *r, sqlite3_stmt *stmt, int n,
                              const locant_store *s)
{
    for (int i = 0; i < n; i++) {
        r->values[i] = (const char *)sqlite3_column_text(stmt, i);
        switch (sqlite3_column_type(stmt, i)) {
        case SQLITE_INTEGER: r->kinds[i] = 'i'; break;
        case SQLITE_FLOAT:
            r->kinds[i] = 'r';
            print_real(r->digits[i], sqlite3_column_double(stmt, i));
            r->values[i] = r->digits[i];
            break;
        default: r->kinds[i] = r->values[i] ? 't' : 'n';
        }
        /* SQLite had no memory for the text */
        if (r->values[i] == NULL && sqlite3_column_type(stmt, i) != SQLITE_NULL)
            return no_memory(s, n);
    }
    return LOCANT_OK;
}

static locant_status visit_rows(const locant_store *s, sqlite3 *db,
                                sqlite3_stmt *stmt, locant_sql_visitor visit,
                                void *context)
{
    int n = sqlite3_column_count(stmt), code = SQLITE_ROW;
    struct row r = { 0 };
    locant_status status = make_row(&r, stmt, n, s);

    while (status == LOCANT_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        status = fill_row(&r, stmt, n, s);
        if (status != LOCANT_OK)
            break;
        if (visit(n, r.names, r.values, r.kinds, context) != 0)
            break;
    }
    if (code == SQLITE_ERROR)
        status = refuse_sql(db);
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = lct_store_fail(s, db);
    free_row(&r);
    return status;
}

locant_status locant_store_sql(locant_store *store, const char *query,
                               locant_sql_visitor row, void *context)
{
    struct lct_store_guard guard;
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    locant_status status;

    LCT_NOT_NULL(__func__, store);
    LCT_NOT_NULL(__func__, query);
    LCT_NOT_NULL(__func__, row);
    LCT_TRY(
        lct_store_connect_readonly(&db, &guard, store, LCT_SQL_STEPS_OF_USERS));
    sqlite3_set_authorizer(db, authorize, NULL);
    status = prepare_one(&stmt, db, query);
    if (status == LOCANT_OK)
        status = visit_rows(store, db, stmt, row, context);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return status;
}

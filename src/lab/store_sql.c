/*
 * store_sql.c - one query by the user.
 *
 * Three fences: a connection that cannot write, sqlite3_stmt_readonly(), and an
 * authorizer that allows reading tables and nothing else, so that neither
 * ATTACH nor VACUUM INTO reaches another file.
 */
#include "store.h"
#include <string.h>

static int readable_pragma(const char *name, const char *argument)
{
    static const char *const tables[] = {"table_info", "index_list",
                                         "index_info", "table_list"};

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(name, tables[i]) == 0)
            return SQLITE_OK;
    if (argument == NULL && (strcmp(name, "user_version") == 0 ||
                             strcmp(name, "application_id") == 0))
        return SQLITE_OK;
    return SQLITE_DENY;
}

static int authorize(void *context, int action, const char *a, const char *b,
                     const char *database, const char *trigger)
{
    (void)context;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return strcmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
        return readable_pragma(a, b);
    default:
        return SQLITE_DENY;
    }
}

static locant_status refuse_sql(sqlite3 *db)
{
    if (sqlite3_errcode(db) == SQLITE_AUTH)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_store_sql: not a query: only reading is"
                           " allowed here");
    return locant_fail(LOCANT_ERR_PARAM, "locant_store_sql: %s",
                       sqlite3_errmsg(db));
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
                           " follows the first", tail);
    return LOCANT_OK;
}

static locant_status visit_rows(const locant_store *s, sqlite3 *db,
                                sqlite3_stmt *stmt, locant_sql_visitor row,
                                void *context)
{
    int n = sqlite3_column_count(stmt), code = SQLITE_ROW;
    const char **text = locant_alloc((2 * (size_t)n + 1) * sizeof *text);
    locant_status status = LOCANT_OK;

    if (text == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %d columns",
                           s->path, n);
    for (int i = 0; i < n; i++)
        text[i] = sqlite3_column_name(stmt, i);
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        for (int i = 0; i < n; i++)
            text[n + i] = (const char *)sqlite3_column_text(stmt, i);
        if (row(n, text, text + n, context) != 0)
            break;
    }
    if (code == SQLITE_ERROR)
        status = refuse_sql(db);
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = lct_store_failed(s, db);
    locant_release(text);
    return status;
}

locant_status locant_store_sql(locant_store *store, const char *query,
                               locant_sql_visitor row, void *context)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    locant_status status;

    if (store == NULL || query == NULL || row == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", __func__,
                           !store ? "store" : !query ? "query" : "row");
    LCT_TRY(lct_store_connect_readonly(&db, store));
    sqlite3_set_authorizer(db, authorize, NULL);
    status = prepare_one(&stmt, db, query);
    if (status == LOCANT_OK)
        status = visit_rows(store, db, stmt, row, context);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return status;
}

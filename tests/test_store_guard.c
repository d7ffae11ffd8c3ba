/* test_store_guard.c - hostile schemas and pages do no harm */
/* needs: lab */
#define _GNU_SOURCE
#include "store_case.h"

IN_SCRATCH(refuses_a_schema_that_is_not_ours)
{
    static const struct {
        const char *sql, *said;
    } cases[] = {
        { "DROP TABLE gradients",
          "has no table gradients, which a store of locant has" },
        { "ALTER TABLE runs RENAME TO other; CREATE VIEW runs AS WITH RECURSIVE"
          " c AS (SELECT * FROM other UNION ALL SELECT * FROM c) SELECT * FROM"
          " c",
          "its runs is not the table that a store of locant has" },
        { "ALTER TABLE plans ADD COLUMN more AS (hex(zeroblob(99999999)))",
          "its plans is not the table that a store of locant has" },
        { "DROP TABLE probes; CREATE TABLE probes (run, name, setting, value)",
          "its probes is not the table that a store of locant has" },
        { "DROP INDEX runs_parent",
          "has no index runs_parent, which a store of locant has" },
    };
    char want[PATH_MAX + 128], *bytes;
    locant_store *s = open_store();
    size_t size;

    locant_store_close(s);
    bytes = scratch_read(scratch_file(&dir, "store/runs.db"), &size);
    for (size_t i = 0; i < LEN(cases); i++) {
        change(cases[i].sql);
        snprintf(want, sizeof want, "%s: %s",
                 scratch_file(&dir, "store/runs.db"), cases[i].said);
        CHECK_REFUSED(locant_store_open(&s, scratch_file(&dir, "store")),
                      LOCANT_ERR_FORMAT, want);
        CHECK_REFUSED(
            locant_store_open_readonly(&s, scratch_file(&dir, "store")),
            LOCANT_ERR_FORMAT, want);
        scratch_write(scratch_file(&dir, "store/runs.db"), bytes, size);
    }
    free(bytes);
}

/* Other tables, views and triggers stay in the file, and none is run. */
IN_SCRATCH(runs_no_foreign_view_or_trigger)
{
    locant_store *s = open_store();
    int rows = 0;

    add_run(s, "a");
    locant_store_close(s);
    change("CREATE TABLE notes (x); CREATE VIEW v AS SELECT * FROM runs;"
           "CREATE TRIGGER t AFTER INSERT ON runs BEGIN"
           " DELETE FROM runs; END");
    s = open_store();
    add_run(s, "b");
    assert_int_equal(ask(&dir, "SELECT count(*) FROM runs"), 2);
    CHECK_OK(locant_store_sql(s, "SELECT * FROM notes", count_row, &rows));
    REFUSES(PARAM, locant_store_sql(s, "SELECT * FROM v", count_row, &rows),
            "SQLite says: access to view \"v\" prohibited");
    assert_int_equal(rows, 0);
    locant_store_close(s);
}

static void check_switches(sqlite3 *db)
{
    int on;

    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &on);
    assert_int_equal(on, 0);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, -1, &on);
    assert_int_equal(on, 1);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, -1, &on);
    assert_int_equal(on, 0);
    CHECK(sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1) <= 512 << 20);
    assert_int_equal(sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, -1), 0);
}

IN_SCRATCH(guards_every_connection)
{
    locant_store *s = open_store();

    check_switches(s->db);
    locant_store_close(s);
    CHECK_OK(locant_store_open_readonly(&s, scratch_file(&dir, "store")));
    check_switches(s->db);
    locant_store_close(s);
}

IN_SCRATCH(ends_a_query_that_does_not_end)
{
    static const char endless[] = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL"
                                  " SELECT x + 1 FROM c) SELECT max(x) FROM c";
    OWNED(locant_store) *s = open_store();
    char want[PATH_MAX + 128], *text;

    snprintf(want, sizeof want,
             "%s: a query took more steps than any of a"
             " store of its size",
             scratch_file(&dir, "store/runs.db"));
    s->guard.base_steps = 0; /* the size of the file allows a few million */
    CHECK_REFUSED(lct_store_read_string(&text, s, endless, ""),
                  LOCANT_ERR_FORMAT, want);
    add_run(s, "a"); /* the next statement is counted from 0 */
}

/* Let all cells of an inner page of a table lead to the page of the first. */
static void tie_cells(unsigned char *page)
{
    const int cells = page[3] << 8 | page[4];
    const unsigned char *first = page + (page[12] << 8 | page[13]);

    assert_int_equal(page[0], 5);
    CHECK(cells > 1);
    for (int i = 1; i < cells; i++)
        memcpy(page + (page[12 + 2 * i] << 8 | page[13 + 2 * i]), first, 4);
    memcpy(page + 8, first, 4);
}

IN_SCRATCH(ends_a_list_whose_pages_lead_back)
{
    char name[16], want[PATH_MAX + 128], *bytes;
    locant_store *s = open_store();
    int64_t root;
    size_t size;
    int n = 0;

    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "%d", i);
        add_run(s, name);
    }
    locant_store_close(s);
    root = ask(&dir, "SELECT rootpage FROM sqlite_master WHERE name = 'runs'");
    bytes = scratch_read(scratch_file(&dir, "store/runs.db"), &size);
    tie_cells((unsigned char *)bytes + 4096 * (root - 1));
    scratch_write(scratch_file(&dir, "store/runs.db"), bytes, size);
    s = open_store();
    snprintf(want, sizeof want, "%s: run 1 comes twice",
             scratch_file(&dir, "store/runs.db"));
    CHECK_REFUSED(locant_store_runs(s, count_run, &n), LOCANT_ERR_FORMAT, want);
    locant_store_close(s);
    free(bytes);
}

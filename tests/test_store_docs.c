/* test_store_docs.c - docs/STORE.md lists the schema of a new store */
/* needs: lab */
#define _GNU_SOURCE
#include "store_case.h"

static char *page, *section; /* section of the table that is checked */

/* Does the section have this text? */
static bool section_has(const char *text)
{
    const char *end = strstr(section + 3, "\n## ");
    const char *at = strstr(section, text);

    return at != NULL && (end == NULL || at < end);
}

static int rows_of_section(void)
{
    const char *end = strstr(section + 3, "\n## ");
    int n = 0;

    for (const char *p = section; (p = strstr(p + 1, "\n| `")) != NULL; n++)
        if (end != NULL && p > end)
            break;
    return n;
}

static int see_column(int n, const char *const *names,
                      const char *const *values, const char *kinds, void *count)
{
    const bool may_be_null = values[3][0] == '0' && values[5][0] == '0';
    char line[128];

    (void)n;
    (void)names;
    (void)kinds;
    snprintf(line, sizeof line, "\n| `%s` | %s%s | ", values[1], values[2],
             may_be_null ? " or NULL" : "");
    if (!section_has(line))
        FAIL("docs/STORE.md lacks%s\n", line);
    ++*(int *)count;
    return 0;
}

static int see_table(int n, const char *const *names, const char *const *values,
                     const char *kinds, void *context)
{
    char text[128];
    int columns = 0;

    (void)n;
    (void)names;
    (void)kinds;
    snprintf(text, sizeof text, "\n## %s\n", values[0]);
    section = strstr(page, text);
    if (section == NULL)
        FAIL("docs/STORE.md has no table %s\n", values[0]);
    snprintf(text, sizeof text, "PRAGMA table_info(%s)", values[0]);
    CHECK_OK(locant_store_sql(context, text, see_column, &columns));
    if (rows_of_section() != columns)
        FAIL("docs/STORE.md has %d columns of %s, there are %d\n",
             rows_of_section(), values[0], columns);
    return 0;
}

static int see_index(int n, const char *const *names, const char *const *values,
                     const char *kinds, void *context)
{
    char text[128];

    (void)n;
    (void)names;
    (void)kinds;
    (void)context;
    snprintf(text, sizeof text, "Index `%s` ", values[0]);
    if (strstr(page, text) == NULL)
        FAIL("docs/STORE.md lacks %s\n", text);
    return 0;
}

static void read_page(void)
{
    size_t size;

    page = scratch_read(LOCANT_SOURCE "/docs/STORE.md", &size);
    page[size] = 0;
}

IN_SCRATCH(the_query_of_the_page_runs)
{
    static const char call[] = "locant runs sql --json \"";
    OWNED(locant_store) *s = open_store();
    char *query;
    int rows = 0;

    read_page();
    query = strstr(page, call);
    CHECK(query != NULL);
    query += strlen(call);
    *strchr(query, '"') = 0;
    CHECK_OK(locant_store_sql(s, query, count_row, &rows));
    free(page);
}

IN_SCRATCH(the_page_is_the_schema)
{
    OWNED(locant_store) *s = open_store();
    char version[64];

    read_page();
    CHECK_OK(locant_store_sql(s,
                              "SELECT name FROM sqlite_master WHERE type ="
                              " 'table' AND name NOT LIKE 'sqlite%'",
                              see_table, s));
    CHECK_OK(locant_store_sql(s,
                              "SELECT name FROM sqlite_master WHERE type ="
                              " 'index' AND sql IS NOT NULL",
                              see_index, s));
    snprintf(version, sizeof version, "schema version, %d,", LCT_STORE_VERSION);
    CHECK(strstr(page, version) != NULL);
    free(page);
}

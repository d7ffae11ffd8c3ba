/*
 * fuzz_store.c - an untrusted store: values put into its tables by SQL, or
 * bytes put into its pages. Every reader rejects it with an error message or
 * accepts it, in little memory, and every call ends.
 *
 * Bits of the first byte choose between values (a column, a type, and its
 * bytes) and pages (an offset in three bytes, and one byte), and whether the
 * store is also opened for writing and its text generated again.
 */
#define _GNU_SOURCE
#include "../tests/store_records.h"
#include "fuzz.h"
#include "measure/results.h"
#include "store/speed.h"
#include "store/store_eval.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMNS = 160, MEMORY = 16 << 20, STEPS = 1000000 };

static const char sha[] =
    "22139ead84b058c37e8fee07320d79ee816d69bdee3ab7311fc6680865079940";
static char folder[64], checkpoints[80], database[80], wal[88], shm[88];
static uint8_t *whole; /* bytes of a valid store */
static size_t whole_size;
static char *updates[COLUMNS]; /* "UPDATE .. SET column = ?1" */
static int n_updates;

/* ------------------------------------------------------------- the template */

static void remove_database(void)
{
    unlink(wal);
    unlink(shm);
    unlink(database);
}

static void clean_up(void)
{
    remove_database();
    rmdir(checkpoints);
    rmdir(folder);
}

static void exec(sqlite3 *db, const char *sql)
{
    HOLDS(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
}

static void add_run(locant_store *s, const char *key, const char *source,
                    const char *status)
{
    const struct lct_run_new run = { .key = key,
                                     .encoding = "alibi",
                                     .source = source,
                                     .model = SMALL_MODEL,
                                     .corpus_sha256 = sha,
                                     .options = "{\"encoding\":\"alibi\"}",
                                     .steps = 3,
                                     .batch = 2,
                                     .length = 16,
                                     .parameters = 4504,
                                     .bytes = 126272 };
    const struct lct_run_state state = { status, 3, .5, 7, NULL };
    const struct lct_metric m[3] = { { 1, 5, 1, .1, 1 },
                                     { 2, 4, 1, .1, 1 },
                                     { 3, 3, 1, .1, 1 } };
    int64_t id;

    HOLDS(lct_store_find_or_add_run(&id, s, &run) == LOCANT_OK);
    HOLDS(lct_store_begin_session(s, id, 0) == LOCANT_OK);
    HOLDS(lct_store_record(s, id, &state, m, 3) == LOCANT_OK);
    HOLDS(lct_store_keep_probe(s, id, "speed", "", "{\"forward\":1}") ==
          LOCANT_OK);
}

static void add_evaluation(locant_store *s, int64_t run)
{
    const struct lct_evaluation_key key = { .run = run,
                                            .corpus_sha256 = sha,
                                            .want = 2 };
    const double losses[2 * LOCANT_EVAL_LENGTHS] = { 3, 3, 3 };
    const struct lct_block_losses blocks = { losses, losses, losses, losses };
    locant_evaluation e = { .blocks = 2, .valid = 3 };

    for (int i = 0; i < LOCANT_EVAL_LENGTHS; i++)
        e.length[i] = INT64_C(128) << i;
    HOLDS(lct_store_save_evaluation(s, &key, &e, &blocks) == LOCANT_OK);
}

static void fill(locant_store *s)
{
    const struct lct_recipe recipe = { sha, "generated", "[]", 0, 65536 };
    const struct lct_task_score score = score_of_run(2);
    char *plan;

    add_run(s, "a;seed=1", "text", "done");
    add_run(s, "b;seed=1", "T1", "interrupted");
    add_evaluation(s, 1);
    HOLDS(lct_store_keep_corpus(s, &recipe) == LOCANT_OK);
    HOLDS(lct_store_add_scores(s, &score, 1) == LOCANT_OK);
    HOLDS(lct_store_keep_plan(&plan, s, "report", "{}") == LOCANT_OK);
    locant_release(plan);
}

static void list_columns(sqlite3 *db)
{
    sqlite3_stmt *stmt;

    HOLDS(sqlite3_prepare_v2(
              db,
              "SELECT 'UPDATE OR IGNORE ' || m.name || ' SET ' || c.name"
              " || ' = ?1' FROM sqlite_master m, pragma_table_info(m.name) c"
              " WHERE m.type = 'table'",
              -1, &stmt, NULL) == SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW && n_updates < COLUMNS)
        updates[n_updates++] =
            strdup((const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
}

/* Small pages, so that more of the file is structure. */
static void make_template(void)
{
    locant_store *s;
    sqlite3 *db;
    FILE *f;

    snprintf(folder, sizeof folder, "fuzz_store.%ld", (long)getpid());
    snprintf(checkpoints, sizeof checkpoints, "%s/checkpoints", folder);
    snprintf(database, sizeof database, "%s/runs.db", folder);
    snprintf(wal, sizeof wal, "%s-wal", database);
    snprintf(shm, sizeof shm, "%s-shm", database);
    HOLDS(locant_store_open(&s, folder) == LOCANT_OK);
    atexit(clean_up);
    fill(s);
    locant_store_close(s);
    HOLDS(sqlite3_open(database, &db) == SQLITE_OK);
    exec(db, "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM;"
             "PRAGMA journal_mode = WAL");
    list_columns(db);
    sqlite3_close(db);
    f = fopen(database, "rb");
    HOLDS(f != NULL && fseek(f, 0, SEEK_END) == 0);
    whole_size = (size_t)ftell(f);
    whole = malloc(whole_size);
    rewind(f);
    HOLDS(whole && fread(whole, 1, whole_size, f) == whole_size);
    fclose(f);
}

/* --------------------------------------------------------------- the change */

static void write_database(const uint8_t *bytes)
{
    FILE *f;

    remove_database();
    f = fopen(database, "wb");
    HOLDS(f && fwrite(bytes, 1, whole_size, f) == whole_size);
    fclose(f);
}

static void change_pages(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(whole_size);

    memcpy(bytes, whole, whole_size);
    for (; size >= 4; data += 4, size -= 4)
        bytes[(data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) %
              whole_size] = data[3];
    write_database(bytes);
    free(bytes);
}

/* Bind the value that begins at 'data'; returns how many bytes it took. */
static size_t bind(sqlite3_stmt *stmt, int type, const uint8_t *data,
                   size_t size)
{
    size_t n = size > 0 ? data[0] : 0;
    int64_t integer = 0;
    double real;

    if (type < 2) {
        n = size < 8 ? size : 8;
        memcpy(&integer, data, n);
        memcpy(&real, &integer, 8);
        if (type == 0)
            sqlite3_bind_int64(stmt, 1, integer);
        else
            sqlite3_bind_double(stmt, 1, real);
        return n;
    }
    n = n + 1 < size ? n : size > 0 ? size - 1 : 0;
    if (type == 2)
        sqlite3_bind_text(stmt, 1, (const char *)data + 1, (int)n,
                          SQLITE_TRANSIENT);
    else
        sqlite3_bind_blob(stmt, 1, data + 1, (int)n, SQLITE_TRANSIENT);
    return n + 1 < size ? n + 1 : size;
}

static void change_values(const uint8_t *data, size_t size)
{
    sqlite3_stmt *stmt;
    sqlite3 *db;

    write_database(whole);
    HOLDS(sqlite3_open(database, &db) == SQLITE_OK);
    exec(db, "PRAGMA synchronous = OFF;PRAGMA ignore_check_constraints = ON");
    while (size >= 2) {
        const char *sql = updates[data[0] % n_updates];
        size_t n;

        HOLDS(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK);
        n = bind(stmt, data[1] % 4, data + 2, size - 2);
        sqlite3_step(stmt);
        sqlite3_finalize(stmt);
        data += 2 + n;
        size -= 2 + n;
    }
    sqlite3_close(db);
}

/* -------------------------------------------------------------- the readers */

/* A failure has an error message, printable unless it quotes SQLite, which may
   quote the file. */
static void check_message(locant_status status)
{
    if (status == LOCANT_OK)
        return;
    HOLDS(locant_last_error()[0] != '\0');
    if (strstr(locant_last_error(), "SQLite says") == NULL)
        fuzz_sentence();
}

static int see_run(const locant_run_info *run, void *context)
{
    (void)context;
    HOLDS(run->id >= 1 && run->length >= 1 && run->batch >= 1);
    HOLDS(run->step >= 0 && run->step <= run->steps && run->seconds >= 0);
    return 0;
}

static int see_score(const locant_run_info *run, const char *setup,
                     const locant_task_score *score, void *context)
{
    (void)run;
    (void)context;
    HOLDS(setup && score->setting && score->exact <= score->items);
    return 0;
}

static int see_row(int n, const char *const *names, const char *const *values,
                   const char *kinds, void *context)
{
    (void)context;
    HOLDS(names && values && kinds);
    for (int i = 0; i < n; i++)
        HOLDS(names[i] != NULL && (kinds[i] == 'n') == (values[i] == NULL));
    return 0;
}

/* Is every text of the store small, and not read from a file? */
static bool can_be_generated(locant_store *s)
{
    char *text;
    bool good;

    if (lct_store_read_string(&text, s,
                              "SELECT 1 FROM corpora HAVING min(kind ="
                              " 'generated' AND max_bytes < 99999)",
                              "") != LOCANT_OK)
        return false;
    good = text != NULL;
    locant_release(text);
    return good;
}

static void read_run(locant_store *s, int64_t id)
{
    struct lct_results results;
    struct lct_run_extra extra;
    struct lct_metric *metrics = NULL;
    locant_run_info run;
    locant_evaluation e;
    double *losses = NULL;
    locant_encoding *encoding;
    const locant_task_info *task;
    struct lct_speed speed;
    char *text = NULL;
    bool found;
    size_t n;
    locant_status status = locant_store_run(&run, s, id);

    check_message(status);
    if (status == LOCANT_OK &&
        lct_encoding_of_run(&encoding, s, &run) == LOCANT_OK)
        locant_encoding_free(encoding);
    check_message(locant_task_of(&task, s, id));
    check_message(lct_store_read_run_extra(&extra, s, id));
    check_message(lct_store_read_run_options(&text, s, id));
    locant_release(text);
    check_message(lct_store_read_metrics(&metrics, &n, s, id));
    locant_release(metrics);
    check_message(
        lct_store_load_evaluation(&e, &losses, &found, s, id, sha, 2));
    locant_release(losses);
    check_message(lct_speed_read(&speed, s, id));
    check_message(lct_store_read_probes(&text, s, id, "speed", ""));
    locant_release(text);
    check_message(lct_results_of_runs(&results, s, &id, 1, false));
    lct_results_free(&results);
}

static void read_all(locant_store *s, bool text)
{
    locant_corpus *corpus = NULL;

    s->guard.base_steps = STEPS;
    check_message(locant_store_runs(s, see_run, NULL));
    check_message(locant_task_recorded(s, see_score, NULL));
    read_run(s, 1);
    read_run(s, 2);
    check_message(locant_store_sql(
        s, "SELECT * FROM runs JOIN metrics ON run = id", see_row, NULL));
    if (text && can_be_generated(s)) {
        check_message(locant_store_corpus(&corpus, s, 1));
        locant_corpus_free(corpus);
    }
}

static void write_some(void)
{
    locant_store *s;
    locant_status status = locant_store_open(&s, folder);

    check_message(status);
    if (status != LOCANT_OK)
        return;
    check_message(lct_store_begin_session(s, 2, 1));
    check_message(locant_store_remove(s, 1));
    locant_store_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    locant_store *s;
    locant_status status;

    if (whole == NULL)
        make_template();
    if (size == 0)
        return 0;
    if (data[0] & 1)
        change_pages(data + 1, size - 1);
    else
        change_values(data + 1, size - 1);
    fuzz_begin();
    status = locant_store_open_readonly(&s, folder);
    check_message(status);
    if (status == LOCANT_OK)
        read_all(s, data[0] & 4);
    locant_store_close(status == LOCANT_OK ? s : NULL);
    if (data[0] & 2)
        write_some();
    fuzz_end(MEMORY);
    return 0;
}

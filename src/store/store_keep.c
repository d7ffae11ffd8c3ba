/* store_keep.c - recipes of corpora, scores of tasks, probes, plans */
#include "store.h"
#include <string.h>

locant_status lct_store_keep_corpus(locant_store *s, const struct lct_recipe *r)
{
    return lct_store_write(
        s, "locant_train",
        "INSERT INTO corpora VALUES (?1, ?2, ?3, ?4, ?5)"
        " ON CONFLICT (sha256) DO UPDATE"
        " SET kind = ?2, paths = ?3, seed = ?4, max_bytes = ?5"
        " WHERE (kind, paths, seed, max_bytes) IS NOT (?2, ?3, ?4, ?5)",
        "sssii", r->sha256, r->kind, r->paths, (int64_t)r->seed, r->max_bytes);
}

/* ------------------------------------------------------------------- tasks */

static locant_status add_score(locant_store *s, const struct lct_task_score *t)
{
    const locant_task_score *x = &t->score;

    return lct_store_exec(
        s,
        "INSERT OR IGNORE INTO task_scores VALUES"
        " (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        "isssiiiiiiid", t->run, x->task, x->setting, t->encoding, t->test_seed,
        x->length, x->place, x->items, x->exact, x->tokens, x->hits, x->loss);
}

locant_status lct_store_add_scores(locant_store *s,
                                   const struct lct_task_score *scores,
                                   size_t n)
{
    locant_status status = LOCANT_OK;

    LCT_TRY(lct_store_begin(s, "locant_task_score"));
    for (size_t i = 0; i < n && status == LOCANT_OK; i++)
        status = add_score(s, &scores[i]);
    return lct_store_end(s, status);
}

/* Check the values of a score that was read from the store. */
static locant_status check_score(const struct lct_task_score *t,
                                 const locant_store *s)
{
    const locant_task_score *x = &t->score;
    const char *wrong =
        x->setting == NULL || t->encoding == NULL ? "text that is NULL"
        : strlen(x->setting) >= LCT_TASK_SETTING
            ? "a setting of 64 bytes or more"
        : x->length < 1 || x->length > 1 << 20 ? "a length out of range"
        : x->place < -1                        ? "a place below -1"
        : x->items < 0 || x->items > LCT_TASK_MAX_ITEMS ? "items out of range"
        : x->exact < 0 || x->exact > x->items ? "exact beyond its items"
        : x->hits < 0 || x->hits > x->tokens  ? "hits beyond its tokens"
                                              : NULL;

    if (wrong == NULL)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: a score of run %lld on %s has"
                       " %s",
                       s->path, (long long)t->run, x->task, wrong);
}

/* t has the run and the task. */
static locant_status visit_scores(struct lct_task_score *t, locant_store *s,
                                  sqlite3_stmt *stmt, lct_score_visitor visit,
                                  void *context)
{
    locant_task_score *x = &t->score;
    bool row;

    for (;;) {
        LCT_TRY(lct_store_step(&row, s, stmt));
        if (!row)
            return LOCANT_OK;
        x->setting = (const char *)sqlite3_column_text(stmt, 0);
        t->encoding = (const char *)sqlite3_column_text(stmt, 1);
        t->test_seed = sqlite3_column_int64(stmt, 2);
        x->length = sqlite3_column_int64(stmt, 3);
        x->place = sqlite3_column_int64(stmt, 4);
        x->items = sqlite3_column_int64(stmt, 5);
        x->exact = sqlite3_column_int64(stmt, 6);
        x->tokens = sqlite3_column_int64(stmt, 7);
        x->hits = sqlite3_column_int64(stmt, 8);
        x->loss = lct_column_double(stmt, 9);
        LCT_TRY(check_score(t, s));
        if (visit(t, context) != 0)
            return LOCANT_OK;
    }
}

locant_status lct_store_visit_scores(locant_store *s, int64_t run,
                                     const char *task, lct_score_visitor visit,
                                     void *context)
{
    struct lct_task_score t = { .run = run, .score.task = task };
    sqlite3_stmt *stmt = NULL;
    locant_status status;

    lct_store_lock(s);
    status = lct_store_prepare(
        &stmt, s,
        "SELECT setting, encoding, test_seed, length, place, items, exact,"
        " tokens, hits, loss FROM task_scores WHERE run = ?1 AND task = ?2"
        " ORDER BY setting, encoding, test_seed, length, place",
        "is", run, task);
    if (status == LOCANT_OK)
        status = visit_scores(&t, s, stmt, visit, context);
    sqlite3_finalize(stmt);
    lct_store_unlock(s);
    return status;
}

/* -------------------------------------------------------- probes and plans */

locant_status lct_store_keep_probe(locant_store *s, int64_t run,
                                   const char *name, const char *setting,
                                   const char *value)
{
    return lct_store_write(
        s, "locant_probe",
        "INSERT OR REPLACE INTO probes VALUES (?1, ?2, ?3, ?4)", "isss", run,
        name, setting, value);
}

locant_status lct_store_keep_latest_probe(locant_store *s, int64_t run,
                                          const char *name, const char *setting,
                                          const char *value)
{
    return lct_store_write(
        s, "locant_report_run",
        "INSERT OR REPLACE INTO probes VALUES (?1, ?2, ?3,"
        " json_set(?4, '$.kept', (SELECT 1 +"
        " coalesce(max(json_extract(value, '$.kept')), 0) FROM probes"
        " WHERE name = ?2 AND setting = ?3 AND json_valid(value))))",
        "isss", run, name, setting, value);
}

locant_status lct_store_read_probe(char **out, locant_store *s, int64_t run,
                                   const char *name, const char *setting)
{
    return lct_store_read_string(out, s,
                                 "SELECT value FROM probes WHERE run = ?1"
                                 " AND name = ?2 AND setting = ?3",
                                 "iss", run, name, setting);
}

locant_status lct_store_read_probes(char **out, locant_store *s, int64_t run,
                                    const char *name, const char *prefix)
{
    return lct_store_read_string(out, s,
                                 "SELECT json_group_array(json(value)) FROM"
                                 " (SELECT value FROM probes WHERE run = ?1"
                                 " AND name = ?2"
                                 " AND substr(setting, 1, length(?3)) = ?3"
                                 " ORDER BY setting)",
                                 "iss", run, name, prefix);
}

locant_status lct_store_read_plan(char **out, locant_store *s, const char *key)
{
    return lct_store_read_string(
        out, s, "SELECT plan FROM plans WHERE key = ?1", "s", key);
}

locant_status lct_store_keep_plan(char **out, locant_store *s, const char *key,
                                  const char *plan)
{
    char made[32];

    lct_store_now(made);
    *out = NULL;
    LCT_TRY(lct_store_write(s, "locant_report_run",
                            "INSERT OR IGNORE INTO plans VALUES (?1, ?2, ?3)",
                            "sss", key, plan, made));
    return lct_store_read_plan(out, s, key);
}

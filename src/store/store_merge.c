/*
 * store_merge.c - adds what one store has to another.
 *
 * A run is known by its key, and everything of it is added in one transaction.
 * Its checkpoint is written before the transaction is committed: if the process
 * is killed between, the next merge does it again.
 */
#define _GNU_SOURCE
#include "copy_rows.h"
#include "merge_checkpoint.h"
#include "merge_texts.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* --------------------------------------------------------------- the tables */

/* ?1 of the insert is the parent in the destination, or 0. */
static const struct lct_copied_rows new_run = {
    "runs",
    "SELECT key, status, encoding, model, corpus_sha256, seed, step, steps,"
    " batch, length, parameters, encoding_parameters, bytes, seconds,"
    " batch_checksum, message, started, source, options, build"
    " FROM runs WHERE id = ?1",
    "INSERT INTO runs (parent, key, status, encoding, model, corpus_sha256,"
    " seed, step, steps, batch, length, parameters, encoding_parameters, bytes,"
    " seconds, batch_checksum, message, started, source, options, build)"
    " VALUES (nullif(?1, 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
    " ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)",
    "sssssiiiiiiiidstsstt"
};

static const struct lct_copied_rows state = {
    "runs",
    "SELECT status, step, seconds, batch_checksum, message, started, build"
    " FROM runs WHERE id = ?1",
    "UPDATE runs SET (status, step, seconds, batch_checksum, message, started,"
    " build) = (?2, ?3, ?4, ?5, ?6, ?7, ?8) WHERE id = ?1",
    "sidstst"
};

/* What training writes of a run besides its row. */
static const struct lct_copied_rows training[] = {
    { "metrics",
      "SELECT step, loss, grad_norm, rate FROM metrics WHERE run = ?1"
      " ORDER BY step",
      "INSERT INTO metrics VALUES (?1, ?2, ?3, ?4, ?5)", "iddd" },
    { "gradients",
      "SELECT step, part, norm FROM gradients WHERE run = ?1"
      " ORDER BY step, part",
      "INSERT INTO gradients VALUES (?1, ?2, ?3, ?4)", "isd" },
    { "sittings", "SELECT step, isa, started FROM sittings WHERE run = ?1",
      "INSERT INTO sittings VALUES (?1, ?2, ?3, ?4)", "iss" },
};
enum { TRAINING = sizeof training / sizeof training[0] };

/* What was measured of a run. The first value of a key stays. */
static const struct lct_copied_rows measured[] = {
    { "evaluations",
      "SELECT corpus_sha256, want, encoding, policy, lengths, blocks,"
      " own_window, valid, shuffled, causality, tokens_per_second"
      " FROM evaluations WHERE run = ?1",
      "INSERT OR IGNORE INTO evaluations (run, corpus_sha256, want, encoding,"
      " policy, lengths, blocks, own_window, valid, shuffled, causality,"
      " tokens_per_second) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
      " ?11, ?12)",
      "sisssiddddd" },
    { "task_scores",
      "SELECT task, setting, encoding, test_seed, length, place, items, exact,"
      " tokens, hits, loss FROM task_scores WHERE run = ?1",
      "INSERT OR IGNORE INTO task_scores VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,"
      " ?8, ?9, ?10, ?11, ?12)",
      "sssiiiiiiid" },
    { "probes", "SELECT name, setting, value FROM probes WHERE run = ?1",
      "INSERT OR IGNORE INTO probes VALUES (?1, ?2, ?3, ?4)", "sss" },
};

static const struct lct_copied_rows of_evaluation[] = {
    { "curves",
      "SELECT protocol, length, loss FROM curves WHERE evaluation = ?1",
      "INSERT OR IGNORE INTO curves VALUES (?1, ?2, ?3, ?4)", "sid" },
    { "losses",
      "SELECT protocol, length, block, loss FROM losses WHERE evaluation = ?1",
      "INSERT OR IGNORE INTO losses VALUES (?1, ?2, ?3, ?4, ?5)", "siid" },
};

/* ------------------------------------------------------------------- a run */

struct merge {
    locant_store *to, *from;
    locant_store_merged counts;
    locant_status status;
};

static locant_status read_side(struct lct_merge_side *out, locant_store *s,
                               const char *key)
{
    char status[16] = "";
    bool found;

    LCT_TRY(lct_store_get(
        &found, s, "SELECT id, step, steps, status FROM runs WHERE key = ?1",
        "s>iiit", key, &out->id, &out->step, &out->steps, status,
        sizeof status));
    if (!found)
        out->id = 0;
    out->done = found && strcmp(status, "done") == 0;
    return LOCANT_OK;
}

/* The id that a parent of the source has in the destination; 0: none. */
static locant_status find_parent(int64_t *out, const struct merge *m,
                                 int64_t parent)
{
    char key[1024] = "";
    bool found;

    *out = 0;
    if (parent == 0)
        return LOCANT_OK;
    LCT_TRY(lct_store_get(&found, m->from, "SELECT key FROM runs WHERE id = ?1",
                          "i>t", parent, key, sizeof key));
    if (found)
        LCT_TRY(lct_store_get(&found, m->to,
                              "SELECT id FROM runs WHERE key = ?1", "s>i", key,
                              out));
    return LOCANT_OK;
}

/* Insert the row of a run; its options name its parent by the new id. */
static locant_status add_row(int64_t *id, const struct merge *m, int64_t from,
                             int64_t parent)
{
    LCT_TRY(find_parent(&parent, m, parent));
    LCT_TRY(lct_copy_rows(m->to, parent, m->from, from, &new_run));
    *id = sqlite3_last_insert_rowid(m->to->db);
    lct_store_clean_run(m->to, *id, true);
    if (parent == 0)
        return LOCANT_OK;
    return lct_store_exec(m->to,
                          "UPDATE runs SET options = json_set(options,"
                          " '$.parent', ?2) WHERE id = ?1 AND options IS NOT"
                          " NULL AND json_valid(options)",
                          "ii", *id, parent);
}

static locant_status copy_training(const struct merge *m, int64_t to,
                                   int64_t from)
{
    for (int i = 0; i < TRAINING; i++)
        LCT_TRY(lct_copy_rows(m->to, to, m->from, from, &training[i]));
    return LOCANT_OK;
}

static locant_status replace_training(const struct merge *m, int64_t to,
                                      int64_t from)
{
    LCT_TRY(
        lct_store_exec(m->to, "DELETE FROM metrics WHERE run = ?1", "i", to));
    LCT_TRY(
        lct_store_exec(m->to, "DELETE FROM gradients WHERE run = ?1", "i", to));
    LCT_TRY(
        lct_store_exec(m->to, "DELETE FROM sittings WHERE run = ?1", "i", to));
    LCT_TRY(lct_copy_rows(m->to, to, m->from, from, &state));
    return copy_training(m, to, from);
}

/* The curves of each evaluation of the run. */
static locant_status copy_curves(const struct merge *m, int64_t to,
                                 int64_t from)
{
    int64_t id = 0, in_to;
    bool found;

    for (;;) {
        char sha[65] = "", encoding[512] = "", policy[64] = "",
             lengths[256] = "";
        int64_t want;

        LCT_TRY(lct_store_get(
            &found, m->from,
            "SELECT id, want, corpus_sha256, encoding, policy, lengths"
            " FROM evaluations WHERE run = ?1 AND id > ?2 ORDER BY id LIMIT 1",
            "ii>iitttt", from, id, &id, &want, sha, sizeof sha, encoding,
            sizeof encoding, policy, sizeof policy, lengths, sizeof lengths));
        if (!found)
            return LOCANT_OK;
        LCT_TRY(lct_store_get(
            &found, m->to,
            "SELECT id FROM evaluations WHERE (run, want, corpus_sha256,"
            " encoding, policy, lengths) = (?1, ?2, ?3, ?4, ?5, ?6)",
            "iissss>i", to, want, sha, encoding, policy, lengths, &in_to));
        for (size_t i = 0; found && i < 2; i++)
            LCT_TRY(
                lct_copy_rows(m->to, in_to, m->from, id, &of_evaluation[i]));
    }
}

static locant_status copy_measured(const struct merge *m, int64_t to,
                                   int64_t from)
{
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
        LCT_TRY(lct_copy_rows(m->to, to, m->from, from, &measured[i]));
    return copy_curves(m, to, from);
}

/* Two finished runs of one key have the same bits, or a store is damaged. */
static locant_status check_same(const struct merge *m, int64_t to, int64_t from)
{
    static const struct lct_copied_rows checksum = {
        "runs", "SELECT batch_checksum FROM runs WHERE id = ?1", "", "s"
    };
    char what[400];

    snprintf(what, sizeof what,
             "%.150s: run %" PRId64 " and %.150s: run %" PRId64
             " are one run, but they differ",
             m->to->path, to, m->from->path, from);
    LCT_TRY(lct_compare_rows(m->to, to, m->from, from, &checksum, what));
    return lct_compare_rows(m->to, to, m->from, from, &training[0], what);
}

static bool wins(const struct lct_merge_side *from,
                 const struct lct_merge_side *to, const locant_store *s)
{
    if (from->checkpoint.size == 0 || to->done > from->done)
        return false;
    return !lct_merge_checkpoint_exists(s, to->id) || from->done > to->done ||
           (!from->done && from->step > to->step);
}

/* Take over the state of the run. Nobody may train it meanwhile. */
static locant_status replace(struct merge *m, const struct lct_merge_side *to,
                             const struct lct_merge_side *from)
{
    locant_status status;
    int lock;

    LCT_TRY(lct_store_lock_run(&lock, m->to, to->id, "locant_store_merge"));
    lct_store_clean_run(m->to, to->id, false);
    status = lct_merge_checkpoint_write(m->to, to->id, &from->checkpoint);
    if (status == LOCANT_OK)
        status = replace_training(m, to->id, from->id);
    if (status == LOCANT_OK && from->done)
        lct_store_drop_previous(m->to, to->id);
    lct_store_unlock_run(lock, m->to, to->id);
    m->counts.continued++;
    return status;
}

/* A merge that was killed may have left its lock. */
static void keep(struct merge *m, const struct lct_merge_side *to)
{
    lct_store_drop_lock(m->to, to->id);
    m->counts.kept++;
}

/* In a transaction of the destination and one of the source. */
static locant_status merge_sides(struct merge *m, struct lct_merge_side *from,
                                 const locant_run_info *run, const char *key)
{
    struct lct_merge_side to = { 0 };

    LCT_TRY(read_side(from, m->from, key));
    if (from->id != run->id)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: run %" PRId64 " has a key that no run has",
                           m->from->path, run->id);
    LCT_TRY(lct_merge_checkpoint_check(from, key, m->from));
    LCT_TRY(read_side(&to, m->to, key));
    if (to.id == 0) {
        m->counts.added++;
        LCT_TRY(add_row(&to.id, m, from->id, run->parent));
        LCT_TRY(copy_training(m, to.id, from->id));
        LCT_TRY(lct_merge_checkpoint_write(m->to, to.id, &from->checkpoint));
    } else {
        if (to.done && from->done)
            LCT_TRY(check_same(m, to.id, from->id));
        if (wins(from, &to, m->to))
            LCT_TRY(replace(m, &to, from));
        else
            keep(m, &to);
    }
    return copy_measured(m, to.id, from->id);
}

/* Begin a snapshot of the source, and merge within it. */
static locant_status merge_snapshot(struct merge *m,
                                    struct lct_merge_side *from,
                                    const locant_run_info *run, const char *key)
{
    locant_status status;

    lct_store_lock(m->from);
    status = lct_store_exec(m->from, "BEGIN", "");
    if (status == LOCANT_OK) {
        status = merge_sides(m, from, run, key);
        sqlite3_exec(m->from->db, "ROLLBACK", NULL, NULL, NULL);
    }
    lct_store_unlock(m->from);
    return status;
}

/* The checkpoint is mapped before the rows are read: who trains the run now
   writes rows first. */
static locant_status merge_run(struct merge *m, const locant_run_info *run)
{
    struct lct_merge_side from = { .id = run->id };
    struct lct_run_extra extra;
    locant_status status;

    LCT_TRY(lct_store_read_run_extra(&extra, m->from, run->id));
    LCT_TRY(lct_merge_checkpoint_map(&from, m->from));
    status = lct_store_begin(m->to, "locant_store_merge");
    if (status == LOCANT_OK)
        status = lct_store_end(m->to, merge_snapshot(m, &from, run, extra.key));
    lct_map_close(&from.checkpoint);
    return status;
}

static int visit_run(const locant_run_info *run, void *context)
{
    struct merge *m = context;

    m->status = merge_run(m, run);
    return m->status != LOCANT_OK;
}

/* --------------------------------------------------------------------- all */

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

locant_status locant_store_merge(locant_store_merged *out, locant_store *dest,
                                 locant_store *source)
{
    struct merge m = { dest, source, { 0 }, LOCANT_OK };

    LCT_NOT_NULL(__func__, dest);
    LCT_NOT_NULL(__func__, source);
    if (is_same_file(dest->path, source->path))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %s is both source and destination", __func__,
                           source->directory);
    if (source->version != LCT_STORE_VERSION)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: is of schema version %d, expected %d: any"
                           " command that writes into it makes it that",
                           source->path, (int)source->version,
                           LCT_STORE_VERSION);
    LCT_TRY(lct_merge_texts(dest, source));
    LCT_TRY(locant_store_runs(source, visit_run, &m));
    LCT_TRY(m.status);
    if (out != NULL)
        *out = m.counts;
    return LOCANT_OK;
}

/* test_merge.c - stores of parts of a sweep become one */
/* needs: lab */
#define _GNU_SOURCE
#include "failing_calls.h"
#include "store/store_eval.h"
#include "store_records.h"
#include "train_case.h"

enum { PARTS = 3, DUMP = 1 << 20 };

static locant_train_options smallest(const char *encoding, uint64_t seed)
{
    locant_train_options o = tiny(encoding);

    o.layers = 1;
    o.width = 8;
    o.ff = 8;
    o.heads = 2;
    o.steps = 6;
    o.checkpoint_every = 2;
    o.seed = seed;
    return o;
}

static const char *part_name(int i)
{
    static const char *const names[PARTS] = { "part-1", "part-2", "part-3" };

    return names[i];
}

/* ------------------------------------------------------------------- dumps */

/* Everything of a store by keys instead of ids, and without what the place of a
   run decides: who trained it when. */
static const char *const queries[] = {
    "SELECT r.key, r.status, r.step, r.batch_checksum, r.message,"
    " r.encoding, r.model, r.seed, r.steps, r.source, p.key,"
    " json_extract(r.options, '$.parent') = ifnull(r.parent, 0)"
    " FROM runs r LEFT JOIN runs p ON p.id = r.parent ORDER BY r.key",
    "SELECT key, m.step, loss, grad_norm, rate FROM metrics m"
    " JOIN runs r ON r.id = m.run"
    " ORDER BY key, m.step",
    "SELECT key, g.step, part, norm FROM gradients g JOIN runs r ON r.id = run"
    " ORDER BY key, g.step",
    "SELECT key, s.step, isa FROM sittings s JOIN runs r ON r.id = run"
    " ORDER BY key, s.step",
    "SELECT key, want, e.encoding, blocks, valid, causality FROM evaluations e"
    " JOIN runs r ON r.id = run ORDER BY key, want",
    "SELECT key, want, protocol, c.length, c.loss FROM curves c"
    " JOIN evaluations e ON e.id = evaluation JOIN runs r ON r.id = run"
    " ORDER BY key, want, protocol, c.length",
    "SELECT key, want, protocol, l.length, block, l.loss FROM losses l"
    " JOIN evaluations e ON e.id = evaluation JOIN runs r ON r.id = run"
    " ORDER BY key, want, protocol, l.length, block",
    "SELECT key, task, place, items, exact, loss FROM task_scores"
    " JOIN runs r ON r.id = run ORDER BY key, task, place",
    "SELECT key, name, setting, value FROM probes JOIN runs r ON r.id = run"
    " WHERE name <> 'speed' ORDER BY key, name, setting",
    "SELECT * FROM corpora ORDER BY sha256",
    "SELECT sha256, train_bytes, files, folders FROM texts ORDER BY sha256",
};

static int add_row(int n, const char *const *names, const char *const *values,
                   const char *kinds, void *context)
{
    char *out = context;
    size_t used = strlen(out);

    (void)names;
    (void)kinds;
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(out + used, DUMP - used, "%s|",
                                 values[i] ? values[i] : "-");
    used += (size_t)snprintf(out + used, DUMP - used, "\n");
    CHECK(used + 1000 < DUMP);
    return 0;
}

/* The bytes of the tensors of a checkpoint by the key of its run, as a sum that
   its session does not change. */
static int add_checkpoint(const locant_run_info *run, void *context)
{
    void **to = context;
    locant_store *s = to[0];
    locant_tensors *t = checkpoint_of(s, run->id);
    char *out = to[1];
    const locant_tensor *tensor;
    const char *name;
    uint64_t sum = 0;
    size_t n = 0;

    for (; (tensor = locant_tensors_at(t, n, &name)) != NULL; n++)
        for (size_t i = 0; i < bytes_of(tensor); i++)
            sum = 31 * sum + ((const unsigned char *)tensor->data)[i];
    CHECK(n > 5);
    n = strlen(out);
    snprintf(out + n, DUMP - n, "%s seed %d step %s: %016llx\n", run->encoding,
             (int)run->seed, locant_tensors_metadata(t, "step"),
             (unsigned long long)sum);
    locant_tensors_free(t);
    return 0;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Checkpoints come in the order of ids: sort their lines. */
static void sort_lines(char *text)
{
    char *copy = strdup(text), *lines[64];
    size_t n = 0;

    for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n"))
        lines[n++] = line;
    qsort(lines, n, sizeof *lines, compare_lines);
    text[0] = 0;
    for (size_t i = 0; i < n; i++)
        strcat(strcat(text, lines[i]), "\n");
    free(copy);
}

static char *dump(const char *name)
{
    OWNED(locant_store) *s = open_store(name);
    char *out = calloc(DUMP, 1);
    void *to[2] = { s, out };

    CHECK_OK(locant_store_runs(s, add_checkpoint, to));
    sort_lines(out);
    for (size_t i = 0; i < LEN(queries); i++)
        CHECK_OK(locant_store_sql(s, queries[i], add_row, out));
    return out;
}

static void check_same_dump(const char *name, const char *want)
{
    char *got = dump(name);
    const char *a = got, *b = want, *line = got;

    for (; *a != 0 && *a == *b; a++, b++)
        line = *a == '\n' ? a + 1 : line;
    if (*a != *b)
        FAIL("%s: got\n%.500s\nwant\n%.500s\n", name, line,
             want + (line - got));
    free(got);
}

/* ------------------------------------------------------------------- parts */

static void measure(locant_store *s, int64_t run, int64_t want)
{
    int64_t length[2] = { 128, 256 };
    double mean[2] = { 1.5, NAN }, loss[4] = { 1, 2, 3, NAN };
    const struct lct_curve curve = { "P1", 2, 2, length, mean, loss };
    const struct lct_evaluation_row row = { .blocks = 2, .valid = .25 };
    const struct lct_evaluation_key key = { .run = run,
                                            .corpus_sha256 = "c",
                                            .want = want };
    const struct lct_task_score score = score_of_run(run);

    CHECK_OK(lct_store_add_evaluation(s, &key, &row, &curve, 1));
    CHECK_OK(lct_store_add_scores(s, &score, 1));
    CHECK_OK(lct_store_keep_probe(s, run, "usage", "x", "{\"a\":1}"));
}

static int stop_at_once(const locant_progress *p, void *context)
{
    (void)p;
    (void)context;
    return 1;
}

/* Train one step more. */
static void train_some(locant_store *s, const locant_train_options *options)
{
    locant_train_options o = *options;
    int64_t id;

    o.progress = stop_at_once;
    CHECK(locant_train(&id, s, corpus, &o) != LOCANT_OK);
}

/*
 * Each part has a run of its own with its child; the second and third also have
 * one run that the third has finished and the second has not; a run is done in
 * the first and second; another has come further in each part.
 */
static void make_parts(void)
{
    for (int i = 0; i < PARTS; i++) {
        locant_store *s = open_store(part_name(i));
        locant_train_options own = smallest("rope", 10 + (uint64_t)i),
                             shared = smallest("alibi", 1),
                             both = smallest("t5", 1),
                             begun = smallest("kerple", 1);
        const int64_t id = train(s, &own);
        int64_t of_child;

        measure(s, id, 2);
        own.parent = id;
        own.seed = 20;
        of_child = train(s, &own);
        measure(s, of_child, i);
        if (i == 1)
            train_some(s, &shared);
        if (i == 2)
            measure(s, train(s, &shared), 2);
        if (i < 2)
            train(s, &both);
        for (int k = 0; k <= i; k++)
            train_some(s, &begun);
        locant_store_close(s);
    }
}

static void merge_part(locant_store_merged *m, const char *to, int part)
{
    OWNED(locant_store) *dest = open_store(to);
    locant_store *source;

    CHECK_OK(locant_store_open_readonly(&source,
                                        scratch_file(&dir, part_name(part))));
    CHECK_OK(locant_store_merge(m, dest, source));
    locant_store_close(source);
}

static const int orders[][PARTS] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                     { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

IN_SCRATCH(any_order_of_parts_gives_the_same_store_and_twice_too)
{
    char *want = NULL;
    locant_store_merged m;

    make_parts();
    for (size_t k = 0; k < LEN(orders); k++) {
        char name[16];

        snprintf(name, sizeof name, "all-%zu", k);
        for (int i = 0; i < PARTS; i++)
            merge_part(&m, name, orders[k][i]);
        if (want == NULL)
            want = dump(name);
        check_same_dump(name, want);
        for (int i = 0; i < PARTS; i++) {
            merge_part(&m, name, orders[k][i]);
            CHECK(m.added == 0 && m.continued == 0 && m.kept >= 3);
        }
        check_same_dump(name, want);
    }
    /* what a merge must have: three runs and their children, the finished one
       of two that are shared, the one of two, the begun one */
    CHECK(strstr(want, "|done|6|") != NULL);
    CHECK(strstr(want, "|interrupted|3|") != NULL);
    CHECK(strstr(want, "|interrupted|2|") == NULL);
    assert_int_equal(files_in("all-0"), 9);
    free(want);
}

IN_SCRATCH(a_merged_run_goes_on_to_the_bits_of_one_that_never_stopped)
{
    locant_train_options o = smallest("alibi", 1), other = smallest("rope", 7);
    locant_store *part = open_store("part-1"), *all = open_store("all"),
                 *straight = open_store("straight");
    locant_store_merged m;
    int64_t id;

    train(all, &other); /* ids differ */
    train_some(part, &o);
    train_some(part, &o);
    locant_store_close(part);
    locant_store_close(all);
    merge_part(&m, "all", 0);
    assert_int_equal(m.added, 1);
    all = open_store("all");
    CHECK_OK(locant_resume(all, 2, corpus, NULL, NULL));
    id = train(straight, &o);
    check_same_run(all, 2, straight, id);
    locant_store_close(all);
    locant_store_close(straight);
}

/* ------------------------------------------------------------------- kills */

/* Merge all parts in another process, which is killed at its n-th call that
   writes; false if it ended before. */
static bool merge_and_kill(const char *to, int n)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        locant_store *dest, *source;

        fault.kills = fault.armed = true;
        fault.left = n;
        if (locant_store_open(&dest, scratch_file(&dir, to)) != LOCANT_OK)
            _exit(1);
        for (int i = 0; i < PARTS; i++) {
            if (locant_store_open_readonly(
                    &source, scratch_file(&dir, part_name(i))) != LOCANT_OK ||
                locant_store_merge(NULL, dest, source) != LOCANT_OK)
                _exit(1);
            locant_store_close(source);
        }
        locant_store_close(dest);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

IN_SCRATCH(a_merge_that_was_killed_at_any_write_is_ended_by_the_next)
{
    const int stride = TEST_SANITIZED ? 23 : test_cases(5) > 99 ? 1 : 5;
    char *want;
    int n = 0;
    bool killed;

    make_parts();
    CHECK(!merge_and_kill("straight", 1 << 30));
    want = dump("straight");
    do {
        char name[32];

        snprintf(name, sizeof name, "killed-%d", n);
        killed = merge_and_kill(name, n);
        CHECK(!merge_and_kill(name, 1 << 30));
        check_same_dump(name, want);
        assert_int_equal(files_in(name), 9);
        n += stride;
    } while (killed);
    CHECK(n > 60); /* nine runs, each with a checkpoint and a transaction */
    free(want);
}

/* Killed after the checkpoint of a new run was written and before its row was,
   the file must not become another run's. */
IN_SCRATCH(a_checkpoint_without_a_row_is_removed)
{
    locant_train_options o = smallest("rope", 1);
    locant_store *s = open_store("a");
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/checkpoints/run-1.safetensors",
             scratch_file(&dir, "a"));
    scratch_write(path, "what another run has left", 25);
    train(s, &o);
    assert_int_equal(files_in("a"), 1);
    locant_store_close(s);
}

/* --------------------------------------------------------------- no memory */

/* The k-th allocation fails: the merge says so, and the next one ends it. */
IN_SCRATCH(survives_any_allocation_that_fails)
{
    const int stride = TEST_SANITIZED ? 29 : 7;
    int failures = 0;
    bool more = true;
    char *want;

    make_parts();
    CHECK(!merge_and_kill("straight", 1 << 30));
    want = dump("straight");
    for (long k = 1; more; k += stride) {
        locant_status status = LOCANT_OK;
        char name[32];

        snprintf(name, sizeof name, "k-%ld", k);
        for (int i = 0; i < PARTS; i++) {
            OWNED(locant_store) *dest = open_store(name);
            locant_store *source;

            CHECK_OK(locant_store_open_readonly(
                &source, scratch_file(&dir, part_name(i))));
            if (i == 2)
                test_memory_fail(k);
            if (status == LOCANT_OK)
                status = locant_store_merge(NULL, dest, source);
            more = test_memory_asked() >= k;
            if (i == 2)
                test_memory_end();
            locant_store_close(source);
        }
        failures += status != LOCANT_OK;
        if (status != LOCANT_OK && status != LOCANT_ERR_NOMEM)
            FAIL("allocation %ld: %s\n", k, locant_last_error());
        CHECK(!merge_and_kill(name, 1 << 30));
        check_same_dump(name, want);
    }
    CHECK(failures > 35 / stride);
    free(want);
}

/* ---------------------------------------------------------------- refusals */

static locant_status merge_refused(void)
{
    OWNED(locant_store) *dest = open_store("part-1");
    locant_store *source;
    locant_status status;

    CHECK_OK(locant_store_open_readonly(&source, scratch_file(&dir, "part-2")));
    status = locant_store_merge(NULL, dest, source);
    locant_store_close(source);
    return status;
}

static void change_part(const char *sql)
{
    locant_store *s = open_store("part-2");

    CHECK_OK(lct_store_exec(s, sql, ""));
    locant_store_close(s);
}

static void train_both(void)
{
    locant_train_options o = smallest("rope", 1);

    for (int i = 0; i < 2; i++) {
        locant_store *s = open_store(part_name(i));

        train(s, &o);
        locant_store_close(s);
    }
}

IN_SCRATCH(finished_runs_that_differ_are_both_named)
{
    char *before;

    train_both();
    before = dump("part-1");
    CHECK_OK(merge_refused());
    change_part("UPDATE metrics SET loss = loss + 1e-9 WHERE step = 4");
    assert_int_equal(merge_refused(), LOCANT_ERR_FORMAT);
    CHECK(strstr(locant_last_error(), "part-1/runs.db: run 1 and ") != NULL);
    CHECK(strstr(locant_last_error(),
                 "part-2/runs.db: run 1 are one run, but they differ: row 4 of"
                 " metrics has another loss") != NULL);
    change_part("UPDATE metrics SET loss = loss - 1e-9 WHERE step = 4");
    change_part("UPDATE runs SET batch_checksum = '0123456789abcdef'");
    assert_int_equal(merge_refused(), LOCANT_ERR_FORMAT);
    CHECK(strstr(locant_last_error(), "another batch_checksum") != NULL);
    check_same_dump("part-1", before);
    free(before);
}

IN_SCRATCH(values_that_no_run_has_are_refused)
{
    static const char *const sql[] = {
        "INSERT INTO probes VALUES (1, 'x', 'y', x'07')",
        "INSERT INTO sittings VALUES (1, 3, x'00ff', 'now')",
        "UPDATE runs SET options = x'05'",
        "UPDATE runs SET build = x'05'",
        "UPDATE runs SET key = key || 'a'",
        "UPDATE runs SET step = -1",
        "UPDATE runs SET key = printf('%.*c', 2000, 'x')",
    };

    for (size_t i = 0; i < LEN(sql); i++) {
        locant_train_options o = smallest("rope", 2 + i);
        locant_store *s;
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s/runs.db", scratch_file(&dir, "part-2"));
        unlink(path);
        s = open_store("part-2");
        train(s, &o);
        locant_store_close(s);
        s = open_store("part-1");
        locant_store_close(s);
        change_part(sql[i]);
        if (merge_refused() != LOCANT_ERR_FORMAT)
            FAIL("%s: %s\n", sql[i], locant_last_error());
        CHECK(strstr(locant_last_error(), "part-2") != NULL);
    }
}

IN_SCRATCH(a_run_that_is_being_trained_is_not_replaced)
{
    locant_train_options o = smallest("rope", 1);
    locant_store *a = open_store("part-1"), *b = open_store("part-2");
    int lock;

    train_some(a, &o);
    train(b, &o);
    CHECK_OK(lct_store_lock_run(&lock, a, 1, "test"));
    assert_int_equal(locant_store_merge(NULL, a, b), LOCANT_ERR_UNSUPPORTED);
    lct_store_unlock_run(lock, a, 1);
    CHECK_OK(locant_store_merge(NULL, a, b));
    check_same_run(a, 1, b, 1);
    assert_int_equal(locant_store_merge(NULL, a, a), LOCANT_ERR_PARAM);
    locant_store_close(a);
    locant_store_close(b);
}

TEST_GROUP(make_corpus, free_corpus)

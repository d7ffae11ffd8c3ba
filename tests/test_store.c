/* test_store.c - what the database of runs keeps, also of killed processes */
/* needs: lab */
#define _GNU_SOURCE
#include "store_case.h"
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <time.h>

static int is_whole(void)
{
    return ask(&dir, "SELECT integrity_check = 'ok' FROM"
                     " pragma_integrity_check") == 1;
}

/* ---------------------------------------------------------------- contents */

IN_SCRATCH(keeps_runs)
{
    locant_store *s = open_store();
    int64_t a = add_run(s, "a"), b = add_run(s, "b");
    locant_run_info info;
    int n = 0;

    assert_int_not_equal(a, b);
    assert_int_equal(add_run(s, "a"), a);
    locant_store_close(s);
    s = open_store();
    CHECK_OK(locant_store_run(&info, s, a));
    assert_string_equal(info.encoding, "alibi");
    assert_string_equal(info.status, "running");
    assert_string_equal(info.model, SMALL_MODEL);
    assert_string_equal(info.corpus_sha256, "00ff");
    CHECK(info.seed == UINT64_MAX && info.steps == 9 && info.batch == 2);
    CHECK(info.length == 4 && info.parameters == 100 && info.step == 0);
    CHECK(info.encoding_parameters == 3 && isnan(info.train_loss));
    CHECK_OK(locant_store_runs(s, count_run, &n));
    assert_int_equal(n, 2);
    assert_int_equal(ask(&dir, "PRAGMA user_version"), LCT_STORE_VERSION);
    assert_int_equal(ask(&dir, "SELECT journal_mode = 'wal' FROM"
                               " pragma_journal_mode"),
                     1);
    locant_store_close(s);
}

IN_SCRATCH(keeps_metrics_and_rewinds)
{
    const struct lct_metric m[] = { { 1, 5.5, .25, 1e-3, .125 },
                                    { 2, NAN, 2, 2e-3, NAN },
                                    { 3, 4.5, 1, 3e-3, .5 } };
    const struct lct_run_state at = { "interrupted", 3, 2.5, 0xabc, NULL };
    OWNED(locant_store) *s = open_store();
    int64_t id = add_run(s, "a");
    struct lct_run_extra extra;
    struct lct_metric *got;
    locant_run_info info;
    size_t n;

    CHECK_OK(lct_store_record(s, id, &at, m, LEN(m)));
    CHECK_OK(lct_store_record(s, id, &at, m + 2, 1)); /* recorded again */
    CHECK_OK(lct_store_read_metrics(&got, &n, s, id));
    assert_int_equal(n, 3);
    CHECK(got[0].step == 1 && got[0].loss == 5.5 && got[0].grad_norm == .25);
    CHECK(got[0].encoding_norm == .125 && isnan(got[1].encoding_norm));
    CHECK(isnan(got[1].loss) && got[2].loss == 4.5 && got[2].rate == 3e-3);
    locant_release(got);
    CHECK_OK(locant_store_run(&info, s, id));
    assert_string_equal(info.status, "interrupted");
    CHECK(info.train_loss == 4.5 && info.seconds == 2.5);
    CHECK(info.tokens_per_second == 3 * 2 * 4 / 2.5);
    CHECK_OK(lct_store_read_run_extra(&extra, s, id));
    assert_string_equal(extra.batch_checksum, "0000000000000abc");
    assert_string_equal(extra.key, "a");
    assert_int_equal(extra.bytes, 1000);

    CHECK_OK(lct_store_begin_session(s, id, 1));
    CHECK_OK(lct_store_read_metrics(&got, &n, s, id));
    CHECK(n == 1 && got[0].step == 1);
    locant_release(got);
}

static void fill_evaluation(locant_evaluation *e, double *blocks, double value)
{
    *e = (locant_evaluation){ .own_window = value,
                              .valid = 2,
                              .shuffled = 3,
                              .causality = NAN,
                              .blocks = 3,
                              .tokens_per_second = 5 };
    for (int i = 0; i < LOCANT_EVAL_LENGTHS; i++) {
        e->length[i] = 128 << i;
        e->same_targets[i] = i == 4 ? NAN : i;
    }
    for (int i = 0; i < LOCANT_EVAL_BUCKETS; i++)
        e->by_position[i] = i + .5;
    for (int i = 0; i < 3 * LOCANT_EVAL_LENGTHS; i++)
        blocks[i] = i == 7 ? NAN : i + .25;
}

static locant_status save(locant_store *s, int64_t id, int64_t want,
                          const locant_evaluation *e, const double *blocks)
{
    const struct lct_evaluation_key key = { .run = id,
                                            .corpus_sha256 = "c",
                                            .want = want };
    const struct lct_block_losses losses = { .p1 = blocks };

    return lct_store_save_evaluation(s, &key, e, &losses);
}

IN_SCRATCH(keeps_evaluations)
{
    OWNED(locant_store) *s = open_store();
    int64_t id = add_run(s, "a");
    locant_evaluation e, got;
    double blocks[3 * LOCANT_EVAL_LENGTHS], *back = NULL;
    bool found;

    fill_evaluation(&e, blocks, 1.5);
    CHECK_OK(lct_store_load_evaluation(&got, &back, &found, s, id, "c", 4));
    CHECK(!found && back == NULL);
    CHECK_OK(save(s, id, 4, &e, blocks));
    e.own_window = 99; /* the first row stays */
    CHECK_OK(save(s, id, 4, &e, blocks));
    CHECK_OK(lct_store_load_evaluation(&got, &back, &found, s, id, "c", 4));
    CHECK(found && got.own_window == 1.5 && got.valid == 2 && got.blocks == 3);
    CHECK(got.shuffled == 3 && isnan(got.causality));
    CHECK(got.tokens_per_second == 5 && got.length[4] == 2048);
    CHECK(got.same_targets[3] == 3 && isnan(got.same_targets[4]));
    CHECK(got.by_position[63] == 63.5);
    for (int i = 0; i < 15; i++)
        CHECK(i == 7 ? isnan(back[i]) : back[i] == i + .25);
    locant_release(back);
    CHECK_OK(lct_store_load_evaluation(&got, NULL, &found, s, id, "c", 5));
    CHECK(!found);
}

IN_SCRATCH(removes_a_run_and_all_of_it)
{
    const struct lct_metric m = { 1, 5, 1, 1, 1 };
    const struct lct_run_state at = { "done", 1, 1, 1, NULL };
    OWNED(locant_store) *s = open_store();
    int64_t id = add_run(s, "a"), other = add_run(s, "b");
    double blocks[3 * LOCANT_EVAL_LENGTHS];
    locant_evaluation e;
    char *path;

    CHECK_OK(lct_store_record(s, id, &at, &m, 1));
    CHECK_OK(lct_store_record(s, other, &at, &m, 1));
    fill_evaluation(&e, blocks, 1);
    CHECK_OK(save(s, id, 3, &e, blocks));
    CHECK_OK(lct_store_run_path(&path, s, id, "safetensors"));
    scratch_write(path, "x", 1);
    CHECK_OK(locant_store_remove(s, id));
    CHECK(access(path, F_OK) != 0);
    assert_int_equal(ask(&dir, "SELECT count(*) FROM runs"), 1);
    assert_int_equal(ask(&dir, "SELECT count(*) FROM metrics"), 1);
    assert_int_equal(ask(&dir, "SELECT count(*) FROM gradients"), 1);
    assert_int_equal(ask(&dir, "SELECT count(*) FROM evaluations"), 0);
    assert_int_equal(ask(&dir, "SELECT count(*) FROM losses"), 0);
    assert_int_equal(locant_store_remove(s, id), LOCANT_ERR_PARAM);
    /* No id is used twice, because checkpoints are named by ids. */
    CHECK_OK(locant_store_remove(s, other));
    CHECK(add_run(s, "c") > other);
    locant_release(path);
}

/* --------------------------------------------------------------- processes */

/* Open a store that may not exist yet, and add runs with metrics. After each,
   write a byte to 'acknowledge'. */
static int write_runs(int process, int runs, int acknowledge)
{
    const struct lct_metric m[3] = { { 1, 1, 1, 1, 1 },
                                     { 2, 1, 1, 1, 1 },
                                     { 3, 1, 1, 1, 1 } };
    const struct lct_run_state at = { "running", 3, 1, 1, NULL };
    locant_store *s;

    if (locant_store_open(&s, scratch_file(&dir, "store")) != LOCANT_OK) {
        fprintf(stderr, "%s\n", locant_last_error());
        return 1;
    }
    for (int i = 0; i < runs; i++) {
        struct lct_run_new run = {
            .encoding = "none", .model = "m", .corpus_sha256 = "0", .steps = 3
        };
        char key[32];
        int64_t id;

        snprintf(key, sizeof key, "%d-%d", process, i);
        run.key = key;
        if (lct_store_find_or_add_run(&id, s, &run) != LOCANT_OK ||
            lct_store_record(s, id, &at, m, 3) != LOCANT_OK)
            return 1;
        if (write(acknowledge, "x", 1) != 1)
            return 1;
    }
    locant_store_close(s);
    return 0;
}

IN_SCRATCH(keeps_what_it_acknowledged_when_killed)
{
    for (int round = 0; round < 20; round++) {
        struct timespec pause = { 0, test_range(1, 30) * 1000000 };
        int pipes[2], status, acknowledged = 0;
        char sql[96], byte;
        pid_t child;

        assert_int_equal(pipe(pipes), 0);
        child = fork();
        if (child == 0)
            exit_child(write_runs(round, 100000, pipes[1]));
        close(pipes[1]);
        /* Under load a child may be killed before its first run; every second
           child gets as far. */
        if (round % 2 == 0)
            acknowledged += read(pipes[0], &byte, 1) == 1;
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        while (read(pipes[0], &byte, 1) == 1)
            acknowledged++;
        close(pipes[0]);
        locant_store_close(open_store());
        CHECK(is_whole());
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM runs WHERE key GLOB '%d-*' AND step = 3",
                 round);
        CHECK(ask(&dir, sql) >= acknowledged);
        assert_int_equal(ask(&dir, "SELECT count(*) FROM metrics"),
                         3 * ask(&dir, "SELECT count(*) FROM runs WHERE"
                                       " step = 3"));
    }
    CHECK(ask(&dir, "SELECT count(*) FROM runs") > 0);
}

/* The error of 'fn' while this process holds the lock of a run. */
static void print_lock_error(char text[256], const char *fn, int64_t id)
{
    char host[64] = "";

    gethostname(host, sizeof host - 1);
    snprintf(text, 256,
             "%s: run %" PRId64 " is being trained by process %ld on host %s",
             fn, id, (long)getpid(), host);
}

IN_SCRATCH(locks_a_run)
{
    OWNED(locant_store) *s = open_store();
    int64_t id = add_run(s, "a");
    char want[256];
    pid_t child;
    int fd, second;

    CHECK_OK(lct_store_lock_run(&fd, s, id, "locant_train"));
    print_lock_error(want, "locant_train", id);
    CHECK_REFUSED(lct_store_lock_run(&second, s, id, "locant_train"),
                  LOCANT_ERR_UNSUPPORTED, want);
    child = fork();
    if (child == 0)
        exit_child(lct_store_lock_run(&second, s, id, "locant_train") !=
                   LOCANT_ERR_UNSUPPORTED);
    wait_for(child);
    print_lock_error(want, "locant_store_remove", id);
    CHECK_REFUSED(locant_store_remove(s, id), LOCANT_ERR_UNSUPPORTED, want);
    lct_store_unlock_run(fd, s, id);

    /* A lock is released when its holder is killed. */
    child = fork();
    if (child == 0) {
        if (lct_store_lock_run(&second, s, id, "locant_train") == LOCANT_OK)
            raise(SIGKILL);
        exit_child(1);
    }
    assert_int_equal(waitpid(child, &second, 0), child);
    CHECK(WIFSIGNALED(second));
    CHECK_OK(lct_store_lock_run(&fd, s, id, "locant_train"));
    lct_store_unlock_run(fd, s, id);
}

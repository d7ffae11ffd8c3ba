/* test_train.c - runs that stop, are killed, and end in the same bits */
/* needs: lab */
#define _GNU_SOURCE
#include "train_case.h"
#include "store/speed.h"
#include <inttypes.h>
#include <math.h>
#include <sys/resource.h>

/* Stopped after every step. */
static void check_continued(const char *encoding, int64_t memory,
                            locant_optimizer optimizer)
{
    OWNED(locant_store) *a = open_store("a"), *b = open_store("b");
    locant_train_options o = tiny(encoding);
    int64_t straight, id = 0;
    locant_status status;
    locant_run_info info;
    int stops = 0;

    o.memory = memory;
    o.optimizer = optimizer;
    straight = train(a, &o);
    o.progress = stop;
    o.context = &stops;
    while ((status = locant_train(&id, b, corpus, &o)) ==
           LOCANT_ERR_INTERRUPTED) {
        CHECK_OK(locant_store_run(&info, b, id));
        assert_string_equal(info.status, "interrupted");
        assert_int_equal(info.step, stops);
    }
    CHECK_OK(status);
    assert_int_equal(stops, o.steps);
    check_same_run(a, straight, b, id);
}

/* kerple has parameters kept in range, randomized draws positions. */
IN_SCRATCH(continues_to_the_same_bits)
{
    check_continued("kerple", 0, LOCANT_ADAMW);
    check_continued("randomized(length=256)+rope", 0, LOCANT_ADAMW);
    check_continued("transformer-xl", 40, LOCANT_ADAMW);
    check_continued("kerple", 0, LOCANT_MUON);
}

/* A run is continued with the optimiser and the rate that the store has. */
IN_SCRATCH(resumes_with_the_recorded_optimizer)
{
    OWNED(locant_store) *a = open_store("a"), *b = open_store("b");
    locant_train_options o = tiny("rope");
    locant_run_info info;
    int64_t straight, id = 0;
    int stops = 0;

    o.optimizer = LOCANT_MUON;
    o.muon_rate = .03;
    straight = train(a, &o);
    o.progress = stop;
    o.context = &stops;
    CHECK(locant_train(&id, b, corpus, &o) == LOCANT_ERR_INTERRUPTED);
    CHECK_OK(locant_resume(b, id, corpus, NULL, NULL));
    check_same_run(a, straight, b, id);
    CHECK_OK(locant_store_run(&info, b, id));
    assert_string_equal(info.optimizer, "muon");
}

/* ... and the number of threads is no part of the result. */
IN_SCRATCH(same_bits_with_any_threads)
{
    OWNED(locant_store) *a = open_store("a"), *b = open_store("b");
    locant_train_options o = tiny("t5");
    int64_t i, j;

    for (int k = 0; k < 2; k++) {
        o.optimizer = k == 0 ? LOCANT_ADAMW : LOCANT_MUON;
        CHECK_OK(locant_set_threads(1));
        i = train(a, &o);
        CHECK_OK(locant_set_threads(3));
        j = train(b, &o);
        CHECK_OK(locant_set_threads(0));
        check_same_run(a, i, b, j);
    }
}

/* Forward and backward are parts of the seconds that the run took. */
IN_SCRATCH(says_how_long_a_token_took)
{
    OWNED(locant_store) *s = open_store("speed");
    locant_train_options o = tiny("rope");
    struct lct_speed x;
    locant_run_info run;
    int64_t id;
    double tokens;

    id = train(s, &o);
    CHECK_OK(locant_store_run(&run, s, id));
    CHECK_OK(lct_speed_read(&x, s, id));
    tokens = (double)(run.steps * run.batch * run.length);
    CHECK(x.forward > 0 && x.backward > 0);
    CHECK((x.forward + x.backward) * tokens / 1e3 <= run.seconds);
    CHECK_OK(lct_speed_read(&x, s, id + 1));
    CHECK(isnan(x.forward) && isnan(x.backward));
}

/* ---------------------------------------------------------------- identity */

IN_SCRATCH(a_run_is_what_decides_its_bits)
{
    OWNED(locant_store) *s = open_store("a");
    locant_train_options o = tiny("rope");
    int64_t id = train(s, &o), other[6];
    struct lct_run_extra x, y;
    locant_run_info info;

    o.encoding = "rope( base = 10000 )";
    o.checkpoint_every = 9;
    o.muon_rate = 1; /* of no use without Muon */
    assert_int_equal(train(s, &o), id);
    o.encoding = "none";
    other[0] = train(s, &o);
    CHECK_OK(lct_store_read_run_extra(&x, s, id));
    CHECK_OK(lct_store_read_run_extra(&y, s, other[0]));
    assert_string_equal(x.batch_checksum, y.batch_checksum);
    o.seed = 2;
    other[1] = train(s, &o);
    CHECK_OK(lct_store_read_run_extra(&y, s, other[1]));
    assert_string_not_equal(x.batch_checksum, y.batch_checksum);
    o.learning_rate = 1e-3;
    other[2] = train(s, &o);
    o.rms_norm = 1;
    other[3] = train(s, &o);
    CHECK_OK(locant_store_run(&info, s, other[3]));
    assert_string_equal(info.optimizer, "adamw");
    o.optimizer = LOCANT_MUON;
    o.muon_rate = .02;
    other[4] = train(s, &o);
    o.muon_rate = .01;
    other[5] = train(s, &o);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            CHECK(other[i] != other[j] && other[i] != id);
}

IN_SCRATCH(trains_again_what_has_lost_its_checkpoint)
{
    OWNED(locant_store) *a = open_store("a"), *b = open_store("b");
    locant_train_options o = tiny("alibi");
    int64_t i = train(a, &o), j = train(b, &o);
    char *path;

    CHECK_OK(lct_store_run_path(&path, b, j, "safetensors"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(train(b, &o), j);
    check_same_run(a, i, b, j);
    locant_release(path);
}

struct second {
    locant_store *store;
    locant_train_options options;
    locant_status status;
};

static int train_second(const locant_progress *p, void *context)
{
    struct second *x = context;
    int64_t id;

    (void)p;
    x->status = locant_train(&id, x->store, corpus, &x->options);
    CHECK(strstr(locant_last_error(), "is being trained by process ") != NULL);
    return 0;
}

IN_SCRATCH(refuses_a_second_trainer)
{
    OWNED(locant_store) *s = open_store("a");
    struct second x = { .store = s, .options = tiny("none") };
    locant_train_options o = x.options;

    o.progress = train_second;
    o.context = &x;
    train(s, &o);
    assert_int_equal(x.status, LOCANT_ERR_UNSUPPORTED);
}

/* ---------------------------------------------------------------- failures */

IN_SCRATCH(stops_when_the_loss_is_not_finite)
{
    OWNED(locant_store) *s = open_store("a");
    locant_train_options o = tiny("none");
    locant_tensors *t;
    const locant_tensor *m;
    locant_run_info info;
    int64_t id = 0;

    o.learning_rate = 1e30;
    assert_int_equal(locant_train(&id, s, corpus, &o), LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(), "(none): the ") != NULL);
    CHECK(strstr(locant_last_error(), " at step ") != NULL);
    CHECK_OK(locant_store_run(&info, s, id));
    assert_string_equal(info.status, "failed");
    CHECK(info.step > 0 && info.step < o.steps);
    CHECK(isfinite(info.train_loss));
    t = checkpoint_of(s, id);
    m = locant_tensors_find(t, "adamw.m");
    for (int64_t i = 0; i < m->shape[0]; i++)
        CHECK(isfinite(((const float *)m->data)[i]));
    locant_tensors_free(t);
}

/*
 * No room on the disk: a limit on the size of a file stands for it.  A
 * checkpoint of this model has 150 KB, the database less than 100.
 */
IN_SCRATCH(survives_a_full_disk)
{
    locant_train_options o = tiny("none");
    locant_store *a = open_store("a"), *b;
    int64_t i = train(a, &o), j;
    bool killed;
    pid_t child;
    int status;

    child = fork();
    if (child == 0) {
        const struct rlimit limit = { 100000, 100000 };
        bool bad = signal(SIGXFSZ, SIG_IGN) == SIG_ERR;

        bad |= setrlimit(RLIMIT_FSIZE, &limit) != 0;
        bad |= locant_store_open(&b, scratch_file(&dir, "b")) != LOCANT_OK;
        bad = bad || locant_train(&j, b, corpus, &o) != LOCANT_ERR_IO;
        bad = bad || strstr(locant_last_error(), "File too large") == NULL;
        if (bad)
            fprintf(stderr, "%s\n", locant_last_error());
        _exit(bad);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(files_in("b"), 0);
    train_and_kill(&o, "b", 0, &killed);
    b = open_store("b");
    check_same_run(a, i, b, 1);
    locant_store_close(a);
    locant_store_close(b);
}

/* The k-th allocation fails, for k = 1, 2, .. until training succeeds. */
IN_SCRATCH(survives_lack_of_memory)
{
    locant_store *a = open_store("a"), *b;
    locant_train_options o = tiny("kerple");
    int64_t i, id = 0;
    locant_status status = LOCANT_ERR_NOMEM;
    int k;

    o.steps = 3;
    o.checkpoint_every = 1;
    CHECK_OK(locant_set_threads(1));
    i = train(a, &o);
    test_memory_fail(0);
    b = open_store("b");
    for (k = 1; status != LOCANT_OK && k < 10000; k++) {
        test_memory_fail(k);
        status = locant_train(&id, b, corpus, &o);
        if (status != LOCANT_OK && status != LOCANT_ERR_NOMEM)
            FAIL("allocation %d: %s: %s", k, locant_status_name(status),
                 locant_last_error());
    }
    CHECK_OK(status);
    CHECK(k > 10); /* moments, batch, path, tensors of a checkpoint, .. */
    locant_store_close(b);
    CHECK(test_memory_held() == 0);
    test_memory_end();
    CHECK_OK(locant_set_threads(0));
    b = open_store("b");
    check_same_run(a, i, b, id);
    locant_store_close(a);
    locant_store_close(b);
}

/* A changed byte anywhere, a cut anywhere: refused, nothing changed. */
IN_SCRATCH(refuses_a_damaged_checkpoint)
{
    OWNED(locant_store) *s = open_store("a");
    locant_train_options o = tiny("none");
    int64_t id = 0, again = 0;
    int stops = 0, refused = 0;
    size_t size;
    char *path, *bytes;

    o.progress = stop;
    o.context = &stops;
    assert_int_equal(locant_train(&id, s, corpus, &o), LOCANT_ERR_INTERRUPTED);
    CHECK_OK(lct_store_run_path(&path, s, id, "safetensors"));
    bytes = scratch_read(path, &size);
    for (size_t at = 0; at < size; at += size / 97 + 1, refused++) {
        bytes[at] ^= 0x10;
        scratch_write(path, bytes, size);
        bytes[at] ^= 0x10;
        if (locant_train(&again, s, corpus, &o) != LOCANT_ERR_FORMAT)
            FAIL("byte %zu of %zu changed and was not refused", at, size);
        CHECK(strstr(locant_last_error(), path) != NULL);
        scratch_write(path, bytes, at);
        assert_int_equal(locant_train(&again, s, corpus, &o),
                         LOCANT_ERR_FORMAT);
    }
    CHECK(refused > 90 && stops == 1);
    scratch_write(path, bytes, size);
    assert_int_equal(locant_train(&id, s, corpus, &o), LOCANT_ERR_INTERRUPTED);
    assert_int_equal(stops, 2);
    free(bytes);
    locant_release(path);
}

IN_SCRATCH(refuses_bad_arguments)
{
    OWNED(locant_store) *s = open_store("a");
    locant_train_options o = tiny("none"), bad;
    int64_t id = 77;
    int n = 0;

    REFUSES(NULL, locant_train(&id, s, corpus, NULL), "options is NULL");
    REFUSES(NULL, locant_train(&id, NULL, corpus, &o), "store is NULL");
    bad = o;
    bad.steps = 0;
    REFUSES(PARAM, locant_train(&id, s, corpus, &bad),
            "steps is 0, expected 1 .. 1099511627776");
    bad = o;
    bad.learning_rate = NAN;
    REFUSES(PARAM, locant_train(&id, s, corpus, &bad),
            "learning_rate is nan, expected a finite number above 0");
    bad = o;
    bad.optimizer = (locant_optimizer)2;
    REFUSES(PARAM, locant_train(&id, s, corpus, &bad),
            "optimizer is 2, expected 0 .. 1");
    bad.optimizer = LOCANT_MUON;
    bad.muon_rate = 0;
    REFUSES(PARAM, locant_train(&id, s, corpus, &bad),
            "muon_rate is 0, expected a finite number above 0");
    bad = o;
    bad.kv_heads = 3;
    REFUSES(PARAM, locant_train(&id, s, corpus, &bad),
            "kv_heads is 3, expected 0 .. heads, which is 2");
    bad = o;
    bad.struct_size = 1;
    CHECK(locant_train(&id, s, corpus, &bad) == LOCANT_ERR_PARAM);
    bad = o;
    bad.encoding = "ropy";
    CHECK(locant_train(&id, s, corpus, &bad) == LOCANT_ERR_PARAM);
    bad = o;
    bad.heads = 3;
    CHECK(locant_train(&id, s, corpus, &bad) != LOCANT_OK);
    bad = o;
    bad.length = 1 << 20;
    CHECK(locant_train(&id, s, corpus, &bad) == LOCANT_ERR_PARAM);
    assert_int_equal(id, 77);
    CHECK_OK(locant_store_runs(s, count_run, &n));
    assert_int_equal(n, 0);
}

TEST_GROUP(make_corpus, free_corpus)

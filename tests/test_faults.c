/*
 * test_faults.c - writing fails at any call, and on a disk that is full.
 * Every third call; LOCANT_CASES=100 takes all.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "failing_calls.h"
#include "train_case.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* ------------------------------------------------------------- training on */

static locant_train_options smallest(void)
{
    locant_train_options o = tiny("alibi");

    o.layers = 1;
    o.width = 4;
    o.ff = 4;
    o.steps = 2;
    o.checkpoint_every = 1;
    return o;
}

/*
 * One sitting with a fault, which is survived or told in one sentence, and one
 * without, which ends in the bits of 'straight'.
 */
static void check_survived(locant_store *straight, int n)
{
    locant_train_options o = smallest();
    locant_status status;
    locant_store *s = NULL;
    char name[32];
    int64_t id = 0;

    snprintf(name, sizeof name, "%d-%d", n, fault.forever);
    fault.left = n;
    fault.failed = 0;
    fault.armed = true;
    status = locant_store_open(&s, scratch_file(&dir, name));
    if (status == LOCANT_OK)
        status = locant_train(&id, s, corpus, &o);
    locant_store_close(s);
    fault.armed = false;
    if (status != LOCANT_OK && status != LOCANT_ERR_IO)
        FAIL("call %d: %s: %s\n", n, locant_status_name(status),
             locant_last_error());
    if (status != LOCANT_OK)
        CHECK(strstr(locant_last_error(), name) != NULL && fault.failed > 0);
    s = open_store(name);
    id = train(s, &o);
    check_same_run(straight, 1, s, id);
    assert_int_equal(files_in(name), 1);
    locant_store_close(s);
}

static void check_every_call(bool forever)
{
    const char *cases = getenv("LOCANT_CASES");
    const int stride = TEST_SANITIZED ? 9 : cases && atoi(cases) > 99 ? 1 : 3;
    locant_train_options o = smallest();
    OWNED(locant_store) *a = open_store("a");
    int n = forever; /* another third */

    train(a, &o);
    fault.forever = forever;
    fault.halves = false;
    do {
        check_survived(a, n);
        n += stride;
    } while (fault.failed > 0);
    CHECK(n > 50); /* two checkpoints, some transactions */
}

IN_SCRATCH(survives_any_call_that_fails)
{
    check_every_call(false);
}

IN_SCRATCH(survives_all_calls_that_fail_from_one_on)
{
    check_every_call(true);
}

/* A call that was interrupted, or did less, is not a failure. */
IN_SCRATCH(goes_on_after_short_writes)
{
    locant_train_options o = smallest();
    locant_store *a = open_store("a"), *b;

    train(a, &o);
    fault.halves = fault.armed = true;
    fault.failed = 0;
    b = open_store("b");
    train(b, &o);
    fault.halves = fault.armed = false;
    CHECK(fault.failed > 50);
    check_same_run(a, 1, b, 1);
    locant_store_close(a);
    locant_store_close(b);
}

/* -------------------------------------------------------------- a full disk */

/* A disk of its own for this process, if it may have one. */
static bool small_disk(const char *path, const char *size)
{
    return unshare(CLONE_NEWNS) == 0 &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mkdir(path, 0777) == 0 && mount("none", path, "tmpfs", 0, size) == 0;
}

/* 0: as it should be; 1: not; 77: no disk to be had. */
static int train_on_small_disk(const char *size, bool *refused)
{
    const char *disk = scratch_file(&dir, "disk");
    locant_train_options o = tiny("none");
    locant_store *s = NULL, *straight = open_store("a");
    locant_status status;
    int64_t id = 0;

    if (!small_disk(disk, size))
        return 77;
    status = locant_store_open(&s, scratch_file(&dir, "disk/b"));
    if (status == LOCANT_OK)
        status = locant_train(&id, s, corpus, &o);
    locant_store_close(s);
    *refused = status == LOCANT_ERR_IO;
    if (*refused && strstr(locant_last_error(), "No space left") == NULL &&
        strstr(locant_last_error(), "database or disk is full") == NULL &&
        strstr(locant_last_error(), "disk I/O error") == NULL) {
        fprintf(stderr, "%s: %s\n", size, locant_last_error());
        return 1;
    }
    if (!*refused && status != LOCANT_OK)
        return 1;
    /* with more room it goes on, to the same bits */
    if (mount("none", disk, "tmpfs", MS_REMOUNT, "size=64m") != 0)
        return 1;
    if (locant_store_open(&s, scratch_file(&dir, "disk/b")) != LOCANT_OK ||
        locant_train(&id, s, corpus, &o) != LOCANT_OK) {
        fprintf(stderr, "%s: %s\n", size, locant_last_error());
        return 1;
    }
    check_same_run(straight, 1, s, id);
    locant_store_close(s);
    locant_store_close(straight);
    return 0;
}

/* Too little for the database, for one checkpoint, for two; and enough. */
IN_SCRATCH(goes_on_when_a_full_disk_has_room_again)
{
    static const char *const sizes[] = { "size=16k",  "size=96k",  "size=160k",
                                         "size=224k", "size=320k", "size=400k",
                                         "size=480k", "size=2m" };
    locant_train_options o = tiny("none");
    locant_store *a = open_store("a");
    int full = 0;

    train(a, &o);
    locant_store_close(a);
    for (size_t i = 0; i < LEN(sizes); i++) {
        pid_t child = fork();
        int status;

        if (child == 0) {
            bool refused = false;

            status = train_on_small_disk(sizes[i], &refused);
            _exit(status != 0 ? status : refused ? 2 : 0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) != 1);
        if (WEXITSTATUS(status) == 77) {
            print_message("no disk of its own for a test: left out\n");
            skip();
        }
        full += WEXITSTATUS(status) == 2;
        rmdir(scratch_file(&dir, "disk"));
    }
    CHECK(full >= 4 && full < (int)LEN(sizes));
}

TEST_GROUP(make_corpus, free_corpus)

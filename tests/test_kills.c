/* test_kills.c - a run killed at any moment ends in the same bits */
/* needs: lab */
#define _GNU_SOURCE
#include "train_case.h"

/*
 * A hundred kills by default, LOCANT_CASES of them when that is set.  A process
 * that is killed opens the store, reads a checkpoint, trains, and writes one
 * every third step; a run that ends first is compared, and the next one begun.
 */
static int kills_wanted(void)
{
    const char *text = getenv("LOCANT_CASES");

    return text ? atoi(text) : 100;
}

IN_SCRATCH(ends_in_the_same_bits)
{
    locant_train_options o = tiny("rope");
    const int wanted = kills_wanted();
    int kills = 0, finished = 0;

    o.steps = 200;
    o.checkpoint_every = 3;
    for (; kills < wanted; finished++, o.seed++) {
        locant_store *a, *b;
        bool killed = true;

        train_and_kill(&o, "a", 0, &killed);
        for (killed = true; killed && kills < wanted; kills += killed)
            train_and_kill(&o, "b", (int)test_range(1000, 60000), &killed);
        if (killed)
            train_and_kill(&o, "b", 0, &killed);
        a = open_store("a");
        b = open_store("b");
        check_same_run(a, finished + 1, b, finished + 1);
        assert_int_equal(files_in("b"), finished + 1);
        locant_store_close(a);
        locant_store_close(b);
    }
    print_message("%d kills, %d runs\n", kills, finished);
}

/* Killed after the last word to the store and before it gave back the lock. */
IN_SCRATCH(a_dead_lock_goes)
{
    locant_train_options o = tiny("rope");
    char path[PATH_MAX];
    bool killed;
    FILE *f;

    train_and_kill(&o, "c", 0, &killed);
    snprintf(path, sizeof path, "%s/checkpoints/run-1.lock",
             scratch_file(&dir, "c"));
    f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(files_in("c"), 2);
    train_and_kill(&o, "c", 0, &killed);
    assert_int_equal(files_in("c"), 1);
}

TEST_GROUP(make_corpus, free_corpus)

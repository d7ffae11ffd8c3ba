/* train_group_case.h - ranks, as threads, that train one run together */
#ifndef TRAIN_GROUP_CASE_H
#define TRAIN_GROUP_CASE_H
#include "thread_group.h"
#include "train_case.h"
#include "train/trainer.h"

/* What all ranks of a run are given. */
struct job {
    locant_train_options o;
    locant_store *store;
    int64_t ids[THREAD_GROUP_RANKS];
    int stopping_rank; /* asks to stop at once; -1: none does */
};

static inline int stop_if_told(const locant_progress *p, void *context)
{
    (void)p;
    return context != NULL;
}

static inline locant_status train_rank(const locant_group *g, void *context)
{
    struct job *job = context;
    locant_train_options o = job->o;

    o.group = g;
    o.progress = stop_if_told;
    o.context = g->rank == job->stopping_rank ? job : NULL;
    return locant_train(&job->ids[g->rank], g->rank == 0 ? job->store : NULL,
                        corpus, &o);
}

static inline void run_job(struct thread_group_result *results, struct job *job,
                           const struct thread_group_options *group)
{
    for (int r = 0; r < group->size; r++)
        job->ids[r] = 0;
    thread_group_run(results, group, train_rank, job);
}

/* Train with so many ranks in a store of its own, to the end. */
static inline void train_ranks(const locant_train_options *o, const char *name,
                               int size)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const struct thread_group_options group = { .size = size,
                                                .seed = test_rand() };
    OWNED(locant_store) *s = open_store(name);
    struct job job = { .o = *o, .store = s, .stopping_rank = -1 };

    run_job(results, &job, &group);
    thread_group_check(results, size, LOCANT_OK, NULL);
    assert_int_equal(thread_group_left(), 0);
    for (int r = 0; r < size; r++)
        assert_int_equal(job.ids[r], job.ids[0]);
}

/* A run of each number of ranks has the bits of one process; numbers above the
   leaves are left out. */
static inline void check_group_bits(const locant_train_options *o,
                                    const int *sizes, size_t n)
{
    locant_store *one = open_store("one");
    const int64_t id = train(one, o);

    for (size_t i = 0; i < n; i++) {
        char name[16];
        locant_store *s;
        locant_run_info a, b;

        if (sizes[i] > o->leaves)
            continue;
        snprintf(name, sizeof name, "ranks-%d-%d", sizes[i], (int)id);
        train_ranks(o, name, sizes[i]);
        s = open_store(name);
        check_same_run(one, id, s, 1);
        CHECK_OK(locant_store_run(&a, one, id));
        CHECK_OK(locant_store_run(&b, s, 1));
        assert_string_equal(a.batch_checksum, b.batch_checksum);
        locant_store_close(s);
    }
    locant_store_close(one);
}
#endif

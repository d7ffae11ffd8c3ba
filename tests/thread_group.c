/* thread_group.c - see thread_group.h */
#define _POSIX_C_SOURCE 200809L
#include "thread_group.h"
#include "testing.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    struct message *next;
    size_t bytes;
    unsigned char data[];
};

struct queue {
    struct message *first, **end;
};

struct shared {
    const struct thread_group_options *options;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct queue *queues; /* [size, size]: from, to */
    bool broken;
    int broken_by;
    thread_group_body body;
    void *context;
};

struct rank {
    struct shared *shared;
    locant_group group;
    locant_random random;
    struct thread_group_result *result;
    pthread_t thread;
};

static long left;

long thread_group_left(void)
{
    return left;
}

static struct queue *queue(struct shared *s, int from, int to)
{
    return &s->queues[(size_t)from * (size_t)s->options->size + (size_t)to];
}

static void post(struct rank *r, const locant_piece *piece)
{
    struct message *m = malloc(sizeof *m + piece->bytes);
    struct queue *q = queue(r->shared, r->group.rank, piece->peer);

    if (m == NULL)
        abort();
    m->next = NULL;
    m->bytes = piece->bytes;
    if (piece->bytes > 0)
        memcpy(m->data, piece->data, piece->bytes);
    if (q->first == NULL)
        q->end = &q->first;
    *q->end = m;
    q->end = &m->next;
}

/* Take the next message for this piece, if it has come; false if it has another
   size. */
static bool take(struct rank *r, const locant_piece *piece, bool *done)
{
    struct queue *q = queue(r->shared, piece->peer, r->group.rank);
    struct message *m = q->first;
    bool fits;

    if (m == NULL)
        return true;
    fits = m->bytes == piece->bytes;
    if (fits && m->bytes > 0)
        memcpy(piece->data, m->data, m->bytes);
    q->first = m->next;
    free(m);
    *done = true;
    return fits;
}

static bool waits_for_earlier(const locant_piece *list, const bool *done,
                              size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!done[k] && list[k].peer == list[i].peer)
            return true;
    return false;
}

/* Take what has come, beginning anywhere; returns how many pieces. */
static size_t take_some(struct rank *r, const locant_piece *list, size_t n,
                        bool *done, bool *fits)
{
    const size_t start = locant_random_below(&r->random, n);
    size_t taken = 0;

    for (size_t k = 0; k < n && *fits; k++) {
        const size_t i = (start + k) % n;

        if (done[i] || waits_for_earlier(list, done, i))
            continue;
        *fits = take(r, &list[i], &done[i]);
        taken += done[i];
    }
    return taken;
}

static locant_status broken(const struct rank *r)
{
    return locant_fail(LOCANT_ERR_IO, "rank %d of %d is lost",
                       r->shared->broken_by, r->group.size);
}

static locant_status receive_all(struct rank *r, const locant_piece *list,
                                 size_t n)
{
    bool *done = calloc(n + 1, sizeof *done), fits = true;
    locant_status status = LOCANT_OK;
    size_t left_over = n;

    while (left_over > 0 && status == LOCANT_OK && fits) {
        const size_t taken = take_some(r, list, n, done, &fits);

        left_over -= taken;
        if (r->shared->broken)
            status = broken(r);
        else if (taken == 0 && left_over > 0)
            pthread_cond_wait(&r->shared->changed, &r->shared->mutex);
    }
    free(done);
    if (!fits)
        status = locant_fail(LOCANT_ERR_IO, "a piece has another size");
    return status;
}

static locant_status exchange(const locant_piece *send, size_t sends,
                              const locant_piece *receive, size_t receives,
                              void *context)
{
    struct rank *r = context;
    struct shared *s = r->shared;
    locant_status status;

    for (uint64_t i = locant_random_below(&r->random, 4); i > 0; i--)
        sched_yield();
    pthread_mutex_lock(&s->mutex);
    r->result->exchanges++;
    if (r->group.rank == s->options->failing &&
        r->result->exchanges == s->options->fails_at && !s->broken) {
        s->broken = true;
        s->broken_by = r->group.rank;
    }
    for (size_t i = 0; i < sends && !s->broken; i++)
        post(r, &send[i]);
    pthread_cond_broadcast(&s->changed);
    status = s->broken ? broken(r) : receive_all(r, receive, receives);
    pthread_mutex_unlock(&s->mutex);
    return status;
}

static void *run_rank(void *context)
{
    struct rank *r = context;

    r->result->status = r->shared->body(&r->group, r->shared->context);
    if (r->result->status != LOCANT_OK)
        snprintf(r->result->message, sizeof r->result->message, "%s",
                 locant_last_error());
    return NULL;
}

static void count_left(struct shared *s)
{
    const size_t n = (size_t)s->options->size * (size_t)s->options->size;

    left = 0;
    for (size_t i = 0; i < n; i++) {
        while (s->queues[i].first != NULL) {
            struct message *m = s->queues[i].first;

            s->queues[i].first = m->next;
            free(m);
            left++;
        }
    }
    free(s->queues);
}

void thread_group_run(struct thread_group_result *results,
                      const struct thread_group_options *options,
                      thread_group_body body, void *context)
{
    const size_t size = (size_t)options->size;
    struct shared s = { .options = options, .body = body, .context = context };
    struct rank *ranks = calloc(size, sizeof *ranks);

    s.queues = calloc(size * size, sizeof *s.queues);
    if (ranks == NULL || s.queues == NULL)
        abort();
    pthread_mutex_init(&s.mutex, NULL);
    pthread_cond_init(&s.changed, NULL);
    for (size_t i = 0; i < size; i++) {
        ranks[i] = (struct rank){
            .shared = &s,
            .group = { sizeof(locant_group), (int)i, options->size, exchange,
                       &ranks[i] },
            .random = { options->seed, i, 0 },
            .result = &results[i],
        };
        results[i] = (struct thread_group_result){ 0 };
        if (pthread_create(&ranks[i].thread, NULL, run_rank, &ranks[i]) != 0)
            abort();
    }
    for (size_t i = 0; i < size; i++)
        pthread_join(ranks[i].thread, NULL);
    count_left(&s);
    pthread_cond_destroy(&s.changed);
    pthread_mutex_destroy(&s.mutex);
    free(ranks);
}

void thread_group_check(const struct thread_group_result *results, int size,
                        locant_status want, const char *message)
{
    for (int r = 0; r < size; r++)
        if (results[r].status != want ||
            (message && strstr(results[r].message, message) == NULL))
            FAIL("rank %d of %d: %s: %s\n", r, size,
                 locant_status_name(results[r].status), results[r].message);
}

locant_status thread_group_refuse(const locant_piece *send, size_t sends,
                                  const locant_piece *receive, size_t receives,
                                  void *context)
{
    (void)send;
    (void)sends;
    (void)receive;
    (void)receives;
    (void)context;
    return locant_fail(LOCANT_ERR_IO, "no exchange was expected");
}

bool thread_group_run_short(struct thread_group_result results[2], long k,
                            thread_group_body body, void *context)
{
    const struct thread_group_options group = { .size = 2,
                                                .seed = test_rand() };
    bool asked;

    test_memory_fail(k);
    thread_group_run(results, &group, body, context);
    asked = test_memory_asked() >= k;
    assert_int_equal(test_memory_held(), 0);
    test_memory_end();
    if (results[0].status != results[1].status)
        FAIL("allocation %ld: %s, and %s\n", k, results[0].message,
             results[1].message);
    return asked;
}

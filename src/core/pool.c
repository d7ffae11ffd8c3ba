/*
 * pool.c - the library's threads.
 *
 * Workers wait on a condition variable; the caller works too.  A thread spins
 * for a short time before it waits: a training step is many jobs in quick
 * succession, and waking a thread takes longer than the time between them.
 * Threads take tasks from a counter, so any thread may run a task; the result
 * of a task must depend only on its number.  One job runs at a time: a second
 * caller waits.  A call from inside a task runs serially.
 */
#define _GNU_SOURCE
#include "pool.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 1024 };
#define POLL_SECONDS 0.1
/* Spinning four times as long is not faster (docs/SPEED.md). */
#define SPIN_SECONDS 100e-6

static struct {
    pthread_mutex_t job_lock; /* held by the caller whose job runs */
    pthread_mutex_t lock;     /* guards the members below */
    pthread_cond_t wake, done;
    int workers;          /* started; slots 1 .. workers */
    _Atomic uint64_t job; /* number of the present job */
    int wanted;           /* slots 1 .. wanted may join it */
    _Atomic int busy;     /* workers inside it */
    int processors;       /* usable when the last worker was started */
    bool oversubscribed;  /* more threads than processors: none spins */
    locant_task body;     /* of the present job, as all members below */
    void *context;
    size_t tasks;
    _Atomic size_t next;
    _Atomic bool stop; /* begin no more tasks */
} pool = {
    .job_lock = PTHREAD_MUTEX_INITIALIZER,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .wake = PTHREAD_COND_INITIALIZER,
    .done = PTHREAD_COND_INITIALIZER,
};

static _Atomic int wanted_threads; /* 0: automatic */
static locant_parallel_runner external_runner;
static void *external_context;
static _Thread_local bool inside; /* this thread runs a task */

static _Atomic(locant_poll) poll_function; /* may become NULL in a call */
static void *poll_context;
/* The cancellable call that this thread is in, if any. */
static _Thread_local struct {
    bool cancellable, cancelled;
    double next_poll; /* in seconds */
} call;
static _Thread_local bool in_pool; /* it runs a task of the pool */

bool lct_inside_task(void)
{
    return inside;
}

int lct_slots(void)
{
    return inside ? 1 : locant_threads();
}

static int usable_processors(void)
{
    int n = 0;
#ifdef __linux__
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        n = CPU_COUNT(&set);
#endif
    if (n < 1)
        n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : n;
}

locant_status locant_set_threads(int threads)
{
    if (threads < 0 || threads > MAX_THREADS)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_set_threads: threads is "
                           "%d, expected 0 (automatic) to %d",
                           threads, MAX_THREADS);
    atomic_store(&wanted_threads, threads);
    return LOCANT_OK;
}

int locant_threads(void)
{
    int n = atomic_load(&wanted_threads);

    return n > 0 ? n : usable_processors();
}

void locant_set_parallel_for(locant_parallel_runner run, void *context)
{
    external_runner = run;
    external_context = context;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void locant_set_poll(locant_poll poll, void *context)
{
    /* Without a poll keep the context: a call may still use the old poll. */
    if (poll != NULL)
        poll_context = context;
    atomic_store(&poll_function, poll);
}

int locant_ask_poll(void)
{
    const locant_poll poll = atomic_load(&poll_function);

    return poll != NULL ? poll(poll_context) : 0;
}

void lct_pool_begin_cancellable(void)
{
    call.cancellable = atomic_load(&poll_function) != NULL && !inside;
    call.cancelled = false;
    if (call.cancellable)
        call.next_poll = seconds() + POLL_SECONDS;
}

bool lct_pool_end_cancellable(void)
{
    bool cancelled = call.cancellable && call.cancelled;

    call.cancellable = call.cancelled = false;
    return cancelled;
}

bool lct_pool_cancelled(void)
{
    if (in_pool && atomic_load_explicit(&pool.stop, memory_order_relaxed))
        return true;
    if (!call.cancellable || call.cancelled || seconds() < call.next_poll)
        return call.cancelled;
    call.cancelled = locant_ask_poll() != 0;
    call.next_poll = seconds() + POLL_SECONDS;
    if (call.cancelled && in_pool)
        atomic_store(&pool.stop, true);
    return call.cancelled;
}

static void run_tasks(int slot)
{
    size_t task;

    inside = in_pool = true;
    while (!lct_pool_cancelled() &&
           (task = atomic_fetch_add(&pool.next, 1)) < pool.tasks)
        pool.body(pool.context, task, slot);
    inside = in_pool = false;
}

static bool job_is(uint64_t job)
{
    return atomic_load(&pool.job) == job;
}

static bool any_busy(uint64_t unused)
{
    (void)unused;
    return atomic_load(&pool.busy) > 0;
}

/* Spin while condition(x) holds, at most SPIN_SECONDS.  The caller holds
 * pool.lock; spinning releases it. */
static void spin(bool (*condition)(uint64_t), uint64_t x)
{
    double end;

    if (pool.oversubscribed)
        return;
    pthread_mutex_unlock(&pool.lock);
    end = seconds() + SPIN_SECONDS;
    while (condition(x) && seconds() < end)
        ;
    pthread_mutex_lock(&pool.lock);
}

static void *worker(void *arg)
{
    int slot = (int)(intptr_t)arg;
    uint64_t seen = 0;

    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.job == seen || slot > pool.wanted) {
            seen = pool.job;
            pthread_cond_wait(&pool.wake, &pool.lock);
        }
        seen = pool.job;
        pool.busy++;
        pthread_mutex_unlock(&pool.lock);
        run_tasks(slot);
        pthread_mutex_lock(&pool.lock);
        if (--pool.busy == 0)
            pthread_cond_signal(&pool.done);
        spin(job_is, seen);
    }
    return NULL;
}

/* After fork() the child has no workers and must initialise the locks. */
static void reset_pool(void)
{
    static const pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

    pool.job_lock = mutex;
    pool.lock = mutex;
    pool.wake = cond;
    pool.done = cond;
    pool.workers = 0;
    pool.busy = 0;
    pool.wanted = 0;
    inside = in_pool = false;
}

static void register_fork_handler(void)
{
    pthread_atfork(NULL, NULL, reset_pool);
}

/* Start workers until there are 'n', or none can be started.  The caller holds
 * pool.lock. */
static void start_workers(int n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_attr_t detached;

    pthread_once(&once, register_fork_handler);
    if (pool.workers >= n || pthread_attr_init(&detached) != 0)
        return;
    pool.processors = usable_processors();
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    while (pool.workers < n) {
        pthread_t thread;

        if (pthread_create(&thread, &detached, worker,
                           (void *)(intptr_t)(pool.workers + 1)) != 0)
            break; /* fewer threads, same results */
        pool.workers++;
    }
    pthread_attr_destroy(&detached);
}

static void run_serially(size_t tasks, locant_task body, void *context)
{
    bool was = inside;

    inside = true;
    for (size_t task = 0; task < tasks && !lct_pool_cancelled(); task++)
        body(context, task, 0);
    inside = was;
}

static void run_on_pool(size_t tasks, locant_task body, void *context,
                        int threads)
{
    pthread_mutex_lock(&pool.job_lock);
    pthread_mutex_lock(&pool.lock);
    start_workers(threads - 1);
    pool.body = body;
    pool.context = context;
    pool.tasks = tasks;
    atomic_store(&pool.next, 0);
    atomic_store(&pool.stop, call.cancelled);
    pool.wanted = threads - 1;
    pool.oversubscribed = threads > pool.processors;
    pool.job++;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);

    run_tasks(0);

    pthread_mutex_lock(&pool.lock);
    pool.wanted = 0; /* no worker joins from here on */
    if (pool.busy > 0)
        spin(any_busy, 0);
    while (pool.busy > 0)
        pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&pool.job_lock);
}

struct external_job {
    locant_task body;
    void *context;
};

/* A task on a thread of the external runner; nested calls run serially. */
static void run_external(void *context, size_t task, int slot)
{
    const struct external_job *job = context;

    inside = true;
    if (!lct_pool_cancelled())
        job->body(job->context, task, slot);
    inside = false;
}

void lct_parallel_for(size_t tasks, int slots, locant_task body, void *context)
{
    struct external_job job = { body, context };
    int now = lct_slots(), threads = now < slots ? now : slots;

    if (tasks < (size_t)threads)
        threads = (int)tasks;
    /* An external runner may use 'now' slots; the caller has only 'slots'. */
    if (inside || threads < 2 || (external_runner != NULL && now > slots))
        run_serially(tasks, body, context);
    else if (external_runner != NULL)
        external_runner(tasks, run_external, &job, external_context);
    else
        run_on_pool(tasks, body, context, threads);
}

void locant_parallel_for(size_t tasks, locant_task body, void *context)
{
    lct_parallel_for(tasks, MAX_THREADS, body, context);
}

/*
 * bench_memory.c - memory of attention beyond its inputs and outputs, and of
 * other work.
 *
 * A child process sets up the problem, runs it forward and backward once, and
 * reads its peak resident set size from the system.  The result is that peak
 * less the size before the first operand, and less the bytes of inputs, outputs
 * and gradients: workspace, threads and the library's own tables.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__
#    include <malloc.h>
#endif

/* The value of "VmRSS:" or "VmHWM:" for this process in bytes, or 0. */
static double status_bytes(const char *key)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long long kib = 0;

    while (f != NULL && fgets(line, sizeof(line), f) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            sscanf(line + strlen(key), "%lld", &kib);
    if (f != NULL)
        fclose(f);
    return 1024.0 * (double)kib;
}

/* Reset the peak resident set size. */
static bool reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    bool good = f != NULL && fputs("5", f) >= 0;

    return f != NULL && fclose(f) == 0 && good;
}

/* Bytes of q, out, dout, dq; k, v, dk, dv; and the log-sum-exp. */
static double operand_bytes(const struct bench_case *c)
{
    double q = (double)(c->heads * c->queries * c->dim);
    double k = (double)(c->kv_heads * c->tokens * c->dim);

    return (4 * q + 4 * k) * (double)locant_dtype_size(c->dtype) +
           (double)(c->heads * c->queries) * sizeof(float);
}

static void both_ways(struct bench_memory *answer, const void *context)
{
    const struct bench_case *c = context;
    struct bench_attention *a = bench_attention_open(c, true);
    double t = bench_clock_wall();

    if (a != NULL)
        bench_attention_forward(a);
    if (a != NULL && a->status == LOCANT_OK)
        bench_attention_backward(a);
    if (a == NULL || a->status != LOCANT_OK) {
        snprintf(answer->why, sizeof(answer->why), "%s", locant_last_error());
        return;
    }
    answer->ns = bench_clock_wall() - t;
    answer->operands = operand_bytes(c);
    answer->workspace = (double)a->workspace_bytes;
}

/* --------------------------------------------------------------- the child */

struct body {
    void (*run)(struct bench_memory *answer, const void *context);
    const void *context;
};

static void child(struct bench_memory *answer, const struct body *body)
{
    double before;

    /* otherwise memory freed by earlier rows would be reused uncounted */
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    if (!reset_peak() || status_bytes("VmHWM:") == 0) {
        snprintf(answer->why, sizeof(answer->why),
                 "this system does not report the peak memory of a process");
        return;
    }
    before = status_bytes("VmRSS:");
    body->run(answer, body->context);
    answer->extra = status_bytes("VmHWM:") - before - answer->operands;
}

/* Fill 'answer' from a child process; false if the child died. */
static bool ask_child(struct bench_memory *answer, const struct body *body)
{
    size_t have = 0;
    ssize_t n = 0;
    int ends[2];
    pid_t pid;

    fflush(NULL); /* otherwise buffered output would be written twice */
    if (pipe(ends) != 0)
        return false;
    pid = fork();
    if (pid == 0) {
        child(answer, body);
        n = write(ends[1], answer, sizeof(*answer));
        _exit(n == (ssize_t)sizeof(*answer) ? 0 : 1);
    }
    close(ends[1]);
    while (pid > 0 && have < sizeof(*answer) &&
           (n = read(ends[0], (char *)answer + have, sizeof(*answer) - have)) >
               0)
        have += (size_t)n;
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return have == sizeof(*answer);
}

const char *bench_memory_ask(struct bench_memory *answer,
                             void (*run)(struct bench_memory *answer,
                                         const void *context),
                             const void *context)
{
    const struct body body = { run, context };

    *answer = (struct bench_memory){ 0 };
    bench_peak_release(); /* otherwise the child would inherit it */
    return ask_child(answer, &body) ? NULL : "the measured process died";
}

static const char *measure(struct bench_result *r, bool quick)
{
    struct bench_memory answer;
    const char *wrong = bench_memory_ask(&answer, both_ways, r->c);

    (void)quick; /* there is only one sample */
    if (wrong != NULL)
        return wrong;
    if (answer.why[0] != '\0')
        return bench_cannot(r, answer.why);
    r->samples = 1;
    r->min_ns = r->median_ns = answer.ns;
    r->speed = answer.extra / 0x1p20;
    bench_note(r, "inputs and outputs %.0f MiB, workspace %.2f MiB",
               answer.operands / 0x1p20, answer.workspace / 0x1p20);
    return NULL;
}

const struct bench_work work_memory = {
    .unit = "MiB",
    .doors = LOCANT_DOOR_ROTATE | LOCANT_DOOR_SCORE,
    .measure = measure,
};

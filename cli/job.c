/* job.c - functions for long jobs: their run, signals, progress on stderr. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* ------------------------------------------------------------------- a run */

int cli_run_id(int64_t *id, const char *command, const char *word)
{
    char *end;

    errno = 0;
    *id = strtoll(word, &end, 10);
    if (*end == '\0' && end != word && errno == 0 && *id >= 1)
        return CLI_OK;
    return cli_fail(CLI_USAGE,
                    "%s: '%s': should be the number of a run; "
                    "'locant runs list' shows them",
                    command, word);
}

int cli_with_run(const struct cli *cli, const char *command, const char *dir,
                 int (*job)(const struct cli *, int64_t id, locant_store *))
{
    locant_store *store = NULL;
    locant_status s;
    int64_t id;
    int status = cli_run_id(&id, command, cli->words[0]);

    if (status == CLI_OK)
        status = cli_check_store(dir);
    if (status != CLI_OK)
        return status;
    s = locant_store_open(&store, dir);
    status = s == LOCANT_OK ? job(cli, id, store) : cli_error(s);
    locant_store_close(store);
    return status;
}

/* ----------------------------------------------------------------- signals */

static volatile sig_atomic_t stop_asked;

/* The first signal asks the job to stop, the second ends it at once.  Both
   leave the store consistent. */
static void on_signal(int number)
{
    if (stop_asked)
        _exit(128 + number);
    stop_asked = number;
}

void cli_catch_signals(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action = { 0 }, old;

    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < 3; i++) {
        /* nohup(1) and shells make background jobs ignore some: keep that. */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

int cli_job_status(locant_status s)
{
    cli_progress_end();
    if (s == LOCANT_OK)
        return CLI_OK;
    if (s == LOCANT_ERR_INTERRUPTED)
        return cli_fail(CLI_RESUMABLE, "stopped and saved; the same command "
                                       "continues from there");
    /* The request is valid, but another process trains this run. */
    return s == LOCANT_ERR_UNSUPPORTED ? cli_error_busy() : cli_error(s);
}

/* ---------------------------------------------------------------- progress */

static struct {
    double last; /* time of the last output, seconds of CLOCK_MONOTONIC */
    int drawn;   /* the cursor is on a redrawn line */
} progress;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* "1:02:03", "2:03" */
static void put_duration(char *out, size_t size, double seconds)
{
    long n = isfinite(seconds) && seconds < 1e9 ? lround(fmax(seconds, 0)) : -1;

    if (n < 0)
        snprintf(out, size, "?");
    else if (n < 3600)
        snprintf(out, size, "%ld:%02ld", n / 60, n % 60);
    else
        snprintf(out, size, "%ld:%02ld:%02ld", n / 3600, n / 60 % 60, n % 60);
}

static void draw_bar(char *out, size_t width, double part)
{
    size_t full = (size_t)(fmin(fmax(part, 0), 1) * (double)width + 0.5);

    memset(out, '#', full);
    memset(out + full, '.', width - full);
    out[width] = '\0';
}

/* "train rope seed 2 step 300/600 loss 1.234 35.1k tokens/s 2:10 left" */
static void describe(char *out, size_t size, const locant_progress *p)
{
    char left[32];
    size_t n = (size_t)snprintf(out, size, "%s", p->phase ? p->phase : "");

    if (p->encoding != NULL && n < size)
        n += (size_t)snprintf(out + n, size - n, " %s seed %llu",
                              cli_safe(p->encoding),
                              (unsigned long long)p->seed);
    if (p->steps > 0 && n < size)
        n += (size_t)snprintf(out + n, size - n, " step %lld/%lld",
                              (long long)p->step, (long long)p->steps);
    if (isfinite(p->loss) && n < size)
        n += (size_t)snprintf(out + n, size - n, " loss %.3f", p->loss);
    if (p->rate > 0 && n < size)
        n += (size_t)snprintf(out + n, size - n, " %.3gk tokens/s",
                              p->rate / 1000);
    if (isfinite(p->left) && n < size) {
        put_duration(left, sizeof left, p->left);
        snprintf(out + n, size - n, " %s left", left);
    }
}

static size_t terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
        return size.ws_col;
    return 80;
}

int cli_progress(const locant_progress *p, void *context)
{
    char text[400], line[512], bar[24];
    int terminal = isatty(STDERR_FILENO);
    double t = now(), part;

    (void)context;
    if (p->notice != NULL) {
        cli_progress_end();
        fprintf(stderr, "locant: %s\n", cli_safe(p->notice));
        if (p->total == 0) /* a notice, not progress */
            return stop_asked != 0;
    }
    if (t - progress.last < (terminal ? 0.1 : 5.0))
        return stop_asked != 0;
    progress.last = t;
    part = p->total > 0 ? (double)p->done / (double)p->total : 0;
    describe(text, sizeof text, p);
    if (terminal) {
        draw_bar(bar, 20, part);
        snprintf(line, sizeof line, "[%s] %3.0f%% %s", bar, 100 * part, text);
        /* Clear the rest of the line; text in the last column would wrap. */
        fprintf(stderr, "\r%.*s\033[K", (int)terminal_width() - 1, line);
        fflush(stderr);
        progress.drawn = 1;
    } else {
        fprintf(stderr, "%3.0f%% %s\n", 100 * part, text);
    }
    return stop_asked != 0;
}

void cli_progress_end(void)
{
    if (progress.drawn)
        fputs("\r\033[K", stderr);
    progress.drawn = 0;
}

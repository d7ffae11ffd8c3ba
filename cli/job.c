/* job.c - long jobs: the run to work on, signals, progress on stderr. */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

/* ------------------------------------------------------------------- a run */

int cli_run_id(int64_t *id, const char *command, const char *word)
{
    if (cli_parse_whole(id, word, 1, INT64_MAX))
        return CLI_OK;
    return cli_refuse("%s: '%s': should be the number of a run; 'locant runs "
                      "list' shows them",
                      command, word);
}

int cli_open_run(locant_store **store, int64_t *id, const struct cli *cli,
                 const char *dir)
{
    CLI_TRY(cli_run_id(id, cli->command->name, cli->words[0]));
    return cli_store_open(store, dir, CLI_WRITE);
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

int cli_stop_asked(void)
{
    return stop_asked != 0;
}

int cli_job_status(locant_status s)
{
    cli_progress_end();
    if (s == LOCANT_ERR_INTERRUPTED)
        return cli_fail(CLI_RESUMABLE, "stopped and saved; the same command "
                                       "continues from there");
    /* UNSUPPORTED: another process trains this run; no argument is wrong. */
    return s == LOCANT_ERR_UNSUPPORTED
               ? cli_fail(CLI_INPUT, "%s", cli_message())
               : cli_status(s);
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

/* Seconds as "1:02:03" or "2:03". */
static const char *duration(double seconds)
{
    long n = isfinite(seconds) && seconds < 1e9 ? lround(fmax(seconds, 0)) : -1;

    if (n < 0)
        return "?";
    if (n < 3600)
        return cli_text("%ld:%02ld", n / 60, n % 60);
    return cli_text("%ld:%02ld:%02ld", n / 3600, n / 60 % 60, n % 60);
}

static void draw_bar(char *out, size_t width, double part)
{
    size_t full = (size_t)(fmin(fmax(part, 0), 1) * (double)width + 0.5);

    memset(out, '#', full);
    memset(out + full, '.', width - full);
    out[width] = '\0';
}

/* "train rope seed 2 step 300/600 loss 1.234 35.1k tokens/s 2:10 left" */
static const char *describe(const locant_progress *p)
{
    const char *text = p->phase ? p->phase : "";

    if (p->encoding != NULL)
        text = cli_text("%s %s seed %llu", text, cli_safe(p->encoding),
                        (unsigned long long)p->seed);
    if (p->steps > 0)
        text = cli_text("%s step %lld/%lld", text, (long long)p->step,
                        (long long)p->steps);
    if (isfinite(p->loss))
        text = cli_text("%s loss %.3f", text, p->loss);
    if (p->rate > 0)
        text = cli_text("%s %.3gk tokens/s", text, p->rate / 1000);
    if (isfinite(p->left))
        text = cli_text("%s %s left", text, duration(p->left));
    return text;
}

int cli_progress(const locant_progress *p, void *context)
{
    char bar[24];
    const int terminal = isatty(STDERR_FILENO);
    const int width = cli_width(STDERR_FILENO);
    double t = now(), percent;

    (void)context;
    if (cli_hushed() != NULL)
        return stop_asked != 0;
    if (p->notice != NULL) {
        cli_progress_end();
        fprintf(stderr, "locant: %s\n", cli_safe(p->notice));
        if (p->total == 0) /* a notice, not progress */
            return stop_asked != 0;
    }
    /* seconds between two pictures of a line, or two lines of a log */
    if (t - progress.last < (terminal ? 0.1 : 5.0))
        return stop_asked != 0;
    progress.last = t;
    percent = p->total > 0 ? 100 * ((double)p->done / (double)p->total) : 0;
    if (terminal) {
        draw_bar(bar, 20, percent / 100);
        /* Clear the rest of the line; text in the last column would wrap. */
        fprintf(stderr, "\r%.*s\033[K", (width > 20 ? width : 80) - 1,
                cli_text("[%s] %3.0f%% %s", bar, percent, describe(p)));
        fflush(stderr);
        progress.drawn = 1;
    } else {
        fprintf(stderr, "%3.0f%% %s\n", percent, describe(p));
    }
    return stop_asked != 0;
}

void cli_progress_end(void)
{
    if (progress.drawn)
        fputs("\r\033[K", stderr);
    progress.drawn = 0;
}

/*
 * bench.c - the runner: measures every case on each instruction set with each
 * number of threads, and writes rows to the output and to the record.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct run {
    const struct bench_options *o;
    struct bench_sink sinks[2]; /* the output and, with --append, the record */
    int n_sinks, done, total;
    bool wrong;
    bool show_progress; /* stderr is a terminal */
};

static void do_row(struct run *run, struct bench_result *r)
{
    const char *wrong;

    if (run->show_progress)
        fprintf(stderr, "\r\033[K%d/%d %.60s", run->done, run->total,
                r->c->name);
    wrong = bench_measure(r, run->o->quick);
    if (run->show_progress)
        fputs("\r\033[K", stderr);
    if (wrong != NULL) {
        run->wrong = true;
        fprintf(stderr, "locant: bench: %s (%s, threads %d): %s\n", r->c->name,
                r->isa, r->threads, wrong);
        return;
    }
    for (int i = 0; i < run->n_sinks; i++)
        bench_print_row(&run->sinks[i], r);
}

static void do_isa(struct run *run, const struct bench_case *c, int threads,
                   const char *isa)
{
    struct bench_result r = { .c = c,
                              .isa = c->work->plain_c ? "-" : isa,
                              .threads = threads };

    if (locant_set_isa(isa) == LOCANT_OK)
        do_row(run, &r);
}

/* On the instruction sets of --isa; else on every one that the CPU runs, or on
   the best of them. */
static void do_isas(struct run *run, const struct bench_case *c, int threads)
{
    const struct bench_isas *chosen = &run->o->isas;
    const char *isa;
    int available;

    for (int i = 0; i < chosen->n; i++) {
        do_isa(run, c, threads, chosen->at[i]);
        if (c->work->plain_c)
            break;
    }
    if (chosen->n > 0)
        return;
    for (int i = 0; (isa = locant_isa_at(i, &available)) != NULL; i++) {
        if (!available)
            continue;
        do_isa(run, c, threads, isa);
        if (!c->work->every_isa)
            break;
    }
}

/* The i-th thread count of --threads; 0: the library chooses. */
static int threads_at(const struct bench_options *o, int i)
{
    return o->threads.n == 0 ? 0 : (int)o->threads.at[i];
}

static void do_case(struct run *run, const struct bench_case *c)
{
    int n =
        run->o->threads.n == 0 || c->work->one_thread ? 1 : run->o->threads.n;

    for (int i = 0; i < n; i++) {
        int threads = c->work->one_thread ? 1 : threads_at(run->o, i);

        if (locant_set_threads(threads) == LOCANT_OK)
            do_isas(run, c, locant_threads());
    }
    run->done++;
}

/* Opens a new file for this run in the folder of records. */
static FILE *open_record(const struct bench_options *o,
                         const struct bench_machine *m)
{
    char path[512], cpu[64], date[20];
    size_t n = 0;
    FILE *f;

    for (const char *p = m->cpu; *p != '\0' && n + 1 < sizeof(cpu); p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') ||
                      (*p >= 'A' && *p <= 'Z');

        if (letter || (n > 0 && cpu[n - 1] != '-'))
            cpu[n++] = letter ? *p : '-';
    }
    cpu[n] = '\0';
    snprintf(date, sizeof(date), "%.19s", m->date);
    for (char *p = date; *p != '\0'; p++)
        *p = *p == ':' ? '-' : *p;
    snprintf(path, sizeof(path), "%s/%s-%s-%s.json", o->append, date, m->commit,
             cpu);
    (void)mkdir(o->append, 0777); /* the folder may exist */
    f = fopen(path, "a");
    if (f == NULL)
        fprintf(stderr, "locant: bench: %s: cannot be written\n", path);
    return f;
}

static void do_all(struct run *run, const struct bench_case *cases)
{
    for (int i = 0; i < run->n_sinks; i++)
        bench_print_head(&run->sinks[i]);
    for (int i = 0; i < run->total; i++)
        do_case(run, &cases[i]);
    for (int i = 0; i < run->n_sinks; i++)
        bench_print_foot(&run->sinks[i]);
    bench_peak_release();
    bench_checkpoint_release();
}

int bench_run_cases(const struct bench_options *o, FILE *out,
                    const struct bench_case *cases, int n)
{
    struct run run = { .o = o,
                       .n_sinks = 1,
                       .total = n,
                       .show_progress = isatty(STDERR_FILENO) == 1 };
    struct bench_machine machine;
    FILE *record = NULL;
    int status;

    if (locant_set_threads(threads_at(o, 0)) != LOCANT_OK ||
        locant_set_isa(o->isas.n > 0 ? o->isas.at[0] : NULL) != LOCANT_OK)
        return 2;
    bench_machine_ask(&machine);
    run.sinks[0] = (struct bench_sink){
        .file = out, .format = o->format, .quick = o->quick, .machine = &machine
    };
    if (o->append != NULL && (record = open_record(o, &machine)) == NULL)
        return 3;
    if (record != NULL) {
        run.sinks[run.n_sinks] = run.sinks[0];
        run.sinks[run.n_sinks].file = record;
        run.sinks[run.n_sinks++].format = FORMAT_LINES;
    }
    do_all(&run, cases);
    status = run.wrong ? 1 : 0;
    if (record != NULL) {
        bool failed = ferror(record) != 0;

        if (fclose(record) != 0 || failed)
            status = 3;
    }
    return ferror(out) ? 3 : status;
}

int bench_run(const struct bench_options *o, FILE *out)
{
    struct bench_case *cases = NULL;
    int n = bench_cases(&cases, o), status = 0;

    if (n < 0) {
        fprintf(stderr, "locant: bench: out of memory\n");
        status = 3;
    } else if (n == 0) {
        fprintf(stderr,
                "locant: bench: no row matches%s%s%s; --list prints "
                "all\n",
                o->only != NULL ? " --only '" : " the options",
                o->only != NULL ? o->only : "", o->only != NULL ? "'" : "");
        status = 2;
    } else if (o->list) {
        for (int i = 0; i < n; i++)
            fprintf(out, "%-9s %s\n",
                    bench_titles[cases[i].family->subject].key, cases[i].name);
    } else {
        status = bench_run_cases(o, out, cases, n);
    }
    free(cases);
    return status;
}

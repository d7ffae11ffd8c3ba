/* cmd_report.c - locant report: compare encodings, write the page. */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "locant/tasks.h"

#ifndef LOCANT_COMMIT
#    define LOCANT_COMMIT ""
#endif

struct options {
    int preset;
    int64_t seeds, minutes;
    const char *encodings, *dir, *out, *with, *tasks;
    int any_isa;
    struct cli_corpus corpus;
};

static const struct cli_option options[] = {
    OPT_CHOICE("preset", preset, "smoke|quick|hour|full|homework",
               "a minute; ten minutes; an hour; hours; five minutes",
               .fallback = "quick"),
    OPT_CORPUS(corpus),
    OPT_KEPT_TEXT(corpus),
    OPT_KEEP_TEXT(corpus),
    OPT_TEXT("encodings", encodings, "'A; B; ...'",
             "encodings instead of the preset's"),
    OPT_INTEGER("seeds", seeds, "N", 0, 1000,
                "seeds of each encoding; 0: the preset's"),
    OPT_INTEGER("minutes", minutes, "N", 0, 1000000,
                "train fewer seeds to end within N minutes; 0: the preset's"),
    OPT_TEXT("with", with, "JOBS",
             "also run long jobs: extension, surface, tasks"),
    OPT_TEXT("tasks", tasks, "LIST", "tasks for --with tasks, such as T1,T12"),
    OPT_DIR(dir),
    OPT_ANY_ISA(any_isa),
    OPT_FILE("output", out, "PAGE.html", "the page", .letter = 'o',
             .fallback = "locant-report.html"),
    OPT_END
};

/* -------------------------------------------------------------- the specs */

enum { MAX_SPECS = 64 };

struct specs {
    char *text;
    const char *items[MAX_SPECS];
    size_t n;
};

static int check_spec(const char *spec)
{
    locant_encoding *e = NULL;
    locant_status s = locant_encoding_create(&e, spec);

    locant_encoding_free(e);
    return s == LOCANT_OK ? CLI_OK : cli_error(s);
}

/* Whether a word follows a complete spec, so that a ';' is missing. */
static int lacks_semicolon(const char *spec)
{
    int depth = 0;
    char last = '+'; /* the last character that is not a blank */

    for (; *spec != '\0'; spec++) {
        const char next = spec[1 + strspn(spec + 1, " \t\n")];

        depth += *spec == '(';
        depth -= *spec == ')';
        if (!isspace((unsigned char)*spec))
            last = *spec;
        else if (last == '+')
            continue;
        if (depth == 0 && (*spec == ',' || isspace((unsigned char)*spec)) &&
            isalpha((unsigned char)next))
            return 1;
    }
    return 0;
}

/* Split 'text' at ';' and check every spec. */
static int split_specs(struct specs *out, const char *text)
{
    int status = CLI_OK;
    char *save = NULL, *item;

    out->text = strdup(text);
    if (out->text == NULL)
        return cli_fail(CLI_INPUT, "out of memory");
    item = strtok_r(out->text, ";", &save);
    for (; item != NULL && status == CLI_OK;
         item = strtok_r(NULL, ";", &save)) {
        char *end = item + strlen(item);

        item += strspn(item, " \t\n");
        while (end > item && isspace((unsigned char)end[-1]))
            *--end = '\0';
        if (*item == '\0')
            continue;
        if (out->n == MAX_SPECS)
            return cli_fail(CLI_USAGE, "--encodings: more than %d encodings",
                            MAX_SPECS);
        out->items[out->n++] = item;
        status = lacks_semicolon(item)
                     ? cli_fail(CLI_USAGE,
                                "--encodings '%s': should have ';' "
                                "between specs: 'rope; alibi'",
                                item)
                     : check_spec(item);
    }
    if (status == CLI_OK && out->n == 0)
        return cli_fail(CLI_USAGE,
                        "--encodings '%s': should be specs with ';' "
                        "between them",
                        text);
    return status;
}

/* The long jobs of --with. */
static const struct {
    const char *name;
    unsigned job;
} jobs[] = {
    { "extension", LOCANT_WITH_EXTENSION },
    { "surface", LOCANT_WITH_SURFACE },
    { "tasks", LOCANT_WITH_TASKS },
};

static int unknown_job(const char *text, size_t bytes)
{
    char names[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i > 0 ? ", " : "", jobs[i].name);
    return cli_fail(CLI_USAGE, "--with '%.*s': should be one or more of %s",
                    (int)bytes, text, names);
}

static int read_jobs(unsigned *out, const char *text)
{
    const size_t n = sizeof jobs / sizeof jobs[0];

    *out = 0;
    while (text != NULL) {
        const size_t bytes = strcspn(text, ",");
        size_t i = 0;

        while (i < n && (strlen(jobs[i].name) != bytes ||
                         strncmp(jobs[i].name, text, bytes) != 0))
            i++;
        if (i == n)
            return unknown_job(text, bytes);
        *out |= jobs[i].job;
        text = text[bytes] == ',' ? text + bytes + 1 : NULL;
    }
    return CLI_OK;
}

/* Check that the tasks exist, before a corpus is read. */
static int check_tasks(const char *list, unsigned with)
{
    if (list == NULL)
        return CLI_OK;
    if (!(with & LOCANT_WITH_TASKS))
        return cli_fail(CLI_USAGE, "--tasks is for --with tasks");
    while (list != NULL) {
        const size_t bytes = strcspn(list, ",");
        char id[24];

        snprintf(id, sizeof id, "%.*s", (int)(bytes < 23 ? bytes : 23), list);
        if (locant_task_find(id) == NULL)
            return cli_fail(CLI_USAGE,
                            "--tasks: unknown task '%s'; 'locant "
                            "tasks' lists them",
                            id);
        list = list[bytes] == ',' ? list + bytes + 1 : NULL;
    }
    return CLI_OK;
}

/* -------------------------------------------------------------- the result */

static int print_json(const locant_report *r, const char *page)
{
    json_t *all = json_loads(r->json, 0, NULL);

    json_object_set_new(all, "page", json_string(page));
    return cli_json(all);
}

static void print_loss(const locant_report_row *r, int i)
{
    char text[32] = "undefined";

    if (isfinite(r->loss[i]) && isfinite(r->half_width[i]))
        snprintf(text, sizeof text, "%.3f +-%.3f", r->loss[i],
                 r->half_width[i]);
    else if (isfinite(r->loss[i]))
        snprintf(text, sizeof text, "%.3f", r->loss[i]);
    printf(" %14s", text);
}

static void print_row(const locant_report_row *r, int width)
{
    char gain[24] = "undefined";

    printf("%-*s", width, cli_safe(r->encoding));
    for (int i = 0; i < LOCANT_EVAL_LENGTHS; i++)
        print_loss(r, i);
    if (isfinite(r->gain))
        snprintf(gain, sizeof gain, "%+.3f", r->gain);
    printf(" %10s %8" PRId64 " %8.1fk %7.1f\n", gain, r->parameters,
           r->train_tokens_per_second / 1000, (double)r->bytes / 0x1p20);
}

static void print_text(const locant_report *r, const char *page)
{
    int width = 20;

    for (size_t i = 0; i < r->n_rows; i++)
        if ((int)strlen(r->rows[i].encoding) > width)
            width = (int)strlen(r->rows[i].encoding);
    printf("nats per byte at each context length, 95 %% interval over seeds\n"
           "\n%-*s",
           width, "encoding");
    for (int i = 0; i < LOCANT_EVAL_LENGTHS && r->n_rows > 0; i++)
        printf(" %14" PRId64, r->rows[0].length[i]);
    printf(" %10s %8s %9s %7s\n", "G(2048)", "params", "tokens/s", "MiB");
    for (size_t i = 0; i < r->n_rows; i++)
        print_row(&r->rows[i], width);
    printf("\npage: %s\n", cli_safe(page));
}

/*
 * Every failed gate is printed here and in a banner on the page.  g2, g3 and g7
 * say how far the page can be trusted; if another gate fails, something is
 * broken, and the exit status is 1.
 */
static int judge(const locant_report *r)
{
    int status = CLI_OK;

    for (int i = 0; i < 7; i++) {
        const locant_report_gate *g = &r->gates[i];
        int advisory = !strcmp(g->name, "g2") || !strcmp(g->name, "g3") ||
                       !strcmp(g->name, "g7");

        if (g->passed)
            continue;
        fprintf(stderr, "gate %s failed: %s\n", g->name, cli_safe(g->sentence));
        if (!advisory)
            status = CLI_NO;
    }
    return status;
}

/* --------------------------------------------------------------------- run */

static int report(const struct cli *cli, const struct specs *specs,
                  unsigned with, const locant_corpus *corpus)
{
    const struct options *o = cli->options;
    locant_report_options r = LOCANT_REPORT_INIT;
    locant_report answer = { 0 };
    int status, printed = CLI_OK;

    r.preset = (locant_preset)o->preset;
    r.encodings = specs->n > 0 ? specs->items : NULL;
    r.n_encodings = specs->n;
    r.seeds = (int)o->seeds;
    r.minutes = (int)o->minutes;
    r.directory = o->dir;
    r.any_isa = o->any_isa;
    r.path = o->out;
    r.commit = LOCANT_COMMIT[0] ? LOCANT_COMMIT : NULL;
    r.progress = cli_progress;
    r.with = with;
    r.tasks = o->tasks;
    status = cli_job_status(locant_report_run(&answer, corpus, &r));
    if (status != CLI_OK)
        return status;
    if (cli->json)
        printed = print_json(&answer, o->out);
    else
        print_text(&answer, o->out);
    status = judge(&answer);
    locant_report_free(&answer);
    return printed != CLI_OK ? printed : status;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct specs specs = { 0 };
    locant_corpus *corpus = NULL;
    unsigned with;
    int status = read_jobs(&with, o->with);

    if (status == CLI_OK)
        status = check_tasks(o->tasks, with);
    if (status == CLI_OK && o->encodings != NULL)
        status = split_specs(&specs, o->encodings);
    if (status == CLI_OK)
        status = cli_check_output(o->out);
    if (status == CLI_OK)
        status = cli_check_folder(o->dir);
    cli_catch_signals();
    if (status == CLI_OK)
        status = cli_corpus_open(&corpus, &o->corpus, o->dir);
    if (status == CLI_OK)
        status = report(cli, &specs, with, corpus);
    locant_corpus_free(corpus);
    free(specs.text);
    return status;
}

const struct cli_command cli_report = {
    .name = "report",
    .summary = "compare encodings: train, measure, one page",
    .usage = "[--preset smoke|quick|hour|full|homework]\n"
             "  [--text PATH... | --generated | --fresh-text | --kept-text "
             "SHA256]\n  [--no-keep] [--encodings 'A; B; ...']\n"
             "  [--seeds N] [--minutes N] [--with JOBS] [--tasks LIST]\n"
             "  [--dir DIR] [-o PAGE.html]",
    .doc = "Trains the same small Transformer with each encoding on the C "
           "headers of this\nmachine (or --text), measures it at 1 to 16 times "
           "the trained length, and writes\none self-contained page.  If it is "
           "stopped (SIGINT: exit 75) or killed, the same\ncommand continues.  "
           "Exit 1 when a gate finds something broken (g1, g4, g5, g6).\n"
           "--json prints every number of the page.\n\nThe text is kept in "
           "--dir.  Later calls use it even if the headers have changed;\nthey "
           "say so, and --fresh-text reads the new ones.  The text of --text "
           "is kept,\ntoo, unless --no-keep is given.\n\nThe preset quick "
           "ends within 12 minutes, hour within 60, homework within 5: if\nthe "
           "forecast made at the beginning (without --with) is longer, fewer "
           "seeds are\ntrained, at least two; stderr and page say so.  "
           "--minutes N sets another limit;\n--seeds N without --minutes has "
           "no limit.\n\nThe page claims of losses only what a test over "
           "seeds shows; with fewer than\nthree seeds it reports what all runs "
           "have in common.  The number of seeds that\nthe exact test needs is "
           "printed at the beginning, the number that would\ndistinguish the "
           "two lowest losses at the end.\n\n--with extension also trains a "
           "RoPE model for each of a few seeds and evaluates\nit beyond its "
           "trained length with PI, NTK, YaRN, ReRoPE, Self-Extend,\n"
           "StreamingLLM and log n, zero-shot and after a short fine-tune.\n\n"
           "--with surface also trains sinusoidal, rope and alibi (or those of "
           "--encodings\nthat are defined at every length) on texts of 32 to "
           "256 bytes and evaluates each\nmodel at every length: loss by "
           "trained length and evaluated length.  On two\ncores it takes about "
           "100 seconds more for each encoding with quick or homework.\n\n"
           "--with tasks also trains models of the encodings on tasks and "
           "scores them:\ncopying from a distance (T1), a needle in a text "
           "(T12), parity as a control\n(T8), or those of --tasks.  Scores "
           "that the store already has, from 'locant train\n--task' and "
           "'locant eval' too, are on the page in any case.  On two cores it\n"
           "takes about 10 seconds with smoke, 5 minutes with quick, 2 with "
           "homework, and\n(estimated from its number of tokens) 45 with hour; "
           "the number of tokens is\nprinted before the first step.\n\nThe "
           "time of each job of --with is forecast at the beginning, too.\n\n"
           "The models stay in --dir: 'locant runs list' lists them, 'locant "
           "probe RUN' looks\ninto one, 'locant figure NAME RUN..' draws the "
           "results.",
    .examples = "locant report\n"
                "locant report --preset smoke -o smoke.html\n"
                "locant report --preset homework\n"
                "locant report --text ~/books --encodings 'none; rope; "
                "rope(base=128)' \\\n    --seeds 3\n"
                "locant report --preset hour --with extension,surface\n"
                "locant report --with tasks --tasks T2,T11,T4",
    .options = options,
    .options_size = sizeof(struct options),
    .computes = 1,
    .run = run
};

/* cmd_report.c - locant report: compare encodings, write the page. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "report_lists.h"
#include "report_part.h"

#ifndef LOCANT_COMMIT
#    define LOCANT_COMMIT ""
#endif

struct options {
    int preset, optimizer;
    int64_t seeds, minutes;
    const char *encodings, *dir, *out, *with, *tasks, *vocabulary, *exports;
    const char *runs, *part, *plan, *make_plan;
    int any_isa;
    struct cli_corpus corpus;
};

static const struct cli_option options[] = {
    OPT_CHOICE("preset", preset, "smoke|quick|hour|full|homework",
               "a minute; ten minutes; an hour; hours; five minutes",
               .fallback = "quick"),
    OPT_CORPUS(corpus),
    OPT_FILE("study", corpus.study, "FILE",
             "the text in a file of 'locant study export --with-text'"),
    OPT_TEXT("encodings", encodings, "'A; B; ...'",
             "encodings instead of the preset's"),
    OPT_INTEGER("seeds", seeds, "N", 0, 1000,
                "seeds of each encoding; 0: the preset's"),
    OPT_INTEGER("minutes", minutes, "N", 0, 1000000,
                "train fewer seeds to end within N minutes; 0: the preset's"),
    OPT_CHOICE("optimizer", optimizer, "adamw|muon",
               "of every model, instead of the preset's; see 'locant train'"),
    OPT_TEXT("vocabulary", vocabulary, "bytes|N",
             "tokens, instead of the preset's: bytes, or N (257 .. 4096) of "
             "byte pairs of the text"),
    OPT_TEXT("with", with, "JOBS",
             "also run long jobs: extension, surface, tasks"),
    OPT_TEXT("tasks", tasks, "LIST", "tasks for --with tasks, such as T1,T12"),
    OPT_TEXT("runs", runs, "IDS",
             "compare these finished runs, such as 3,5,7-20; train nothing"),
    OPT_TEXT("part", part, "I/N|auto",
             "train part I of N, in DIR/part-I-of-N; auto: as mpirun, srun, an "
             "array or an indexed job says"),
    OPT_FILE("plan", plan, "FILE", "train what this file says"),
    OPT_FILE("make-plan", make_plan, "FILE",
             "write that file, and train nothing"),
    OPT_DIR(dir),
    OPT_ANY_ISA(any_isa),
    OPT_FILE("output", out, "PAGE.html", "the page", .letter = 'o',
             .fallback = "locant-report.html"),
    OPT_FILE("export", exports, "FOLDER",
             "also write tables, references and a statement for a paper"),
    OPT_END
};

/* -------------------------------------------------------------- the result */

static int print_json(const locant_report *r, const char *page)
{
    json_t *all = json_loads(r->json, 0, NULL);

    json_object_set_new(all, "page", json_string(page));
    return cli_json(all);
}

static void print_loss(double loss, double half_width)
{
    const char *text = "undefined";

    if (isfinite(loss))
        text = cli_text("%.3f%s", loss,
                        isfinite(half_width) ? cli_text(" +-%.3f", half_width)
                                             : "");
    printf(" %14s", text);
}

static void print_row(const locant_report_row *r, int width)
{
    printf("%-*s", width, cli_safe(r->encoding));
    for (int i = 0; i < LOCANT_EVAL_LENGTHS; i++)
        print_loss(r->loss[i], r->half_width[i]);
    printf(" %10s %8" PRId64 " %8.1fk %7.1f\n",
           isfinite(r->gain) ? cli_text("%+.3f", r->gain) : "undefined",
           r->parameters, r->train_tokens_per_second / 1000,
           (double)r->bytes / 0x1p20);
}

static void print_text(const locant_report *r, const struct options *o)
{
    int width = 20;

    for (size_t i = 0; i < r->n_rows; i++)
        if ((int)strlen(r->rows[i].encoding) > width)
            width = (int)strlen(r->rows[i].encoding);
    printf("nats per byte at each context length in %s, 95 %% interval over "
           "seeds\n\n%-*s",
           r->vocabulary ? "tokens" : "bytes", width, "encoding");
    for (int i = 0; i < LOCANT_EVAL_LENGTHS && r->n_rows > 0; i++)
        printf(" %14" PRId64, r->rows[0].length[i]);
    printf(" %10s %8s %9s %7s\n", "G(2048)", "params", "tokens/s", "MiB");
    for (size_t i = 0; i < r->n_rows; i++)
        print_row(&r->rows[i], width);
    printf("\npage: %s\n", cli_safe(o->out));
    if (o->exports != NULL)
        printf("export: %s\n", cli_safe(o->exports));
}

/*
 * Print every failed gate, which the page shows in a banner too.  g2, g3 and g7
 * say how far the page can be trusted; if another gate fails, something is
 * broken, and the exit status is 1.
 */
static int print_failed_gates(const locant_report *r)
{
    int status = CLI_OK;

    for (size_t i = 0; i < sizeof r->gates / sizeof r->gates[0]; i++) {
        const locant_report_gate *g = &r->gates[i];

        if (g->passed)
            continue;
        fprintf(stderr, "gate %s failed: %s\n", g->name, cli_safe(g->sentence));
        if (strcmp(g->name, "g2") != 0 && strcmp(g->name, "g3") != 0 &&
            strcmp(g->name, "g7") != 0)
            status = CLI_NO;
    }
    return status;
}

/* --------------------------------------------------------------------- run */

/* Run the report of 'r', to which options are added that every report has. */
static int report(const struct cli *cli, locant_report_options *r,
                  const locant_corpus *corpus)
{
    const struct options *o = cli->options;
    locant_report answer = { 0 };
    int status, printed = CLI_OK;

    r->preset = (locant_preset)o->preset;
    r->directory = o->dir;
    r->any_isa = o->any_isa;
    r->path = o->out;
    r->commit = LOCANT_COMMIT[0] ? LOCANT_COMMIT : NULL;
    r->progress = cli_progress;
    r->export_folder = o->exports;
    CLI_TRY(cli_job_status(locant_report_run(&answer, corpus, r)));
    if (cli->json)
        printed = print_json(&answer, o->out);
    else
        print_text(&answer, o);
    status = print_failed_gates(&answer);
    locant_report_free(&answer);
    return printed != CLI_OK ? printed : status;
}

/* Make the page, or what else the options ask for. */
static int make(const struct cli *cli, locant_report_options *r,
                const locant_corpus *corpus)
{
    const struct options *o = cli->options;

    r->preset = (locant_preset)o->preset;
    r->directory = o->dir;
    r->any_isa = o->any_isa;
    r->progress = cli_progress;
    if (o->make_plan != NULL)
        return cli_report_make_plan(cli, corpus, r, o->make_plan);
    if (o->part != NULL)
        return cli_report_part(cli, corpus, r, o->part);
    return report(cli, r, corpus);
}

static int train(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_report_options r = LOCANT_REPORT_INIT;
    struct cli_report_specs specs = { .n = 0 };
    locant_corpus *corpus;

    if (o->vocabulary != NULL)
        CLI_TRY(cli_vocabulary(&r.vocabulary, o->vocabulary));
    CLI_TRY(cli_report_jobs(&r.with, o->with));
    CLI_TRY(cli_report_tasks(o->tasks, r.with));
    if (o->encodings != NULL)
        CLI_TRY(cli_report_specs(&specs, o->encodings));
    if (o->part == NULL && o->make_plan == NULL)
        CLI_TRY(cli_check_output(o->out));
    CLI_TRY(cli_check_folder(o->dir));
    cli_catch_signals();
    CLI_TRY(cli_corpus_open(&corpus, &o->corpus, o->dir));
    r.encodings = specs.n > 0 ? specs.items : NULL;
    r.n_encodings = specs.n;
    r.seeds = (int)o->seeds;
    r.minutes = (int)o->minutes;
    r.optimizer = cli_given(cli, "optimizer") ? o->optimizer : LOCANT_OF_PRESET;
    r.tasks = o->tasks;
    r.plan = o->plan;
    return make(cli, &r, corpus);
}

/* Compare the runs of --runs. */
static int compare(const struct cli *cli, struct runs_ids *ids)
{
    const struct options *o = cli->options;
    locant_report_options r = LOCANT_REPORT_INIT;
    locant_corpus *corpus;

    CLI_TRY(cli_report_runs(ids, o->runs));
    CLI_TRY(cli_check_output(o->out));
    cli_catch_signals();
    CLI_TRY(cli_report_runs_text(&corpus, &o->corpus, o->dir, ids->at[0]));
    r.runs = ids->at;
    r.n_runs = ids->n;
    return report(cli, &r, corpus);
}

/* Refuse options that choose what is trained. */
static int check_options(const struct cli *cli)
{
    static const char *const training[] = {
        "encodings", "seeds",      "minutes", "optimizer",  "with",
        "tasks",     "vocabulary", "no-keep", "fresh-text", NULL
    };

    for (const char *const *name = training; *name != NULL; name++)
        if (cli_given(cli, *name))
            return cli_refuse("--%s chooses what is trained, and --runs trains "
                              "nothing",
                              *name);
    return CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct runs_ids ids = { 0 };
    int status;

    CLI_TRY(cli_report_check_part(cli, o->part));
    if (o->runs == NULL)
        return train(cli);
    CLI_TRY(check_options(cli));
    status = compare(cli, &ids);
    free(ids.at);
    return status;
}

const struct cli_command cli_report = {
    .name = "report",
    .summary = "compare encodings: train, measure, one page",
    .usage = "[--preset smoke|quick|hour|full|homework]\n"
             "  [--text PATH... | --generated | --fresh-text | --kept-text "
             "SHA256]\n  [--no-keep] [--encodings 'A; B; ...']\n"
             "  [--seeds N] [--minutes N] [--optimizer adamw|muon]\n"
             "  [--with JOBS] [--tasks LIST] [--vocabulary bytes|N]\n"
             "  [--dir DIR] [-o PAGE.html] [--export FOLDER]\n"
             "--part I/N|auto [--plan FILE] [--study FILE] [--dir DIR]\n"
             "--make-plan FILE [--preset ...] [--study FILE] [--dir DIR]\n"
             "--runs IDS [--preset ...] [--text PATH...] [--dir DIR]\n"
             "  [-o PAGE.html] [--export FOLDER]",
    .doc = "Trains the same small Transformer with each encoding on the C "
           "headers of this\nmachine (or --text), measures it at 1 to 16 "
           "times the trained length, and\nwrites one self-contained page.  "
           "If it is stopped (SIGINT: exit 75) or killed,\nthe same command "
           "continues.  Exit 1 when a gate finds something broken (g1, g4,\n"
           "g5, g6).  --json prints every number of the page.\n\nThe text is "
           "kept in --dir.  Later calls use it even if the headers have\n"
           "changed; they say so, and --fresh-text reads the new ones.  The "
           "text of --text\nis kept, too, unless --no-keep is given.\n\nThe "
           "preset quick ends within 12 minutes, hour within 60, homework "
           "within 5: if\nthe forecast made at the beginning (without --with) "
           "is longer, fewer seeds are\ntrained, at least two; stderr and "
           "page say so.  --minutes N sets another limit;\n--seeds N without "
           "--minutes has no limit.\n\nAbout losses the page claims only what "
           "a test over seeds shows; with fewer than\nthree seeds it reports "
           "what all runs have in common.  The number of seeds that\nthe "
           "exact test needs is printed at the beginning.  The number that "
           "would\ndistinguish the two lowest losses is printed at the end."
           "\n\n--with extension also trains a RoPE model for each of a few "
           "seeds and evaluates\nit beyond its trained length with PI, NTK, "
           "YaRN, ReRoPE, Self-Extend,\nStreamingLLM and log n, zero-shot and "
           "after a short fine-tune.\n\n--with surface also trains "
           "sinusoidal, rope and alibi (or those of --encodings\nthat are "
           "defined at every length) on texts of 32 to 256 tokens and evaluates"
           "\neach model at every length: loss by trained length and "
           "evaluated length.  On\ntwo cores it takes about 100 seconds more "
           "for each encoding with quick or\nhomework.\n\n--with tasks also "
           "trains models of the encodings on tasks and scores them:\ncopying "
           "from a distance (T1), a needle in a text (T12), parity as a "
           "control\n(T8), or those of --tasks.  Even without this option the "
           "page shows the scores\nthat the store already has.  On two cores "
           "it takes about 10 seconds with smoke,\n5 minutes with quick, 2 "
           "with homework, and (estimated from its number of\ntokens) 45 with "
           "hour; the number of tokens is printed before the first step.\n\n"
           "The models read tokens of a byte-pair vocabulary of 512, trained "
           "on the text,\nand are trained by Muon; --vocabulary and "
           "--optimizer choose others.  Lengths\ncount tokens, and the page "
           "says how many bytes they span; losses are per byte.\n\n"
           "The time of each job of --with is also forecast at the beginning."
           "\n\n--export FOLDER writes what a paper would quote: table.tex and "
           "pairs.tex\n(booktabs), results.csv and pairs.csv (all digits), "
           "references.bib (the works of\nthe encodings compared, and locant) "
           "and reproducibility.txt.  It creates the\nfolder, replaces the "
           "files of an earlier export, and refuses to replace others."
           "\n\n--runs compares finished runs of --dir instead, such as "
           "those of 'locant train',\nand trains nothing: ids as 'locant runs "
           "list' shows them, and ranges.  The runs\nmay differ only in "
           "encoding and seed.  Encodings may have different seeds; a\npair "
           "is tested at the seeds that both have.  What was not measured yet "
           "of a run\nis measured now.  --preset then chooses the n-grams "
           "that models are compared\nwith and the length of the ranking."
           "\n\n--part shares the runs out among machines: each part has a "
           "store of its own,\nDIR/part-I-of-N, which may lie on a shared "
           "disk.  'locant runs merge' joins\nthem, and 'locant report' on the "
           "merged store trains what is missing and\nwrites the page.  All "
           "parts need one text (--study, or the same --text) and\none plan: "
           "--plan FILE, which --make-plan writes.  A preset that tries "
           "learning\nrates (full) goes in two rounds, each with a plan."
           "\n\nThe models stay in --dir: 'locant runs list' lists them, "
           "'locant probe RUN'\nlooks into one, 'locant figure NAME RUN..' "
           "draws the results.",
    .examples =
        "locant report\n"
        "locant report --preset smoke -o smoke.html\n"
        "locant report --preset homework\n"
        "locant report --text ~/books --encodings 'none; rope; "
        "rope(base=128)' \\\n    --seeds 3\n"
        "locant report --preset hour --with extension,surface\n"
        "locant report --vocabulary bytes\n"
        "locant report --export paper\n"
        "locant report --runs 3,5,7-20 -o study.html\n"
        "locant report --runs \"$(locant runs sql 'select id from runs "
        "\\\n    where steps = 1500 and parent is null' | sed 1d)\"\n"
        "locant report --with tasks --tasks T2,T11,T4\n"
        "locant report --preset hour --generated --make-plan plan.json\n"
        "locant report --plan plan.json --generated --part 2/8 --dir lab\n"
        "srun -n 8 locant report --plan plan.json --study text.json \\\n"
        "    --part auto --dir lab",
    CLI_OPTIONS,
    .computes = 1,
    .run = run
};

/* cmd_figure.c - locant figure NAME: any figure of the page, and of buckets and
   slopes, on its own. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure_runs.h"
#include "language.h"
#include "locant/figure.h"
#include "task.h"

struct options {
    int list, csv, color;
    const char *out, *dir, *task, *encoding, *text;
    int64_t length, position, layer, head, trained, dim, heads, seed;
    double base, factor;
};

/* The defaults 0 of numbers and -1 of --head mean: as on the page. */
static const struct cli_option options[] = {
    OPT_FLAG("list", list, "list the figures, and what each shows"),
    OPT_FILE("output", out, "PICTURE", "write a file: .svg, .png or .pdf",
             .letter = 'o'),
    OPT_FLAG("csv", csv, "print the numbers, one per line"),
    OPT_COLOR(color),
    OPT_INTEGER(
        "length", length, "N", 0, 4096,
        "positions shown, or length of a task's test; 0: as on the page"),
    OPT_INTEGER("position", position, "P", 1, INT64_C(1) << 40,
                "the position that is shown"),
    OPT_INTEGER("head", head, "H", -1, 63, "one head, counted from 0; -1: all",
                .fallback = "-1"),
    OPT_INTEGER("layer", layer, "L", -1, 63,
                "with --text one layer, counted from 0; -1: all",
                .fallback = "-1"),
    OPT_TEXT("text", text, "TEXT",
             "for the figure attention: what the model reads"),
    OPT_REAL("base", base, "B", "the same as base=B in the spec"),
    OPT_REAL("factor", factor, "S", "factor of the scalings of RoPE (4)"),
    OPT_INTEGER("trained", trained, "L", 1, 1 << 20, "trained length (128)"),
    OPT_INTEGER("dim", dim, "D", 1, 1024, "width of the model (64)"),
    OPT_INTEGER("heads", heads, "H", 1, 64, "heads of the model (4)"),
    OPT_INTEGER("seed", seed, "SEED", 1, INT64_MAX,
                "seed of random queries and keys (1)"),
    OPT_TEXT("task", task, "TASK",
             "task for figures of tasks; if left out, the last one trained"),
    OPT_TEXT("encoding", encoding, "SPEC", "encoding for the figure surface"),
    OPT_DIR(dir),
    OPT_END
};

/* --------------------------------------------------------------------- list */

static int list(const struct cli *cli)
{
    const locant_figure_info *info;
    json_t *rows = cli->json ? json_array() : NULL;

    for (int i = 0; (info = locant_figure_at(i)) != NULL; i++) {
        if (cli->json)
            json_array_append_new(
                rows, json_pack("{s:s, s:s, s:s, s:s}", "name", info->name,
                                "of", info->of, "title", info->title,
                                "title_zh", info->title_zh));
        else
            printf("%-22s %-7s  %s\n", info->name, info->of,
                   cli_chinese() ? info->title_zh : info->title);
    }
    return cli->json ? cli_json(rows) : CLI_OK;
}

static int find(const locant_figure_info **out, const char *name)
{
    const char *names[128] = { NULL };

    for (int i = 0; i < 127 && (*out = locant_figure_at(i)) != NULL; i++) {
        if (strcmp((*out)->name, name) == 0)
            return CLI_OK;
        names[i] = (*out)->name;
    }
    return cli_unknown("figure", name, names, "locant figure --list");
}

/* ------------------------------------------------------------------- output */

/* The context of put_figure(). */
struct output {
    const struct cli *cli;
    int figures; /* how many it was called with */
};

/* A locant_figure_taker: write or print the first figure. */
static locant_status put_figure(const locant_figure *f, const char *alt,
                                const char *caption, void *context)
{
    struct output *w = context;
    const struct options *o = w->cli->options;
    locant_figure shown = *f;
    locant_status s;
    char *text;
    size_t size;

    (void)alt;
    if (w->figures++ > 0) /* if layers differ, only the first is written */
        return LOCANT_OK;
    if (o->out != NULL && cli_figure_text(&shown) != CLI_OK)
        return LOCANT_ERR_NOMEM;
    if (o->out != NULL)
        return locant_figure_write(&shown, o->out);
    if (!o->csv && !w->cli->json)
        return cli_show_figure(f, o->color, caption);
    s = o->csv ? locant_figure_csv(&text, &size, f)
               : locant_figure_json(&text, &size, f);
    if (s == LOCANT_OK)
        cli_print_text(text, size, o->csv ? "" : "\n");
    return s;
}

/* Report the file, or the error. */
static int finish(const struct cli *cli, locant_status s)
{
    const struct options *o = cli->options;

    CLI_TRY(s == LOCANT_ERR_IO || s == LOCANT_ERR_FORMAT ? cli_status_input(s)
                                                         : cli_status(s));
    return o->out != NULL ? cli_report_file(cli, o->out) : CLI_OK;
}

static locant_figure_view view_of(const struct options *o)
{
    locant_figure_view v = LOCANT_FIGURE_VIEW_INIT;

    v.length = o->length;
    v.position = o->position;
    v.head = o->head;
    v.trained = o->trained;
    v.width = o->dim;
    v.heads = o->heads;
    v.factor = o->factor;
    v.seed = (uint64_t)o->seed;
    v.encoding = o->encoding;
    v.chinese = cli_chinese();
    v.text = o->text;
    v.text_size = o->text != NULL ? strlen(o->text) : 0;
    v.layer = o->layer;
    return v;
}

/* ----------------------------------------------------------- of an encoding */

/* Add a base to a spec: "rope(x=1)" becomes "rope(base=500,x=1)". */
static int add_base(const char **out, const char *spec, double base)
{
    const int name = (int)strcspn(spec, "( +");
    const char *rest = spec + name;

    if (strchr(spec, '+') != NULL || strstr(spec, "base=") != NULL)
        return cli_refuse("--base: '%s' is a sum or has a base already: write "
                          "base=%.17g into the spec",
                          spec, base);
    if (*rest != '(')
        *out = cli_text("%.*s(base=%.17g)", name, spec, base);
    else
        *out = cli_text("%.*s(base=%.17g%s%s", name, spec, base,
                        rest[1] != ')' ? "," : "", rest + 1);
    return CLI_OK;
}

static int of_encoding(const struct cli *cli, const char *name,
                       const char *spec)
{
    const struct options *o = cli->options;
    locant_figure_view v = view_of(o);
    struct output w = { .cli = cli };
    locant_encoding *e;

    if (cli_given(cli, "base"))
        CLI_TRY(add_base(&spec, spec, o->base));
    CLI_TRY(cli_encoding_create(&e, spec));
    return finish(cli, locant_figure_of_encoding(name, e, &v, put_figure, &w));
}

/* ------------------------------------------------------------------ of runs */

/* Figures called task-.. show runs on a task; others show runs on text. */
static int set_task(struct cli_figure_runs *r, const char *name,
                    const char *task)
{
    const locant_task_info *info = NULL;

    if (task == NULL && strcmp(name, "task-depths") == 0)
        task = "T12"; /* the only task with depths */
    if (task != NULL)
        CLI_TRY(cli_task_find(&info, "--task", task));
    r->of_task = strncmp(name, "task-", 5) == 0;
    r->task = info ? info->id : NULL;
    return CLI_OK;
}

static int of_runs(const struct cli *cli, const locant_figure_info *info)
{
    const struct options *o = cli->options;
    locant_figure_view v = view_of(o);
    struct output w = { .cli = cli };
    struct cli_figure_runs r = { .of_report = strcmp(info->of, "report") == 0 };
    locant_store *store;
    int status;

    if (cli_given(cli, "base"))
        return cli_refuse("--base is for the spec of an encoding; a run has "
                          "its own base");
    CLI_TRY(cli_store_open(&store, o->dir, CLI_READ));
    CLI_TRY(set_task(&r, info->name, o->task));
    status = cli_figure_runs_choose(&r, cli, store);
    if (status == CLI_OK)
        status =
            finish(cli, locant_figure_of_runs(info->name, store, r.ids.at,
                                              r.ids.n, &v, put_figure, &w));
    free(r.ids.at);
    return status;
}

static int check_options(const struct cli *cli, const locant_figure_info *info)
{
    const struct options *o = cli->options;

    if ((o->out != NULL) + (o->csv != 0) > 1 || (o->csv && cli->json))
        return cli_refuse("figure: -o, --csv and --json each choose the "
                          "output; give only one");
    if (o->encoding != NULL && strcmp(info->name, "surface") != 0)
        return cli_refuse("figure: --encoding is for the figure surface");
    if (o->text != NULL && strcmp(info->name, "attention") != 0)
        return cli_refuse("figure: --text is for the figure attention");
    if (cli_given(cli, "layer") && o->text == NULL)
        return cli_refuse("figure: --layer is for --text");
    if (o->task != NULL && strncmp(info->name, "task-", 5) != 0)
        return cli_refuse("figure: --task is for figures of tasks, task-scores "
                          "and so on");
    if (cli_given(cli, "factor") && !(o->factor > 0))
        return cli_refuse("--factor '%.9g': should be above 0", o->factor);
    if (o->out == NULL)
        return CLI_OK;
    CLI_TRY(cli_check_output(o->out));
    return cli_figure_font();
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    const locant_figure_info *info;
    int64_t id;

    if (o->list || cli->n_words == 0)
        return list(cli);
    CLI_TRY(find(&info, cli->words[0]));
    CLI_TRY(check_options(cli, info));
    if (strcmp(info->of, "runs") == 0 || strcmp(info->of, "report") == 0)
        return of_runs(cli, info);
    if (cli->n_words != 2)
        return cli_refuse("figure: '%s' shows one encoding: expected its spec, "
                          "or the number of a run",
                          info->name);
    if (cli_parse_whole(&id, cli->words[1], 1, INT64_MAX))
        return of_runs(cli, info);
    return of_encoding(cli, info->name, cli->words[1]);
}

const struct cli_command cli_figure = {
    .name = "figure",
    .summary = "one figure of the page: drawn, or its numbers",
    .usage = "NAME SPEC|RUN [-o PICTURE | --csv | --json] [options]\n"
             "NAME [RUN...] [--dir DIR]\n--list",
    .doc =
        "Draws a figure of the page by its name, in the terminal or into a "
        "file, or\nprints the numbers it shows, which read back to the "
        "same bits.  A figure of an\nencoding shows the initial values, a "
        "figure of a run what the run learned.\nUnless runs are named, "
        "figures of runs show all finished runs like the last\none.  The "
        "figures training, gradient and gradient-own also accept unfinished"
        "\nruns.  Figures of a report show the last report with that job "
        "(--with\nextension, surface).  Colours follow NO_COLOR, TERM and "
        "COLORTERM, the width\nfollows COLUMNS.  --text draws what the heads "
        "of a trained model attend to on a\ntext of yours, a panel for each "
        "layer and head; of a SPEC, those of a model\nbefore training.  A file is in Chinese if a font has it, else in English.",
    .examples = "locant figure --list\n"
                "locant figure wavelengths rope --base 500000\n"
                "locant figure circle rope --position 20\n"
                "locant figure scalings rope --factor 8 -o scalings.svg\n"
                "locant figure attention alibi --length 16 --head 1\n"
                "locant figure attention 3 --text 'the cat sat on the mat'\n"
                "locant figure buckets t5\n"
                "locant figure head-slopes alibi --heads 8\n"
                "locant figure bias t5 --csv > bias.csv\n"
                "locant figure bias 3 --json\n"
                "locant figure length --dir locant-lab\n"
                "locant figure task-scores --task T1 --length 256\n"
                "locant figure task-depths 17 -o needles.svg\n"
                "locant figure surface --encoding alibi -o surface.pdf",
    CLI_OPTIONS,
    .min_words = 0,
    .max_words = 4096,
    .computes = 1,
    .run = run
};

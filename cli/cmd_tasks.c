/* cmd_tasks.c - locant tasks: what models can train on instead of text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "language.h"
#include "task.h"

struct options {
    const char *dir;
    int scores, places;
};

static const struct cli_option options[] = {
    OPT_FLAG("scores", scores,
             "print the scores of the runs of the store, seed by seed"),
    OPT_FLAG("places", places, "also print scores by k, distance, depth or t"),
    OPT_DIR(dir), OPT_END
};

int cli_task_find(const locant_task_info **out, const char *option,
                  const char *id)
{
    *out = locant_task_find(id);
    return *out != NULL ? CLI_OK
                        : cli_refuse("%s: unknown task '%s'; 'locant tasks' "
                                     "lists them",
                                     option, id);
}

static json_t *tests_json(const locant_task_info *t)
{
    json_t *rows = json_array();

    for (const locant_task_test *test = t->tests; test->length > 0; test++)
        json_array_append_new(rows, json_pack("{s:I, s:s}", "length",
                                              (json_int_t)test->length,
                                              "setting", test->setting));
    return rows;
}

static json_t *task_json(const locant_task_info *t)
{
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s?, s:o, s:b, s:b, s:I, s:I, s:b, s:I, "
        "s:I, s:I, s:I, s:I, s:f, s:I, s:o}",
        "task", t->id, "title", t->title, "definition", t->definition, "metric",
        t->metric, "unit", t->unit, "place", t->place, "chance",
        cli_real(t->chance), "control", t->control, "fine_tune", t->fine_tune,
        "vocab", (json_int_t)t->vocab, "length", (json_int_t)t->length, "upto",
        t->upto, "layers", (json_int_t)t->layers, "width", (json_int_t)t->width,
        "heads", (json_int_t)t->heads, "batch", (json_int_t)t->batch, "steps",
        (json_int_t)t->steps, "learning_rate", t->learning_rate, "items",
        (json_int_t)t->items, "tests", tests_json(t));
}

static void print_task(const locant_task_info *t)
{
    const char *trained = "%s, lengths in %s; trained at %s%lld, tested at";
    const char *model = "layers %lld, width %lld, %lld heads, %lld words; %lld "
                        "steps of %lld rows, rate %g";

    printf("%-9s %s%s%s\n", t->id, cli_translate(t->title),
           t->control ? cli_translate(" (control: fails with every encoding)")
                      : "",
           t->fine_tune ? cli_translate(" (continues a run on text)") : "");
    cli_wrap(cli_translate(t->definition), 0, 10, 72);
    printf("\n%10s", "");
    printf(cli_translate(trained), cli_translate(t->metric),
           cli_translate(t->unit), t->upto ? "1 .. " : "",
           (long long)t->length);
    for (const locant_task_test *test = t->tests; test->length > 0; test++)
        printf(" %" PRId64 "%s%s%s", test->length, test->setting[0] ? " (" : "",
               test->setting, test->setting[0] ? ")" : "");
    printf("\n%10s", "");
    printf(cli_translate(model), (long long)t->layers, (long long)t->width,
           (long long)t->heads, (long long)t->vocab, (long long)t->steps,
           (long long)t->batch, t->learning_rate);
    putchar('\n');
}

static int list(const struct cli *cli)
{
    const locant_task_info *t;
    json_t *rows = cli->json ? json_array() : NULL;

    for (int i = 0; (t = locant_task_at(i)) != NULL; i++) {
        if (cli->json)
            json_array_append_new(rows, task_json(t));
        else
            print_task(t);
    }
    return cli->json ? cli_json(rows) : CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;

    if (!o->scores && (o->places || cli_given(cli, "dir")))
        return cli_refuse("--%s is for --scores", o->places ? "places" : "dir");
    return o->scores ? cli_task_scores(cli, o->dir, o->places) : list(cli);
}

const struct cli_command cli_tasks = {
    .name = "tasks",
    .summary = "what models can be trained on besides text",
    .usage = "[--json]\n--scores [--places] [--dir DIR] [--json]",
    .doc = "Prints every task: its definition, the lengths it is trained and "
           "tested at, and\nthe model and budget that 'locant train --task' "
           "uses.  Only answers are scored.\nControls fail with every "
           "encoding, so they rank nothing.\n\n--scores prints what 'locant "
           "eval' measured for the runs of the store: each\nseed, and the "
           "share of seeds with .9 or more right answers.  A seed either\n"
           "solves a task or does not: the mean over seeds would say little.",
    .examples = "locant tasks\nlocant train --task T1 --encoding alibi\n"
                "locant eval 1\nlocant tasks --scores --places",
    CLI_OPTIONS,
    .run = run
};

/* eval_task.c - 'locant eval' of a run on a task: right answers by length. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "locant/statistics.h"
#include "job.h"
#include "task.h"

enum { MAX_LENGTHS = 64 };

struct output {
    const locant_task_info *task;
    json_t *json; /* NULL: print lines */
    locant_status status;
};

/* ------------------------------------------------------------------- scores */

/* NAN if the whole is 0. */
static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static void add_json(struct output *out, const locant_task_score *s, double low,
                     double high)
{
    json_array_append_new(
        out->json,
        json_pack(
            "{s:I, s:s, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
            "length", (json_int_t)s->length, "setting", s->setting, "place",
            s->place < 0 ? json_null() : json_integer(s->place), "items",
            (json_int_t)s->items, "exact", (json_int_t)s->exact, "answers",
            (json_int_t)s->tokens, "right", (json_int_t)s->hits, "exact_match",
            cli_real(share(s->exact, s->items)), "low", cli_real(low), "high",
            cli_real(high), "accuracy", cli_real(share(s->hits, s->tokens)),
            "loss", cli_real(s->loss), "floor", cli_real(s->floor)));
}

static void print_line(const locant_task_score *s, double low, double high)
{
    if (s->items == 0) {
        printf("%7" PRId64 "  %-12s undefined\n", s->length, s->setting);
        return;
    }
    printf("%7" PRId64 "  %-12s %5s %6" PRId64 "   %.3f  %.3f .. %.3f"
           "   %.4f  %8.4f%s\n",
           s->length, s->setting,
           s->place >= 0 ? cli_text("%" PRId64, s->place) : "all", s->items,
           share(s->exact, s->items), low, high, share(s->hits, s->tokens),
           s->loss,
           s->floor > 0 ? cli_text("  %8.4f", s->loss - s->floor) : "");
}

static int add_score(const locant_task_score *s, void *context)
{
    struct output *out = context;
    double low = NAN, high = NAN;

    if (s->items > 0)
        out->status =
            locant_wilson(&low, &high, (size_t)s->exact, (size_t)s->items, .95);
    if (out->status != LOCANT_OK)
        return 1;
    if (out->json)
        add_json(out, s, low, high);
    else
        print_line(s, low, high);
    return 0;
}

/* --------------------------------------------------------------------- eval */

static int parse_lengths(int64_t *out, const struct cli_list *words)
{
    if (words->n > MAX_LENGTHS)
        return cli_refuse("--length is given %zu times, at most %d", words->n,
                          MAX_LENGTHS);
    for (size_t i = 0; i < words->n; i++)
        if (!cli_parse_whole(&out[i], words->items[i], 1, INT64_MAX))
            return cli_refuse("--length '%s': should be a whole number above 0",
                              words->items[i]);
    return CLI_OK;
}

static void print_head(const struct output *out, const locant_run_info *run)
{
    const locant_task_info *t = out->task;

    printf("run %" PRId64 ": %s %s, %s seed %" PRIu64 "\n", run->id, t->id,
           t->title, cli_safe(run->encoding), run->seed);
    printf("lengths in %s, trained at %s%" PRId64 "; the metric is %s", t->unit,
           t->upto ? "1 .. " : "", t->length, t->metric);
    if (isfinite(t->chance))
        printf("; guessing: %.4g", t->chance);
    printf("\n\n%7s  %-12s %5.5s %6s   %s   %s  %8s%s\n", "length", "setting",
           t->place ? t->place : "", "items", "exact [95% of items]", "answers",
           "loss", isfinite(t->chance) ? "" : "  excess");
}

static json_t *json_head(const struct output *out, const locant_run_info *run)
{
    const locant_task_info *t = out->task;

    return json_pack("{s:I, s:s, s:s, s:s, s:I, s:s, s:s, s:s?, s:o, s:b}",
                     "run", (json_int_t)run->id, "task", t->id, "title",
                     t->title, "encoding", run->encoding, "seed",
                     (json_int_t)run->seed, "metric", t->metric, "unit",
                     t->unit, "place", t->place, "chance", cli_real(t->chance),
                     "control", t->control);
}

int cli_eval_task(const struct cli *cli, locant_store *store, int64_t run,
                  const struct cli_task_eval *how)
{
    struct output out = { .status = LOCANT_OK };
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;
    locant_run_info info;
    locant_status s;
    int64_t lengths[MAX_LENGTHS];
    json_t *head;
    int status;

    CLI_TRY(parse_lengths(lengths, &how->lengths));
    o.items = how->items;
    o.test_seed = (uint64_t)how->test_seed;
    o.lengths = how->lengths.n > 0 ? lengths : NULL;
    o.n_lengths = how->lengths.n;
    o.progress = cli_progress;
    CLI_TRY(cli_status(locant_store_run(&info, store, run)));
    CLI_TRY(cli_status(locant_task_of(&out.task, store, run)));
    if (cli->json)
        out.json = json_array();
    else
        print_head(&out, &info);
    s = locant_task_evaluate(store, run, &o, add_score, &out);
    status = cli_job_status(s == LOCANT_OK ? out.status : s);
    if (status != CLI_OK || !cli->json) {
        json_decref(out.json);
        return status;
    }
    head = json_head(&out, &info);
    json_object_set_new(head, "scores", out.json);
    return cli_json(head);
}

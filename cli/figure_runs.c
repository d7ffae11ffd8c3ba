/* figure_runs.c - choose the runs of a store that a figure shows */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "figure_runs.h"

/* The runs chosen so far; all must be like 'last'. */
struct runs {
    struct cli_figure_runs *to;
    size_t room;
    locant_run_info last;
    int failed;
};

/* Whether the run is finished and of the kind that the figure shows. */
static int wanted(const struct runs *r, const locant_run_info *run)
{
    const int text = strcmp(run->source, "text") == 0;

    if (strcmp(run->status, "done") != 0 || text == r->to->of_task)
        return 0;
    return r->to->task == NULL || strcmp(run->source, r->to->task) == 0;
}

static int keep(struct runs *r, int64_t id)
{
    int64_t *grown;

    if (r->to->n == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        grown = realloc(r->to->id, r->room * sizeof *grown);
        if (grown == NULL)
            return r->failed = cli_fail(CLI_INPUT, "out of memory");
        r->to->id = grown;
    }
    r->to->id[r->to->n++] = id;
    return CLI_OK;
}

static int remember(const locant_run_info *run, void *context)
{
    struct runs *r = context;

    if (wanted(r, run) &&
        (r->last.id == 0 || run->parent == 0 || r->to->of_task))
        r->last = *run;
    return 0;
}

static int take_number(int n, const char *const *names,
                       const char *const *values, const char *kinds,
                       void *context)
{
    (void)n;
    (void)names;
    if (kinds[0] == 'i')
        *(int64_t *)context = strtoll(values[0], NULL, 10);
    return 0;
}

/*
 * Remembers the last run on text.  Runs that a report trained for its surface
 * or extension do not count: they are evaluated only with other encodings.  A
 * stopped report has run only some of its encodings, so runs like an unfinished
 * one are the last choice.
 */
static locant_status remember_text(struct runs *r, locant_store *store)
{
    int64_t id = 0;
    locant_status s = locant_store_sql(
        store,
        "WITH open AS MATERIALIZED (SELECT DISTINCT model, corpus_sha256, "
        "length, steps, batch FROM runs WHERE source = 'text' "
        "AND status NOT IN ('done', 'failed')) "
        "SELECT id FROM runs WHERE status = 'done' AND source = 'text' "
        "AND parent IS NULL AND (id NOT IN (SELECT run FROM evaluations) "
        "OR id IN (SELECT run FROM evaluations WHERE encoding = '')) "
        "ORDER BY (model, corpus_sha256, length, steps, batch) IN open, "
        "id DESC LIMIT 1",
        take_number, &id);

    if (s == LOCANT_OK && id > 0)
        s = locant_store_run(&r->last, store, id);
    return s;
}

/* Also keeps failed runs: a report's numbers may be stored with one. */
static int keep_ended(const locant_run_info *run, void *context)
{
    return strcmp(run->status, "done") == 0 ||
                   strcmp(run->status, "failed") == 0
               ? keep(context, run->id)
               : CLI_OK;
}

/* Keeps finished runs that are like the last one. */
static int keep_alike(const locant_run_info *run, void *context)
{
    struct runs *r = context;
    const locant_run_info *last = &r->last;

    if (wanted(r, run) && strcmp(run->source, last->source) == 0 &&
        strcmp(run->model, last->model) == 0 &&
        (run->parent == 0) == (last->parent == 0) &&
        strcmp(run->corpus_sha256, last->corpus_sha256) == 0 &&
        run->length == last->length && run->steps == last->steps &&
        run->batch == last->batch)
        return keep(r, run->id);
    return 0;
}

int cli_parse_run(int64_t *id, const char *word)
{
    char *end;

    errno = 0;
    *id = strtoll(word, &end, 10);
    return end != word && *end == '\0' && errno == 0 && *id > 0;
}

/* The runs that the user named. */
static int take_named(struct runs *r, const struct cli *cli)
{
    int64_t id;

    for (size_t i = 1; i < cli->n_words; i++) {
        if (!cli_parse_run(&id, cli->words[i]))
            return cli_fail(CLI_USAGE,
                            "figure: '%s': should be the number of "
                            "a run; 'locant runs list' shows them",
                            cli->words[i]);
        if (keep(r, id) != CLI_OK)
            return r->failed;
    }
    return CLI_OK;
}

/* The runs to show if the user named none. */
static locant_status choose(struct runs *r, locant_store *store)
{
    locant_status s = LOCANT_OK;

    if (r->to->of_report)
        return locant_store_runs(store, keep_ended, r);
    if (!r->to->of_task)
        s = remember_text(r, store);
    if (s == LOCANT_OK && r->last.id == 0)
        s = locant_store_runs(store, remember, r);
    if (s == LOCANT_OK && r->last.id > 0)
        s = locant_store_runs(store, keep_alike, r);
    return s;
}

int cli_figure_runs(struct cli_figure_runs *out, const struct cli *cli,
                    locant_store *store)
{
    struct runs r = { .to = out };
    int status = take_named(&r, cli);
    locant_status s;

    if (status != CLI_OK || out->n > 0)
        return status;
    s = choose(&r, store);
    if (s != LOCANT_OK)
        return cli_error(s);
    if (out->n == 0 && !r.failed && out->of_task)
        return cli_fail(CLI_INPUT,
                        "figure: the store has no finished run on "
                        "%s; 'locant report --with tasks' or 'locant train "
                        "--task' makes some",
                        out->task ? out->task : "a task");
    if (out->n == 0 && !r.failed)
        return cli_fail(CLI_INPUT,
                        "figure: the store has no finished run; "
                        "'locant report' or 'locant train' makes some");
    return r.failed;
}

/* figure_runs.c - choose the runs of a store that a figure shows */
#include <stdlib.h>
#include <string.h>

#include "figure_runs.h"
#include "job.h"

/* A choice of runs; all must be like the last one of their kind. */
struct choice {
    struct cli_figure_runs *to;
    locant_run_info last;
};

/* Whether the run is finished and of the kind that the figure shows. */
static int wanted(const struct choice *r, const locant_run_info *run)
{
    const int text = strcmp(run->source, "text") == 0;

    if (strcmp(run->status, "done") != 0 || text == r->to->of_task)
        return 0;
    return r->to->task == NULL || strcmp(run->source, r->to->task) == 0;
}

static int remember_last(const locant_run_info *run, void *context)
{
    struct choice *r = context;

    if (wanted(r, run) &&
        (r->last.id == 0 || run->parent == 0 || r->to->of_task))
        r->last = *run;
    return 0;
}

static int read_number(int n, const char *const *names,
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
 * Remember the last run on text.  Runs for a report's surface or extension do
 * not count: they are evaluated only with other encodings.  Runs with the
 * settings of an unfinished run count only if there are no others: they may be
 * of a report that was stopped and lacks some of its encodings.
 */
static locant_status remember_text(struct choice *r, locant_store *store)
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
        read_number, &id);

    if (s == LOCANT_OK && id > 0)
        s = locant_store_run(&r->last, store, id);
    return s;
}

/* Add ended runs: a report's numbers may be stored with a failed one, too. */
static int add_ended(const locant_run_info *run, void *context)
{
    return strcmp(run->status, "done") == 0 ||
                   strcmp(run->status, "failed") == 0
               ? runs_add_id(context, run->id)
               : CLI_OK;
}

/* Add a finished run if it is like the last one. */
static int add_alike(const locant_run_info *run, void *context)
{
    struct choice *r = context;
    const locant_run_info *last = &r->last;

    if (wanted(r, run) && strcmp(run->source, last->source) == 0 &&
        strcmp(run->model, last->model) == 0 &&
        (run->parent == 0) == (last->parent == 0) &&
        strcmp(run->corpus_sha256, last->corpus_sha256) == 0 &&
        run->length == last->length && run->steps == last->steps &&
        run->batch == last->batch &&
        strcmp(run->optimizer, last->optimizer) == 0)
        return runs_add_id(&r->to->ids, run->id);
    return 0;
}

/* Add the runs that the user named. */
static int add_named(struct runs_ids *ids, const struct cli *cli)
{
    int64_t id;

    for (size_t i = 1; i < cli->n_words; i++) {
        CLI_TRY(cli_run_id(&id, "figure", cli->words[i]));
        CLI_TRY(runs_add_id(ids, id));
    }
    return CLI_OK;
}

/* Choose the runs if the user named none. */
static locant_status choose(struct choice *r, locant_store *store)
{
    locant_status s = LOCANT_OK;

    if (r->to->of_report)
        return locant_store_runs(store, add_ended, &r->to->ids);
    if (!r->to->of_task)
        s = remember_text(r, store);
    if (s == LOCANT_OK && r->last.id == 0)
        s = locant_store_runs(store, remember_last, r);
    if (s == LOCANT_OK && r->last.id > 0)
        s = locant_store_runs(store, add_alike, r);
    return s;
}

int cli_figure_runs_choose(struct cli_figure_runs *out, const struct cli *cli,
                           locant_store *store)
{
    struct choice r = { .to = out };

    CLI_TRY(add_named(&out->ids, cli));
    if (out->ids.n > 0)
        return CLI_OK;
    CLI_TRY(cli_status(choose(&r, store)));
    if (out->ids.n > 0 || out->ids.status != CLI_OK)
        return out->ids.status;
    if (out->of_task)
        return cli_fail(CLI_INPUT,
                        "figure: the store has no finished run on %s; 'locant "
                        "report --with tasks' or 'locant train --task' makes "
                        "some",
                        out->task ? out->task : "a task");
    return cli_fail(CLI_INPUT, "figure: the store has no finished run; 'locant "
                               "report' or 'locant train' makes some");
}

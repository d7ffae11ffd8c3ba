/* cmd_runs.c - locant runs: list, show, export, query and remove runs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "launcher.h"
#include "runs.h"

struct options {
    const char *dir;
    const char *table;
    int any_isa;
};

static const struct cli_option options[] = {
    OPT_DIR(dir),
    OPT_TEXT("table", table, "NAME", "the table that 'export' prints",
             .fallback = "runs", .actions = "export"),
    OPT_FLAG("any-isa", any_isa,
             "'resume' continues under another instruction set; bits will"
             " differ",
             .actions = "resume"),
    OPT_END
};

static int open_store(locant_store **store, const struct cli *cli,
                      enum cli_access access)
{
    const struct options *o = cli->options;

    CLI_TRY(cli_store_open(store, o->dir, access));
    locant_store_any_isa(*store, o->any_isa);
    return CLI_OK;
}

/* Open the store, and parse the number of the run, the second word. */
static int open_run(locant_store **store, int64_t *id, const struct cli *cli,
                    enum cli_access access)
{
    CLI_TRY(open_store(store, cli, access));
    return cli_run_id(id, "runs", cli->words[1]);
}

static int add_json(const locant_run_info *run, void *context)
{
    cli_json_add(context, runs_json(run, RUNS_ALL));
    return 0;
}

static int print_row(const locant_run_info *r, void *context)
{
    const char *loss = "-", *parent = "-";

    (void)context;
    if (isfinite(r->train_loss))
        loss = cli_text("%.4f", r->train_loss);
    if (r->parent)
        parent = cli_text("%" PRId64, r->parent);
    printf("%5" PRId64 "  %-11s  %-6s %6" PRId64 " %5" PRIu64 "  %6" PRId64
           "/%-6" PRId64 "  %8s %6s  %-20s  %s\n",
           r->id, cli_safe(r->status), cli_safe(r->source), r->length, r->seed,
           r->step, r->steps, loss, parent, cli_safe(r->started),
           cli_safe(r->encoding));
    return 0;
}

static int print_csv(const locant_run_info *r, void *context)
{
    (void)context;
    runs_csv(r);
    return 0;
}

static int print_json(locant_store *store)
{
    struct cli_json_rows rows = { 0 };

    return cli_json_print(
        &rows, cli_status(locant_store_runs(store, add_json, &rows)));
}

static int list(const struct cli *cli)
{
    locant_store *store;

    CLI_TRY(open_store(&store, cli, CLI_READ));
    if (cli->json)
        return print_json(store);
    printf("%5s  %-11s  %-6s %6s %5s  %13s  %8s %6s  %-20s  %s\n", "run",
           "status", "of", "length", "seed", "step", "loss", "parent",
           "started", "encoding"); /* last because it may be long */
    return cli_status(locant_store_runs(store, print_row, NULL));
}

static int show(const struct cli *cli)
{
    locant_store *store;
    locant_run_info r;
    int64_t id;
    int text;

    CLI_TRY(open_run(&store, &id, cli, CLI_READ));
    CLI_TRY(cli_status(locant_store_run(&r, store, id)));
    if (cli->json)
        return cli_json(runs_json(&r, RUNS_ALL));
    text = strcmp(r.source, "text") == 0;
    printf("run         %" PRId64 "\nstatus      %s\nencoding    %s\n"
           "model       %s\n%s      %s\nseed        %" PRIu64 "\n"
           "step        %" PRId64 " of %" PRId64 ", %" PRId64 " x %" PRId64
           " tokens\noptimizer   %s\n",
           r.id, cli_safe(r.status), cli_safe(r.encoding), cli_safe(r.model),
           text ? "corpus" : "task  ",
           cli_safe(text ? r.corpus_sha256 : r.source), r.seed, r.step, r.steps,
           r.batch, r.length, r.optimizer);
    printf("parameters  %" PRId64 ", %" PRId64 " of the encoding\n"
           "train loss  %.6f nats per %s\nspeed       %.0f tokens/s, %.1f s\n"
           "started     %s\n",
           r.parameters, r.encoding_parameters, r.train_loss,
           text ? "byte" : "answer", r.tokens_per_second, r.seconds,
           cli_safe(r.started));
    if (r.build[0] != '\0')
        printf("computed    by %s\n", cli_safe(r.build));
    if (r.parent != 0)
        printf("parent      run %" PRId64 "\n", r.parent);
    if (r.message[0] != '\0')
        printf("message     %s\n", cli_safe(r.message));
    return CLI_OK;
}

static int rm(const struct cli *cli)
{
    locant_store *store;
    int64_t id;

    CLI_TRY(open_run(&store, &id, cli, CLI_WRITE));
    CLI_TRY(cli_status(locant_store_remove(store, id)));
    if (cli->json)
        return cli_json(json_pack("{s:I}", "removed", (json_int_t)id));
    fprintf(stderr, "removed run %" PRId64 "\n", id);
    return CLI_OK;
}

static int resume(const struct cli *cli)
{
    locant_store *store;
    int64_t id = 0;

    CLI_TRY(cli_check_alone());
    if (cli->n_words > 1)
        CLI_TRY(open_run(&store, &id, cli, CLI_WRITE));
    else
        CLI_TRY(open_store(&store, cli, CLI_WRITE));
    return runs_resume(cli, store, id);
}

/* --------------------------------------------------------------------- sql */

struct rows {
    json_t *json; /* NULL: print CSV */
    int header;   /* column names are still to be printed */
};

/* The number or text; null if JSON cannot hold it. */
static json_t *value_json(const char *value, char kind)
{
    json_t *text;

    if (kind == 'i')
        return json_integer(strtoll(value, NULL, 10));
    if (kind == 'r')
        return cli_real(strtod(value, NULL));
    text = kind == 't' ? json_string(value) : NULL;
    return text != NULL ? text : json_null();
}

static int sql_row(int n, const char *const *names, const char *const *values,
                   const char *kinds, void *context)
{
    struct rows *rows = context;
    json_t *object;

    if (rows->json == NULL) {
        for (int i = 0; i < n && rows->header; i++)
            runs_csv_field(names[i], i == n - 1);
        rows->header = 0;
        for (int i = 0; i < n; i++)
            runs_csv_field(values[i], i == n - 1);
        return 0;
    }
    object = json_object();
    for (int i = 0; i < n; i++)
        json_object_set_new(object, names[i], value_json(values[i], kinds[i]));
    return json_array_append_new(rows->json, object);
}

enum header { NO_HEADER, HEADER };

/* Print the result of a query as JSON, or as CSV with or without a line of
   column names. */
static int print_rows(const struct cli *cli, locant_store *store,
                      const char *query, enum header header)
{
    struct rows rows = { cli->json ? json_array() : NULL, header == HEADER };
    const int status =
        cli_status(locant_store_sql(store, query, sql_row, &rows));

    if (status == CLI_OK)
        return cli->json ? cli_json(rows.json) : CLI_OK;
    json_decref(rows.json);
    return status;
}

static int sql(const struct cli *cli)
{
    locant_store *store;

    CLI_TRY(open_store(&store, cli, CLI_READ));
    return print_rows(cli, store, cli->words[1], HEADER);
}

/* ------------------------------------------------------------------ export */

/* Tables that are exported whole, and the order of their rows.  'export' of
   "runs" has columns of its own. */
static const struct table {
    const char *name, *order;
} tables[] = {
    { "runs", NULL },
    { "metrics", "run, step" },
    { "gradients", "run, step, part" },
    { "evaluations", "id" },
    { "curves", "evaluation, protocol, length" },
    { "losses", "evaluation, protocol, length, block" },
    { "task_scores", "run, task, setting, encoding, test_seed, length, place" },
    { "probes", "run, name, setting" },
    { "plans", "key" },
    { "corpora", "sha256" },
    { "texts", "sha256" },
    { "sittings", "run, step" },
    { "studies", "id" },
};

/* Print the column name in a row of PRAGMA table_info: cid, name, .. */
static int print_name(int n, const char *const *names,
                      const char *const *values, const char *kinds,
                      void *context)
{
    int *count = context;

    (void)n;
    (void)names;
    (void)kinds;
    printf("%s%s", (*count)++ > 0 ? "," : "", cli_safe(values[1]));
    return 0;
}

/* Print a table, with the line of column names even if it has no rows. */
static int export_table(const struct cli *cli, locant_store *store,
                        const struct table *table)
{
    int count = 0;

    if (!cli->json) {
        CLI_TRY(cli_status(locant_store_sql(
            store, cli_text("PRAGMA table_info(%s)", table->name), print_name,
            &count)));
        putchar('\n');
    }
    return print_rows(
        cli, store,
        cli_text("SELECT * FROM %s ORDER BY %s", table->name, table->order),
        NO_HEADER);
}

static int export(const struct cli *cli)
{
    const struct options *o = cli->options;
    const struct table *table = tables;
    const struct table *end = tables + sizeof tables / sizeof *tables;
    locant_store *store;

    CLI_TRY(open_store(&store, cli, CLI_READ));
    while (table < end && strcmp(table->name, o->table) != 0)
        table++;
    if (table == end)
        return cli_refuse("--table: unknown table '%s'; 'locant help runs' "
                          "lists the tables",
                          o->table);
    if (table->order != NULL)
        return export_table(cli, store, table);
    if (cli->json)
        return print_json(store);
    runs_csv_names();
    return cli_status(locant_store_runs(store, print_csv, NULL));
}

/* ------------------------------------------------------------------- merge */

/* Merge one store; print what was done, or add it to 'rows' if that is not
   NULL. */
static int merge_one(struct cli_json_rows *rows, locant_store *dest,
                     const char *from)
{
    locant_store_merged m;
    locant_store *source;
    const int status = cli_store_open(&source, from, CLI_READ);

    if (status != CLI_OK)
        return status;
    CLI_TRY(cli_job_status(locant_store_merge(&m, dest, source)));
    if (rows != NULL)
        cli_json_add(rows, json_pack("{s:s, s:I, s:I, s:I}", "source", from,
                                     "added", (json_int_t)m.added, "continued",
                                     (json_int_t)m.continued, "kept",
                                     (json_int_t)m.kept));
    else
        printf("%s: %" PRId64 " runs added, %" PRId64 " continued, %" PRId64
               " there already\n",
               cli_safe(from), m.added, m.continued, m.kept);
    return CLI_OK;
}

static int merge(const struct cli *cli)
{
    struct cli_json_rows rows = { 0 };
    int status = CLI_OK;
    locant_store *dest;

    /* Report a wrong folder before DEST is made. */
    for (size_t i = 2; i < cli->n_words; i++)
        CLI_TRY(cli_check_store(cli->words[i]));
    CLI_TRY(cli_store_make(&dest, cli->words[1]));
    for (size_t i = 2; i < cli->n_words && status == CLI_OK; i++)
        status = merge_one(cli->json ? &rows : NULL, dest, cli->words[i]);
    return cli->json ? cli_json_print(&rows, status) : status;
}

static const struct cli_action actions[] = {
    { "list", NULL, list },
    { "show", "ID", show },
    { "rm", "ID", rm },
    { "export", NULL, export },
    { "sql", "QUERY", sql },
    { "resume", "[ID]", resume },
    { "merge", "DEST SOURCE...", merge },
    { NULL, NULL, NULL },
};

const struct cli_command cli_runs = {
    .name = "runs",
    .summary = "list, show, resume, remove, export, query, merge runs",
    .usage = "list [--dir DIR]\nshow ID\nresume [ID]\nrm ID\n"
             "export [--table NAME]\nsql QUERY\nmerge DEST SOURCE...",
    .doc =
        "'export' prints a table as CSV, 'sql' the result of one read-only "
        "query; with\n--json both print JSON.  Tables: runs, metrics, "
        "gradients, evaluations, curves,\nlosses, task_scores, probes, "
        "plans, corpora, texts, sittings, studies;\ndocs/STORE.md "
        "describes their columns.\n\n'resume' continues a run, or all "
        "unfinished ones, to the same bits as a run\nthat never stopped, "
        "under the instruction set it was trained with.  --isa\nchooses "
        "that set; --any-isa continues under another, and the bits differ.\n\n"
        "'merge' adds the runs of other stores, such as parts of a sweep on "
        "several\nmachines, to that of the folder DEST: of two equal runs "
        "the one that is done\nstays, else the one that is further.  "
        "Merging again changes nothing; after a\nfailure the same command "
        "does the rest.",
    .examples = "locant runs list\nlocant runs show 3 --json\n"
                "locant runs export --table metrics > metrics.csv\n"
                "locant runs sql 'select count(*) from runs'\n"
                "locant runs merge lab lab/part-*",
    CLI_OPTIONS,
    .computes = 1,
    .actions = actions
};

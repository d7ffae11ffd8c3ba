/* cmd_runs.c - locant runs: what the run store holds. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"

struct options {
    const char *dir;
    const char *table;
    int any_isa;
};

static const struct cli_option options[] = {
    OPT_DIR(dir),
    OPT_TEXT("table", table, "NAME", "the table that 'export' prints",
             .fallback = "runs"),
    OPT_FLAG("any-isa", any_isa,
             "'resume' continues under another instruction set; bits will"
             " differ"),
    OPT_END
};

static json_t *run_json(const locant_run_info *r)
{
    return json_pack(
        "{s:I, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, "
        "s:o, s:o, s:s, s:o, s:s, s:s, s:o, s:o, s:o}",
        "run", (json_int_t)r->id, "status", r->status, "encoding", r->encoding,
        "model", r->model, "corpus_sha256", r->corpus_sha256, "seed",
        (json_int_t)r->seed, "step", (json_int_t)r->step, "steps",
        (json_int_t)r->steps, "batch", (json_int_t)r->batch, "length",
        (json_int_t)r->length, "parameters", (json_int_t)r->parameters,
        "encoding_parameters", (json_int_t)r->encoding_parameters, "train_loss",
        cli_real(r->train_loss), "seconds", cli_real(r->seconds),
        "tokens_per_second", cli_real(r->tokens_per_second), "started",
        r->started, "parent", r->parent ? json_integer(r->parent) : json_null(),
        "source", r->source, "message", r->message, "gradient_norm",
        cli_real(r->gradient_norm), "encoding_gradient_norm",
        cli_real(r->encoding_gradient_norm), "build",
        r->build[0] ? json_string(r->build) : json_null());
}

static int add_json(const locant_run_info *run, void *context)
{
    cli_json_add(context, run_json(run));
    return 0;
}

static int print_row(const locant_run_info *r, void *context)
{
    char loss[24] = "-", parent[24] = "-";

    (void)context;
    if (isfinite(r->train_loss))
        snprintf(loss, sizeof loss, "%.4f", r->train_loss);
    if (r->parent)
        snprintf(parent, sizeof parent, "%" PRId64, r->parent);
    printf("%5" PRId64 "  %-11s  %-6s %6" PRId64 " %5" PRIu64 "  %6" PRId64
           "/%-6" PRId64 "  %8s %6s  %-20s  %s\n",
           r->id, cli_safe(r->status), cli_safe(r->source), r->length, r->seed,
           r->step, r->steps, loss, parent, cli_safe(r->started),
           cli_safe(r->encoding));
    return 0;
}

/* A CSV field of RFC 4180, quoted if necessary.  Control characters are
   escaped, unlike in --json. */
static void print_field(const char *text, int last)
{
    text = text != NULL ? cli_safe(text) : "";
    if (text[strcspn(text, ",\"")] == '\0') {
        fputs(text, stdout);
    } else {
        putchar('"');
        for (; *text != '\0'; text++)
            printf(*text == '"' ? "\"\"" : "%c", *text);
        putchar('"');
    }
    putchar(last ? '\n' : ',');
}

static int print_csv(const locant_run_info *r, void *context)
{
    (void)context;
    printf("%" PRId64 ",", r->id);
    print_field(r->status, 0);
    print_field(r->encoding, 0);
    print_field(r->model, 0);
    print_field(r->corpus_sha256, 0);
    printf("%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
           ",%" PRId64 ",%" PRId64 ",%.17g,%.17g,%.17g,",
           r->seed, r->step, r->steps, r->batch, r->length, r->parameters,
           r->encoding_parameters, r->train_loss, r->seconds,
           r->tokens_per_second);
    print_field(r->started, 0);
    printf(r->parent ? "%" PRId64 "," : ",", r->parent);
    print_field(r->source, 0);
    print_field(r->message, 0);
    print_field(r->build, 1);
    return 0;
}

static int visit_all(locant_store *store, locant_run_visitor visit,
                     void *context)
{
    locant_status s = locant_store_runs(store, visit, context);

    return s == LOCANT_OK ? CLI_OK : cli_error(s);
}

static int all_json(locant_store *store)
{
    struct cli_json_rows rows = { 0 };

    return cli_json_print(&rows, visit_all(store, add_json, &rows));
}

static int list(const struct cli *cli, locant_store *store, const char *unused)
{
    (void)unused;
    if (cli->json)
        return all_json(store);
    printf("%5s  %-11s  %-6s %6s %5s  %13s  %8s %6s  %-20s  %s\n", "run",
           "status", "of", "length", "seed", "step", "loss", "parent",
           "started", "encoding"); /* last because it may be long */
    return visit_all(store, print_row, NULL);
}

static int show(const struct cli *cli, locant_store *store, const char *word)
{
    locant_run_info r;
    locant_status s;
    int64_t id;
    int text, status = cli_run_id(&id, "runs", word);

    if (status != CLI_OK)
        return status;
    s = locant_store_run(&r, store, id);
    if (s != LOCANT_OK)
        return cli_error(s);
    if (cli->json)
        return cli_json(run_json(&r));
    text = strcmp(r.source, "text") == 0;
    printf("run         %" PRId64 "\nstatus      %s\nencoding    %s\n"
           "model       %s\n%s      %s\nseed        %" PRIu64 "\n"
           "step        %" PRId64 " of %" PRId64 ", %" PRId64 " x %" PRId64
           " tokens\n",
           r.id, cli_safe(r.status), cli_safe(r.encoding), cli_safe(r.model),
           text ? "corpus" : "task  ",
           cli_safe(text ? r.corpus_sha256 : r.source), r.seed, r.step, r.steps,
           r.batch, r.length);
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

static int rm(const struct cli *cli, locant_store *store, const char *word)
{
    locant_status s;
    int64_t id;
    int status = cli_run_id(&id, "runs", word);

    if (status != CLI_OK)
        return status;
    s = locant_store_remove(store, id);
    if (s != LOCANT_OK)
        return cli_error(s);
    if (cli->json)
        return cli_json(json_pack("{s:I}", "removed", (json_int_t)id));
    fprintf(stderr, "removed run %" PRId64 "\n", id);
    return CLI_OK;
}

/* --------------------------------------------------------------------- sql */

struct rows {
    json_t *json; /* NULL: print CSV */
    int count;
};

/* Numbers become JSON numbers, or null if JSON cannot hold them. */
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
        for (int i = 0; i < n && rows->count == 0; i++)
            print_field(names[i], i == n - 1);
        for (int i = 0; i < n; i++)
            print_field(values[i], i == n - 1);
        rows->count++;
        return 0;
    }
    object = json_object();
    for (int i = 0; i < n; i++)
        json_object_set_new(object, names[i], value_json(values[i], kinds[i]));
    return json_array_append_new(rows->json, object);
}

/* Prints CSV, with a line of column names if 'header'. */
static int sql_rows(const struct cli *cli, locant_store *store,
                    const char *query, int header)
{
    struct rows rows = { cli->json ? json_array() : NULL, !header };
    locant_status s = locant_store_sql(store, query, sql_row, &rows);

    if (s == LOCANT_OK)
        return cli->json ? cli_json(rows.json) : CLI_OK;
    json_decref(rows.json);
    return cli_error(s);
}

static int sql(const struct cli *cli, locant_store *store, const char *query)
{
    return sql_rows(cli, store, query, 1);
}

/* ------------------------------------------------------------------ export */

/* Tables that are exported whole, in the order of their keys.  The table "runs"
   has its own columns. */
static const struct table {
    const char *name, *query;
} tables[] = {
    { "runs", NULL },
    { "metrics", "SELECT * FROM metrics ORDER BY run, step" },
    { "gradients", "SELECT * FROM gradients ORDER BY run, step, part" },
    { "evaluations", "SELECT * FROM evaluations ORDER BY id" },
    { "curves", "SELECT * FROM curves ORDER BY evaluation, protocol, length" },
    { "losses", "SELECT * FROM losses ORDER BY evaluation, protocol, length, "
                "block" },
    { "task_scores", "SELECT * FROM task_scores ORDER BY run, task, setting, "
                     "encoding, test_seed, length, place" },
    { "probes", "SELECT * FROM probes ORDER BY run, name, setting" },
    { "plans", "SELECT * FROM plans ORDER BY key" },
    { "corpora", "SELECT * FROM corpora ORDER BY sha256" },
    { "texts", "SELECT * FROM texts ORDER BY sha256" },
    { "sittings", "SELECT * FROM sittings ORDER BY run, step" },
    { "studies", "SELECT * FROM studies ORDER BY id" },
};

/* A row of PRAGMA table_info: cid, name, .. */
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

/* Prints the line of column names even if the table has no rows. */
static int export_table(const struct cli *cli, locant_store *store,
                        const struct table *table)
{
    char names[64];
    int count = 0;

    snprintf(names, sizeof names, "PRAGMA table_info(%s)", table->name);
    if (!cli->json) {
        locant_status s = locant_store_sql(store, names, print_name, &count);

        if (s != LOCANT_OK)
            return cli_error(s);
        putchar('\n');
    }
    return sql_rows(cli, store, table->query, 0);
}

static int export(const struct cli *cli, locant_store *store,
                  const char *unused)
{
    const struct options *o = cli->options;
    const struct table *table = tables;
    const struct table *end = tables + sizeof tables / sizeof *tables;

    (void)unused;
    while (table < end && strcmp(table->name, o->table) != 0)
        table++;
    if (table == end)
        return cli_fail(CLI_USAGE,
                        "--table: unknown table '%s'; 'locant help "
                        "runs' lists the tables",
                        o->table);
    if (table->query != NULL)
        return export_table(cli, store, table);
    if (cli->json)
        return all_json(store);
    puts("run,status,encoding,model,corpus_sha256,seed,step,steps,batch,length,"
         "parameters,encoding_parameters,train_loss,seconds,tokens_per_second,"
         "started,parent,source,message,build");
    return visit_all(store, print_csv, NULL);
}

/* --------------------------------------------------------------------- run */

static const struct action {
    const char *name, *needs; /* name of its argument, or NULL */
    int writes, optional;     /* the argument may be left out */
    int (*run)(const struct cli *, locant_store *, const char *word);
} actions[] = {
    { "list", NULL, 0, 0, list },  { "show", "ID", 0, 0, show },
    { "rm", "ID", 1, 0, rm },      { "export", NULL, 0, 0, export },
    { "sql", "QUERY", 0, 0, sql }, { "resume", "ID", 1, 1, cli_runs_resume },
};

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    }
    return NULL;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    const char *name = cli->n_words > 0 ? cli->words[0] : "list";
    const struct action *a = find_action(name);
    locant_store *store = NULL;
    locant_status s;
    int status;

    if (a == NULL)
        return cli_fail(CLI_USAGE,
                        "runs: '%s': should be one of list, show, "
                        "rm, export, sql, resume",
                        name);
    if (a->needs != NULL && !a->optional && cli->n_words < 2)
        return cli_fail(CLI_USAGE, "runs %s: %s is missing", name, a->needs);
    if (cli->n_words > 1 + (a->needs != NULL))
        return cli_fail(CLI_USAGE, "runs %s: unexpected argument '%s'", name,
                        cli->words[cli->n_words - 1]);
    if (cli_given(cli, "table") && a->run != export)
        return cli_fail(CLI_USAGE, "runs %s: --table is for 'runs export'",
                        name);
    if (o->any_isa && a->run != cli_runs_resume)
        return cli_fail(CLI_USAGE, "runs %s: --any-isa is for 'runs resume'",
                        name);
    status = cli_check_store(o->dir);
    if (status != CLI_OK)
        return status;
    s = a->writes ? locant_store_open(&store, o->dir)
                  : locant_store_open_readonly(&store, o->dir);
    if (s != LOCANT_OK)
        return cli_error(s);
    locant_store_any_isa(store, o->any_isa);
    status = a->run(cli, store, cli->n_words > 1 ? cli->words[1] : NULL);
    locant_store_close(store);
    return status;
}

const struct cli_command cli_runs = {
    .name = "runs",
    .summary = "list, show, resume, remove, export, query runs",
    .usage = "list [--dir DIR]\nshow ID\nresume [ID]\nrm ID\n"
             "export [--table NAME]\nsql QUERY",
    .doc = "The runs in the store.  'export' prints a table as CSV, 'sql' the "
           "result of one\nread-only query; with --json both print JSON.\n"
           "Tables: runs, metrics, gradients, evaluations, curves, losses, "
           "task_scores,\nprobes, plans, corpora, texts, sittings, studies; "
           "docs/STORE.md describes their\ncolumns.\n\n'resume' continues a "
           "run, or all unfinished ones, to the same bits as a run that\nnever "
           "stopped, under the instruction set it was trained with.  --isa "
           "chooses that\nset; --any-isa continues under another, and the bits "
           "differ.",
    .examples = "locant runs list\nlocant runs show 3 --json\n"
                "locant runs export --table metrics > metrics.csv\n"
                "locant runs sql 'select count(*) from runs'",
    .options = options,
    .options_size = sizeof(struct options),
    .max_words = 3,
    .computes = 1,
    .run = run
};

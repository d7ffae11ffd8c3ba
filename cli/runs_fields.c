/* runs_fields.c - a run of the store as JSON, as CSV, and as one line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"

enum kind {
    COUNT,          /* int64_t, or uint64_t of at most INT64_MAX */
    OPTIONAL_COUNT, /* int64_t; 0 is null in JSON, empty in CSV */
    REAL,           /* double */
    TEXT,           /* char [] */
    OPTIONAL_TEXT   /* char []; "" is null in JSON */
};

/* clang-format off */
/* The last field is part of RUNS_CSV: it ends the line. */
#define FIELD(name, kind, member, sets) \
    { name, kind, offsetof(locant_run_info, member), RUNS_ALL | (sets) }
static const struct field {
    const char *name;
    enum kind kind;
    size_t offset;
    unsigned sets;
} fields[] = {
    FIELD("run", COUNT, id, RUNS_CSV | RUNS_RESULT),
    FIELD("status", TEXT, status, RUNS_CSV | RUNS_RESULT),
    FIELD("encoding", TEXT, encoding, RUNS_CSV | RUNS_RESULT),
    FIELD("model", TEXT, model, RUNS_CSV),
    FIELD("corpus_sha256", TEXT, corpus_sha256, RUNS_CSV),
    FIELD("seed", COUNT, seed, RUNS_CSV | RUNS_RESULT),
    FIELD("step", COUNT, step, RUNS_CSV),
    FIELD("steps", COUNT, steps, RUNS_CSV | RUNS_RESULT),
    FIELD("batch", COUNT, batch, RUNS_CSV),
    FIELD("length", COUNT, length, RUNS_CSV),
    FIELD("parameters", COUNT, parameters, RUNS_CSV),
    FIELD("encoding_parameters", COUNT, encoding_parameters, RUNS_CSV),
    FIELD("train_loss", REAL, train_loss, RUNS_CSV | RUNS_RESULT),
    FIELD("seconds", REAL, seconds, RUNS_CSV | RUNS_RESULT),
    FIELD("tokens_per_second", REAL, tokens_per_second,
          RUNS_CSV | RUNS_RESULT),
    FIELD("started", TEXT, started, RUNS_CSV),
    FIELD("parent", OPTIONAL_COUNT, parent, RUNS_CSV),
    FIELD("source", TEXT, source, RUNS_CSV),
    FIELD("message", TEXT, message, RUNS_CSV),
    FIELD("gradient_norm", REAL, gradient_norm, 0),
    FIELD("encoding_gradient_norm", REAL, encoding_gradient_norm, 0),
    FIELD("optimizer", TEXT, optimizer, RUNS_CSV),
    FIELD("batch_checksum", TEXT, batch_checksum, RUNS_CSV),
    FIELD("build", OPTIONAL_TEXT, build, RUNS_CSV),
};
/* clang-format on */
enum { FIELDS = sizeof fields / sizeof *fields };

static json_t *field_json(const void *at, enum kind kind)
{
    switch (kind) {
    case REAL: return cli_real(*(const double *)at);
    case TEXT: return json_string(at);
    case OPTIONAL_TEXT:
        return *(const char *)at ? json_string(at) : json_null();
    case OPTIONAL_COUNT:
        return *(const int64_t *)at ? json_integer(*(const int64_t *)at)
                                    : json_null();
    case COUNT: break;
    }
    return json_integer(*(const int64_t *)at);
}

json_t *runs_json(const locant_run_info *run, enum runs_set set)
{
    json_t *all = json_object();

    for (size_t i = 0; i < FIELDS; i++) {
        const struct field *f = &fields[i];

        if (f->sets & set &&
            json_object_set_new(
                all, f->name,
                field_json((const char *)run + f->offset, f->kind)) != 0) {
            json_decref(all);
            return NULL;
        }
    }
    return all;
}

void runs_csv_field(const char *text, int last)
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

void runs_csv_names(void)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (fields[i].sets & RUNS_CSV)
            runs_csv_field(fields[i].name, i == FIELDS - 1);
}

void runs_csv(const locant_run_info *run)
{
    for (size_t i = 0; i < FIELDS; i++) {
        const void *at = (const char *)run + fields[i].offset;
        const char *text = at;

        if (!(fields[i].sets & RUNS_CSV))
            continue;
        if (fields[i].kind == REAL)
            text = cli_text("%.17g", *(const double *)at);
        if (fields[i].kind == COUNT)
            text = cli_text("%" PRId64, *(const int64_t *)at);
        if (fields[i].kind == OPTIONAL_COUNT)
            text = *(const int64_t *)at
                       ? cli_text("%" PRId64, *(const int64_t *)at)
                       : "";
        runs_csv_field(text, i == FIELDS - 1);
    }
}

int runs_print_result(const struct cli *cli, json_t *rows, locant_store *store,
                      int64_t id)
{
    locant_run_info run;

    CLI_TRY(cli_status(locant_store_run(&run, store, id)));
    if (rows != NULL) {
        json_array_append_new(rows, runs_json(&run, RUNS_RESULT));
        return CLI_OK;
    }
    if (cli->json)
        return cli_json(runs_json(&run, RUNS_RESULT));
    printf("run %" PRId64 ": %s, %s seed %" PRIu64 ", %" PRId64 " steps, "
           "train loss %.4f nats per %s, %.1f s\n",
           run.id, cli_safe(run.status), cli_safe(run.encoding), run.seed,
           run.step, run.train_loss,
           strcmp(run.source, "text") == 0 ? "byte" : "answer", run.seconds);
    return CLI_OK;
}

int runs_add_id(struct runs_ids *ids, int64_t id)
{
    if (ids->n == ids->room) {
        const size_t room = ids->room ? 2 * ids->room : 64;
        int64_t *more = realloc(ids->at, room * sizeof *more);

        if (more == NULL)
            return ids->status =
                       cli_fail(CLI_INPUT, "no memory for the list of runs");
        ids->at = more;
        ids->room = room;
    }
    ids->at[ids->n++] = id;
    return CLI_OK;
}

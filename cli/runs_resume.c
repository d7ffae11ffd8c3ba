/* runs_resume.c - locant runs resume: continue unfinished runs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"

struct ids {
    int64_t *at;
    size_t n, room;
    int no_memory;
};

static int add_unfinished(const locant_run_info *run, void *context)
{
    struct ids *ids = context;

    if (strcmp(run->status, "running") != 0 &&
        strcmp(run->status, "interrupted") != 0)
        return 0;
    if (ids->n == ids->room) {
        size_t room = ids->room ? 2 * ids->room : 64;
        int64_t *more = realloc(ids->at, room * sizeof *more);

        if (more == NULL)
            return ids->no_memory = 1;
        ids->at = more;
        ids->room = room;
    }
    ids->at[ids->n++] = run->id;
    return 0;
}

/* Open the text of a run, unless *corpus already is that text. */
static int open_corpus(locant_corpus **corpus, locant_store *store, int64_t id)
{
    locant_run_info run;
    locant_status s = locant_store_run(&run, store, id);

    if (s != LOCANT_OK)
        return cli_error(s);
    if (strcmp(run.source, "text") != 0) { /* a task needs no text */
        locant_corpus_free(*corpus);
        *corpus = NULL;
        return CLI_OK;
    }
    if (*corpus != NULL &&
        strcmp(locant_corpus_info_of(*corpus)->sha256, run.corpus_sha256) == 0)
        return CLI_OK;
    locant_corpus_free(*corpus);
    s = locant_store_corpus(corpus, store, id);
    return s == LOCANT_OK ? CLI_OK : cli_error_input(s);
}

/* Resume a run; print it, or add it to 'rows' unless that is NULL. */
static int resume_one(json_t *rows, locant_store *store, locant_corpus **corpus,
                      int64_t id)
{
    int status = open_corpus(corpus, store, id);
    locant_run_info run;
    locant_status s;

    if (status == CLI_OK)
        status = cli_job_status(
            locant_resume(store, id, *corpus, cli_progress, NULL));
    if (status != CLI_OK)
        return status;
    s = locant_store_run(&run, store, id);
    if (s != LOCANT_OK)
        return cli_error(s);
    if (rows != NULL)
        json_array_append_new(rows, cli_trained(&run));
    else
        cli_print_trained(&run);
    return CLI_OK;
}

/* If a run cannot be resumed, go on with the others. */
static int resume_all(json_t *rows, locant_store *store, locant_corpus **corpus)
{
    struct ids ids = { 0 };
    locant_status s = locant_store_runs(store, add_unfinished, &ids);
    int worst = CLI_OK;

    if (s != LOCANT_OK)
        worst = cli_error(s);
    else if (ids.no_memory)
        worst = cli_fail(CLI_INPUT, "no memory for the list of runs");
    else if (ids.n == 0)
        fputs("every run is finished\n", stderr);
    for (size_t i = 0; i < ids.n && worst != CLI_RESUMABLE; i++) {
        int status = resume_one(rows, store, corpus, ids.at[i]);

        if (status != CLI_OK)
            worst = status;
    }
    free(ids.at);
    return worst;
}

int cli_runs_resume(const struct cli *cli, locant_store *store,
                    const char *word)
{
    locant_corpus *corpus = NULL;
    json_t *rows = NULL;
    int64_t id = 0;
    int status = word ? cli_run_id(&id, "runs", word) : CLI_OK;

    if (status != CLI_OK)
        return status;
    cli_catch_signals();
    rows = cli->json ? json_array() : NULL;
    status = word ? resume_one(rows, store, &corpus, id)
                  : resume_all(rows, store, &corpus);
    locant_corpus_free(corpus);
    if (rows != NULL) {
        int written = cli_json(rows);

        status = status == CLI_OK ? written : status;
    }
    return status;
}

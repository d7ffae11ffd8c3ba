/* runs_resume.c - locant runs resume: continue unfinished runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "runs.h"

static int add_unfinished(const locant_run_info *run, void *context)
{
    return strcmp(run->status, "running") == 0 ||
                   strcmp(run->status, "interrupted") == 0
               ? runs_add_id(context, run->id)
               : 0;
}

/* Open the text of a run, unless *corpus already is that text. */
static int open_corpus(locant_corpus **corpus, locant_store *store, int64_t id)
{
    locant_run_info run;
    int text;

    CLI_TRY(cli_status(locant_store_run(&run, store, id)));
    text = strcmp(run.source, "text") == 0; /* a task needs no text */
    if (text && *corpus != NULL &&
        strcmp(locant_corpus_info_of(*corpus)->sha256, run.corpus_sha256) == 0)
        return CLI_OK;
    locant_corpus_free(*corpus);
    *corpus = NULL;
    return text ? cli_status_input(locant_store_corpus(corpus, store, id))
                : CLI_OK;
}

/* Resume a run; add it to 'rows' or, if that is NULL, print it. */
static int resume_one(const struct cli *cli, json_t *rows, locant_store *store,
                      locant_corpus **corpus, int64_t id)
{
    CLI_TRY(open_corpus(corpus, store, id));
    CLI_TRY(
        cli_job_status(locant_resume(store, id, *corpus, cli_progress, NULL)));
    return runs_print_result(cli, rows, store, id);
}

int runs_resume(const struct cli *cli, locant_store *store, int64_t id)
{
    struct runs_ids ids = { 0 };
    locant_corpus *corpus = NULL;
    json_t *rows = cli->json ? json_array() : NULL;
    int status;

    cli_catch_signals();
    status = id > 0
                 ? runs_add_id(&ids, id)
                 : cli_status(locant_store_runs(store, add_unfinished, &ids));
    status = status ? status : ids.status;
    if (status == CLI_OK && ids.n == 0)
        fputs("every run is finished\n", stderr);
    /* If a run cannot be resumed, go on with the others. */
    for (size_t i = 0; i < ids.n && status != CLI_RESUMABLE; i++) {
        int resumed = resume_one(cli, rows, store, &corpus, ids.at[i]);

        status = resumed != CLI_OK ? resumed : status;
    }
    free(ids.at);
    locant_corpus_free(corpus);
    if (rows != NULL) {
        int written = cli_json(rows);

        status = status == CLI_OK ? written : status;
    }
    return status;
}

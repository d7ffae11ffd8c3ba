/* ranks.c - see ranks.h */
#define _POSIX_C_SOURCE 200809L
#include "ranks.h"
#include "job.h"
#include "launcher.h"
#include "mpi.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ABORT_SECONDS = 2 }; /* until a process ends that MPI does not end */

static struct {
    const struct cli_mpi *mpi;
    locant_group *group; /* of MPI */
    locant_group watched;
    bool broken; /* an exchange has failed */
    bool in_exchange;
} ranks;

static locant_status exchange(const locant_piece *send, size_t sends,
                              const locant_piece *receive, size_t receives,
                              void *context)
{
    const locant_group *g = context;
    locant_status status;

    ranks.in_exchange = true;
    status = g->exchange(send, sends, receive, receives, g->context);
    ranks.in_exchange = false;
    ranks.broken |= status != LOCANT_OK;
    return status;
}

/* Not in an exchange: a rank that left one would lose the others, instead of
   telling them. */
static int poll_signals(void *context)
{
    (void)context;
    return !ranks.in_exchange && cli_stop_asked();
}

void cli_ranks_poll(void)
{
    cli_catch_signals();
    locant_set_poll(poll_signals, NULL);
}

static void free_group(void *group)
{
    ranks.mpi->free(group);
}

locant_status cli_ranks_allreduce(const locant_group *group, float *data,
                                  size_t n)
{
    return ranks.mpi->allreduce(group->context, data, n);
}

/* A launcher of another MPI leaves every process alone. */
static int check_launcher(void)
{
    const char *variable;
    const char *why;
    int64_t n;

    if (ranks.group->size > 1)
        return CLI_OK;
    n = cli_launched(&variable);
    if (n == 1)
        return CLI_OK;
    return cli_refuse("%s is %" PRId64 ", but %s, of this build, sees one "
                      "process: start it by the mpirun of that MPI",
                      variable, n, cli_mpi_name(&why));
}

int cli_ranks_open(const locant_group **out, const struct cli *cli,
                   const struct cli_ranks *o)
{
    const char *why;

    *out = NULL;
    if (!o->mpi)
        return cli_given(cli, "patience")
                   ? cli_refuse("--patience is for --ranks mpi")
                   : cli_check_single("--ranks mpi");
    if (!(o->patience > 0))
        return cli_refuse("--patience '%g': should be above 0", o->patience);
    cli_mpi_load(&ranks.mpi, &why);
    if (ranks.mpi == NULL)
        return cli_refuse("--ranks mpi: %s; 'locant report --part' shares out "
                          "runs without it",
                          why);
    CLI_TRY(cli_status(ranks.mpi->group(&ranks.group, NULL, o->patience)));
    CLI_TRY(cli_at_end(free_group, ranks.group));
    CLI_TRY(check_launcher());
    ranks.watched = *ranks.group;
    ranks.watched.exchange = exchange;
    ranks.watched.context = ranks.group;
    if (ranks.watched.rank > 0)
        cli_hush();
    *out = &ranks.watched;
    return CLI_OK;
}

static void *leave_later(void *exit_status)
{
    const struct timespec time = { ABORT_SECONDS, 0 };

    nanosleep(&time, NULL);
    _exit(*(const int *)exit_status);
}

/* MPI_Abort() of MPICH 4.0 waits for messages to a rank that is stopped, for
   ever.  Launchers end all ranks when one ends without MPI_Finalize(). */
static void abort_all(int status)
{
    static int exit_status;
    pthread_t thread;

    exit_status = status;
    if (pthread_create(&thread, NULL, leave_later, &exit_status) != 0)
        _exit(status);
    ranks.mpi->abort(ranks.group, status);
}

/* End all ranks: this one has lost another. */
static int end_all(int status)
{
    const char *text = cli_text("%s", cli_message());

    if (ranks.watched.rank > 0)
        cli_speak(cli_text("rank %d: %s", ranks.watched.rank, text));
    else
        cli_fail(status, "%s", text);
    abort_all(status);
    return status;
}

/* Give every rank's status to every rank. */
static locant_status share(int *all, const locant_group *g)
{
    locant_piece *list = calloc(2 * (size_t)g->size, sizeof *list);
    locant_status status;
    size_t n = 0;

    if (list == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for %d ranks", g->size);
    for (int r = 0; r < g->size; r++) {
        if (r == g->rank)
            continue;
        list[n] = (locant_piece){ r, &all[g->rank], sizeof *all };
        list[g->size + (int)n++] = (locant_piece){ r, &all[r], sizeof *all };
    }
    status = g->exchange(list, n, list + g->size, n, g->context);
    free(list);
    return status;
}

int cli_ranks_agree(const locant_group *group, int status)
{
    int *all;

    if (group == NULL)
        return status;
    all = cli_alloc((size_t)group->size, sizeof *all);
    if (all == NULL)
        return end_all(CLI_INPUT);
    all[group->rank] = status;
    if (share(all, group) != LOCANT_OK)
        return end_all(CLI_RESUMABLE);
    for (int r = 0; r < group->size; r++) {
        if (all[r] == CLI_OK)
            continue;
        if (r == group->rank && r > 0)
            cli_speak(cli_text("rank %d: %s", r, cli_hushed()));
        return all[r];
    }
    return CLI_OK;
}

int cli_ranks_speaks(const locant_group *group)
{
    return group == NULL || group->rank == 0;
}

int cli_ranks_status(const locant_group *group, locant_status status)
{
    return group != NULL && ranks.broken ? end_all(CLI_RESUMABLE)
                                         : cli_job_status(status);
}

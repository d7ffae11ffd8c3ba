/* mpi.c - a group of the processes of MPI; see locant/mpi.h */
#define _POSIX_C_SOURCE 200809L
#include "exchange.h"
#include <limits.h>
#include <math.h>
#include <mpi.h>

/* Its first line, up to a comma, with single blanks. */
static void shorten(char *text)
{
    char *to = text;

    for (const char *at = text; *at != 0 && *at != '\n' && *at != ','; at++)
        if (*at > ' ')
            *to++ = *at;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = 0;
}

const char *locant_mpi_version(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int size;

    if (text[0] == 0) {
        MPI_Get_library_version(text, &size);
        shorten(text);
    }
    return text;
}

static locant_status refuse_level(void)
{
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "locant_mpi_group: MPI was initialised without threads,"
                       " expected MPI_THREAD_FUNNELED");
}

/* Before MPI_Init() MPICH refuses every other function, even MPI_Wtime(). */
static locant_status initialise(struct lct_mpi_group *x)
{
    int has_begun, has_ended, level;

    MPI_Finalized(&has_ended);
    if (has_ended)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_mpi_group: MPI is finalised already");
    MPI_Initialized(&has_begun);
    if (has_begun) {
        MPI_Query_thread(&level);
        return level < MPI_THREAD_FUNNELED ? refuse_level() : LOCANT_OK;
    }
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return locant_fail(LOCANT_ERR_IO,
                           "locant_mpi_group: MPI cannot be initialised");
    x->initialised = true;
    return level < MPI_THREAD_FUNNELED ? refuse_level() : LOCANT_OK;
}

/* Collect the names of all hosts, for messages. */
static locant_status share_hosts(struct lct_mpi_group *x)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "", mine[LCT_HOST_BYTES] = "";
    int size, code;

    MPI_Get_processor_name(name, &size);
    for (size_t i = 0; i + 1 < LCT_HOST_BYTES && name[i] != 0; i++)
        mine[i] = name[i] > ' ' && name[i] <= '~' ? name[i] : '?';
    code = MPI_Allgather(mine, LCT_HOST_BYTES, MPI_CHAR, x->hosts,
                         LCT_HOST_BYTES, MPI_CHAR, x->comm);
    return code == MPI_SUCCESS
               ? LOCANT_OK
               : lct_exchange_fail("locant_mpi_group: names of hosts", code);
}

static locant_status set_up(struct lct_mpi_group *x, const MPI_Comm *comm)
{
    size_t size;
    int code;

    LCT_TRY(initialise(x));
    code = MPI_Comm_dup(comm ? *comm : MPI_COMM_WORLD, &x->comm);
    if (code != MPI_SUCCESS)
        return lct_exchange_fail("locant_mpi_group", code);
    MPI_Comm_set_errhandler(x->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(x->comm, &x->group.rank);
    MPI_Comm_size(x->comm, &x->group.size);
    size = (size_t)x->group.size;
    x->hosts = locant_alloc(size * sizeof *x->hosts);
    x->sent = locant_alloc(size * sizeof *x->sent);
    x->received = locant_alloc(size * sizeof *x->received);
    if (!x->hosts || !x->sent || !x->received)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_mpi_group: no memory for %zu ranks", size);
    return share_hosts(x);
}

void locant_mpi_free(locant_group *group)
{
    struct lct_mpi_group *x = (struct lct_mpi_group *)group;

    if (x == NULL)
        return;
    if (x->comm != MPI_COMM_NULL && !x->broken)
        MPI_Comm_free(&x->comm);
    if (x->initialised && !x->broken)
        MPI_Finalize();
    lct_exchange_release(x);
    locant_release(x->hosts);
    locant_release(x->sent);
    locant_release(x->received);
    locant_release(x);
}

locant_status locant_mpi_group(locant_group **out, void *comm, double patience)
{
    struct lct_mpi_group *x;
    locant_status status;

    LCT_NOT_NULL(__func__, out);
    *out = NULL;
    if (!(patience > 0 && isfinite(patience)))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: patience is %g, expected a finite number of"
                           " seconds above 0",
                           __func__, patience);
    x = locant_alloc(sizeof *x);
    if (x == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", __func__);
    x->group.struct_size = sizeof x->group;
    x->group.exchange = lct_exchange_run;
    x->group.context = x;
    x->comm = MPI_COMM_NULL;
    x->patience = patience;
    status = set_up(x, comm);
    if (status == LOCANT_OK)
        *out = &x->group;
    else
        locant_mpi_free(&x->group);
    return status;
}

locant_status locant_mpi_allreduce(const locant_group *group, float *data,
                                   size_t n)
{
    const struct lct_mpi_group *x = (const struct lct_mpi_group *)group;
    int code;

    LCT_NOT_NULL(__func__, group);
    LCT_NOT_NULL(__func__, data);
    if (n > INT_MAX)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: n is %zu, expected at most %d", __func__, n,
                           INT_MAX);
    code =
        MPI_Allreduce(MPI_IN_PLACE, data, (int)n, MPI_FLOAT, MPI_SUM, x->comm);
    return code == MPI_SUCCESS ? LOCANT_OK : lct_exchange_fail(__func__, code);
}

void locant_mpi_abort(const locant_group *group, int exit_status)
{
    const struct lct_mpi_group *x = (const struct lct_mpi_group *)group;

    MPI_Abort(x->comm, exit_status);
}

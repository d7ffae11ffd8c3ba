/*
 * exchange.c - see exchange.h
 *
 * Counts of MPI-3 are ints, so a piece is cut into parts of 1 GiB. The tag of a
 * part is its number among those that go to the same peer in one exchange;
 * messages of one tag between two ranks keep their order, so exchanges need no
 * number.
 *
 * Waiting spins for 100 microseconds and then pauses between tests: Open MPI's
 * own waits keep a whole core busy, which other ranks or threads may need. A
 * pause that ends late costs small models some percent of a step, so where the
 * last exchange of the same sizes waited up to 2 ms for a message, waiting
 * spins for twice as long; where it waited longer, spinning would rarely help.
 */
#define _POSIX_C_SOURCE 200809L
#include "exchange.h"
#include <time.h>

enum {
    PART_BYTES = 1 << 30,
    TAGS = 32768, /* every MPI has at least so many */
    PAUSE_NANOSECONDS = 50 * 1000
};

static const double SPIN_SECONDS = 100e-6, LONG_SECONDS = 2e-3,
                    POLL_SECONDS = .1, CANCEL_SECONDS = 1;

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

locant_status lct_exchange_fail(const char *what, int code)
{
    char why[MPI_MAX_ERROR_STRING] = "";
    int size;

    MPI_Error_string(code, why, &size);
    return locant_fail(LOCANT_ERR_IO, "%s: MPI says: %.300s", what, why);
}

void lct_exchange_release(struct lct_mpi_group *x)
{
    locant_release(x->requests);
    locant_release(x->statuses);
    locant_release(x->done);
    locant_release(x->parts);
    x->room = 0;
}

static size_t parts_of(const locant_piece *piece)
{
    return piece->bytes == 0 ? 1 : (piece->bytes - 1) / PART_BYTES + 1;
}

/* Make room for the parts of all pieces. */
static locant_status reserve(struct lct_mpi_group *x, const locant_piece *send,
                             size_t sends, const locant_piece *receive,
                             size_t receives)
{
    size_t n = 0;

    for (size_t i = 0; i < sends; i++)
        n += parts_of(&send[i]);
    for (size_t i = 0; i < receives; i++)
        n += parts_of(&receive[i]);
    if (n <= (size_t)x->room)
        return LOCANT_OK;
    lct_exchange_release(x);
    x->requests = locant_alloc(n * sizeof *x->requests);
    x->statuses = locant_alloc(n * sizeof *x->statuses);
    x->done = locant_alloc(n * sizeof *x->done);
    x->parts = locant_alloc(n * sizeof *x->parts);
    if (!x->requests || !x->statuses || !x->done || !x->parts)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_mpi_group: no memory for %zu messages", n);
    x->room = (int)n;
    return LOCANT_OK;
}

/* Begin to send or to receive one part. */
static locant_status begin_part(struct lct_mpi_group *x,
                                const struct lct_exchange_part *part,
                                void *data)
{
    int *count = part->receives ? x->received : x->sent;
    const int tag = count[part->peer]++ % TAGS;
    MPI_Request *request = &x->requests[x->n];
    int code;

    code = part->receives ? MPI_Irecv(data, part->bytes, MPI_BYTE, part->peer,
                                      tag, x->comm, request)
                          : MPI_Isend(data, part->bytes, MPI_BYTE, part->peer,
                                      tag, x->comm, request);
    if (code != MPI_SUCCESS)
        return lct_exchange_fail("locant_mpi_group: a message cannot begin",
                                 code);
    x->parts[x->n++] = *part;
    return LOCANT_OK;
}

static locant_status begin_pieces(struct lct_mpi_group *x,
                                  const locant_piece *list, size_t n,
                                  bool receives)
{
    for (size_t i = 0; i < n; i++) {
        char *data = list[i].data;
        size_t left = list[i].bytes;

        for (size_t k = parts_of(&list[i]); k > 0; k--) {
            const size_t bytes = left < PART_BYTES ? left : PART_BYTES;
            const struct lct_exchange_part part = { list[i].peer, (int)bytes,
                                                    receives };

            LCT_TRY(begin_part(x, &part, data));
            data = bytes > 0 ? data + bytes : data;
            left -= bytes;
        }
    }
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- waiting */

/* Name a rank that has not answered: one that owes a message, if any does. */
static locant_status silent(const struct lct_mpi_group *x)
{
    int at = -1;

    for (int i = 0; i < x->n; i++)
        if (x->requests[i] != MPI_REQUEST_NULL &&
            (at < 0 || (x->parts[i].receives && !x->parts[at].receives)))
            at = i;
    at = x->parts[at].peer;
    return locant_fail(LOCANT_ERR_IO,
                       "rank %d of %d (host %s) has not answered for %g s", at,
                       x->group.size, x->hosts[at], x->patience);
}

/* Check the message of request i, which has ended. */
static locant_status check_part(const struct lct_mpi_group *x, int i,
                                const MPI_Status *status)
{
    const struct lct_exchange_part *part = &x->parts[i];
    int bytes = part->bytes;

    if (part->receives)
        MPI_Get_count(status, MPI_BYTE, &bytes);
    if (bytes == part->bytes)
        return LOCANT_OK;
    return locant_fail(
        LOCANT_ERR_IO, "rank %d of %d (host %s) sent %d bytes, expected %d",
        part->peer, x->group.size, x->hosts[part->peer], bytes, part->bytes);
}

/* Test all requests once; *ended is how many have ended. */
static locant_status test_some(struct lct_mpi_group *x, int *ended)
{
    int code = MPI_Testsome(x->n, x->requests, ended, x->done, x->statuses);

    if (*ended == MPI_UNDEFINED)
        *ended = 0;
    if (code == MPI_ERR_IN_STATUS)
        for (int i = 0; i < *ended; i++)
            if (x->statuses[i].MPI_ERROR != MPI_SUCCESS)
                code = x->statuses[i].MPI_ERROR;
    if (code != MPI_SUCCESS)
        return lct_exchange_fail("locant_mpi_group: a message is lost", code);
    for (int i = 0; i < *ended; i++)
        LCT_TRY(check_part(x, x->done[i], &x->statuses[i]));
    return LOCANT_OK;
}

/* The longest wait for a message in the last exchange of these sizes; others of
   the same sum may share it. */
static double *last_wait(struct lct_mpi_group *x)
{
    size_t sum = (size_t)x->n;

    for (int i = 0; i < x->n; i++)
        sum += (size_t)x->parts[i].bytes;
    return &x->waits[sum % LCT_EXCHANGE_KINDS];
}

static double spin_seconds(double last)
{
    return last > LONG_SECONDS || 2 * last < SPIN_SECONDS ? SPIN_SECONDS
                                                          : 2 * last;
}

static locant_status wait_all(struct lct_mpi_group *x)
{
    const struct timespec pause = { 0, PAUSE_NANOSECONDS };
    double heard = seconds(), polled = heard, now, longest = 0;
    double *last = last_wait(x);
    const double spin = spin_seconds(*last);
    int ended;

    for (int left = x->n; left > 0; left -= ended) {
        LCT_TRY(test_some(x, &ended));
        now = seconds();
        if (ended > 0) {
            longest = now - heard > longest ? now - heard : longest;
            heard = now;
            continue;
        }
        if (now - heard > x->patience)
            return silent(x);
        if (now - polled > POLL_SECONDS && locant_ask_poll() != 0)
            return locant_fail(LOCANT_ERR_INTERRUPTED,
                               "locant_mpi_group: stopped by the poll while it"
                               " waited for other ranks");
        if (now - polled > POLL_SECONDS)
            polled = now;
        if (now - heard > spin)
            nanosleep(&pause, NULL);
    }
    *last = longest;
    return LOCANT_OK;
}

/* Give up what has not ended, so that buffers of receives may be used again. A
   send to a rank that is stopped may never end: it is left. */
static void cancel(struct lct_mpi_group *x)
{
    const double begun = seconds();
    int flag = 0;

    x->broken = true;
    for (int i = 0; i < x->n; i++)
        if (x->requests[i] != MPI_REQUEST_NULL)
            MPI_Cancel(&x->requests[i]);
    for (int i = 0; i < x->n; i++)
        if (x->requests[i] != MPI_REQUEST_NULL && x->parts[i].receives)
            do
                MPI_Test(&x->requests[i], &flag, MPI_STATUS_IGNORE);
            while (!flag && seconds() - begun < CANCEL_SECONDS);
}

locant_status lct_exchange_run(const locant_piece *send, size_t sends,
                               const locant_piece *receive, size_t receives,
                               void *context)
{
    struct lct_mpi_group *x = context;
    locant_status status;

    if (x->broken)
        return locant_fail(LOCANT_ERR_IO, "locant_mpi_group: an earlier"
                                          " exchange of this group has failed");
    LCT_TRY(reserve(x, send, sends, receive, receives));
    for (size_t i = 0; i < sends; i++)
        x->sent[send[i].peer] = 0;
    for (size_t i = 0; i < receives; i++)
        x->received[receive[i].peer] = 0;
    x->n = 0;
    status = begin_pieces(x, receive, receives, true);
    if (status == LOCANT_OK)
        status = begin_pieces(x, send, sends, false);
    if (status == LOCANT_OK)
        status = wait_all(x);
    if (status != LOCANT_OK)
        cancel(x);
    return status;
}

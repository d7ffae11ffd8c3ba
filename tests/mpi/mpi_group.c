/*
 * mpi_group.c - a rank of a group of MPI, started by tests/mpi/group.sh.
 * usage: mpi_group CASE; exit status 0 if all is well
 */
#define _POSIX_C_SOURCE 200809L
#include "group_case.h"
#include "locant/mpi.h"
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static locant_status wrong(const char *what)
{
    return locant_fail(LOCANT_ERR_FORMAT, "%s", what);
}

/* ------------------------------------------------------------ many messages */

enum { PIECES = 3, MOST = 70000 };

/* The size of piece k from a to b in round i, the same on both sides; 0 and
   sizes that MPI sends in one go and in several. */
static size_t size_of(int a, int b, int k, int i)
{
    locant_random r = { 7, (uint64_t)(a * 64 + b), (uint64_t)(i * 8 + k) };

    return locant_random_below(&r, 3) == 0 ? 0
           : locant_random_below(&r, 2)    ? locant_random_below(&r, 100)
                                           : locant_random_below(&r, MOST);
}

static unsigned char content(int a, int b, int k, int i, size_t at)
{
    return (unsigned char)(a + 3 * b + 5 * k + 7 * i + (int)(at % 251));
}

/* Every rank sends three pieces to every other, of sizes that both know. */
static locant_status talk(const locant_group *g, int round, unsigned char *room)
{
    locant_piece send[64 * PIECES], receive[64 * PIECES];
    size_t n = 0;

    for (int p = 0; p < g->size; p++) {
        for (int k = 0; k < PIECES && p != g->rank; k++, n++) {
            unsigned char *out = room + 2 * n * MOST;

            send[n] = (locant_piece){ p, out, size_of(g->rank, p, k, round) };
            receive[n] =
                (locant_piece){ p, out + MOST, size_of(p, g->rank, k, round) };
            for (size_t at = 0; at < send[n].bytes; at++)
                out[at] = content(g->rank, p, k, round, at);
        }
    }
    LCT_TRY(g->exchange(send, n, receive, n, g->context));
    for (size_t i = 0; i < n; i++) {
        const unsigned char *in = receive[i].data;

        for (size_t at = 0; at < receive[i].bytes; at++)
            if (in[at] !=
                content(receive[i].peer, g->rank, (int)i % PIECES, round, at))
                return wrong("a piece has other bytes than were sent");
    }
    return LOCANT_OK;
}

static locant_status talk_often(const locant_group *g)
{
    const size_t pieces = (size_t)g->size * PIECES;
    unsigned char *room = malloc(2 * pieces * MOST);
    locant_status status = LOCANT_OK;

    for (int round = 0; round < 100 && status == LOCANT_OK; round++)
        status = talk(g, round, room);
    free(room);
    return status;
}

/* ------------------------------------------------------------------- cases */

static locant_status work(const locant_group *g)
{
    struct greetings same = { -1, NULL, NULL };
    struct greetings other = { g->size - 1, "locant 0.1.0, avx512, gcc 12.2.0",
                               "1;rope;corpus=ab;seed=1" };
    size_t bytes = 299;

    LCT_TRY(gather(g, NULL));
    LCT_TRY(broadcast(g, &bytes));
    LCT_TRY(greet(g, &same));
    LCT_TRY(talk_often(g));
    if (g->size > 1 && (greet(g, &other) != LOCANT_ERR_PARAM ||
                        strstr(locant_last_error(), "'avx512'") == NULL))
        return wrong("an unlike build was not refused");
    return gather(g, NULL);
}

/* A piece whose size no int holds, in three parts. */
static locant_status big(const locant_group *g)
{
    const size_t bytes = ((size_t)1 << 31) + 5;
    unsigned char *data = malloc(bytes);
    const locant_piece piece = { 1 - g->rank, data, bytes };
    locant_status status;

    if (data == NULL)
        return wrong("no memory for 2 GiB");
    memset(data, g->rank == 0 ? 'a' : 'b', bytes);
    data[0] = data[bytes - 1] = data[(size_t)1 << 30] = 'x';
    status = g->rank == 0 ? g->exchange(&piece, 1, NULL, 0, g->context)
                          : g->exchange(NULL, 0, &piece, 1, g->context);
    for (size_t i = 0; i < bytes && status == LOCANT_OK; i++)
        if (data[i] !=
            (i == 0 || i == bytes - 1 || i == (size_t)1 << 30 ? 'x' : 'a'))
            status = wrong("the big piece has other bytes");
    free(data);
    return status;
}

/* Rank 1 stops; the others say so and end all. */
static locant_status silent(const locant_group *g)
{
    const double begun = seconds();

    if (g->rank == 1)
        raise(SIGSTOP);
    if (gather(g, NULL) != LOCANT_ERR_IO)
        return wrong("nobody noticed that rank 1 is stopped");
    fprintf(stderr, "after %.0f s: %s\n", seconds() - begun,
            locant_last_error());
    if (gather(g, NULL) != LOCANT_ERR_IO)
        return wrong("a broken group goes on");
    locant_mpi_abort(g, 75);
    return wrong("the group was not ended");
}

static int polls;

static int stop_at_third(void *context)
{
    (void)context;
    return ++polls >= 3;
}

/* Rank 1 sends nothing until rank 0 has stopped waiting. */
static locant_status polled(const locant_group *g)
{
    char byte = 0;
    const locant_piece piece = { 1, &byte, 1 };
    locant_status status = LOCANT_OK;

    if (g->rank == 0) {
        locant_set_poll(stop_at_third, NULL);
        status = g->exchange(NULL, 0, &piece, 1, g->context);
        locant_set_poll(NULL, NULL);
        status = status == LOCANT_ERR_INTERRUPTED && polls == 3
                     ? LOCANT_OK
                     : wrong("the poll did not stop the exchange");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return status;
}

static locant_status unlike_sizes(const locant_group *g)
{
    char bytes[8] = { 0 };
    const locant_piece piece = { 1 - g->rank, bytes, g->rank == 0 ? 5 : 8 };
    locant_status status;

    if (g->rank == 0)
        return g->exchange(&piece, 1, NULL, 0, g->context);
    status = g->exchange(NULL, 0, &piece, 1, g->context);
    return status == LOCANT_ERR_IO &&
                   strstr(locant_last_error(), "sent 5 bytes, expected 8")
               ? LOCANT_OK
               : wrong("a piece of another size was taken");
}

/* With MPI of the program's own, and a group of every second process. */
static locant_status guest(void)
{
    MPI_Comm half;
    locant_group *g = NULL;
    int level, rank, size, ended;
    locant_status status;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    status = locant_mpi_group(&g, &half, 10);
    if (status == LOCANT_OK &&
        (g->size != (size + 1 - rank % 2) / 2 || g->rank != rank / 2))
        status = wrong("the group has another size than its communicator");
    if (status == LOCANT_OK)
        status = work(g);
    locant_mpi_free(g);
    MPI_Finalized(&ended);
    if (ended)
        return wrong("the program's MPI was finalised");
    MPI_Comm_free(&half);
    MPI_Finalize();
    if (status == LOCANT_OK &&
        locant_mpi_group(&g, NULL, 10) != LOCANT_ERR_PARAM)
        status = wrong("a group was made after MPI has ended");
    return status;
}

static const struct {
    const char *name;
    locant_status (*run)(const locant_group *g);
    double patience;
} cases[] = {
    { "work", work, 60 },          { "big", big, 60 },
    { "silent", silent, 2 },       { "polled", polled, 60 },
    { "sizes", unlike_sizes, 60 },
};

/* A group that is broken has left it to the program to end MPI. */
static locant_status end(void)
{
    int ended;

    MPI_Finalized(&ended);
    if (!ended)
        MPI_Finalize();
    return LOCANT_OK;
}

static locant_status run(const char *name)
{
    locant_group *g = NULL;
    locant_status status;

    if (strcmp(name, "guest") == 0)
        return guest();
    if (locant_mpi_group(&g, NULL, -1) != LOCANT_ERR_PARAM || g != NULL)
        return wrong("a negative patience was taken");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(cases[i].name, name) != 0)
            continue;
        LCT_TRY(locant_mpi_group(&g, NULL, cases[i].patience));
        status = cases[i].run(g);
        locant_mpi_free(g);
        return status == LOCANT_OK ? end() : status;
    }
    return wrong("no such case");
}

int main(int argc, char **argv)
{
    if (run(argc > 1 ? argv[1] : "") == LOCANT_OK)
        return 0;
    fprintf(stderr, "mpi_group: %s\n", locant_last_error());
    return 1;
}

/*
 * group.h - processes that work at one thing.
 *
 * A group lets functions of liblocant_lab that take one share their work among
 * processes, its ranks.  Every rank calls the same function with arguments that
 * mean the same.  Whatever engine carries the bytes, results have the same bits
 * for any number of ranks.  locant/mpi.h makes a group of MPI; another engine
 * needs one function, 'exchange'.
 *
 * A rank with a wrong argument says so in the first exchange, and all return
 * its failure.  Only one whose group cannot be read (the options are NULL or
 * have another struct_size, or the group is none) returns alone: the others
 * wait for it as long as the engine waits.
 */
#ifndef LOCANT_GROUP_H
#define LOCANT_GROUP_H

#include "core.h"

LOCANT_BEGIN_DECLS

/* Bytes that go to another rank, or that are expected from it. */
typedef struct locant_piece {
    int    peer;  /* 0 .. size - 1, never this rank */
    void  *data;  /* [bytes]; only read if it is sent */
    size_t bytes; /* may be 0, and over 2^31 */
} locant_piece;

typedef struct locant_group {
    size_t struct_size;
    int    rank, size; /* 0 <= rank < size */
    /*
     * Send and receive all of these; return when all are done.  Pieces between
     * two ranks keep their order, within a call and from call to call, and
     * arrive with as many bytes as were sent.  Called by the thread that called
     * liblocant_lab, never by two threads at once.
     * Errors: IO (a rank is lost, or silent for longer than the engine waits),
     * INTERRUPTED (see locant_set_poll()).  After an error the group can only
     * be freed.
     */
    locant_status (*exchange)(const locant_piece *send, size_t sends,
                              const locant_piece *receive, size_t receives,
                              void *context);
    void  *context;
} locant_group;

LOCANT_END_DECLS
#endif /* LOCANT_GROUP_H */

/* exchange.h - messages between the processes of a group of MPI */
#ifndef LCT_EXCHANGE_H
#define LCT_EXCHANGE_H
#include "../core/error.h"
#include "locant/mpi.h"
#include <mpi.h>
#include <stdbool.h>

enum {
    LCT_HOST_BYTES = 64,
    LCT_EXCHANGE_KINDS = 61 /* a step of training has some five exchanges */
};

/* One message of an exchange: a piece, or 1 GiB of it. */
struct lct_exchange_part {
    int peer, bytes;
    bool receives;
};

struct lct_mpi_group {
    locant_group group; /* first: a locant_group * is the same pointer */
    MPI_Comm comm;
    double patience;
    bool initialised;              /* by this library */
    bool broken;                   /* an exchange has failed */
    char (*hosts)[LCT_HOST_BYTES]; /* [size] */
    int *sent, *received;          /* [size] parts of this exchange by peer */
    double waits[LCT_EXCHANGE_KINDS]; /* s, of exchanges by their sizes */
    /* of the parts of an exchange: */
    int n, room;
    MPI_Request *requests;
    MPI_Status *statuses;
    int *done; /* indices of those that ended */
    struct lct_exchange_part *parts;
};

/* "<what>: MPI says: <the message of its code>", IO. */
locant_status lct_exchange_fail(const char *what, int code);

/* The 'exchange' of a group; 'context' is a struct lct_mpi_group. */
locant_status lct_exchange_run(const locant_piece *send, size_t sends,
                               const locant_piece *receive, size_t receives,
                               void *context);

/* Release what exchanges have allocated. */
void lct_exchange_release(struct lct_mpi_group *x);
#endif

/* bench_ranks.h - what messages cost the ranks of a group */
#ifndef BENCH_RANKS_H
#define BENCH_RANKS_H
#include "locant/group.h"
#include <stdbool.h>

enum {
    BENCH_SUMS = 4,    /* sizes of gradients */
    BENCH_GATHERS = 2, /* sizes of keys and values */
    BENCH_LOADS = 9,   /* rows of docs/SCALE.md */
    BENCH_COUNTS = 6   /* numbers of ranks that efficiencies are of */
};

/* Seconds are those of the slowest rank, in the fastest of some rounds. */
struct bench_ranks {
    int size, threads; /* of the group; of this rank */
    double flops;      /* per second, of the slowest rank */
    double latency;    /* s, of 8 bytes to a neighbour and from one */
    double bandwidth;  /* bytes per second, the same with large pieces */
    size_t large;      /* bytes of these */
    int sums, gathers; /* that were measured */
    struct {
        size_t bytes;
        double tree, allreduce; /* s; NAN: not measured */
    } sum[BENCH_SUMS];
    struct {
        size_t bytes; /* of all keys and values of a layer */
        double seconds;
    } gather[BENCH_GATHERS];
    int counts, ranks[BENCH_COUNTS]; /* that of the group first */
    struct {
        const char *name;
        double efficiency[BENCH_COUNTS]; /* NAN: more ranks than leaves */
    } load[BENCH_LOADS];
};

/* Add data [n] of all ranks of a group, in any order. */
typedef locant_status (*bench_allreduce)(const locant_group *group, float *data,
                                         size_t n);

/*
 * Judge and time the messages of training. Every rank of the group, which has
 * at least two, calls this and gets the same numbers. 'allreduce' may be NULL;
 * 'quick': small sizes, few rounds.
 * Errors: PARAM (one rank), FORMAT (a result is wrong), NOMEM, IO, INTERRUPTED.
 */
locant_status bench_ranks(struct bench_ranks *out, const locant_group *group,
                          bench_allreduce allreduce, bool quick);
#endif

/* bench_ranks.h - locant bench --ranks mpi */
#ifndef LOCANT_CLI_BENCH_RANKS_H
#define LOCANT_CLI_BENCH_RANKS_H
#include "ranks.h"

/* Measure and print what messages cost the ranks, and what they gain. */
int bench_ranks_print(const struct cli *cli, const locant_group *group,
                      bool quick);

#endif

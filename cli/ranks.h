/*
 * ranks.h - a command that is run by several processes: --ranks mpi.
 *
 * Rank 0 speaks. What others have to say is held back and only printed, after
 * "rank 3:", if they alone have something to say.
 */
#ifndef LOCANT_CLI_RANKS_H
#define LOCANT_CLI_RANKS_H
#include "cli.h"

struct cli_ranks {
    int mpi;         /* share the work out */
    double patience; /* seconds until a silent rank counts as lost */
};

#define OPT_RANKS(member, what)                                                \
    OPT_CHOICE("ranks", member.mpi, "none|mpi", what, .fallback = "none"),     \
        OPT_REAL("patience", member.patience, "S",                             \
                 "seconds until a silent process counts as lost",              \
                 .fallback = "120")

/* Make the group of this process and its like, which is freed when the command
   ends; NULL without --ranks mpi, for which --patience is refused, and so is a
   launcher that has started several processes: they would all do the same. */
int cli_ranks_open(const locant_group **out, const struct cli *cli,
                   const struct cli_ranks *o);

/*
 * Before work together: an exit status other than CLI_OK of any rank is
 * returned by all, and its message is printed once. Without a group returns
 * 'status'.
 */
int cli_ranks_agree(const locant_group *group, int status);

/* The MPI_Allreduce() of the ranks; see locant/mpi.h. */
locant_status cli_ranks_allreduce(const locant_group *group, float *data,
                                  size_t n);

/* From now on a signal to a rank ends its next computation as INTERRUPTED. */
void cli_ranks_poll(void);

/* Does this process print and write? */
int cli_ranks_speaks(const locant_group *group);

/* The exit status of work together, which ended on all ranks alike. If a rank
   is lost, print that and end all. */
int cli_ranks_status(const locant_group *group, locant_status status);

#endif

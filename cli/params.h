/* params.h - an encoding and where its parameters come from */
#ifndef LOCANT_CLI_PARAMS_H
#define LOCANT_CLI_PARAMS_H
#include "cli.h"

enum { CLI_MAX_PARAMS = 64 };

/* An encoding with its learned parameters read from files. */
struct cli_encoding {
    locant_encoding *e;
    locant_tensor params[CLI_MAX_PARAMS];
    int n_params;
};

/*
 * Check that 'spec' is well formed and uses one of the doors, LOCANT_DOOR_*.
 * Call it before files are read, to report a typo at once.
 */
int cli_check_door(const char *spec, unsigned doors);

/* Where parameters come from. */
struct cli_params {
    struct cli_list files; /* --param NAME=FILE.npy */
    int64_t seed;          /* --init; below 0: not given */
    int optional;          /* 1: not needed if neither of them is given */
};
#define OPT_PARAMS(member)                                                     \
    OPT_LIST("param", member.files, "NAME=FILE.npy", "a parameter"),           \
        OPT_INTEGER("init", member.seed, "SEED", 0, INT64_MAX,                 \
                    "initialize parameters not given, as for training",        \
                    .fallback = "-1")

/*
 * Create the encoding 'spec' and read its parameters, which are checked against
 * 'sizes'. 'length' is used if neither the spec nor a file gives a length.
 * Graph arrays without a file are those of a path graph.
 */
int cli_encoding_open(struct cli_encoding *out, const char *spec,
                      const struct cli_params *params, int64_t length,
                      const locant_sizes *sizes);
/* The argument 'params' of the library's functions; NULL without parameters. */
const locant_tensor *cli_params(const struct cli_encoding *encoding);
#endif

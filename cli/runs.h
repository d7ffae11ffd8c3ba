/* runs.h - runs of a store as JSON, CSV and text */
#ifndef LOCANT_CLI_RUNS_H
#define LOCANT_CLI_RUNS_H
#include "cli.h"

/* Which fields of a run are printed. */
enum runs_set {
    RUNS_CSV = 1,    /* those of 'runs export' */
    RUNS_RESULT = 2, /* the result of training */
    RUNS_ALL = 4
};

/* NULL if a text is not UTF-8. */
json_t *runs_json(const locant_run_info *run, enum runs_set set);
/* A line of column names, then one for each run. */
void runs_csv_names(void);
void runs_csv(const locant_run_info *run);
/* A CSV field of RFC 4180, quoted if necessary, and a comma or newline.
   Control characters are escaped, unlike in --json. */
void runs_csv_field(const char *text, int last);

/* The run as JSON, or as one line; in 'rows' unless that is NULL. */
int runs_print_result(const struct cli *cli, json_t *rows, locant_store *store,
                      int64_t id);

/* An int64_t list that grows. */
struct runs_ids {
    int64_t *at; /* the caller frees it, also after a failure */
    size_t n, room;
    int status; /* CLI_INPUT after a failure */
};
int runs_add_id(struct runs_ids *ids, int64_t id);

/* Continue a run or, if 'id' is 0, all unfinished ones. */
int runs_resume(const struct cli *cli, locant_store *store, int64_t id);

#endif

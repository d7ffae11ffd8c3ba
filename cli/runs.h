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

/* The fields as a JSON object; NULL if a text is not UTF-8. */
json_t *runs_json(const locant_run_info *run, enum runs_set set);
/* Print the line of column names, and the line of a run. */
void runs_csv_names(void);
void runs_csv(const locant_run_info *run);
/* Print a CSV field (RFC 4180), then a comma or, after the last, a newline.
   NULL is empty.  Control characters are escaped as by cli_safe(). */
void runs_csv_field(const char *text, int last);

/* Add the run to 'rows'; if that is NULL, print it as JSON or as one line. */
int runs_print_result(const struct cli *cli, json_t *rows, locant_store *store,
                      int64_t id);

/* An int64_t list that grows. */
struct runs_ids {
    int64_t *at; /* the caller frees it, also after a failure */
    size_t n, room;
    int status; /* CLI_INPUT after a failure */
};
/* Append an id; returns an exit status. */
int runs_add_id(struct runs_ids *ids, int64_t id);

/* Continue a run or, if 'id' is 0, all unfinished ones. */
int runs_resume(const struct cli *cli, locant_store *store, int64_t id);

#endif

/* run.h - the table of rows, and functions that run a row. */
#ifndef LOCANT_TUTORIALS_RUN_H
#define LOCANT_TUTORIALS_RUN_H

#include <jansson.h>
#include <setjmp.h>
#include <stdio.h>

#include "locant.h"

struct tutorial_row {
    const char *id;     /* "S0.10" */
    const char *symbol; /* the name of its function, "s0_10_visualise" */
    void (*run)(void);
    const char *kind;  /* "text", "formula", "class", "function", "figure",
                            "experiment", "benchmark", "table", "list",
                            "setup", "homework" or "names" */
    const char *lines; /* lines of the document, "190-250" */
    int figures;       /* how many figures it draws with -o */
    const char *wrong; /* errors of the document that the row reports by
                            mistake(), "E-0.1, E-0.2"; NULL: none */
    const char *title; /* what the row shows, in a few words */
};

/* All rows, ordered by document; the last has the id NULL. */
extern const struct tutorial_row tutorial_rows[];
/* The title of a row's document: "S0: a notebook in Chinese, PyTorch". */
const char *tutorial_document(const struct tutorial_row *row);
/* Whether the row is the first of its document. */
int tutorial_begins_document(const struct tutorial_row *row);

enum language { ENGLISH, CHINESE, LANGUAGES };

/* A running row.  The caller sets the first group and releases 'json'. */
struct tutorial {
    const struct tutorial_row *row;
    FILE *out[LANGUAGES];   /* output as text; NULL: none */
    enum language language; /* of figures in files, and of progress */
    char only;              /* the only part to show; 0: all */
    int verbose;            /* print progress on stderr */
    int draw;         /* without a path, draw figures into memory, for tests */
    const char *path; /* file for figures; NULL: none is written */
    FILE *page;       /* figures as part of an HTML page; NULL: none */

    json_t *json; /* the row */
    json_t *part; /* where output goes: the row, or its part */
    json_t *columns[LANGUAGES], *cells[LANGUAGES]; /* of the table being
                        filled; in English NULL if there is none */
    int muted; /* inside a part that is not shown */
    int figures, checks, failed, mistakes;
    int random; /* has used random numbers */
    struct resource *resources;
    locant_status status; /* why the row ended early */
    jmp_buf leave;        /* end of the row, for must() */
};

/* The row that runs now. */
extern struct tutorial *running;
/* Print progress on stderr, for long work. */
void progress(const char *format, ...) LOCANT_PRINTF(1, 2);

/*
 * Run t->row.  Returns LOCANT_OK if the row reached its end; t->failed is then
 * the number of its failed checks, those of check_promises() included.
 * Otherwise returns why the row ended; locant_last_error() says more.
 */
locant_status tutorial_run(struct tutorial *t);

#endif /* LOCANT_TUTORIALS_RUN_H */

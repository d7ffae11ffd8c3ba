/*
 * run.h - the table of rows, and how the command runs one.
 */
#ifndef LOCANT_TUTORIALS_RUN_H
#define LOCANT_TUTORIALS_RUN_H

#include <jansson.h>
#include <setjmp.h>
#include <stdio.h>

#include "locant.h"

struct tutorial_row {
    const char *id;      /* "S0.10" */
    const char *kind;    /* "text", "formula", "class", "function", "figure",
                            "experiment", "benchmark", "table", "homework",
                            "names" */
    void      (*run)(void);
    const char *lines;   /* of the document, "190-250" */
    int         figures; /* how many it draws with -o */
    const char *wrong;   /* "E-0.1, E-0.2" where the document errs: the row
                            then calls mistake(); or NULL */
    const char *title;   /* what is seen, in a few words */
};

/* All rows, document after document; the last has an id of NULL. */
extern const struct tutorial_row tutorial_rows[];
/* "S0: a notebook in Chinese, PyTorch", of the document of a row. */
const char *tutorial_document(const struct tutorial_row *row);

/* A row in progress.  The caller sets the first group and releases 'json'. */
struct tutorial {
    const struct tutorial_row *row;
    FILE       *out;      /* text; NULL: none */
    char        only;     /* the part asked for; 0: all */
    int         talk;     /* progress on stderr */
    int         draw;     /* draw even without a path, to test drawing */
    const char *path;     /* of figures; NULL: not drawn */

    json_t     *json;     /* the row */
    json_t     *part;     /* where output goes now: the row or a part of it */
    json_t     *columns, *cells; /* of the table being filled, or NULL */
    int         muted;    /* inside a part that was not asked for */
    int         figures, checks, failed, mistakes;
    int         random;   /* has used random numbers */
    struct resource *resources;
    locant_status status; /* why the row was left */
    jmp_buf     leave;
};

/* The row that runs now. */
extern struct tutorial *running;

/*
 * Run t->row.  LOCANT_OK: it came to its end, and t->failed says how many of
 * its checks failed, those of what the table promises among them (figures,
 * mistakes, checks).  Else why it was left; locant_last_error() says more.
 */
locant_status tutorial_run(struct tutorial *t);

#endif /* LOCANT_TUTORIALS_RUN_H */

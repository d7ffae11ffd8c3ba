/* state.h - a row in progress, between cmd_tutorial.c and the helpers of rows. */
#ifndef LOCANT_SEED_STATE_H
#define LOCANT_SEED_STATE_H

#include <setjmp.h>
#include <stdio.h>

#include "tutorial.h"

struct seed_resource {
    void                (*release)(void *);
    void                 *what;
    struct seed_resource *next;
};

struct seed {
    const struct seed_row *row;
    FILE       *out;     /* text; NULL: none */
    json_t     *json;    /* the row */
    json_t     *part;    /* where things go now: the row or one of its parts */
    json_t     *columns, *cells; /* of the table being filled */
    char        only;    /* the part asked for; 0: all */
    int         muted;   /* inside another part */
    int         talk;    /* progress on stderr */
    int         draw;    /* draw even where no path is given, to try it */
    const char *path;    /* of figures; NULL: not drawn */
    int         figures, checks, failed, wrongs;
    int         random;  /* has used random numbers */
    int         status;  /* exit status of a row that was left */
    struct seed_resource *resources;
    jmp_buf     leave;
};

/*
 * Run s->row, whose out, only, talk, draw and path are set; JSON is gathered in
 * s->json, to be released by the caller.  The exit status: 1 when a check
 * failed, or the row broke its own promise (figures, errata, checks).
 */
int seed_run(struct seed *s);

#endif /* LOCANT_SEED_STATE_H */

/* check_report.h - findings while they are written, and as the caller's */
#ifndef LCT_CHECK_REPORT_H
#define LCT_CHECK_REPORT_H
#include "check.h"

enum { LCT_STACKS = LOCANT_STACK_MLX + 1 };

struct lct_draft {
    enum lct_check_id id;
    locant_severity severity;
    char *key, *what, *mend;
    char *computes[LCT_STACKS]; /* by locant_stack */
    json_t *fixes; /* [[path, value; null: remove it], ..]; NULL: none */
    struct lct_report *report;
};

struct lct_report {
    struct lct_draft **drafts;
    size_t n, room;
    bool no_memory;
    struct lct_draft lost; /* what is written if there is no memory */
};

void lct_report_free(struct lct_report *r);

/* A draft more, of zeros but after a failure of memory, which is kept. */
struct lct_draft *lct_report_add(struct lct_report *r);
/* *out, of a draft, becomes a copy of the text. */
void lct_report_set(char **out, struct lct_report *r, const char *text);

/*
 * The findings in the order of severity, then of checks; those that do not
 * concern 'stack' are left out unless it is TRUE.  Errors: NOMEM.
 */
locant_status lct_report_findings(locant_findings *out, struct lct_report *r,
                                  int stack);

/* Make the changes of all findings in 'text', the object with the keys of the
   model; *n is how many there are.  Errors: NOMEM. */
locant_status lct_report_fix(size_t *n, json_t *text,
                             const struct lct_report *r);
#endif

/* figures_tasks.h - what the figures of tasks share */
#ifndef LCT_FIGURES_TASKS_H
#define LCT_FIGURES_TASKS_H
#include "page_tasks.h"

enum { LCT_TASK_CAPTION = 400, LCT_TASK_TITLE = 160 };

/* 'text', and on a page the size of the models of task t. */
void lct_task_caption(char out[LCT_TASK_CAPTION], const struct lct_html *h,
                      const char *text, size_t t);

/* "T9, length 256, ignored=98" */
void lct_task_title(char out[LCT_TASK_TITLE], const struct lct_results *r,
                    size_t t, const json_t *test);

/*
 * A page has many figures of a kind, each with a name of its own; whoever wants
 * one asks for the kind, and perhaps for the length of the test.  'test' may be
 * NULL: the figure is of all.
 */
void lct_task_name(char out[64], const struct lct_html *h, const char *kind,
                   const char *own);
bool lct_task_wanted(const struct lct_html *h, const char *kind,
                     const json_t *test);

/* Of task t: encodings by place, depth by length, who solves it. */
locant_status lct_page_task_maps(struct lct_html *h,
                                 const struct lct_results *r, size_t t);
#endif

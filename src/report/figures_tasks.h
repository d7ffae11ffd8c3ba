/* figures_tasks.h - functions that the figures of tasks share */
#ifndef LCT_FIGURES_TASKS_H
#define LCT_FIGURES_TASKS_H
#include "figures.h"
#include "page_task.h"
#include <stdbool.h>

/*
 * A figure of a task.  A page has many of each kind, so each gets a name of its
 * own.  For a caller that wants one kind, it keeps the name of the kind.
 */
struct lct_task_figure {
    locant_figure f;
    enum lct_figure_id id;
    struct lct_label title;
    char name[40];
    bool renamed; /* its name is 'name' */
};

struct lct_task_figure lct_task_begin(const struct lct_html *h,
                                      enum lct_figure_id id, const char *name);
/* Writes the figure.  'caption' MSG_NONE: the row's.  Every caption ends with
   the size of the models. */
locant_status lct_task_put(struct lct_html *h, const struct lct_results *r,
                           size_t t, struct lct_task_figure *f,
                           enum lct_message caption);

/* Whether to draw this kind for a test; NULL: the figure is about all tests. */
bool lct_task_wanted(const struct lct_html *h, enum lct_figure_id id,
                     const json_t *test);

/* "T9, length 256, ignored=98" */
void lct_task_title(struct lct_label *out, const struct lct_results *r,
                    size_t t, const json_t *test);

/* Sets both labels of an axis to 'text' and its translation. */
void lct_task_label(const char **en, const char **zh, const char *text);

/* The maps of task t: encodings by place, depth by length, share of seeds. */
locant_status lct_page_task_maps(struct lct_html *h,
                                 const struct lct_results *r, size_t t);

/* For each test, a figure with a dot for each seed; then the maps. */
locant_status lct_page_task_figures(struct lct_html *h,
                                    const struct lct_results *r, size_t t);
#endif

/* subject.h - an encoding about to be drawn, and what is looked at of it */
#ifndef LCT_SUBJECT_H
#define LCT_SUBJECT_H
#include "../measure/claims.h"
#include "../measure/gates.h"
#include "../measure/numbers.h"
#include "locant/figure.h"
#include "messages.h"

/* 'view' is LOCANT_FIGURE_VIEW_INIT on the page. */
struct lct_subject {
    locant_figure_view view;
    const struct lct_results *r;
    const struct lct_group *g;
    const locant_encoding *e;
    const locant_tensor *trained; /* NULL: no parameters, or none given */
    const locant_tensor *initial; /* fresh initial values; NULL: none */
};

/* The trained parameters, or the initial ones. */
const locant_tensor *lct_subject_params(const struct lct_subject *s);

/* How many of what there would be 'usual' of: as asked for, and no more than
   'most' and than the encoding reaches. */
int64_t lct_subject_length(const struct lct_subject *s, int64_t usual,
                           int64_t most);
uint64_t lct_subject_seed(const struct lct_subject *s);
/* The head that is looked at: the one asked for, or the first. */
int64_t lct_subject_head(const struct lct_subject *s, int64_t heads);

/* Positions first, first + 1, ..: memory of locant_alloc(). */
locant_status lct_subject_positions(int64_t **out, int64_t first, int64_t n);

enum { LCT_SUBJECT_HEADS = 8, LCT_SUBJECT_PAIRS = 512 };

/* A line for the head asked for, or for at most LCT_SUBJECT_HEADS of them, with
   its label: y is [heads, n] over x; how many there are. */
struct lct_subject_lines {
    locant_series series[LCT_SUBJECT_HEADS + 1];
    struct lct_label label[LCT_SUBJECT_HEADS];
};
size_t lct_subject_lines(struct lct_subject_lines *out,
                         const struct lct_subject *s, const double *x,
                         const double *y, int64_t heads, int64_t n);

/*
 * Angles per position of the pairs of one head of 'dim' channels, by their
 * first channel, measured through the public function; 'first' may be NULL.
 * Both hold LCT_SUBJECT_PAIRS; *pairs is 0 where rows are not rotated in pairs.
 */
locant_status lct_subject_pairs(double *freq, int64_t *first, int64_t *pairs,
                                const locant_encoding *e,
                                const locant_tensor *params, int64_t heads,
                                int64_t dim);
/* Those of the subject. */
locant_status lct_subject_own_pairs(double *freq, int64_t *first,
                                    int64_t *pairs,
                                    const struct lct_subject *s);
#endif

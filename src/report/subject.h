/* subject.h - an encoding to be drawn, and the view that was chosen */
#ifndef LCT_SUBJECT_H
#define LCT_SUBJECT_H
#include "../measure/numbers.h"
#include "../files/html.h"
#include "figures.h"
#include "messages.h"

/* Memory of the picture that is being drawn, a stack of blocks. */
struct lct_subject_memory {
    struct lct_subject_block *last;
};

struct lct_subject {
    locant_figure_view view; /* on the page: LOCANT_FIGURE_VIEW_INIT */
    const struct lct_results *r;
    const struct lct_group *g;
    const locant_encoding *e;
    const locant_tensor *trained; /* NULL: no parameters, or none given */
    const locant_tensor *initial; /* initial values; NULL: no parameters */
    struct lct_subject_memory *memory;
};

/* Zeroed memory for n numbers; lct_subject_draw() frees it. */
locant_status lct_subject_numbers(double **out, const struct lct_subject *s,
                                  size_t n);
/* The numbers 0, 1, .. n - 1. */
locant_status lct_subject_range(double **out, const struct lct_subject *s,
                                int64_t n);
/* Frees the blocks taken since s->memory->last was 'last'; NULL: all. */
void lct_subject_release(const struct lct_subject *s,
                         struct lct_subject_block *last);

/* The figures first .. last of figures.def, which 'draw' draws. */
struct lct_picture {
    enum lct_figure_id first, last;
    locant_status (*draw)(struct lct_html *h, const struct lct_subject *s);
};
/* Draws those pictures of a list that the caller wants, side by side. */
locant_status lct_subject_draw(struct lct_html *h, const struct lct_subject *s,
                               const struct lct_picture *list, size_t n);

/* The trained parameters, or the initial ones if there are none. */
const locant_tensor *lct_subject_params(const struct lct_subject *s);

/* The length that the view asks for, or else the lesser of 'usual' and 'most';
   at most the length limit of the encoding. */
int64_t lct_subject_length(const struct lct_subject *s, int64_t usual,
                           int64_t most);
uint64_t lct_subject_seed(const struct lct_subject *s);
/* The head that the view asks for, or the first. */
int64_t lct_subject_head(const struct lct_subject *s, int64_t heads);

/* Positions first, first + 1, .. in memory as of lct_subject_numbers(). */
locant_status lct_subject_positions(int64_t **out, const struct lct_subject *s,
                                    int64_t first, int64_t n);

enum { LCT_SUBJECT_HEADS = 8, LCT_SUBJECT_PAIRS = 512 };

/* A labelled line for the head that the view asks for, or for each of at most
   LCT_SUBJECT_HEADS heads. y is [heads, n]; returns the number of lines. */
struct lct_subject_lines {
    locant_series series[LCT_SUBJECT_HEADS + 1];
    struct lct_label label[LCT_SUBJECT_HEADS];
};
size_t lct_subject_lines(struct lct_subject_lines *out,
                         const struct lct_subject *s, const double *x,
                         const double *y, int64_t heads, int64_t n);

/*
 * The angle per position of each channel pair of a head as wide as in 's', and
 * the first channel of the pair, measured through the public function.  'first'
 * may be NULL; both arrays hold LCT_SUBJECT_PAIRS. *pairs is 0 if the encoding
 * does not rotate in pairs.
 */
locant_status lct_subject_pairs(double *freq, int64_t *first, int64_t *pairs,
                                const struct lct_subject *s,
                                const locant_encoding *e,
                                const locant_tensor *params, int64_t heads);
/* The same for the encoding and parameters of 's'. */
locant_status lct_subject_own_pairs(double *freq, int64_t *first,
                                    int64_t *pairs,
                                    const struct lct_subject *s);
#endif

/* page.h - the parts of the page; each appends to one struct lct_html */
#ifndef LCT_PAGE_H
#define LCT_PAGE_H
#include "../lab/lab.h"
#include "html.h"
#include "locant/figure.h"

/* ---------------------------------------------------------------- numbers */

/*
 * A number of r->numbers at a path made like printf(), times 'scale', with that
 * many decimals; it is marked with its path, data-number="rows.0.gain", and
 * with its scale unless that is 1.  Where nothing lies: "undefined".
 */
void lct_page_scaled(struct lct_html *h, const struct lct_results *r,
                     double scale, int decimals, const char *path, ...)
    LOCANT_PRINTF(5, 6);
void lct_page_number(struct lct_html *h, const struct lct_results *r,
                     int decimals, const char *path, ...) LOCANT_PRINTF(4, 5);
/* With its sign, for differences; rounded, with gaps between thousands. */
void lct_page_signed(struct lct_html *h, const struct lct_results *r,
                     int decimals, const char *path, ...) LOCANT_PRINTF(4, 5);
void lct_page_count(struct lct_html *h, const struct lct_results *r,
                    const char *path, ...) LOCANT_PRINTF(3, 4);

/* The number itself; NAN where there is none. */
double lct_page_value(const struct lct_results *r, const char *path, ...)
    LOCANT_PRINTF(2, 3);

/* Zeroed memory for n doubles; 'n' is checked for overflow. */
locant_status lct_page_numbers(double **out, size_t n);

/* ------------------------------------------------------------------ parts */

/*
 * A figure as an <img> with alternative text and a caption.  As an image of its
 * own it keeps its ids to itself.  'measured': the caption ends by saying where
 * that was measured.
 */
locant_status lct_page_figure(struct lct_html *h, const struct lct_results *r,
                              const locant_figure *f, const char *alt,
                              const char *caption, int measured);

locant_status lct_page_headline(struct lct_html *h,
                                const struct lct_results *r);
locant_status lct_page_tables(struct lct_html *h, const struct lct_results *r);
locant_status lct_page_positions(struct lct_html *h,
                                 const struct lct_results *r);
locant_status lct_page_training(struct lct_html *h,
                                const struct lct_results *r);
/* The section of group i: facts of the registry, and pictures by door. */
locant_status lct_page_encoding(struct lct_html *h, const struct lct_results *r,
                                size_t i);

/* Banners, gates, how to read, where it comes from. */
void lct_page_banners(struct lct_html *h, const struct lct_results *r);
void lct_page_gates(struct lct_html *h, const struct lct_results *r);
void lct_page_reading(struct lct_html *h, const struct lct_results *r);
void lct_page_provenance(struct lct_html *h, const struct lct_results *r);

/* "0.18M" of the model without its encoding. */
void lct_page_size(struct lct_html *h, const struct lct_results *r);

/* The style sheet. */
extern const char lct_page_style[];

/* --------------------------------------------------------------- pictures */

/* An encoding about to be drawn. */
struct lct_subject {
    const struct lct_results *r;
    const struct lct_group *g;
    const locant_encoding *e;
    const locant_tensor *trained; /* NULL: no parameters, or none given */
    const locant_tensor *initial; /* fresh initial values; NULL: none */
};

/*
 * What attention does to n tokens of random queries, keys (and inputs), drawn
 * from 'seed', each query seeing itself and what came before.
 */
struct lct_look {
    int64_t heads, n;
    double *weight; /* [heads, n, n]: of query i, key j */
    double *added;  /* [heads, n, n]: score less that of q and k alone; NAN
                       where hidden */
};
/* 'zero': queries and keys are 0, so that only what is added shows. */
locant_status lct_page_look(struct lct_look *out, const struct lct_subject *s,
                            const locant_tensor *params, int64_t n,
                            uint64_t seed, bool zero);
void lct_page_look_free(struct lct_look *look);

locant_status lct_draw_input(struct lct_html *h, const struct lct_subject *s);
locant_status lct_draw_rotate(struct lct_html *h, const struct lct_subject *s);
locant_status lct_draw_score(struct lct_html *h, const struct lct_subject *s);
locant_status lct_draw_content(struct lct_html *h, const struct lct_subject *s);
/* What has no door: positions it draws, keys it hides, its temperature. */
locant_status lct_draw_hooks(struct lct_html *h, const struct lct_subject *s);
#endif

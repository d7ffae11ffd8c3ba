/* page.h - the parts of the page; each appends to one struct lct_html */
#ifndef LCT_PAGE_H
#define LCT_PAGE_H
#include "../measure/claims.h"
#include "../measure/gates.h"
#include "../measure/numbers.h"
#include "../files/html.h"
#include "figures.h"
#include "subject.h"
#include "locant/figure.h"

/* ---------------------------------------------------------------- numbers */

/* A number with that many decimals, or "undefined"; with its sign, for
   differences; rounded, with thin gaps between thousands. */
void lct_page_put_number(struct lct_html *h, double value, int decimals);
void lct_page_put_signed(struct lct_html *h, double value, int decimals);
void lct_page_put_count(struct lct_html *h, int64_t value);

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
/* A cell with one of these and nothing else: a page has hundreds of them.
   decimals: how many, one of these, or LCT_WITH_SIGN + how many. */
enum { LCT_NO_DECIMALS = -1, LCT_WITH_SIGN = 100 };
void lct_page_cell(struct lct_html *h, const struct lct_results *r,
                   double scale, int decimals, const char *path, ...)
    LOCANT_PRINTF(5, 6);

/* The number itself; NAN where there is none. */
double lct_page_value(const struct lct_results *r, const char *path, ...)
    LOCANT_PRINTF(2, 3);

/* Is none of them finite?  That cannot be drawn. */
bool lct_page_all_missing(const double *values, size_t n);

/* The vertical line of figures at the trained length. */
locant_mark lct_trained_mark(const struct lct_results *r);

/* Zeroed memory for n doubles; 'n' is checked for overflow. */
locant_status lct_page_numbers(double **out, size_t n);

/* ------------------------------------------------------------------ parts */

/*
 * Whoever wants one figure of the page rather than the page: with h->taker set,
 * lct_page_figure() hands over that figure, and nothing is written.
 */
struct lct_taker {
    enum lct_figure_id id;
    locant_figure_taker take;
    void *context;
    int *taken;
    int64_t length; /* of the test, of figures of tasks; 0: any */
};

/* Whether a figure is worth computing. */
bool lct_page_wants(const struct lct_html *h, enum lct_figure_id id);

/*
 * A figure with its alternative text and its caption, then the numbers it
 * draws.  Its name may be its own, where a page has several of a kind.
 */
locant_status lct_page_figure(struct lct_html *h, const struct lct_results *r,
                              enum lct_figure_id id, const locant_figure *f);
/* The same with another caption (MSG_NONE: its own), values of it, and a place
   in the document that what it says at its end is below, or NULL. */
locant_status lct_page_figure_with(struct lct_html *h,
                                   const struct lct_results *r,
                                   enum lct_figure_id id,
                                   const locant_figure *f,
                                   enum lct_message caption,
                                   const char *const *text, const char *at);

/* A part of the page: see the table in page.c. */
struct lct_section {
    const char *id;
    enum lct_message heading;
    locant_status (*draw)(struct lct_html *h, const struct lct_results *r);
    bool (*shown)(const struct lct_results *r);
};

/* The numbers of a figure, as text to open. */
void lct_page_data(struct lct_html *h, const struct lct_results *r,
                   const locant_figure *f);

locant_status lct_page_headline(struct lct_html *h,
                                const struct lct_results *r);
locant_status lct_page_tables(struct lct_html *h, const struct lct_results *r);
/* The encodings side by side. */
locant_status lct_page_compare(struct lct_html *h, const struct lct_results *r);
locant_status lct_page_positions(struct lct_html *h,
                                 const struct lct_results *r);
/* What the trained models do: of groups that were probed. */
locant_status lct_page_probes(struct lct_html *h, const struct lct_results *r);
void lct_page_probe_tables(struct lct_html *h, const struct lct_results *r);
/* A panel of statistics over training for each of them. */
locant_status lct_page_learning(struct lct_html *h,
                                const struct lct_results *r);
/* Attention of all heads of each, and of one head, by number through all
   layers; -1: the nearest. */
locant_status lct_page_maps(struct lct_html *h, const struct lct_results *r,
                            int64_t head);
/* Pairs of channels in use, head by head, of one that turns some. */
locant_status lct_draw_usage(struct lct_html *h, const struct lct_results *r,
                             const struct lct_group *g);
/* All of it for the script, as two members of an object: "text", what the maps
   lie over, base64, or empty, and "maps": [{layers, heads, rows, bins, and by
   place length and cells}, ..], a group for each that has maps. */
void lct_page_maps_data(struct lct_html *h, const struct lct_results *r);
bool lct_page_probed(const struct lct_results *r);
/* P3 beside P1, gains, evaluation under other specs. */
locant_status lct_page_protocols(struct lct_html *h,
                                 const struct lct_results *r);
locant_status lct_page_training(struct lct_html *h,
                                const struct lct_results *r);
/* Of each group: facts of the registry, and pictures by door. */
locant_status lct_page_encodings(struct lct_html *h,
                                 const struct lct_results *r);

/* What the loss does from the trained length to 'length'. */
enum lct_change {
    LCT_RISES,
    LCT_SMALL, /* either way, by less than 0.02 nats */
    LCT_FALLS,
    LCT_SAME,  /* not distinguishable from no change */
    LCT_UNDEFINED,
    LCT_CHANGES
};
/* The gate of truth that failed, so that nothing may be claimed; or NULL. */
const char *lct_page_doubt(const struct lct_results *r);
enum lct_change lct_page_change(const struct lct_results *r, size_t i,
                                long long length);

/* The question and the answer of the tests, as a list of sentences. */
void lct_page_verdict(struct lct_html *h, const struct lct_results *r);
/* Reading beyond the trained length, where that job has run. */
locant_status lct_page_extension(struct lct_html *h,
                                 const struct lct_results *r);
bool lct_page_has_extension(const struct lct_results *r);
/* Loss by trained length and length read, where that job has run; and its maps,
   of all its encodings or of one. */
locant_status lct_page_surface(struct lct_html *h, const struct lct_results *r);
bool lct_page_has_surface(const struct lct_results *r);
/* Was this encoding among those that were read? */
bool lct_page_surface_has(const struct lct_results *r, const char *encoding);
locant_status lct_page_surface_maps(struct lct_html *h,
                                    const struct lct_results *r,
                                    const char *encoding);
/* Tasks that the store has scores of. */
locant_status lct_page_tasks(struct lct_html *h, const struct lct_results *r);
bool lct_page_has_tasks(const struct lct_results *r);

/* What papers prove, tried by this build. */
locant_status lct_page_identities(struct lct_html *h,
                                  const struct lct_results *r);
bool lct_page_has_identities(const struct lct_results *r);

/* Banners, gates, how to read, where it comes from. */
void lct_page_banners(struct lct_html *h, const struct lct_results *r);
locant_status lct_page_gates(struct lct_html *h, const struct lct_results *r);
locant_status lct_page_reading(struct lct_html *h, const struct lct_results *r);
locant_status lct_page_provenance(struct lct_html *h,
                                  const struct lct_results *r);

/* The names of LOCANT_DOOR_ bits. */
void lct_page_doors(struct lct_html *h, unsigned doors);

/* The style sheet. */
extern const char lct_page_style[], lct_page_style_media[];

/* --------------------------------------------------------------- pictures */

/*
 * What attention does to n tokens of random queries, keys (and inputs), drawn
 * from 'seed', each query seeing itself and what came before.
 */
struct lct_look {
    int64_t heads, n;
    double *weight; /* [heads, n, n]: of query i, key j */
    double *added;  /* [heads, n, n]: score less that of q and k alone; NAN
                       where hidden */
    double *plain;  /* [heads, n, n]: that of q and k alone, hidden or not */
};
/* 'zero': queries and keys are 0, so that only what is added shows. */
locant_status lct_page_look(struct lct_look *out, const struct lct_subject *s,
                            const locant_tensor *params, int64_t n,
                            uint64_t seed, bool zero);
/*
 * The same where queries see every key, of tokens that were shuffled: place t
 * holds what order[t] held.  Weights are given back for the tokens as they
 * stood before.  NULL: not shuffled.
 */
locant_status lct_page_look_shuffled(struct lct_look *out,
                                     const struct lct_subject *s,
                                     const locant_tensor *params, int64_t n,
                                     uint64_t seed, const int64_t *order);
void lct_page_look_free(struct lct_look *look);

locant_status lct_draw_input(struct lct_html *h, const struct lct_subject *s);
/* Of a table [n, dim] at positions x, and of the initial one or NULL. */
locant_status lct_draw_spread(struct lct_html *h, const struct lct_subject *s,
                              const double *cells, const double *initial,
                              const double *x, int64_t n, int64_t dim);
locant_status lct_draw_rotate(struct lct_html *h, const struct lct_subject *s);
locant_status lct_draw_score(struct lct_html *h, const struct lct_subject *s);
locant_status lct_draw_content(struct lct_html *h, const struct lct_subject *s);
/* The four terms of Transformer-XL's scores; nothing of others. */
locant_status lct_draw_terms(struct lct_html *h, const struct lct_subject *s);
/* What has no door: positions it draws, keys it hides, its temperature. */
locant_status lct_draw_hooks(struct lct_html *h, const struct lct_subject *s);
/* What every encoding has: weights in numbers, and whether order matters. */
locant_status lct_draw_order(struct lct_html *h, const struct lct_subject *s);
/* What a rotation of pairs has: the circle, and the scalings of RoPE. */
locant_status lct_draw_circle(struct lct_html *h, const struct lct_subject *s);
locant_status lct_draw_scalings(struct lct_html *h,
                                const struct lct_subject *s);
/* And what theory says of its angles. */
locant_status lct_draw_rope_theory(struct lct_html *h,
                                   const struct lct_subject *s);
/* The pictures of one encoding, by the doors it declares; NULL: as the page
   shows them. */
locant_status lct_draw_pictures(struct lct_html *h, const struct lct_results *r,
                                const struct lct_group *g,
                                const locant_encoding *e,
                                const locant_figure_view *view);

/* Writes 'path' durably. */
locant_status lct_page_write(const char *path, const struct lct_results *r);
#endif

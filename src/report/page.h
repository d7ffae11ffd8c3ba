/* page.h - the parts of the page; each appends to a struct lct_html */
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

/* A number with 'decimals' decimals, or "undefined"; the second function adds
   the sign of a difference, the third puts thin gaps between thousands. */
void lct_page_put_number(struct lct_html *h, double value, int decimals);
void lct_page_put_signed(struct lct_html *h, double value, int decimals);
void lct_page_put_count(struct lct_html *h, int64_t value);

/*
 * Print a number of r->numbers, times 'scale', with 'decimals' decimals; its
 * path is given by a printf() format.  The element names the path,
 * data-number="rows.0.gain", and the scale unless that is 1. "undefined" if
 * there is no number.
 */
void lct_page_scaled(struct lct_html *h, const struct lct_results *r,
                     double scale, int decimals, const char *path, ...)
    LOCANT_PRINTF(5, 6);
#define lct_page_number(h, r, decimals, ...)                                   \
    lct_page_scaled(h, r, 1, decimals, __VA_ARGS__)
/* A difference, with its sign; a whole number, with gaps between thousands. */
#define lct_page_signed(h, r, decimals, ...)                                   \
    lct_page_scaled(h, r, 1, LCT_WITH_SIGN + (decimals), __VA_ARGS__)
#define lct_page_count(h, r, ...)                                              \
    lct_page_scaled(h, r, 1, LCT_NO_DECIMALS, __VA_ARGS__)
/*
 * A table cell with such a number and nothing else.  The <td> itself names the
 * path, because a page has hundreds of them.  'decimals' is a number,
 * LCT_NO_DECIMALS, LCT_SHORT, or LCT_WITH_SIGN plus a number.
 */
enum { LCT_NO_DECIMALS = -1, LCT_SHORT = -2, LCT_WITH_SIGN = 100 };
void lct_page_cell(struct lct_html *h, const struct lct_results *r,
                   double scale, int decimals, const char *path, ...)
    LOCANT_PRINTF(5, 6);

/* The value at such a path as JSON, as a number, or as a string, and the length
   of a list.  If there is none: NULL, NAN, NULL, 0. */
const struct json_t *lct_page_at(const struct lct_results *r, const char *path,
                                 ...) LOCANT_PRINTF(2, 3);
double lct_page_value(const struct lct_results *r, const char *path, ...)
    LOCANT_PRINTF(2, 3);
const char *lct_page_text(const struct lct_results *r, const char *path, ...)
    LOCANT_PRINTF(2, 3);
size_t lct_page_size(const struct lct_results *r, const char *path, ...)
    LOCANT_PRINTF(2, 3);

/* The value of a JSON number; NAN if it is not one. */
double lct_page_real(const struct json_t *number);

/* Whether no value is finite, so that nothing can be drawn. */
bool lct_page_all_missing(const double *values, size_t n);

/* A vertical line at the trained length. */
locant_mark lct_trained_mark(const struct lct_results *r);

/* Zeroed memory for n doubles; 'n' is checked for overflow. */
locant_status lct_page_allocate(double **out, size_t n);

/* ------------------------------------------------------------------ parts */

/*
 * A caller that wants one kind of figure instead of a page sets h->taker: then
 * lct_page_figure() passes such figures to 'take', counts them in *taken and
 * writes nothing.
 */
struct lct_taker {
    enum lct_figure_id id;
    locant_figure_taker take;
    void *context;
    int *taken;
    int64_t length; /* length of the test, for figures of tasks; 0: any */
    enum lct_language language; /* of alternative text and caption */
};

/* Whether to compute a figure: the caller wants the page, or this figure. */
bool lct_page_wants(const struct lct_html *h, enum lct_figure_id id);

/*
 * Writes a figure, its alternative text and caption, then its numbers.  If a
 * page has several figures of a kind, f->name may differ from the row's.
 */
locant_status lct_page_figure(struct lct_html *h, const struct lct_results *r,
                              enum lct_figure_id id, const locant_figure *f);
/*
 * The same with another caption; MSG_NONE: that of the figure's row.  'text'
 * holds the caption's values $1 .. $9; if the caption ends with {*.path}, that
 * path is below 'at'.  Both may be NULL.
 */
locant_status lct_page_figure_with(struct lct_html *h,
                                   const struct lct_results *r,
                                   enum lct_figure_id id,
                                   const locant_figure *drawn,
                                   enum lct_message caption,
                                   const char *const *text, const char *at);

/* A part of the page: see the table in page.c. */
struct lct_section {
    const char *id;
    enum lct_message heading;
    locant_status (*draw)(struct lct_html *h, const struct lct_results *r);
    bool (*shown)(const struct lct_results *r);
};

/* The numbers of a figure as text that the reader can unfold. */
void lct_page_data(struct lct_html *h, const struct lct_results *r,
                   const locant_figure *f);

/* What a reader sees first: the finding in one sentence, a picture, a table,
   and what cannot be concluded. */
locant_status lct_page_summary(struct lct_html *h, const struct lct_results *r);
/* Whether there is any trained model. */
bool lct_page_has_runs(const struct lct_results *r);
/* Loss by length of context, all of it or close up; the picture of the summary
   is smaller than that of other callers. */
locant_status lct_page_lengths(struct lct_html *h, const struct lct_results *r,
                               enum lct_figure_id id);
locant_status lct_page_close_up(struct lct_html *h,
                                const struct lct_results *r);
locant_status lct_page_summary_table(struct lct_html *h,
                                     const struct lct_results *r);
locant_status lct_page_tables(struct lct_html *h, const struct lct_results *r);
/* A table that compares the encodings. */
locant_status lct_page_compare(struct lct_html *h, const struct lct_results *r);
/* Tables of all pairs of encodings. */
locant_status lct_page_pairs(struct lct_html *h, const struct lct_results *r);
bool lct_page_has_pairs(const struct lct_results *r);
/* Whether the page claims a difference, whose numbers are below 'path', such as
   "pairs.loss.128.pairs.0". */
bool lct_page_pair_differs(const struct lct_results *r, const char *path);
locant_status lct_page_positions(struct lct_html *h,
                                 const struct lct_results *r);
/* What probes measured, for the groups that were probed. */
locant_status lct_page_probes(struct lct_html *h, const struct lct_results *r);
void lct_page_probe_tables(struct lct_html *h, const struct lct_results *r);
/* A panel of statistics over training for each probed encoding. */
locant_status lct_page_learning(struct lct_html *h,
                                const struct lct_results *r);
/* Attention of all heads of each encoding, and of one: head % heads of layer
   head / heads; -1: the head with the shortest mean distance. */
locant_status lct_page_maps(struct lct_html *h, const struct lct_results *r,
                            int64_t head);
/*
 * The attention maps for the script, as two members of an object: "text", the
 * text that the models read, in base64 or empty; and "maps", which has {layers,
 * heads, rows, bins, and length and cells of each map} for each group.
 */
void lct_page_maps_data(struct lct_html *h, const struct lct_results *r);
bool lct_page_probed(const struct lct_results *r);
/* The protocols P3 and P4 beside P1 (docs/STORE.md), and evaluation under other
   specs. */
locant_status lct_page_protocols(struct lct_html *h,
                                 const struct lct_results *r);
locant_status lct_page_training(struct lct_html *h,
                                const struct lct_results *r);
/* For each group: facts of the registry, and pictures for each door. */
locant_status lct_page_encodings(struct lct_html *h,
                                 const struct lct_results *r);

enum lct_change {
    LCT_RISES,
    LCT_SMALL, /* up or down, by less than 0.02 nats */
    LCT_FALLS,
    LCT_SAME, /* not distinguishable from no change */
    LCT_UNDEFINED,
    LCT_UNJUDGED, /* its models are not shown to use their context */
    LCT_CHANGES
};
enum { LCT_PAGE_GATES = 7 }; /* r->gates: g1 .. g7 */
/* Whether the numbers may be wrong if r->gates[i] failed.  The other gates say
   how much the page can show. */
bool lct_page_gate_is_vital(int i);
/* The name of a failed vital gate, or NULL.  It forbids all claims. */
const char *lct_page_failed_gate(const struct lct_results *r);
/* How the loss of group i changes from the trained length to 'length'. */
enum lct_change lct_page_change(const struct lct_results *r, size_t i,
                                long long length);
/* Whether the verdict names the encodings of the lowest loss at that length,
   which are those that are not above the lowest; and whether group i is. */
bool lct_page_names_lowest(const struct lct_results *r, long long length);
bool lct_page_is_above(const struct lct_results *r, size_t i, long long length);
/* Whether the verdict claims the declared change of group i by the exact
   test. */
bool lct_page_is_exact(const struct lct_results *r, size_t i);

/* Appends a spec to a list whose items end in line breaks; writes 'before', a
   message and its list of specs, and frees the list; false: it is empty. */
void lct_page_add_spec(struct lct_html *list, const struct lct_results *r,
                       size_t i);
bool lct_page_put_specs(struct lct_html *h, const struct lct_results *r,
                        const char *before, enum lct_message id,
                        struct lct_html *list);

/* The question, and the answers of the tests as a list of sentences. */
locant_status lct_page_verdict(struct lct_html *h, const struct lct_results *r);
/* Reading beyond the trained length, if that job has run. */
locant_status lct_page_extension(struct lct_html *h,
                                 const struct lct_results *r);
bool lct_page_has_extension(const struct lct_results *r);
/* Loss by trained length and length read, if that job has run; its maps, of one
   encoding or, if 'encoding' is NULL, of all. */
locant_status lct_page_surface(struct lct_html *h, const struct lct_results *r);
bool lct_page_has_surface(const struct lct_results *r);
/* Whether the job has read this encoding. */
bool lct_page_surface_has(const struct lct_results *r, const char *encoding);
locant_status lct_page_surface_maps(struct lct_html *h,
                                    const struct lct_results *r,
                                    const char *encoding);
/* The tasks that have scores in the store. */
locant_status lct_page_tasks(struct lct_html *h, const struct lct_results *r);
bool lct_page_has_tasks(const struct lct_results *r);

/* Theorems of papers, tested by this build. */
locant_status lct_page_identities(struct lct_html *h,
                                  const struct lct_results *r);
bool lct_page_has_identities(const struct lct_results *r);

/* Banners, gates, how to read the page, where its numbers come from. */
/* The gates that failed; 'vital': those after which numbers may be wrong, else
   the others. */
void lct_page_banners(struct lct_html *h, const struct lct_results *r,
                      bool vital);
locant_status lct_page_gates(struct lct_html *h, const struct lct_results *r);
locant_status lct_page_reading(struct lct_html *h, const struct lct_results *r);
locant_status lct_page_provenance(struct lct_html *h,
                                  const struct lct_results *r);
/* The statement of reproducibility. */
locant_status lct_page_quote(struct lct_html *h, const struct lct_results *r);

/* The names of the LOCANT_DOOR_ bits in 'doors'. */
void lct_page_doors(struct lct_html *h, unsigned doors);

extern const char lct_page_style[], lct_page_style_sections[],
    lct_page_style_media[];

/* --------------------------------------------------------------- pictures */

locant_status lct_draw_input(struct lct_html *h, const struct lct_subject *s);
locant_status lct_draw_rotate(struct lct_html *h, const struct lct_subject *s);
locant_status lct_draw_score(struct lct_html *h, const struct lct_subject *s);
locant_status lct_draw_buckets(struct lct_html *h, const struct lct_subject *s);
locant_status lct_draw_content(struct lct_html *h, const struct lct_subject *s);
/* The four terms of Transformer-XL's scores; draws nothing for others. */
locant_status lct_draw_terms(struct lct_html *h, const struct lct_subject *s);
/* What an encoding does besides its doors: it chooses positions, masks keys,
   sets a temperature. */
locant_status lct_draw_hooks(struct lct_html *h, const struct lct_subject *s);
/* For every encoding: weights in numbers, and whether order matters. */
locant_status lct_draw_order(struct lct_html *h, const struct lct_subject *s);
/* For rotations of pairs: the circle, and the scalings of RoPE. */
locant_status lct_draw_circle(struct lct_html *h, const struct lct_subject *s);
locant_status lct_draw_scalings(struct lct_html *h,
                                const struct lct_subject *s);
/* For rotations of pairs: what theory predicts from their angles. */
locant_status lct_draw_rope_theory(struct lct_html *h,
                                   const struct lct_subject *s);
/* The pictures of one encoding, for each of its doors; 'view' NULL: the
   page's. */
locant_status lct_draw_pictures(struct lct_html *h, const struct lct_results *r,
                                const struct lct_group *g,
                                const locant_encoding *e,
                                const locant_figure_view *view);

/* From the start of the file to <main>; the policy allows the page's script if
   h->figures is set, else none. */
void lct_page_open(struct lct_html *h, const char *title);

/* Writes the page durably to 'path'. */
locant_status lct_page_write(const char *path, const struct lct_results *r);
#endif

/*
 * probe.h - measuring a trained model on fixed text: what the parts share.
 *
 * Statistics are plain functions of weights, gradients and states, so that
 * tests can pass made-up values; the parts run a model and make JSON.
 */
#ifndef LCT_PROBE_H
#define LCT_PROBE_H
#include "locant/probe.h"
#include "../model/model.h"
#include "../train/train.h"
#include "statistics.h"
#include <jansson.h>

/* ------------------------------------------------------- weights of a head */

enum {
    LCT_PROBE_BINS = 12,   /* bins of distance: 0, 1, 2-3, .., 1024 and more */
    LCT_PROBE_SHARES = 16, /* bins of distance / number of keys */
    LCT_PROBE_WITHIN = 3,  /* weight at distances below 8, 32, 128 */
    LCT_PROBE_SINK = 64    /* keys that decide if a head is a sink */
};

extern const int64_t lct_probe_within[LCT_PROBE_WITHIN];

/* Sums over rows of attention; initialized to zeros. */
struct lct_head_sums {
    double rows;
    double sink;              /* weight of key 0 */
    double early, early_sink; /* rows of at most LCT_PROBE_SINK keys; their
                                 weight of key 0 */
    double self;              /* weight of the query's own key */
    double previous;          /* weight of the key before it */
    double self_bias, previous_bias; /* both minus 1 / number of keys */
    double distance;
    double within[LCT_PROBE_WITHIN];
    double bin[LCT_PROBE_BINS], share[LCT_PROBE_SHARES];
    double entropy, points; /* points: rows of at least two keys */
    double x, y, xx, xy;    /* sums over points: x = ln keys, y = entropy */
};

/* Entropy in nats of weights w [t + 1]. */
double lct_row_entropy(const real *w, int64_t t);

/*
 * Add the row of query t, which sees keys 0 .. t.
 *
 * Bins and shares of distance d = t - j and (d + 1) / (t + 1): Kazemnejad et
 * al. 2023, arXiv:2305.19466, section 6.  Sink: Gu et al. 2025,
 * arXiv:2410.10781, eq. (3).  Bias of the own and the previous key: the
 * functional A^c = (1/T) sum_t sum_j c[t,j] w[t,j] of centred c.
 */
void lct_head_add(struct lct_head_sums *s, const real *w, int64_t t);

/* A head is a sink if its mean weight of the first of LCT_PROBE_SINK keys is
   above this (Gu et al. 2025). */
extern const double lct_sink_threshold;

/* Least squares slope of entropy against ln of the number of keys: 1 where
   attention is spread evenly, 0 where its width does not grow; NAN of less
   than two rows. */
double lct_entropy_slope(const struct lct_head_sums *s);

/* Jensen-Shannon divergence in nats of two rows of n weights. */
double lct_divergence(const real *a, const real *b, int64_t n);

/* The least divergence of a row of a [heads, n] and a row of b [heads, n]. */
double lct_least_divergence(const real *a, const real *b, int64_t heads,
                            int64_t n);

/* bins [n] = sums of w [length] over equal spans of keys. */
void lct_pool_row(double *bins, int64_t n, const real *w, int64_t length);

/* -------------------------------------------------------- receptive field */

/*
 * The least w such that the last w of g[0 .. t] have at least the share q of
 * its sum; 0 if the sum is 0. With g[j] the norm of d loss[t] / d input[j] it
 * is the effective receptive field of Chi et al. 2023, arXiv:2212.10356.
 */
int64_t lct_receptive_width(const double *g, int64_t t, double q);

/* Losses of several models on the same targets, with increasing context. */
struct lct_context_losses {
    int64_t models, lengths, targets;
    const double *loss; /* [models, lengths, targets]; NAN: not defined */
};

/*
 * The length, as an index, up to which more context helps model m; after Dai et
 * al. 2019, arXiv:1901.02860v3, appendix C, but over all targets. With b[c] the
 * least loss of a target after length c by any model, going from c to the next
 * length c' gains 1 - sum min(b[c], loss[m, c']) / sum b[c]. Stops before the
 * first gain below 'threshold'.
 */
int64_t lct_effective_context(const struct lct_context_losses *x, int64_t m,
                              double threshold);

/* ------------------------------------------------------- position of states */

/* Ridge regression y = w x + c, penalty lambda (mean square of x) |w|^2. */
struct lct_ridge {
    int64_t n; /* features + 1 */
    double *a, *b, *row;
};
locant_status lct_ridge_create(struct lct_ridge *r, int64_t features);
void lct_ridge_free(struct lct_ridge *r);
void lct_ridge_add(struct lct_ridge *r, const real *x, double y);
bool lct_ridge_solve(struct lct_ridge *r, double lambda); /* call it once */
/* The fitted y at x, after lct_ridge_solve(). */
double lct_ridge_at(const struct lct_ridge *r, const real *x);

/* Mean |t - guess| over t = 0 .. length - 1 of the best constant guess. */
double lct_position_chance(int64_t length);

/* ----------------------------------------------------- frequencies in use */

/*
 * Variance of cos(x u) over u in 0 .. 1, V(x) = 1/2 + sin 2x / 4x - (sin x /
 * x)^2: how much a pair that rotates by x over a text tells about positions;
 * and the x of its maximum.
 */
double lct_angle_variance(double x);
double lct_best_angle(void);

/*
 * The index of the pair, interpolated, that rotates by lct_best_angle() over
 * 'length'; NAN if outside. For rope with d channels and base b it is (d/2)
 * log_b(length / 3.657210).
 */
double lct_predicted_pair(const double *frequency, int64_t pairs,
                          double length);

/* Pairs of channels that an encoding rotates by the same angles in all layers
   and heads, from fast to slow. */
struct lct_pairs {
    int64_t n;               /* 0: there are none */
    int64_t *first, *second; /* [n] channels of a head */
    double *frequency;       /* [n] radians a position */
};

/* -------------------------------------------------------- tables and biases */

enum lct_law {
    LCT_LAW_CONST = 0,
    LCT_LAW_LINEAR, /* a + b x */
    LCT_LAW_LOG,    /* a + b ln x */
    LCT_LAW_POWER,  /* a + b x^c, c = 0.1, 0.2, .. 4 */
    LCT_LAWS
};
const char *lct_law_name(enum lct_law law);

/*
 * R^2 of y [n] fitted by least squares to a law of x [n] > 0, from 0 (no better
 * than the mean) to 1; u [n] is scratch.
 */
double lct_fit_law(double *u, enum lct_law law, const double *x,
                   const double *y, int64_t n);

/*
 * With G the products of every two rows of table [n, width]: the share of the
 * sum of squares of G that is left when each entry is the mean of its diagonal.
 * 1 if products depend on the distance alone.
 */
double lct_toeplitz_share(const double *table, int64_t n, int64_t width);

/*
 * out [n / 2 + 1]: shares of the power spectrum along positions (discrete
 * Fourier transform of each column, all columns together) at frequencies k = 0
 * .. n / 2; they sum to 1. NAN for a table of zeros.
 */
void lct_table_spectrum(double *out, const double *table, int64_t n,
                        int64_t width);

/* ------------------------------------------------------ what is measured */

enum { LCT_PROBE_LONG = 2048 };

/* A model being measured. */
struct lct_probe {
    locant_store *store;
    locant_run_info run;
    locant_encoding *encoding;
    struct lct_model *model; /* the trained model, with gradients */
    real *trained;           /* [size] room for its parameters */
    locant_corpus *corpus;
    const struct lct_split *text;
    int64_t layers, heads, length; /* length: as trained, at most 256 */
    int64_t longest;               /* LCT_PROBE_LONG, or the reach of the
                                      encoding */
    bool measure;                  /* measure what the store lacks */
    locant_progress_fn progress;
    void *context;
};

/* Windows first .. first + n - 1 of the text, 'at_once' in a pass. */
struct lct_windows {
    int64_t first, n, length, at_once;
    bool repeated; /* fill the window with its first byte instead */
};

/* Run the model on these windows, without targets, and pass every layer to
   'watch'. */
locant_status lct_probe_pass(struct lct_probe *p, const struct lct_windows *w,
                             lct_layer_watcher watch, void *context);

/* Copy window w of the text to tokens [T]. */
void lct_probe_window(int32_t *tokens, const struct lct_probe *p, int64_t w,
                      int64_t T);

/* The text that every run is probed on; its TRAIN part is read. */
locant_status lct_probe_text(locant_corpus **out);

/* Length of windows for a model trained at 'length'. */
int64_t lct_probe_length(int64_t length);

/* The pairs that the run's encoding rotates; freed also after a failure. */
locant_status lct_probe_pairs(struct lct_pairs *out, const struct lct_probe *p);
void lct_pairs_free(struct lct_pairs *pairs);

/* lct_predicted_pair() at the trained length. */
json_t *lct_predicted_json(const struct lct_pairs *pairs,
                           const struct lct_probe *p);

/* Targets scored at the end of a window. */
int64_t lct_probe_targets(const struct lct_probe *p);

/* Set the model to its initial parameters; set it to the trained ones. */
locant_status lct_probe_forget(struct lct_probe *p);
void lct_probe_recall(struct lct_probe *p);

/* Zeroed memory for n doubles, n > 0. */
locant_status lct_probe_doubles(double **out, int64_t n);

/* Add the members of 'more', which is released. NOMEM if it is NULL. */
locant_status lct_probe_add(json_t *out, json_t *more);

/* A list of reals; null for what is not finite. */
json_t *lct_probe_reals(const double *x, int64_t n);
json_t *lct_probe_real(double x);

/*
 * locant_probe() as JSON, to be released with json_decref(). Without 'measure',
 * parts that are not in the store are left out.
 */
locant_status lct_probe_read(json_t **out, locant_store *store, int64_t run,
                             bool measure, locant_progress_fn progress,
                             void *context);

/* ---------------------------------------------------------- over training */

/* Are heads probed after that step of a run? */
bool lct_probe_is_due(int64_t step, int64_t steps, int64_t batch);

/* entropy, slope, sink, self_bias, previous_bias, distance, early_sink: lists
   by layer and head, of a few windows, added to an object. */
locant_status lct_probe_heads(json_t *out, struct lct_probe *p);

/* Store lct_probe_heads() of a run in training; read all that is stored, as a
   list by step. */
locant_status lct_probe_snapshot(struct lct_probe *p, int64_t step);
locant_status lct_probe_training(json_t **out, const struct lct_probe *p);

/* ------------------------------------------------------------------- parts */

/* Each function measures one part into an empty object. */
locant_status lct_probe_attention(json_t *out, struct lct_probe *p);
locant_status lct_probe_maps(json_t *out, struct lct_probe *p);
locant_status lct_probe_field(json_t *out, struct lct_probe *p);
locant_status lct_probe_states(json_t *out, struct lct_probe *p);
locant_status lct_probe_usage(json_t *out, struct lct_probe *p);
locant_status lct_probe_partial(json_t *out, struct lct_probe *p);
locant_status lct_probe_tables(json_t *out, struct lct_probe *p);
#endif

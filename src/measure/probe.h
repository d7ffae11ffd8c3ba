/*
 * probe.h - measuring a trained model on fixed text: what the files of the
 * probe share.
 *
 * Statistics are plain functions of weights, gradients and states, so that
 * tests can pass made-up values. Only the lct_probe_*() functions run a model.
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
    LCT_PROBE_WITHIN = 3,  /* number of limits in lct_probe_within */
    LCT_PROBE_SINK = 64    /* keys that decide if a head is a sink */
};

extern const int64_t lct_probe_within[LCT_PROBE_WITHIN]; /* 8, 32, 128 */

/* Sums over rows of attention; initialized to zeros. */
struct lct_head_sums {
    double rows;
    double sink;                     /* weight of key 0 */
    double early_rows;               /* rows of at most LCT_PROBE_SINK keys */
    double early_sink;               /* their weight of key 0 */
    double self;                     /* weight of the query's own key */
    double previous;                 /* weight of the key before it */
    double self_bias, previous_bias; /* self, previous, each minus 1 / keys */
    double distance;                 /* weighted by attention */
    double within[LCT_PROBE_WITHIN]; /* weight at distances below the limit */
    double bin[LCT_PROBE_BINS], share[LCT_PROBE_SHARES]; /* weight by bin */
    double entropy, points; /* points: rows of at least two keys */
    double x, y, xx, xy;    /* sums over points: x = ln keys, y = entropy */
};

/* Entropy in nats of the weights w [t + 1]. */
double lct_row_entropy(const real *w, int64_t t);

/*
 * Add the row of query t, which sees keys 0 .. t.
 *
 * Sources: for bins of the distance d = t - j and of (d + 1) / (t + 1)
 * Kazemnejad et al. 2023, arXiv:2305.19466, section 6. For the sink Gu et al.
 * 2025, arXiv:2410.10781, eq. (3). For the biases Gelberg et al. 2025 (DroPE),
 * definition 3.1: A^c = (1/T) sum_t sum_j c[t,j] w[t,j] of centred c, where c
 * is the diagonal or the one below it.
 */
void lct_head_add(struct lct_head_sums *s, const real *w, int64_t t);

/* A head is a sink if its mean weight of the first of LCT_PROBE_SINK keys is
   above this threshold (Gu et al. 2025). */
extern const double lct_sink_threshold;

/* Least squares slope of entropy against ln of the number of keys: 1 where
   attention is spread evenly, 0 where its width does not grow. NAN without two
   rows of different numbers of keys. */
double lct_entropy_slope(const struct lct_head_sums *s);

/* Jensen-Shannon divergence in nats of two rows of n weights. */
double lct_divergence(const real *a, const real *b, int64_t n);

/* The least divergence of any row of a [heads, n] from any row of b [heads,
   n]. */
double lct_least_divergence(const real *a, const real *b, int64_t heads,
                            int64_t n);

/* bins [n] = sums of w [length] over equal spans of keys. */
void lct_pool_row(double *bins, int64_t n, const real *w, int64_t length);

/* -------------------------------------------------------- receptive field */

/*
 * The least w such that the last w of g[0 .. t] sum to at least the share q of
 * the sum of all; 0 if all are 0. If g[j] is the norm of d loss[t] / d
 * input[j], w is the effective receptive field of Chi et al. 2023,
 * arXiv:2212.10356.
 */
int64_t lct_receptive_width(const double *g, int64_t t, double q);

/* Losses of several models on the same targets, with increasing context. */
struct lct_context_losses {
    int64_t models, lengths, targets;
    const double *loss; /* [models, lengths, targets]; NAN: undefined */
};

/*
 * Index of the length up to which more context helps model m, after Dai et al.
 * 2019, arXiv:1901.02860v3, appendix C, but over all targets. Let b[c] be the
 * least loss that any model has on a target after length c. The step from c to
 * the next length c' gains 1 - sum min(b[c], loss[m, c']) / sum b[c]. The
 * result is the length before the first step that gains less than 'threshold'.
 */
int64_t lct_effective_context(const struct lct_context_losses *x, int64_t m,
                              double threshold);

/* ------------------------------------------------------- position of states */

/* Ridge regression y = w x + c, penalty lambda (mean square of x) |w|^2:
   create, add samples x [features] with their y, solve once, predict. */
struct lct_ridge {
    int64_t n;   /* features + 1, for the constant */
    double *a;   /* [n, n] sum of the products of features; Cholesky factor */
    double *b;   /* [n] sum of features times y; once solved, w and c */
    double *row; /* [n] the sample being added, and 1 */
};
locant_status lct_ridge_create(struct lct_ridge *r, int64_t features);
void lct_ridge_free(struct lct_ridge *r);
void lct_ridge_add(struct lct_ridge *r, const real *x, double y);
/* False if the sums are singular or not finite. */
bool lct_ridge_solve(struct lct_ridge *r, double lambda);
double lct_ridge_predict(const struct lct_ridge *r, const real *x);

/* Mean |t - guess| over t = 0 .. length - 1 of the best constant guess, the
   middle position. */
double lct_position_chance(int64_t length);

/* ----------------------------------------------------- frequencies in use */

/*
 * Variance of cos(x u) over u in 0 .. 1, V(x) = 1/2 + sin 2x / 4x - (sin x /
 * x)^2: how much a pair that rotates by x over a text tells about positions.
 */
double lct_angle_variance(double x);

/* The x of the greatest variance. */
double lct_best_angle(void);

/*
 * The interpolated index of the pair that rotates by lct_best_angle() over
 * 'length'; NAN if all pairs are faster or all slower. For rope with d channels
 * and base b it is (d/2) log_b(length / 3.657210).
 */
double lct_predicted_pair(const double *frequency, int64_t pairs,
                          double length);

/* Pairs of channels that an encoding rotates by the same angles in all layers
   and heads, from fast to slow. */
struct lct_pairs {
    int64_t n;               /* 0: there are none */
    int64_t *first, *second; /* [n] channels of a head */
    double *frequency;       /* [n] radians per position */
};

/* -------------------------------------------------------- tables and biases */

/* How a bias depends on the distance x. */
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
 * Let G be the matrix of the products of every two rows of table [n, width].
 * The share of its sum of squares that is left when each entry is replaced by
 * the mean of its diagonal: 1 if products depend on the distance alone.
 */
double lct_toeplitz_share(const double *table, int64_t n, int64_t width);

/*
 * out [n / 2 + 1]: shares of the power spectrum along positions (discrete
 * Fourier transform of each column, all columns together) at frequencies k = 0
 * .. n / 2; they sum to 1. NAN for a table of zeros.
 */
void lct_table_spectrum(double *out, const double *table, int64_t n,
                        int64_t width);

/* View the current parameters of a model's encoding, of layer 0 if layers have
   their own: out [LCT_GROUP_PARAMS]; returns their number. */
int lct_view_params(locant_tensor *out, struct lct_model *model);

/* ------------------------------------------------------ what is measured */

enum {
    LCT_PROBE_LONG = 2048, /* tokens of the longest window, and of a pass */
    LCT_PROBE_FAR = 4      /* lct_probe_far(): times 'length' */
};

/* A model being measured. */
struct lct_probe {
    locant_store *store;
    locant_run_info run;
    locant_encoding *encoding;
    struct lct_model *model; /* with gradients; NULL until needed */
    real *trained; /* the trained parameters, while the model has others */
    locant_corpus *corpus;
    const struct lct_split *text;  /* of the corpus, in the run's tokens */
    int64_t layers, heads, length; /* length: as trained, at most 256 */
    int64_t longest;               /* LCT_PROBE_LONG; 'length' if the encoding
                                      is not defined that far */
    bool measure;                  /* measure what the store lacks */
    locant_progress_fn progress;
    void *context;
};

/* Windows first .. first + n - 1 of the text, 'at_once' in a forward pass. */
struct lct_windows {
    int64_t first, n, length, at_once;
    bool repeated; /* fill each window with its first token */
};

/* Run the model forward on these windows, without targets; call 'watch' with
   every layer. */
locant_status lct_probe_run_windows(struct lct_probe *p,
                                    const struct lct_windows *w,
                                    lct_layer_watcher watch, void *context);

/* Bytes of a token: mean of the last n tokens of windows 0 .. windows - 1 of T
   tokens; 1 if tokens are bytes. */
double lct_probe_bytes(const struct lct_probe *p, int64_t windows, int64_t T,
                       int64_t n);

/* Copy window w of the text to tokens [T]. */
void lct_probe_copy_window(int32_t *tokens, const struct lct_probe *p,
                           int64_t w, int64_t T);

/* The text that every run is probed on; its TRAIN part is read. */
locant_status lct_probe_create_text(locant_corpus **out);

/* Length of windows for a model trained at 'length'. */
int64_t lct_probe_length(int64_t length);

/* LCT_PROBE_FAR times p->length; p->length if that is above p->longest. */
int64_t lct_probe_far(const struct lct_probe *p);

/* The pairs that the run's encoding rotates. To be freed, also after a
   failure. */
locant_status lct_probe_pairs(struct lct_pairs *out, const struct lct_probe *p);
void lct_pairs_free(struct lct_pairs *pairs);

/* lct_predicted_pair() at the trained length. */
json_t *lct_predicted_json(const struct lct_pairs *pairs,
                           const struct lct_probe *p);

/* Keep the trained parameters and give the model its initial ones; undo
   that. */
locant_status lct_probe_set_initial(struct lct_probe *p);
void lct_probe_set_trained(struct lct_probe *p);

/* Zeroed memory for n doubles, n > 0. */
locant_status lct_alloc_doubles(double **out, int64_t n);

/* Add the members of 'more' to 'out', and release it. NOMEM if it is NULL. */
locant_status lct_probe_add_members(json_t *out, json_t *more);

/* A number; null if it is not finite. */
json_t *lct_real_json(double x);
/* The list of n such numbers. */
json_t *lct_reals_json(const double *x, int64_t n);

/* Store a part of the run's probe, as JSON text under this setting. */
locant_status lct_probe_keep_part(const struct lct_probe *p, const char *part,
                                  const char *setting, const json_t *value);
/* Parse the stored text of a part, and release it. FORMAT if it is no JSON. */
locant_status lct_probe_parse_part(json_t **out, const struct lct_probe *p,
                                   const char *part, char *text);

/*
 * locant_probe() as JSON, to be released with json_decref(). Without 'measure',
 * parts that are not in the store are left out.
 */
locant_status lct_probe_read(json_t **out, locant_store *store, int64_t run,
                             bool measure, locant_progress_fn progress,
                             void *context);

/* ---------------------------------------------------------- over training */

/* Are heads probed after this step of a run? */
bool lct_probe_is_due(int64_t step, int64_t steps, int64_t batch);

/* Measure heads on a few windows, and add lists by layer and head to an object:
   entropy, slope, sink, self_bias, previous_bias, distance, early_sink. */
locant_status lct_probe_measure_heads(json_t *out, struct lct_probe *p);

/* Measure and store the heads of a run in training. */
locant_status lct_probe_keep_heads(struct lct_probe *p, int64_t step);
/* The list, by step, of what lct_probe_keep_heads() stored. */
locant_status lct_probe_load_heads(json_t **out, const struct lct_probe *p);

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

/*
 * identify.h - which convention an array follows: rotations of pairs measured
 * without assuming a base, and the rule of locant's language that they obey
 *
 * A pair of channels that is rotated by f p + phase at position p is fitted by
 * itself.  Its frequency comes with a standard error, so a rule is either
 * compatible with all of them or refused.  A rule is named only if no other one
 * is compatible as well.
 */
#ifndef LCT_IDENTIFY_H
#define LCT_IDENTIFY_H
#include "../core/error.h"
#include "../core/text.h"
#include "locant/models.h"
#include <stdbool.h>

/* Errors within this many standard errors are compatible. */
enum { LCT_SIGMAS = 6 };

/* Rows before and after a rotation, in double. */
struct lct_rows {
    int64_t n, dim;
    double *x, *y;    /* [n, dim]; x NULL: pairs (1, 0) */
    double *position; /* [n] */
    double rounding;  /* largest relative error of rounding to y's dtype */
    double smallest;  /* largest absolute error near zero */
    double *distinct; /* [n_distinct] positions, increasing */
    int64_t *slot;    /* [n]: index of a row's position in 'distinct' */
    int64_t n_distinct;
    double lags[64]; /* differences of positions, increasing */
    int n_lags;
};

/* Fill 'distinct', 'slot' and 'lags' from 'position'. */
locant_status lct_rows_order(struct lct_rows *r);
void lct_rows_free(struct lct_rows *r);

/* The pair (y[a], y[b]) as a rotation of (x[a], x[b]). */
struct lct_turn {
    double f, f_error;         /* radians per position, standard error */
    double phase, phase_error; /* at position 0 */
    double gain;
    double residual; /* rms error in units of the rounding; above 1.2: the pair
                        is no rotation */
};

/* Fit one pair; 'offset' NULL: the phase is free, else it is f * offset. */
locant_status lct_turn_fit(struct lct_turn *out, const struct lct_rows *r,
                           int64_t a, int64_t b, const double *offset);

/* Which channels rotate. */
struct lct_layout {
    bool interleaved;
    int64_t first, width; /* rotated channels */
};
void lct_layout_pair(int64_t *a, int64_t *b, const struct lct_layout *l,
                     int64_t c);

/* ------------------------------------------------------- identify_rule.c */

/* Frequencies f[c] >= 0, each known within 'error[c]'. */
struct lct_spectrum {
    int64_t pairs;
    double *f, *error;
    double gain, gain_error;
    struct lct_layout layout;
    int64_t head_dim;
};

/*
 * Find the rule of the frequencies and write verdict, spec, closest, remaining
 * and note.  Errors: NOMEM.
 */
locant_status lct_identify_rule(locant_identity *out,
                                const struct lct_spectrum *s);

/* Write the frequencies as a list, for a rotation of no rule. */
locant_status lct_identify_list(locant_identity *out,
                                const struct lct_spectrum *s);

/* Decide a single position, whose angles are known modulo whole turns. */
locant_status lct_identify_known(locant_identity *out,
                                 const struct lct_spectrum *s,
                                 const struct lct_turn *turns,
                                 const double *angle_error, double position);

/* ------------------------------------------------------ identify_number.c */

/* The number of fewest decimal digits between lo and hi, and its digits unless
 * NULL; a power of two first if 'binary'. */
double lct_simplest(double lo, double hi, bool binary, int *digits);

/* Elements of a tensor of floats as doubles, dense. */
void lct_identify_doubles(double *out, const locant_tensor *t);
/* What rounding to the coarsest dtype that holds all n values loses, relative
 * and near zero. */
void lct_identify_rounding(double *relative, double *smallest, const double *x,
                           size_t n, locant_dtype dtype);
/* The same of the values of an identity, which says the rounding, too. */
double lct_identify_stored(locant_identity *out, double *smallest,
                           const double *x, size_t n, locant_dtype dtype);

/* Add a spec to those that remain possible, once. */
void lct_identify_remains(locant_identity *out, const char *format, ...)
    LOCANT_PRINTF(2, 3);
/* The verdict on that many conventions that fit; one alone does not remain. */
void lct_identify_verdict(locant_identity *out, int found);
#endif

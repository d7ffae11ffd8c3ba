/* probe_points.h - probe results as points of curves and rows of dots */
#ifndef LCT_PROBE_POINTS_H
#define LCT_PROBE_POINTS_H
#include <stddef.h>

struct json_t;

enum { LCT_POINTS = 256 }; /* most points of a curve */

/* How to read y from a part of a probe. */
enum lct_points_read {
    LCT_POINTS_NONE,
    LCT_POINTS_LIST,   /* part.key */
    LCT_POINTS_HEADS,  /* part.heads[].key, a value for each head */
    LCT_POINTS_MEANS,  /* means over heads of the lists part.heads[].key */
    LCT_POINTS_COURSE, /* at each step of part, mean over heads of |key| */
    LCT_POINTS_STATES  /* part.input, then part.key */
};

/* How to make x; rows of dots have none. */
enum lct_points_x {
    LCT_POINTS_X_NONE,
    LCT_POINTS_X_COUNT,  /* 0, 1, .. */
    LCT_POINTS_X_POWERS, /* 1, 2, 4, .. */
    LCT_POINTS_X_LIST,   /* part.x_key */
    LCT_POINTS_X_QUERY,  /* part.x_key + 1: how many keys each query sees */
    LCT_POINTS_X_BINS,   /* middles of bins of doubling width, plus 1 */
    LCT_POINTS_X_SHARES, /* middles of equal shares of the keys */
    LCT_POINTS_X_STEPS   /* training steps, counted from 1 */
};

struct lct_points {
    enum lct_points_read read;
    const char *part, *key; /* paths in a probe, as "attention.trained" */
    enum lct_points_x x;
    const char *x_key;
    const char *or_part; /* used if 'part' is missing; or NULL */
};

/* Fills x and y [LCT_POINTS] from a probe; returns the number of points. */
size_t lct_points_of(double *x, double *y, const struct lct_points *p,
                     const struct json_t *probe);

/* Fills in y of a reference line at the x of a curve. */
typedef void (*lct_points_reference)(double *y, const double *x, size_t n,
                                     const struct json_t *probe);
void lct_points_even_entropy(double *y, const double *x, size_t n,
                             const struct json_t *probe);
void lct_points_even_shares(double *y, const double *x, size_t n,
                            const struct json_t *probe);
void lct_points_chance(double *y, const double *x, size_t n,
                       const struct json_t *probe);
#endif

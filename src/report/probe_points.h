/* probe_points.h - what probes found, as points of curves and rows of dots */
#ifndef LCT_PROBE_POINTS_H
#define LCT_PROBE_POINTS_H
#include <stddef.h>

struct json_t;

enum { LCT_POINTS = 256 };

/* x, y [LCT_POINTS] of a probe; how many there are: 0 where it has none.  Rows
   of dots leave x. */
typedef size_t (*lct_points_fn)(double *x, double *y,
                                const struct json_t *probe);

size_t lct_points_entropy(double *x, double *y, const struct json_t *probe);
size_t lct_points_even_entropy(double *x, double *y,
                               const struct json_t *probe);
size_t lct_points_distances(double *x, double *y, const struct json_t *probe);
size_t lct_points_slopes(double *x, double *y, const struct json_t *probe);
size_t lct_points_slopes_before(double *x, double *y,
                                const struct json_t *probe);
size_t lct_points_shares(double *x, double *y, const struct json_t *probe);
size_t lct_points_even_shares(double *x, double *y,
                              const struct json_t *probe);
size_t lct_points_reach(double *x, double *y, const struct json_t *probe);
size_t lct_points_previous(double *x, double *y, const struct json_t *probe);
size_t lct_points_previous_before(double *x, double *y,
                                  const struct json_t *probe);
size_t lct_points_sinks(double *x, double *y, const struct json_t *probe);
size_t lct_points_sinks_repeated(double *x, double *y,
                                 const struct json_t *probe);
size_t lct_points_field(double *x, double *y, const struct json_t *probe);
size_t lct_points_truncation(double *x, double *y, const struct json_t *probe);
size_t lct_points_states(double *x, double *y, const struct json_t *probe);
size_t lct_points_chance(double *x, double *y, const struct json_t *probe);
size_t lct_points_usage_q(double *x, double *y, const struct json_t *probe);
size_t lct_points_usage_k(double *x, double *y, const struct json_t *probe);
size_t lct_points_partial(double *x, double *y, const struct json_t *probe);
size_t lct_points_partial_far(double *x, double *y, const struct json_t *probe);
size_t lct_points_swings(double *x, double *y, const struct json_t *probe);
size_t lct_points_swings_before(double *x, double *y,
                                const struct json_t *probe);
size_t lct_points_course_previous(double *x, double *y,
                                  const struct json_t *probe);
size_t lct_points_course_own(double *x, double *y, const struct json_t *probe);
size_t lct_points_course_entropy(double *x, double *y,
                                 const struct json_t *probe);
size_t lct_points_course_distance(double *x, double *y,
                                  const struct json_t *probe);
size_t lct_points_course_sink(double *x, double *y, const struct json_t *probe);

/* A number; NAN where there is none. */
double lct_probe_number(const struct json_t *value);
#endif

/* probe_points.c - what probes found, as points of curves and rows of dots */
#include "probe_points.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ reading */

double lct_probe_number(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* probe.attention.which */
static const json_t *sweep_of(const json_t *probe, const char *which)
{
    return json_object_get(json_object_get(probe, "attention"), which);
}

/* Where a run was not measured beyond its trained length: there. */
static const json_t *longest_of(const json_t *probe)
{
    const json_t *far = sweep_of(probe, "long");

    return far ? far : sweep_of(probe, "trained");
}

/* y[k] = mean over heads of list[k]; how many there are. */
static size_t mean_of_lists(double *y, const json_t *sweep, const char *list)
{
    const json_t *heads = json_object_get(sweep, "heads"), *head;
    const double count = (double)json_array_size(heads);
    size_t n = 0, i;

    json_array_foreach(heads, i, head) {
        const json_t *values = json_object_get(head, list), *value;
        size_t k;

        n = json_array_size(values) < LCT_POINTS ? json_array_size(values)
                                                  : LCT_POINTS;
        json_array_foreach(values, k, value)
            if (k < n)
                y[k] = (i == 0 ? 0 : y[k]) + lct_probe_number(value) / count;
    }
    return n;
}

/* One value of each head. */
static size_t of_heads(double *y, const json_t *sweep, const char *key)
{
    const json_t *heads = json_object_get(sweep, "heads"), *head;
    size_t i, n = 0;

    json_array_foreach(heads, i, head)
        if (n < LCT_POINTS)
            y[n++] = lct_probe_number(json_object_get(head, key));
    return n;
}

static size_t read_list(double *y, const json_t *list)
{
    const json_t *value;
    size_t i, n = 0;

    json_array_foreach(list, i, value)
        if (n < LCT_POINTS)
            y[n++] = lct_probe_number(value);
    return n;
}

/* x = 0 .. n - 1 */
static size_t count_up(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (double)i;
    return n;
}

/* ------------------------------------------------------------------- points */

size_t lct_points_entropy(double *x, double *y, const json_t *probe)
{
    const json_t *sweep = longest_of(probe);
    const json_t *rows = json_object_get(sweep, "rows");
    const size_t n = mean_of_lists(y, sweep, "entropies");

    for (size_t i = 0; i < n; i++)
        x[i] = lct_probe_number(json_array_get(rows, i)) + 1;
    return n;
}

/* The largest entropy there can be. */
size_t lct_points_even_entropy(double *x, double *y, const json_t *probe)
{
    const size_t n = lct_points_entropy(x, y, probe);

    for (size_t i = 0; i < n; i++)
        y[i] = log(x[i]);
    return n;
}

/* Bins 0, 1, 2-3, 4-7, ..: one more than the middle, so that 0 has a place on
   a logarithmic axis. */
size_t lct_points_distances(double *x, double *y, const json_t *probe)
{
    const json_t *sweep = sweep_of(probe, "trained");
    const double length = lct_probe_number(json_object_get(sweep, "length"));
    const size_t n = mean_of_lists(y, sweep, "bins");
    size_t used = 0;

    for (size_t b = 0; b < n && (b == 0 || ldexp(1, (int)b - 1) < length); b++)
        x[used++] = b == 0 ? 1 : 1.5 * ldexp(1, (int)b - 1) + .5;
    return used;
}

/* Sixteenths of the keys: in the middle. */
size_t lct_points_shares(double *x, double *y, const json_t *probe)
{
    const size_t n = mean_of_lists(y, sweep_of(probe, "trained"), "shares");

    for (size_t k = 0; k < n; k++)
        x[k] = ((double)k + .5) / (double)n;
    return n;
}

enum { MOST_KEYS = 4096 }; /* whatever a store says */

/* Distance d of t keys lies in share ((d + 1) n - 1) / t, as in probe_rows.c;
   few keys do not fill them all. */
size_t lct_points_even_shares(double *x, double *y, const json_t *probe)
{
    const size_t n = lct_points_shares(x, y, probe);
    const double length = lct_probe_number(
        json_object_get(sweep_of(probe, "trained"), "length"));

    for (size_t k = 0; k < n; k++)
        y[k] = 0;
    for (size_t t = 1; n > 0 && t <= MOST_KEYS && (double)t <= length; t++)
        for (size_t d = 0; d < t; d++)
            y[((d + 1) * n - 1) / t] += 1 / (double)t / length;
    return n;
}

size_t lct_points_reach(double *x, double *y, const json_t *probe)
{
    (void)x;
    return of_heads(y, sweep_of(probe, "trained"), "distance");
}

size_t lct_points_previous(double *x, double *y, const json_t *probe)
{
    (void)x;
    return of_heads(y, sweep_of(probe, "trained"), "previous_bias");
}

size_t lct_points_previous_before(double *x, double *y, const json_t *probe)
{
    (void)x;
    return of_heads(y, sweep_of(probe, "initial"), "previous_bias");
}

size_t lct_points_sinks(double *x, double *y, const json_t *probe)
{
    (void)x;
    return read_list(y, json_object_get(sweep_of(probe, "sinks"), "text"));
}

size_t lct_points_sinks_repeated(double *x, double *y, const json_t *probe)
{
    (void)x;
    return read_list(y, json_object_get(sweep_of(probe, "sinks"), "repeated"));
}

size_t lct_points_slopes(double *x, double *y, const json_t *probe)
{
    (void)x;
    return of_heads(y, sweep_of(probe, "trained"), "slope");
}

size_t lct_points_slopes_before(double *x, double *y, const json_t *probe)
{
    (void)x;
    return of_heads(y, sweep_of(probe, "initial"), "slope");
}

size_t lct_points_field(double *x, double *y, const json_t *probe)
{
    const json_t *of = json_object_get(probe, "field");
    const size_t n = read_list(y, json_object_get(
        json_object_get(of, "trained"), "within"));

    for (size_t k = 0; k < n; k++)
        x[k] = ldexp(1, (int)k);
    return n;
}

size_t lct_points_truncation(double *x, double *y, const json_t *probe)
{
    const json_t *of = json_object_get(json_object_get(probe, "field"),
                                       "truncation");

    read_list(x, json_object_get(of, "lengths"));
    return read_list(y, json_object_get(of, "loss"));
}

/* x[k] = list[k] for the lists of a part. */
static size_t pair_of_lists(double *x, double *y, const json_t *part,
                            const char *of_x, const char *of_y)
{
    const size_t n = read_list(y, json_object_get(part, of_y));

    return read_list(x, json_object_get(part, of_x)) < n ? 0 : n;
}

size_t lct_points_partial(double *x, double *y, const json_t *probe)
{
    return pair_of_lists(x, y, json_object_get(probe, "partial"), "last",
                         "loss");
}

size_t lct_points_partial_far(double *x, double *y, const json_t *probe)
{
    return pair_of_lists(x, y, json_object_get(probe, "partial"), "last",
                         "loss_far");
}

/* Swings over the window against their share. */
static size_t swings(double *x, double *y, const json_t *probe, const char *of)
{
    return count_up(x, read_list(y, json_object_get(
        json_object_get(probe, "tables"), of)));
}

size_t lct_points_swings(double *x, double *y, const json_t *probe)
{
    return swings(x, y, probe, "spectrum");
}

size_t lct_points_swings_before(double *x, double *y, const json_t *probe)
{
    return swings(x, y, probe, "spectrum_initial");
}

/* Mean of absolute values over heads, whose biases go both ways, at each step
   that was looked at; a logarithmic axis has no room for 0, so steps count
   from 1. */
static size_t course(double *x, double *y, const json_t *probe, const char *of)
{
    const json_t *steps = json_object_get(probe, "training"), *step;
    size_t i, n = 0;

    json_array_foreach(steps, i, step) {
        const json_t *heads = json_object_get(step, of), *head;
        size_t h;

        if (n == LCT_POINTS)
            break;
        x[n] = lct_probe_number(json_object_get(step, "step")) + 1;
        y[n] = heads ? 0 : NAN;
        json_array_foreach(heads, h, head)
            y[n] += fabs(lct_probe_number(head)) /
                    (double)json_array_size(heads);
        n++;
    }
    return n;
}

size_t lct_points_course_previous(double *x, double *y, const json_t *probe)
{
    return course(x, y, probe, "previous_bias");
}

size_t lct_points_course_own(double *x, double *y, const json_t *probe)
{
    return course(x, y, probe, "self_bias");
}

size_t lct_points_course_entropy(double *x, double *y, const json_t *probe)
{
    return course(x, y, probe, "entropy");
}

/* Of runs of an older locant there is none. */
size_t lct_points_course_distance(double *x, double *y, const json_t *probe)
{
    const size_t n = course(x, y, probe, "distance");

    return n > 0 && isfinite(y[n - 1]) ? n : 0;
}

size_t lct_points_course_sink(double *x, double *y, const json_t *probe)
{
    return course(x, y, probe, "sink");
}

/* Of the input of the first layer at 0, and after each layer. */
size_t lct_points_states(double *x, double *y, const json_t *probe)
{
    const json_t *of = json_object_get(probe, "states");
    const size_t n = read_list(y, json_object_get(of, "error"));

    if (n == 0 || n == LCT_POINTS)
        return 0;
    memmove(y + 1, y, n * sizeof *y);
    y[0] = lct_probe_number(json_object_get(of, "input"));
    return count_up(x, n + 1);
}

size_t lct_points_chance(double *x, double *y, const json_t *probe)
{
    const size_t n = lct_points_states(x, y, probe);

    for (size_t l = 0; l < n; l++)
        y[l] = lct_probe_number(json_object_get(
            json_object_get(probe, "states"), "chance"));
    return n;
}

/* Means over heads, by pair. */
static size_t usage(double *x, double *y, const json_t *probe, const char *of)
{
    return count_up(x, mean_of_lists(y, json_object_get(probe, "usage"), of));
}

size_t lct_points_usage_q(double *x, double *y, const json_t *probe)
{
    return usage(x, y, probe, "q");
}

size_t lct_points_usage_k(double *x, double *y, const json_t *probe)
{
    return usage(x, y, probe, "k");
}

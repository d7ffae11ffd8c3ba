/* probe_points.c - probe results as points of curves and rows of dots */
#include "probe_points.h"
#include "../measure/numbers.h"
#include "page.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

static size_t at_most(size_t n)
{
    return n < LCT_POINTS ? n : LCT_POINTS;
}

/* --------------------------------------------------------------------- y */

/* The numbers of a list or, with a key, those that its objects have there. */
static size_t read_list(double *y, const json_t *list, const char *key)
{
    const size_t n = at_most(json_array_size(list));

    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);

        y[i] = lct_page_real(key ? json_object_get(item, key) : item);
    }
    return n;
}

static size_t read_means(double *y, const json_t *heads, const char *key)
{
    const double count = (double)json_array_size(heads);
    const json_t *head;
    size_t n = 0, i;

    json_array_foreach(heads, i, head) {
        const json_t *values = json_object_get(head, key);

        n = at_most(json_array_size(values));
        for (size_t k = 0; k < n; k++)
            y[k] = (i == 0 ? 0 : y[k]) +
                   lct_page_real(json_array_get(values, k)) / count;
    }
    return n;
}

/* Reads the mean magnitude over heads at each step: biases have both signs.
   Runs by an older locant have none. */
static size_t read_course(double *y, const json_t *steps, const char *key)
{
    const size_t n = at_most(json_array_size(steps));

    for (size_t i = 0; i < n; i++) {
        const json_t *heads = json_object_get(json_array_get(steps, i), key);
        const size_t count = json_array_size(heads);

        y[i] = heads ? 0 : NAN;
        for (size_t h = 0; h < count; h++)
            y[i] +=
                fabs(lct_page_real(json_array_get(heads, h))) / (double)count;
    }
    return n > 0 && isfinite(y[n - 1]) ? n : 0;
}

/* Reads the value of the first layer's input (x = 0), then that of each
   layer's output. */
static size_t read_states(double *y, const json_t *part, const char *key)
{
    const size_t n = read_list(y, json_object_get(part, key), NULL);

    if (n == 0 || n == LCT_POINTS)
        return 0;
    memmove(y + 1, y, n * sizeof *y);
    y[0] = lct_page_real(json_object_get(part, "input"));
    return n + 1;
}

static size_t read_y(double *y, const struct lct_points *p, const json_t *part)
{
    const json_t *heads = json_object_get(part, "heads");

    switch (p->read) {
    case LCT_POINTS_LIST:
        return read_list(y, json_object_get(part, p->key), NULL);
    case LCT_POINTS_HEADS: return read_list(y, heads, p->key);
    case LCT_POINTS_MEANS: return read_means(y, heads, p->key);
    case LCT_POINTS_COURSE: return read_course(y, part, p->key);
    case LCT_POINTS_STATES: return read_states(y, part, p->key);
    default: return 0;
    }
}

/* --------------------------------------------------------------------- x */

/* Fills x with the middles of the bins 0, 1, 2-3, 4-7, .. that the text
   reaches, plus one, so that 0 has a place on a logarithmic axis. */
static size_t fill_bins(double *x, size_t n, const json_t *part)
{
    const double length = lct_page_real(json_object_get(part, "length"));
    size_t b = 0;

    for (; b < n && (b == 0 || ldexp(1, (int)b - 1) < length); b++)
        x[b] = b == 0 ? 1 : 1.5 * ldexp(1, (int)b - 1) + .5;
    return b;
}

/* Fills in x; returns how many of the n points have one. */
static size_t fill_x(double *x, size_t n, const struct lct_points *p,
                     const json_t *part)
{
    const json_t *list = p->x_key ? json_object_get(part, p->x_key) : NULL;
    size_t found = n;

    switch (p->x) {
    case LCT_POINTS_X_NONE: return n;
    case LCT_POINTS_X_BINS: return fill_bins(x, n, part);
    case LCT_POINTS_X_LIST: return read_list(x, list, NULL) < n ? 0 : n;
    case LCT_POINTS_X_QUERY: found = read_list(x, list, NULL); break;
    case LCT_POINTS_X_STEPS: found = read_list(x, part, "step"); break;
    default: break;
    }
    if (found < n)
        return 0;
    for (size_t i = 0; i < n; i++)
        x[i] = p->x == LCT_POINTS_X_COUNT    ? (double)i
               : p->x == LCT_POINTS_X_POWERS ? ldexp(1, (int)i)
               : p->x == LCT_POINTS_X_SHARES ? ((double)i + .5) / (double)n
                                             : x[i] + 1;
    return n;
}

size_t lct_points_of(double *x, double *y, const struct lct_points *p,
                     const json_t *probe)
{
    const json_t *part = lct_numbers_at(probe, p->part);

    if (part == NULL && p->or_part)
        part = lct_numbers_at(probe, p->or_part);
    return fill_x(x, read_y(y, p, part), p, part);
}

/* ------------------------------------------------------------- references */

/* Entropy of equal weights over x keys, the largest possible. */
void lct_points_even_entropy(double *y, const double *x, size_t n,
                             const json_t *probe)
{
    (void)probe;
    for (size_t i = 0; i < n; i++)
        y[i] = log(x[i]);
}

enum { MOST_KEYS = 4096 }; /* bounds the loop below, whatever the store says */

/* Of t keys, the one at distance d is in share ((d + 1) n - 1) / t, as in
   probe_rows.c; with few keys some shares are empty. */
void lct_points_even_shares(double *y, const double *x, size_t n,
                            const json_t *probe)
{
    const double length =
        lct_page_real(lct_numbers_at(probe, "attention.trained.length"));

    (void)x;
    for (size_t k = 0; k < n; k++)
        y[k] = 0;
    for (size_t t = 1; n > 0 && t <= MOST_KEYS && (double)t <= length; t++)
        for (size_t d = 0; d < t; d++)
            y[((d + 1) * n - 1) / t] += 1 / (double)t / length;
}

void lct_points_chance(double *y, const double *x, size_t n,
                       const json_t *probe)
{
    (void)x;
    for (size_t i = 0; i < n; i++)
        y[i] = lct_page_real(lct_numbers_at(probe, "states.chance"));
}

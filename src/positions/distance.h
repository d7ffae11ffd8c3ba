/*
 * distance.h - the effective distance of one pair of tokens, the temperature of
 * one query, and the LongLoRA group of one token.
 *
 * The encodings use these functions, too.  Arguments must be in the ranges of
 * locant/positions.h; nothing is checked here.  p_i is the position of the
 * query, p_j of the key, n = p_i - p_j.
 */
#ifndef LCT_POSITIONS_DISTANCE_H
#define LCT_POSITIONS_DISTANCE_H
#include <math.h>
#include <stdint.h>

/* a - b, clamped to the int64 range. */
static inline int64_t lct_gap(int64_t a, int64_t b)
{
    int64_t d;

    if (__builtin_sub_overflow(a, b, &d))
        return a > b ? INT64_MAX : INT64_MIN;
    return d;
}

/* floor(a / b), b > 0: C rounds toward 0, Python and the papers down. */
static inline int64_t lct_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* ------------------------------------------------------ effective distances */

/* ReRoPE: n within the window, 'window' beyond it. */
static inline double lct_rerope_distance(int64_t window, int64_t p_i,
                                         int64_t p_j)
{
    int64_t n = lct_gap(p_i, p_j);

    return (double)(n < window ? n : window);
}

/* Leaky ReRoPE: beyond the window one step counts 1/factor. */
static inline double lct_leaky_distance(int64_t window, double factor,
                                        int64_t p_i, int64_t p_j)
{
    int64_t n = lct_gap(p_i, p_j);

    if (n < window)
        return (double)n;
    return (double)window + (double)(n - window) / factor;
}

/* What SelfExtend adds to the grouped position of a query. */
static inline int64_t lct_selfextend_offset(int64_t window, int64_t group)
{
    return window - window / group;
}

/* SelfExtend: n within the window, grouped positions beyond it. */
static inline double lct_selfextend_distance(int64_t window, int64_t group,
                                             int64_t p_i, int64_t p_j)
{
    int64_t n = lct_gap(p_i, p_j);

    if (n < window)
        return (double)n;
    n = lct_gap(lct_floor_div(p_i, group), lct_floor_div(p_j, group));
    return (double)n + (double)lct_selfextend_offset(window, group);
}

/*
 * StreamingLLM: distance within a cache that holds the first 'sinks' tokens and
 * the last 'recent' ones, of which the query is the last; infinite if the key
 * is not in the cache.  If sinks is 0, keys may have negative positions.
 */
static inline double lct_streaming_distance(int64_t sinks, int64_t recent,
                                            int64_t p_i, int64_t p_j)
{
    int64_t n = lct_gap(p_i, p_j);

    if (n < 0 || (sinks > 0 && p_j < 0))
        return INFINITY;
    if (n < recent)
        return (double)n;
    if (sinks == 0 || p_j >= sinks)
        return INFINITY;
    /* Until the query has sinks + recent - 1 tokens before it, the cache is not
       full and holds all of them. */
    if (p_i - recent < sinks)
        return (double)n;
    return (double)(sinks - 1 - p_j) + (double)recent;
}

/* -------------------------------------------------------------- temperature */

/* Llama 4: 1 + scale ln(1 + floor((p + 1) / length)). */
static inline double lct_temperature_llama4(double scale, int64_t length,
                                            int64_t p)
{
    int64_t k = p / length + (p % length == length - 1);

    return 1.0 + scale * log(1.0 + (double)k);
}

/* Ministral 3: 1 + scale ln(1 + floor(p / length)). */
static inline double lct_temperature_ministral(double scale, int64_t length,
                                               int64_t p)
{
    return 1.0 + scale * log(1.0 + (double)(p / length));
}

/* log-n: max(1, ln(p + 1) / ln(length)). */
static inline double lct_temperature_logn(int64_t length, int64_t p)
{
    if (p < length)
        return 1.0;
    return log((double)p + 1.0) / log((double)length);
}

/* Inkling: 1 + scale ln(max(1, (p + 1) / length)). */
static inline double lct_temperature_inkling(double scale, int64_t length,
                                             int64_t p)
{
    if (p < length)
        return 1.0;
    return 1.0 + scale * log(((double)p + 1.0) / (double)length);
}

/* ----------------------------------------------------------------- LongLoRA */

/*
 * The group of token t in the heads that are shifted by half a group: the first
 * half group joins the last one (roll).  In the other heads it is t / group.
 */
static inline int64_t lct_longlora_rolled(int64_t t, int64_t tokens,
                                          int64_t group)
{
    int64_t half = group / 2;

    return (t < half ? t - half + tokens : t - half) / group;
}

/* The same, but the half groups at both ends stay apart. */
static inline int64_t lct_longlora_cut(int64_t t, int64_t group)
{
    return t / group + (t % group >= group / 2);
}
#endif

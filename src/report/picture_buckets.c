/*
 * picture_buckets.c - what a bias is made of, before any training: the bucket
 * that each distance falls into, and the slope of each head.  Both are measured
 * through the public functions, so no encoding is named here.  The page leaves
 * them out: it shows the bias itself.
 */
#include "page.h"
#include <math.h>
#include <string.h>

enum { MOST_DISTANCES = 2048, NEAR = 64 };

/* b[head, k] of a query at n - 1 with keys at 0 .. 2 n - 2, so that the last
   n - 1 keys come after the query. */
static locant_status bias_around(double *out, const struct lct_subject *s,
                                 const locant_tensor *params, int64_t n)
{
    const int64_t keys = 2 * n - 1, shape[3] = { s->r->heads, 1, keys };
    int64_t *at;
    locant_tensor to = locant_dense(out, LOCANT_F64, 3, shape), q, k;

    LCT_TRY(lct_subject_positions(&at, s, 0, keys));
    q = locant_dense(at + n - 1, LOCANT_I64, 1, &shape[1]);
    k = locant_dense(at, LOCANT_I64, 1, &shape[2]);
    return locant_encoding_bias(&to, s->e, &q, &k, params);
}

/* ----------------------------------------------------------------- buckets */

/* Copies the parameters, with a table whose row b holds b in place of the table
   of buckets: then the bias is the bucket.  *buckets is 0 if there is none. */
static locant_status number_buckets(locant_tensor *params, int64_t *buckets,
                                    const struct lct_subject *s)
{
    const locant_sizes sizes = { .width = s->r->width,
                                 .heads = s->r->heads,
                                 .head_dim = s->r->width / s->r->heads };
    locant_param_info info;
    double *table;

    *buckets = 0;
    for (int i = 0; i < LCT_GROUP_PARAMS && s->initial != NULL &&
                    locant_encoding_param(&info, s->e, i, &sizes);
         i++) {
        params[i] = s->initial[i];
        if (strncmp(info.dims, "[buckets,", 9) != 0 || info.rank != 2)
            continue;
        *buckets = info.shape[0];
        LCT_TRY(lct_subject_numbers(&table, s,
                                    (size_t)(info.shape[0] * info.shape[1])));
        for (int64_t b = 0; b < info.shape[0]; b++)
            for (int64_t h = 0; h < info.shape[1]; h++)
                table[b * info.shape[1] + h] = (double)b;
        params[i] = locant_dense(table, LOCANT_F64, 2, info.shape);
    }
    return LOCANT_OK;
}

/* Whether all n numbers are rows of a table of 'buckets' rows: in a sum with
   another bias they are not. */
static bool are_buckets(const double *y, int64_t n, int64_t buckets)
{
    for (int64_t i = 0; i < n; i++)
        if (!(y[i] >= 0 && y[i] < (double)buckets && y[i] == floor(y[i])))
            return false;
    return true;
}

static locant_status draw_buckets(struct lct_html *h,
                                  const struct lct_subject *s)
{
    const int64_t n =
        lct_subject_length(s, 2 * s->r->trained_length + 1, MOST_DISTANCES);
    locant_mark mark = lct_trained_mark(s->r);
    locant_figure f = lct_figures_begin(FIG_BUCKETS);
    locant_tensor params[LCT_GROUP_PARAMS];
    locant_series lines[2];
    double *x, *around, *before;
    int64_t buckets;

    LCT_TRY(number_buckets(params, &buckets, s));
    if (buckets == 0 || n < 2)
        return LOCANT_OK;
    LCT_TRY(lct_subject_range(&x, s, n));
    LCT_TRY(lct_subject_numbers(&before, s, (size_t)n));
    LCT_TRY(
        lct_subject_numbers(&around, s, (size_t)((2 * n - 1) * s->r->heads)));
    LCT_TRY(bias_around(around, s, params, n));
    if (!are_buckets(around, 2 * n - 1, buckets))
        return LOCANT_OK;
    for (int64_t d = 0; d < n; d++)
        before[d] = around[n - 1 - d];
    lines[0] = lct_figures_line(MSG_KEYS_BEFORE, n, x, before, 0);
    lines[1] = lct_figures_line(MSG_KEYS_AFTER, n, x, around + n - 1, 1);
    lines[1].dashed = 1;
    lct_figures_lines(&f, lines, 2);
    lct_figures_marks(&f, &mark, 1);
    return lct_page_figure(h, s->r, FIG_BUCKETS, &f);
}

/* ------------------------------------------------------------------ slopes */

/* Slopes of heads whose bias falls in proportion to the distance; false if that
   of one head does not, or if no head's falls at all. */
static bool find_slopes(double *slopes, const double *around, int64_t heads,
                        int64_t n)
{
    bool any = false;

    for (int64_t h = 0; h < heads; h++) {
        const double *at = around + h * (2 * n - 1) + n - 1; /* distance 0 */

        slopes[h] = at[0] - at[-1];
        any |= slopes[h] != 0;
        /* products and their differences are rounded in double */
        for (int64_t d = 0; d < n; d++)
            if (!(fabs(at[0] - at[-d] - (double)d * slopes[h]) <=
                  1e-9 * (fabs(at[0]) + (double)d * fabs(slopes[h]))))
                return false;
    }
    return any;
}

static locant_status draw_slopes(struct lct_html *h,
                                 const struct lct_subject *s)
{
    const int64_t heads = s->r->heads, n = lct_subject_length(s, NEAR, NEAR);
    locant_figure f = lct_figures_begin(FIG_HEAD_SLOPES);
    locant_series line;
    double *x, *around, *slopes;

    if (n < 3)
        return LOCANT_OK;
    LCT_TRY(lct_subject_range(&x, s, heads));
    LCT_TRY(lct_subject_numbers(&slopes, s, (size_t)heads));
    LCT_TRY(lct_subject_numbers(&around, s, (size_t)((2 * n - 1) * heads)));
    LCT_TRY(bias_around(around, s, lct_subject_params(s), n));
    if (!find_slopes(slopes, around, heads, n))
        return LOCANT_OK;
    line = (locant_series){
        .n = (size_t)heads, .x = x, .y = slopes, .marks = 1, .color = 0
    };
    lct_figures_lines(&f, &line, 1);
    return lct_page_figure(h, s->r, FIG_HEAD_SLOPES, &f);
}

locant_status lct_draw_buckets(struct lct_html *h, const struct lct_subject *s)
{
    static const struct lct_picture list[] = {
        { FIG_BUCKETS, FIG_BUCKETS, draw_buckets },
        { FIG_HEAD_SLOPES, FIG_HEAD_SLOPES, draw_slopes },
    };

    return lct_subject_draw(h, s, list, sizeof list / sizeof list[0]);
}

/*
 * picture_score.c - pictures of a bias b(head, query, key): by distance for
 * each head, and as a matrix; a learned bias beside its initial values.
 */
#include "../core/size.h"
#include "page.h"
#include <math.h>
#include <string.h>

enum { MOST_DISTANCES = 2048, MATRIX = 64 };

/* The bias of every head for queries 0 .. n - 1 and keys 0 .. keys - 1; NAN,
   which is not drawn, where -infinity hides a key. */
static locant_status bias(double *out, const struct lct_subject *s,
                          const locant_tensor *params, int64_t n, int64_t keys)
{
    int64_t shape[3] = { s->r->heads, n, keys };
    int64_t *at;
    locant_tensor to = locant_dense(out, LOCANT_F64, 3, shape), q, k;

    LCT_TRY(lct_subject_positions(&at, s, 0, n > keys ? n : keys));
    q = locant_dense(at, LOCANT_I64, 1, &shape[1]);
    k = locant_dense(at, LOCANT_I64, 1, &shape[2]);
    LCT_TRY(locant_encoding_bias(&to, s->e, &q, &k, params));
    for (int64_t i = 0; i < shape[0] * n * keys; i++)
        if (out[i] == -INFINITY)
            out[i] = NAN;
    return LOCANT_OK;
}

/* The curves of a bias [heads, n] at distances x, and the range that they share
   before and after training, so that the reader can compare them. */
struct frame {
    int64_t n, heads;
    double *x;
    double low, high;
};

static void include(struct frame *f, const double *y)
{
    for (int64_t i = 0; i < f->heads * f->n; i++) {
        f->low = fmin(f->low, y[i]);
        f->high = fmax(f->high, y[i]);
    }
}

static locant_status draw_curves(struct lct_html *h,
                                 const struct lct_subject *s,
                                 const struct frame *frame, const double *y,
                                 enum lct_figure_id id,
                                 enum lct_message caption)
{
    locant_mark mark = lct_trained_mark(s->r);
    struct lct_subject_lines lines;
    locant_figure f = lct_figures_begin(id);
    size_t heads =
        lct_subject_lines(&lines, s, frame->x, y, frame->heads, frame->n);
    double margin = 0.04 * (frame->high - frame->low);
    double far_x[2] = { mark.x, frame->x[frame->n - 1] };
    double none[2] = { NAN, NAN }, low[2], high[2];

    if (!(margin > 0))
        margin = 0.1 + 0.1 * fabs(frame->high);
    f.y_min = frame->low - margin;
    f.y_max = frame->high + margin;
    low[0] = low[1] = f.y_min;
    high[0] = high[1] = f.y_max;
    for (size_t i = 0; i < heads; i++)
        lines.series[i].dashed = (int)i % 5;
    lines.series[heads] =
        lct_figures_line(MSG_NEVER_TRAINED_ON, 2, far_x, none, 9);
    lines.series[heads].low = low;
    lines.series[heads].high = high;
    if (id == FIG_BIAS && s->trained)
        lct_figures_title(&f, MSG_BIAS_TITLE_TRAINED);
    lct_figures_lines(&f, lines.series, heads + (far_x[1] > far_x[0]));
    lct_figures_marks(&f, &mark, 1);
    return lct_page_figure_with(h, s->r, id, &f, caption, NULL, NULL);
}

static locant_status draw_matrix(struct lct_html *h,
                                 const struct lct_subject *s)
{
    locant_figure f = lct_figures_begin(FIG_MATRIX);
    int64_t n = lct_subject_length(s, s->r->trained_length, MATRIX);
    int64_t head = lct_subject_head(s, s->r->heads);
    struct lct_label title;
    size_t cells;
    double *out, *one;

    if (!lct_mul(&cells, (size_t)(n * n), (size_t)s->r->heads))
        return locant_fail(LOCANT_ERR_NOMEM, "report: %lld heads",
                           (long long)s->r->heads);
    LCT_TRY(lct_subject_numbers(&out, s, cells));
    LCT_TRY(bias(out, s, lct_subject_params(s), n, n));
    one = out + head * n * n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            one[i * n + j] = NAN;
    lct_messages_number(&title, MSG_MATRIX_TITLE, (double)head);
    lct_figures_title_filled(&f, &title);
    lct_figures_map(&f, one, n, n);
    return lct_page_figure(h, s->r, FIG_MATRIX, &f);
}

/* Draws the bias and, after training, its initial values. */
static locant_status draw_pair(struct lct_html *h, const struct lct_subject *s,
                               struct frame *frame, double *y)
{
    double *initial = y + frame->heads * frame->n;

    LCT_TRY(bias(y, s, lct_subject_params(s), frame->n, 1));
    include(frame, y);
    if (!s->trained)
        return draw_curves(h, s, frame, y, FIG_BIAS, MSG_NONE);
    LCT_TRY(bias(initial, s, s->initial, frame->n, 1));
    include(frame, initial);
    LCT_TRY(draw_curves(h, s, frame, y, FIG_BIAS, MSG_BIAS_CAPTION_TRAINED));
    return draw_curves(h, s, frame, initial, FIG_BIAS_INITIAL, MSG_NONE);
}

static locant_status draw_distances(struct lct_html *h,
                                    const struct lct_subject *s)
{
    struct frame frame = { .n = lct_subject_length(
                               s, 2 * s->r->trained_length + 1, MOST_DISTANCES),
                           .heads = s->r->heads,
                           .low = INFINITY,
                           .high = -INFINITY };
    size_t numbers;
    double *y;

    if (frame.n < 3 || frame.heads < 1 ||
        !lct_mul(&numbers, (size_t)frame.n, 2 * (size_t)frame.heads))
        return locant_fail(LOCANT_ERR_PARAM,
                           "report: a bias of %lld heads over %lld distances "
                           "cannot be drawn",
                           (long long)frame.heads, (long long)frame.n);
    LCT_TRY(lct_subject_numbers(&y, s, numbers));
    LCT_TRY(lct_subject_range(&frame.x, s, frame.n));
    return draw_pair(h, s, &frame, y);
}

locant_status lct_draw_score(struct lct_html *h, const struct lct_subject *s)
{
    static const struct lct_picture list[] = {
        { FIG_BIAS, FIG_BIAS_INITIAL, draw_distances },
        { FIG_MATRIX, FIG_MATRIX, draw_matrix },
    };

    LCT_TRY(lct_subject_draw(h, s, list, sizeof list / sizeof list[0]));
    return h->taker != NULL ? lct_draw_buckets(h, s) : LOCANT_OK;
}

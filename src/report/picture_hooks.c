/*
 * picture_hooks.c - pictures of what encodings do besides their doors: they
 * choose positions, mask keys, set a temperature.  The encoding's name does not
 * matter.
 */
#include "page.h"
#include "weights.h"
#include "locant/attention.h"
#include <math.h>

enum { TOKENS = 64, DRAWS = 3, POINTS = 64 };

static int64_t tokens_of(const struct lct_subject *s)
{
    return lct_subject_length(s, s->r->trained_length, TOKENS);
}

/* ------------------------------------------------------------- positions */

static locant_status draw_positions(struct lct_html *h,
                                    const struct lct_subject *s)
{
    const bool reals = locant_encoding_traits(s->e) & LOCANT_TRAIT_REAL;
    const int64_t n = tokens_of(s), shape[2] = { 1, n };
    struct lct_label label[DRAWS];
    locant_series series[DRAWS + 1];
    locant_figure f = lct_figures_begin(FIG_POSITIONS);
    double *x, *y;

    if (!locant_encoding_chooses_positions(s->e))
        return LOCANT_OK;
    LCT_TRY(lct_subject_range(&x, s, n));
    LCT_TRY(lct_subject_numbers(&y, s, (size_t)n * (DRAWS + 1)));
    for (int k = 0; k <= DRAWS; k++) {
        double *row = y + k * n;
        locant_tensor ids =
            locant_dense(row, reals ? LOCANT_F64 : LOCANT_I64, 2, shape);

        LCT_TRY(locant_encoding_ids(&ids, s->e, (uint64_t)k + 1, k < DRAWS));
        for (int64_t t = 0; t < n && !reals; t++)
            row[t] = (double)((int64_t *)(void *)row)[t];
        series[k] = lct_figures_line(MSG_EVALUATION, n, x, row, k);
        series[k].dashed = k == DRAWS;
        if (k < DRAWS) {
            lct_messages_number(&label[k], MSG_SEED, k + 1);
            lct_figures_label(&series[k], &label[k]);
        }
    }
    lct_figures_lines(&f, series, DRAWS + 1);
    return lct_page_figure(h, s->r, FIG_POSITIONS, &f);
}

/* ------------------------------------------------------------------ mask */

/* Whether a head masks keys that the causal mask does not. */
static bool masks_more(const struct lct_weights *w, int64_t head)
{
    const double *weight = w->weight + head * w->n * w->n;

    for (int64_t i = 0; i < w->n; i++)
        for (int64_t j = 0; j <= i; j++)
            if (!(weight[i * w->n + j] > 0))
                return true;
    return false;
}

static locant_status draw_head_mask(struct lct_html *h,
                                    const struct lct_subject *s,
                                    const struct lct_weights *w, int64_t head)
{
    const int64_t n = w->n;
    double *cells = w->weight + head * n * n;
    const enum lct_figure_id id = head == 0 ? FIG_MASK : FIG_MASK_LAST;
    locant_figure f = lct_figures_begin(id);
    struct lct_label title;

    for (int64_t i = 0; i < n * n; i++)
        cells[i] = cells[i] > 0 ? 1 : i % n > i / n ? NAN : 0;
    lct_messages_number(&title, MSG_MASK_TITLE, (double)head);
    lct_figures_title_filled(&f, &title);
    lct_figures_map(&f, cells, n, n);
    return lct_page_figure(h, s->r, id, &f);
}

/* With queries and keys of 0, a weight of 0 means a masked key. */
static locant_status draw_mask(struct lct_html *h, const struct lct_subject *s)
{
    const struct lct_weights_query query = { .n = lct_weights_length(
                                                 s->r->heads, tokens_of(s)),
                                             .seed = 1,
                                             .zero = true };
    const int64_t last = s->r->heads - 1;
    struct lct_weights w;

    LCT_TRY(lct_weights_measure(&w, s, lct_subject_params(s), &query));
    if (masks_more(&w, 0))
        LCT_TRY(draw_head_mask(h, s, &w, 0));
    /* half of the heads may use shifted groups */
    return last > 0 && masks_more(&w, last) ? draw_head_mask(h, s, &w, last)
                                            : LOCANT_OK;
}

/* ----------------------------------------------------------- temperature */

/*
 * y[i]: the score of a query and a key both at at[i], whose channels are all
 * 'value'.  Without the encoding, q.k / sqrt(dim) = 1.
 */
static locant_status own_scores(double *y, const struct lct_subject *s,
                                int64_t *at, int64_t n, double value)
{
    const int64_t dim = s->r->width / s->r->heads;
    const int64_t shape[4] = { n, s->r->heads, 1, dim }, places[2] = { n, 1 };
    size_t cells = (size_t)(n * s->r->width);
    double *x;
    locant_tensor q, out, lse, pos;
    locant_attention a = LOCANT_ATTENTION_INIT;

    LCT_TRY(lct_subject_numbers(&x, s, 2 * cells + (size_t)(n * s->r->heads)));
    for (size_t i = 0; i < cells; i++)
        x[i] = value;
    q = locant_dense(x, LOCANT_F64, 4, shape);
    out = locant_dense(x + cells, LOCANT_F64, 4, shape);
    lse = locant_dense(x + 2 * cells, LOCANT_F64, 3, shape);
    pos = locant_dense(at, LOCANT_I64, 2, places);
    a.q = a.k = a.v = &q;
    a.q_pos = a.k_pos = &pos;
    a.encoding = s->e;
    a.params = lct_subject_params(s);
    LCT_TRY(locant_attention_reference(&out, &lse, &a));
    for (int64_t i = 0; i < n; i++)
        y[i] = x[2 * cells + (size_t)(i * s->r->heads)];
    return LOCANT_OK;
}

/* Positions 0, 1, 2, 3, .. below 'end', with growing gaps. */
static int64_t far_positions(int64_t *at, int64_t end)
{
    double next = 0;
    int64_t n = 0;

    for (; n < POINTS && next < (double)end; n++) {
        at[n] = (int64_t)next;
        next = fmax(next + 1, floor(next * 1.25));
    }
    return n;
}

/* Drawn only if scores differ by more than rounding of float32 angles. */
static locant_status draw_temperature(struct lct_html *h,
                                      const struct lct_subject *s)
{
    const double one = pow((double)(s->r->width / s->r->heads), -0.25);
    int64_t at[POINTS], n;
    double x[POINTS], y[POINTS], zero[POINTS];
    locant_series line;
    locant_figure f = lct_figures_begin(FIG_TEMPERATURE);
    bool varies = false;

    /* if it reads content, the scores have no common factor */
    if (locant_encoding_doors(s->e) & LOCANT_DOOR_CONTENT ||
        locant_encoding_traits(s->e) & LOCANT_TRAIT_READS_X)
        return LOCANT_OK;
    n = far_positions(at, locant_encoding_length_limit(s->e));
    if (n < 2)
        return LOCANT_OK;
    LCT_TRY(own_scores(y, s, at, n, one));
    LCT_TRY(own_scores(zero, s, at, n, 0));
    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)(at[i] + 1);
        y[i] -= zero[i];
        varies |= fabs(y[i] - y[0]) > 1e-4 * fabs(y[0]);
    }
    line = lct_figures_line(MSG_NONE, n, x, y, 0);
    lct_figures_lines(&f, &line, 1);
    return !varies ? LOCANT_OK : lct_page_figure(h, s->r, FIG_TEMPERATURE, &f);
}

/* ------------------------------------------------------------------- all */

locant_status lct_draw_hooks(struct lct_html *h, const struct lct_subject *s)
{
    static const struct lct_picture list[] = {
        { FIG_POSITIONS, FIG_POSITIONS, draw_positions },
        { FIG_MASK, FIG_MASK_LAST, draw_mask },
        { FIG_TEMPERATURE, FIG_TEMPERATURE, draw_temperature },
    };

    if (tokens_of(s) < 2 || s->r->heads < 1 || s->r->width < s->r->heads)
        return LOCANT_OK;
    return lct_subject_draw(h, s, list, sizeof list / sizeof list[0]);
}

/*
 * picture_hooks.c - pictures of what is no door: chosen positions, masked keys,
 * a temperature.  Each is detected by its effect, not by the encoding's name.
 */
#include "page.h"
#include "locant/attention.h"
#include <math.h>
#include <stdio.h>

enum { TOKENS = 64, DRAWS = 3, POINTS = 64 };

/* ------------------------------------------------------------- positions */

static locant_status draw_positions(struct lct_html *h,
                                    const struct lct_subject *s, int64_t n)
{
    const bool reals = locant_encoding_traits(s->e) & LOCANT_TRAIT_REAL;
    const int64_t shape[2] = { 1, n };
    struct lct_label label[DRAWS];
    locant_series series[DRAWS + 1];
    locant_figure f = lct_figures_begin(FIG_POSITIONS);
    double *x, *y;
    locant_status status = LOCANT_OK;

    LCT_TRY(lct_page_numbers(&x, (size_t)n * (DRAWS + 2)));
    y = x + n;
    for (int k = 0; k <= DRAWS && status == LOCANT_OK; k++) {
        double *row = y + k * n;
        locant_tensor ids =
            locant_dense(row, reals ? LOCANT_F64 : LOCANT_I64, 2, shape);

        status = locant_encoding_ids(&ids, s->e, (uint64_t)k + 1, k < DRAWS);
        for (int64_t t = 0; t < n; t++) {
            x[t] = (double)t;
            row[t] = reals ? row[t] : (double)((int64_t *)(void *)row)[t];
        }
        series[k] = (locant_series){ LCT_LABEL(MSG_EVALUATION),
                                     .n = (size_t)n,
                                     .x = x,
                                     .y = row,
                                     .color = k,
                                     .dashed = k == DRAWS };
        if (k < DRAWS) {
            lct_messages_number(&label[k], MSG_SEED, k + 1);
            series[k].label = label[k].en;
            series[k].label_zh = label[k].zh;
        }
    }
    f.series = series;
    f.n_series = DRAWS + 1;
    if (status == LOCANT_OK)
        status = lct_page_figure(h, s->r, FIG_POSITIONS, &f);
    locant_release(x);
    return status;
}

/* ------------------------------------------------------------------ mask */

/* Whether a head masks keys that the causal mask does not. */
static bool hides(const struct lct_look *look, int64_t head)
{
    const double *weight = look->weight + head * look->n * look->n;

    for (int64_t i = 0; i < look->n; i++)
        for (int64_t j = 0; j <= i; j++)
            if (!(weight[i * look->n + j] > 0))
                return true;
    return false;
}

static locant_status draw_head_mask(struct lct_html *h,
                                    const struct lct_subject *s,
                                    struct lct_look *look, int64_t head)
{
    double *cells = look->weight + head * look->n * look->n;
    const enum lct_figure_id id = head == 0 ? FIG_MASK : FIG_MASK_LAST;
    locant_figure f = lct_figures_begin(id);
    struct lct_label title;

    for (int64_t i = 0; i < look->n * look->n; i++)
        cells[i] = cells[i] > 0 ? 1 : i % look->n > i / look->n ? NAN : 0;
    lct_messages_number(&title, MSG_MASK_TITLE, (double)head);
    lct_figures_title_filled(&f, &title);
    f.cells = cells;
    f.rows = f.cols = look->n;
    return lct_page_figure(h, s->r, id, &f);
}

/* With queries and keys of 0, a weight of 0 means a masked key. */
static locant_status draw_mask(struct lct_html *h, const struct lct_subject *s,
                               int64_t n)
{
    const locant_tensor *params = lct_subject_params(s);
    int64_t last = s->r->heads - 1;
    struct lct_look look;
    locant_status status;

    if (!lct_page_wants(h, FIG_MASK) && !lct_page_wants(h, FIG_MASK_LAST))
        return LOCANT_OK;
    LCT_TRY(lct_page_look(&look, s, params, n, 1, true));
    status = hides(&look, 0) ? draw_head_mask(h, s, &look, 0) : LOCANT_OK;
    /* half of the heads may use shifted groups */
    if (status == LOCANT_OK && last > 0 && hides(&look, last))
        status = draw_head_mask(h, s, &look, last);
    lct_page_look_free(&look);
    return status;
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
    locant_status status;

    LCT_TRY(lct_page_numbers(&x, 2 * cells + (size_t)(n * s->r->heads)));
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
    status = locant_attention_reference(&out, &lse, &a);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[2 * cells + (size_t)(i * s->r->heads)];
    locant_release(x);
    return status;
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
    locant_series line = { .x = x, .y = y };
    locant_figure f = lct_figures_begin(FIG_TEMPERATURE);
    bool varies = false;

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
    line.n = (size_t)n;
    f.series = &line;
    f.n_series = 1;
    return !varies ? LOCANT_OK : lct_page_figure(h, s->r, FIG_TEMPERATURE, &f);
}

/* ------------------------------------------------------------------- all */

locant_status lct_draw_hooks(struct lct_html *h, const struct lct_subject *s)
{
    const unsigned doors = locant_encoding_doors(s->e);
    const unsigned traits = locant_encoding_traits(s->e);
    int64_t n = lct_subject_length(s, s->r->trained_length, TOKENS);
    locant_status status = LOCANT_OK;

    if (n < 2 || s->r->heads < 1 || s->r->width < s->r->heads)
        return LOCANT_OK;
    lct_html_raw(h, "<div class=\"grid\">\n");
    if (locant_encoding_chooses_positions(s->e))
        status = draw_positions(h, s, n);
    if (status == LOCANT_OK)
        status = draw_mask(h, s, n);
    /* if it reads content, the scores have no common factor */
    if (status == LOCANT_OK && !(doors & LOCANT_DOOR_CONTENT) &&
        !(traits & LOCANT_TRAIT_READS_X))
        status = draw_temperature(h, s);
    lct_html_raw(h, "</div>\n");
    return status;
}

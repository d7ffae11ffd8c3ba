/*
 * picture_terms.c - the four terms of Transformer-XL's scores (Dai et al. 2019,
 * arXiv:1901.02860, section 3.3), read from attention itself.  With u = v = 0,
 * only (b) is added to q.k; with the projection 0, only (c); with queries and
 * keys 0, only (d).
 */
#include "page.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEW = 16, MOST = 64, GAP = 1, ACROSS = 3 };
enum { PROJECTION, U, V, PARAMS };
enum { A, B, C, D, SUM, TERMS };

/* Initial values have a deviation of 0.02, too small to see beside q.k. */
static const float enlarged = 15;

static bool has_terms(const struct lct_subject *s)
{
    const locant_encoding_info *info = locant_encoding_info_of(s->e);

    return info && strcmp(info->name, "transformer-xl") == 0;
}

static int64_t numbers(const locant_tensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= t->shape[i];
    return n;
}

/* to[k] = copies of from[k] times 'scale', which the caller may change. */
static locant_status copy_params(locant_tensor to[PARAMS],
                                 const locant_tensor *from, float scale)
{
    for (int k = 0; k < PARAMS; k++)
        to[k] = from[k];
    for (int k = 0; k < PARAMS; k++)
        to[k].data = NULL;
    for (int k = 0; k < PARAMS; k++) {
        const int64_t n = numbers(&from[k]);
        const float *was = from[k].data;
        float *data = locant_alloc((size_t)n * sizeof *data);

        if (!data)
            return locant_fail(LOCANT_ERR_NOMEM,
                               "report: no memory for parameters");
        for (int64_t i = 0; i < n; i++)
            data[i] = scale * was[i];
        to[k].data = data;
    }
    return LOCANT_OK;
}

static void clear(locant_tensor *t)
{
    memset(t->data, 0, (size_t)numbers(t) * sizeof(float));
}

/* out [n, n] = what is added to the scores of one head; NAN if masked. 'plain',
   unless NULL, gets the scores of q and k without it. */
static locant_status read_head(double *out, double *plain,
                               const struct lct_subject *s,
                               const locant_tensor *params, int64_t n,
                               bool zero)
{
    const int64_t head = lct_subject_head(s, s->r->heads);
    struct lct_look look;

    LCT_TRY(lct_page_look(&look, s, params, n, lct_subject_seed(s), zero));
    for (int64_t i = 0; i < n * n; i++) {
        const bool hidden = i % n > i / n;

        out[i] = hidden ? NAN : look.added[head * n * n + i];
        if (plain)
            plain[i] = hidden ? NAN : look.plain[head * n * n + i];
    }
    lct_page_look_free(&look);
    return LOCANT_OK;
}

/* Reads the terms, then the scores, each [n, n]. */
static locant_status read_terms(double *out, const struct lct_subject *s,
                                int64_t n)
{
    const locant_tensor *own = lct_subject_params(s);
    const float scale = s->trained ? 1 : enlarged;
    const int64_t cells = n * n;
    locant_tensor part[PARAMS], whole[PARAMS] = { { .data = NULL } };
    locant_status status = copy_params(part, own, scale);

    if (status == LOCANT_OK)
        status = copy_params(whole, own, scale);
    if (status == LOCANT_OK) {
        clear(&part[U]);
        clear(&part[V]);
        status = read_head(out + B * cells, out + A * cells, s, part, n, false);
    }
    if (status == LOCANT_OK) {
        memcpy(part[U].data, whole[U].data,
               (size_t)numbers(&whole[U]) * sizeof(float));
        clear(&part[PROJECTION]);
        status = read_head(out + C * cells, NULL, s, part, n, false);
    }
    if (status == LOCANT_OK)
        status = read_head(out + D * cells, NULL, s, whole, n, true);
    if (status == LOCANT_OK)
        status = read_head(out + SUM * cells, NULL, s, whole, n, false);
    for (int64_t i = 0; i < cells && status == LOCANT_OK; i++)
        out[SUM * cells + i] += out[A * cells + i];
    for (int k = 0; k < PARAMS; k++) {
        locant_release(part[k].data);
        locant_release(whole[k].data);
    }
    return status;
}

/* A cell of the tiles [a, b, a + b; c, d, c + d; a + c, b + d, score]. */
static double tile(const double *terms, int64_t n, int64_t down, int64_t across,
                   int64_t i)
{
    const double *at = terms + i;
    const int64_t cells = n * n;

    if (down == 2 && across == 2)
        return at[SUM * cells];
    if (down == 2)
        return at[(across == 0 ? A : B) * cells] +
               at[(across == 0 ? C : D) * cells];
    if (across == 2)
        return at[(down == 0 ? A : C) * cells] +
               at[(down == 0 ? B : D) * cells];
    return at[(2 * down + across) * cells];
}

static double mean_square_root(const double *cells, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n * n; i++)
        sum += isnan(cells[i]) ? 0 : cells[i] * cells[i];
    return sqrt(sum / (double)(n * (n + 1) / 2));
}

static locant_status show(struct lct_html *h, const struct lct_subject *s,
                          const double *cells, const double *terms, int64_t n)
{
    locant_figure f = lct_figures_begin(FIG_TERMS);
    struct lct_label title;
    char size[4][24];
    const char *const text[] = { size[A], size[B], size[C], size[D] };

    for (int k = A; k <= D; k++)
        snprintf(size[k], sizeof size[k], "%.2f",
                 mean_square_root(terms + k * n * n, n));
    lct_messages_number(&title, MSG_TERMS_TITLE,
                        (double)lct_subject_head(s, s->r->heads));
    lct_figures_title_filled(&f, &title);
    f.cells = cells;
    f.rows = f.cols = ACROSS * (n + GAP) - GAP;
    f.x_step = f.y_step = 1. / (double)(n + GAP); /* 1 to 3 at the centres */
    f.x_first = f.y_first = 1 - (double)(n - 1) * f.x_step / 2;
    return lct_page_figure_with(h, s->r, FIG_TERMS, &f,
                                s->trained ? MSG_NONE : MSG_TERMS_CAPTION_FRESH,
                                text, NULL);
}

locant_status lct_draw_terms(struct lct_html *h, const struct lct_subject *s)
{
    const int64_t n = lct_subject_length(s, FEW, FEW) < MOST
                          ? lct_subject_length(s, FEW, FEW)
                          : MOST;
    const int64_t side = ACROSS * (n + GAP) - GAP, step = n + GAP;
    double *terms, *cells;
    locant_status status;

    if (!lct_page_wants(h, FIG_TERMS) || !has_terms(s) || !s->initial)
        return LOCANT_OK;
    LCT_TRY(lct_page_numbers(&terms, (size_t)(TERMS * n * n + side * side)));
    cells = terms + TERMS * n * n;
    status = read_terms(terms, s, n);
    for (int64_t i = 0; i < side && status == LOCANT_OK; i++)
        for (int64_t j = 0; j < side; j++)
            cells[i * side + j] = i % step == n || j % step == n
                                      ? NAN
                                      : tile(terms, n, i / step, j / step,
                                             i % step * n + j % step);
    if (status == LOCANT_OK)
        status = show(h, s, cells, terms, n);
    locant_release(terms);
    return status;
}

/*
 * picture_terms.c - the four terms of Transformer-XL's scores (Dai et al. 2019,
 * arXiv:1901.02860, section 3.3), read from attention itself.  With u = v = 0,
 * only (b) is added to q.k; with the projection 0, only (c); with queries and
 * keys 0, only (d).
 */
#include "page.h"
#include "weights.h"
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

static int64_t elements(const locant_tensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= t->shape[i];
    return n;
}

/* to[k] = copies of the parameters times 'scale', which the caller may
   change. */
static locant_status copy_params(locant_tensor to[PARAMS],
                                 const struct lct_subject *s, float scale)
{
    const locant_tensor *from = lct_subject_params(s);

    for (int k = 0; k < PARAMS; k++) {
        const int64_t n = elements(&from[k]);
        const float *was = from[k].data;
        double *room;
        float *data;

        LCT_TRY(lct_subject_numbers(&room, s, (size_t)(n + 1) / 2));
        data = (float *)(void *)room;
        for (int64_t i = 0; i < n; i++)
            data[i] = scale * was[i];
        to[k] = from[k];
        to[k].data = data;
    }
    return LOCANT_OK;
}

static void clear(locant_tensor *t)
{
    memset(t->data, 0, (size_t)elements(t) * sizeof(float));
}

/* out [n, n] = what is added to the scores of one head; NAN if masked. 'plain',
   unless NULL, gets the scores of q and k without it. */
static locant_status read_head(double *out, double *plain,
                               const struct lct_subject *s,
                               const locant_tensor *params, int64_t n,
                               bool zero)
{
    const struct lct_weights_query query = { .n = n,
                                             .seed = lct_subject_seed(s),
                                             .zero = zero };
    const int64_t head = lct_subject_head(s, s->r->heads);
    struct lct_weights w;

    LCT_TRY(lct_weights_measure(&w, s, params, &query));
    for (int64_t i = 0; i < n * n; i++) {
        const bool masked = i % n > i / n;

        out[i] = masked ? NAN : w.added[head * n * n + i];
        if (plain)
            plain[i] = masked ? NAN : w.plain[head * n * n + i];
    }
    return LOCANT_OK;
}

/* Reads the terms, then the scores, each [n, n]. */
static locant_status read_terms(double *out, const struct lct_subject *s,
                                int64_t n)
{
    const float scale = s->trained ? 1 : enlarged;
    const int64_t cells = n * n;
    locant_tensor part[PARAMS], whole[PARAMS];

    LCT_TRY(copy_params(part, s, scale));
    LCT_TRY(copy_params(whole, s, scale));
    clear(&part[U]);
    clear(&part[V]);
    LCT_TRY(read_head(out + B * cells, out + A * cells, s, part, n, false));
    part[U] = whole[U];
    clear(&part[PROJECTION]);
    LCT_TRY(read_head(out + C * cells, NULL, s, part, n, false));
    LCT_TRY(read_head(out + D * cells, NULL, s, whole, n, true));
    LCT_TRY(read_head(out + SUM * cells, NULL, s, whole, n, false));
    for (int64_t i = 0; i < cells; i++)
        out[SUM * cells + i] += out[A * cells + i];
    return LOCANT_OK;
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

static double root_mean_square(const double *cells, int64_t n)
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
                 root_mean_square(terms + k * n * n, n));
    lct_messages_number(&title, MSG_TERMS_TITLE,
                        (double)lct_subject_head(s, s->r->heads));
    lct_figures_title_filled(&f, &title);
    lct_figures_map(&f, cells, ACROSS * (n + GAP) - GAP,
                    ACROSS * (n + GAP) - GAP);
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

    if (!has_terms(s) || !s->initial)
        return LOCANT_OK;
    LCT_TRY(
        lct_subject_numbers(&terms, s, (size_t)(TERMS * n * n + side * side)));
    cells = terms + TERMS * n * n;
    LCT_TRY(read_terms(terms, s, n));
    for (int64_t i = 0; i < side; i++)
        for (int64_t j = 0; j < side; j++)
            cells[i * side + j] = i % step == n || j % step == n
                                      ? NAN
                                      : tile(terms, n, i / step, j / step,
                                             i % step * n + j % step);
    return show(h, s, cells, terms, n);
}

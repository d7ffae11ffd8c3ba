/*
 * picture_order.c - pictures for every encoding: attention weights in numbers,
 * and how they change if the tokens are shuffled.
 */
#include "page.h"
#include "weights.h"
#include <math.h>
#include <stdio.h>

enum { FEW = 8, MOST = 128 };

static int64_t tokens_of(const struct lct_subject *s)
{
    const int64_t n = lct_subject_length(s, FEW, FEW);

    return n < MOST ? n : MOST;
}

/* ----------------------------------------------------------------- weights */

/* Means over rows: entropy, entropy of equal weights, diagonal weight. */
static void sum_up(double sum[3], const double *weight, int64_t n)
{
    sum[0] = sum[1] = sum[2] = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double w = weight[i * n + j];

            sum[0] -= w > 0 ? w * log(w) / (double)n : 0;
        }
        sum[1] += log((double)(i + 1)) / (double)n;
        sum[2] += weight[i * n + i] / (double)n;
    }
}

static locant_status show_attention(struct lct_html *h,
                                    const struct lct_subject *s,
                                    const double *cells, int64_t n,
                                    int64_t head, const double sum[3])
{
    const bool input = locant_encoding_doors(s->e) & LOCANT_DOOR_INPUT;
    locant_figure f = lct_figures_begin(FIG_ATTENTION);
    struct lct_label title;
    char number[3][24];
    const char *const text[] = { number[0], number[1], number[2] };

    for (int i = 0; i < 3; i++)
        snprintf(number[i], sizeof number[i], "%.2f", sum[i]);
    lct_messages_number(&title, MSG_ATTENTION_TITLE, (double)head);
    lct_figures_title_filled(&f, &title);
    lct_figures_map(&f, cells, n, n);
    return lct_page_figure_with(h, s->r, FIG_ATTENTION, &f,
                                input ? MSG_ATTENTION_CAPTION_INPUT : MSG_NONE,
                                text, NULL);
}

static locant_status draw_attention(struct lct_html *h,
                                    const struct lct_subject *s)
{
    const int64_t n = tokens_of(s), head = lct_subject_head(s, s->r->heads);
    const struct lct_weights_query query = { .n = n,
                                             .seed = lct_subject_seed(s) };
    struct lct_weights w;
    double *cells, sum[3];

    LCT_TRY(lct_weights_measure(&w, s, lct_subject_params(s), &query));
    cells = w.weight + head * n * n;
    sum_up(sum, cells, n);
    for (int64_t i = 0; i < n * n; i++)
        if (i % n > i / n)
            cells[i] = NAN;
    return show_attention(h, s, cells, n, head, sum);
}

/* ------------------------------------------------------------- permutation */

/* A random permutation of 0 .. n - 1 (Fisher, Yates). */
static void shuffle(int64_t *order, int64_t n, uint64_t seed)
{
    locant_random r = { .seed = seed, .stream = 9 };

    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)(locant_random_uniform(&r) * (double)(i + 1));
        int64_t held = order[i];

        order[i] = order[j];
        order[j] = held;
    }
}

/* Reordering a sum of a few hundred doubles near 1 changes it by at most
   1e-13. */
static const double rounding = 1e-12;

/* cells = after - before, 0 within rounding; returns the largest change. */
static double changes(double *cells, const double *after, const double *before,
                      int64_t n)
{
    double most = 0;

    for (int64_t i = 0; i < n * n; i++) {
        cells[i] = after[i] - before[i];
        most = fmax(most, fabs(cells[i]));
    }
    for (int64_t i = 0; i < n * n; i++)
        cells[i] = fabs(cells[i]) < rounding ? 0 : cells[i];
    return most;
}

static locant_status show_changes(struct lct_html *h,
                                  const struct lct_subject *s,
                                  const double *cells, int64_t n, double most)
{
    locant_figure f = lct_figures_begin(FIG_PERMUTATION);
    const bool same = most < rounding;
    char number[24];
    const char *const text[] = { number };

    snprintf(number, sizeof number, "%.4g", same ? rounding : most);
    lct_figures_map(&f, cells, n, n);
    return lct_page_figure_with(h, s->r, FIG_PERMUTATION, &f,
                                same ? MSG_PERMUTATION_CAPTION_NONE : MSG_NONE,
                                text, NULL);
}

static locant_status draw_permutation(struct lct_html *h,
                                      const struct lct_subject *s)
{
    const locant_tensor *params = lct_subject_params(s);
    const int64_t head = lct_subject_head(s, s->r->heads);
    const int64_t n = tokens_of(s) < FEW ? tokens_of(s) : FEW;
    struct lct_weights_query query = { .n = n,
                                       .seed = lct_subject_seed(s),
                                       .unmasked = true };
    struct lct_weights before, after;
    int64_t order[FEW];
    double *cells, most;

    if (locant_encoding_traits(s->e) & LOCANT_TRAIT_CAUSAL)
        return LOCANT_OK;
    shuffle(order, n, lct_subject_seed(s));
    LCT_TRY(lct_weights_measure(&before, s, params, &query));
    query.order = order;
    LCT_TRY(lct_weights_measure(&after, s, params, &query));
    cells = after.added; /* not needed here: room for the changes */
    most = changes(cells, after.weight + head * n * n,
                   before.weight + head * n * n, n);
    return show_changes(h, s, cells, n, most);
}

locant_status lct_draw_order(struct lct_html *h, const struct lct_subject *s)
{
    static const struct lct_picture list[] = {
        { FIG_ATTENTION, FIG_ATTENTION, draw_attention },
        { FIG_PERMUTATION, FIG_PERMUTATION, draw_permutation },
    };

    if (tokens_of(s) < 2 || s->r->heads < 1 || s->r->width < s->r->heads)
        return LOCANT_OK;
    return lct_subject_draw(h, s, list, sizeof list / sizeof list[0]);
}

/* lines.c - the lines of one figure and their memory */
#include "lines.h"
#include "../core/size.h"
#include "../figure/figure.h"
#include <math.h>

static void *allocate_array(size_t n, size_t each)
{
    size_t bytes;

    return lct_mul(&bytes, n ? n : 1, each) ? locant_alloc(bytes) : NULL;
}

locant_status lct_lines_make(struct lct_lines *l, size_t series, size_t labels,
                             size_t numbers)
{
    *l = (struct lct_lines){ .n = 0 };
    LCT_TRY(lct_page_allocate(&l->numbers, numbers));
    l->series = allocate_array(series, sizeof *l->series);
    l->labels = allocate_array(labels, sizeof *l->labels);
    if (l->series && l->labels)
        return LOCANT_OK;
    lct_lines_free(l);
    return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for %zu lines",
                       series);
}

void lct_lines_free(struct lct_lines *l)
{
    locant_release(l->series);
    locant_release(l->labels);
    locant_release(l->numbers);
    *l = (struct lct_lines){ .n = 0 };
}

double *lct_lines_take(struct lct_lines *l, size_t n)
{
    l->n_numbers += n;
    return l->numbers + l->n_numbers - n;
}

/* Solid in the first round of colours; after that never dash 1, which reference
   lines use. */
static int dash_of(size_t group)
{
    const size_t round = group / LCT_GREY;

    return round == 0 ? 0 : 2 + (int)((round - 1) % (LCT_DASHES - 2));
}

locant_series *lct_lines_add(struct lct_lines *l, size_t n, size_t group)
{
    double *x = lct_lines_take(l, 2 * n);

    l->series[l->n] = (locant_series){ .n = n,
                                       .x = x,
                                       .y = x + n,
                                       .color = (int)(group % LCT_GREY),
                                       .dashed = dash_of(group) };
    return &l->series[l->n++];
}

double *lct_lines_points(struct lct_lines *l, const locant_series *s)
{
    return l->numbers + (s->x - l->numbers);
}

locant_series *lct_lines_losses(struct lct_lines *l,
                                const struct lct_results *r, size_t i,
                                const char *part)
{
    locant_series *s = lct_lines_add(l, LOCANT_EVAL_LENGTHS, i);
    double *x = lct_lines_points(l, s), *y = x + LOCANT_EVAL_LENGTHS;

    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
        const long long length = lct_length(r, k);

        x[k] = (double)length;
        y[k] = lct_page_value(r, "rows.%zu.%s.%lld.mean", i, part, length);
    }
    s->marks = 1;
    return s;
}

locant_series *lct_lines_grey(struct lct_lines *l, size_t n)
{
    locant_series *s = lct_lines_add(l, n, 0);

    s->color = LCT_GREY;
    s->dashed = 1;
    return s;
}

void lct_lines_dashed(struct lct_lines *l, double x, enum lct_message label)
{
    double *point = lct_lines_take(l, 2);

    point[0] = x;
    point[1] = NAN; /* draws nothing */
    l->series[l->n++] =
        (locant_series){ LCT_LABEL(label), .n = 1,      .x = point,
                         .y = point + 1,   .dashed = 1, .color = LCT_GREY };
}

void lct_lines_name(struct lct_lines *l, enum lct_message id)
{
    l->series[l->n - 1].label = lct_messages_text(id, LCT_EN);
    l->series[l->n - 1].label_zh = lct_messages_text(id, LCT_ZH);
}

void lct_lines_label(struct lct_lines *l, enum lct_message id, const char *text)
{
    struct lct_label *label = &l->labels[l->n_labels++];

    lct_messages_label(label, id, &text);
    lct_figures_label(&l->series[l->n - 1], label);
}

void lct_lines_number(struct lct_lines *l, enum lct_message id, double value)
{
    struct lct_label *label = &l->labels[l->n_labels++];

    lct_messages_number(label, id, value);
    lct_figures_label(&l->series[l->n - 1], label);
}

bool lct_lines_defined(const struct lct_lines *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (!lct_page_all_missing(l->series[i].y, l->series[i].n))
            return true;
    return false;
}

locant_figure lct_lines_figure(const struct lct_lines *l, enum lct_figure_id id)
{
    locant_figure f = lct_figures_begin(id);

    lct_figures_lines(&f, l->series, l->n);
    return f;
}

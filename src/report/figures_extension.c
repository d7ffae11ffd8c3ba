/*
 * figures_extension.c - reading beyond the trained length, drawn from the
 * numbers of the document alone.
 */
#include "page_extension.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A document of another build may have more: that is not drawn. */
static int at_most(int n, int most)
{
    return n < most ? n : most;
}

int lct_page_extension_rows(const struct lct_results *r, const char *list)
{
    const json_t *all = json_object_get(r->numbers, "extension");

    return (int)json_array_size(json_object_get(all, list));
}

const char *lct_page_extension_text(const struct lct_results *r,
                                    const char *list, int i, const char *key)
{
    char path[96];

    snprintf(path, sizeof path, "extension.%s.%d.%s", list, i, key);
    return json_string_value(lct_numbers_at(r->numbers, path));
}

int64_t lct_page_extension_length(int f)
{
    return lct_extension_factor(f) * LCT_EXT_TRAINED;
}

enum { MOST = 24, POINTS = LCT_EXT_BUCKETS };

struct lines {
    locant_series series[MOST];
    double x[MOST][POINTS], y[MOST][POINTS], low[MOST][LCT_EXT_FACTORS],
        high[MOST][LCT_EXT_FACTORS];
    size_t n;
};

static locant_series *add(struct lines *l, const char *label, size_t points)
{
    const size_t i = l->n++;

    l->series[i] = (locant_series){.label = label, .n = points, .x = l->x[i],
                                   .y = l->y[i], .color = (int)(i % 9),
                                   .dashed = (int)(i / 9) * 3};
    return &l->series[i];
}

static int factors_of(const struct lct_results *r)
{
    return at_most(lct_page_extension_rows(r, "lengths"), LCT_EXT_FACTORS);
}

/* Loss, or share of needles, of each row by length. */
static void add_rows(struct lines *l, const struct lct_results *r,
                     const char *list, bool needle)
{
    const int n = at_most(lct_page_extension_rows(r, list), MOST);
    const int factors = factors_of(r);

    for (int i = 0; i < n; i++) {
        const size_t at = l->n;
        locant_series *s = add(l, lct_page_extension_text(r, list, i, "title"),
                               (size_t)factors);

        s->marks = 1;
        if (!needle) {
            s->low = l->low[at];
            s->high = l->high[at];
        }
        for (int f = 0; f < factors; f++) {
            char path[96];

            snprintf(path, sizeof path, "extension.%s.%d.%s.%" PRId64, list, i,
                     needle ? "needle" : "loss", lct_page_extension_length(f));
            l->x[at][f] = (double)lct_page_extension_length(f);
            l->y[at][f] =
                needle ? 100 * lct_page_value(r, "%s.share", path)
                       : lct_page_value(r, "%s.mean", path);
            l->low[at][f] = lct_page_value(r, "%s.low", path);
            l->high[at][f] = lct_page_value(r, "%s.high", path);
        }
    }
}

/* Cropping has no positions: it reads windows. */
static void add_positions(struct lines *l, const struct lct_results *r)
{
    const int rows = at_most(lct_page_extension_rows(r, "methods"), MOST);
    const int64_t n = lct_page_extension_length(factors_of(r) - 1) /
                      LCT_EXT_BUCKET;

    for (int i = 0; i < rows; i++) {
        const size_t at = l->n;

        if (isnan(lct_page_value(r, "extension.methods.%d.position.0", i)))
            continue;
        add(l, lct_page_extension_text(r, "methods", i, "title"), (size_t)n);
        for (int64_t k = 0; k < n; k++) {
            l->x[at][k] = ((double)k + .5) * LCT_EXT_BUCKET;
            l->y[at][k] = lct_page_value(
                r, "extension.methods.%d.position.%" PRId64, i, k);
        }
    }
}

/* Where every run failed there is none. */
static bool has_value(const struct lines *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (!lct_page_all_missing(l->y[i], l->series[i].n))
            return true;
    return false;
}

static locant_status put(struct lct_html *h, const struct lct_results *r,
                         struct lines *l, const char *const text[5])
{
    locant_mark mark = lct_trained_mark(r);
    locant_figure f = LOCANT_FIGURE_INIT;

    if (!has_value(l))
        return LOCANT_OK;
    mark.x = LCT_EXT_TRAINED;
    f.name = text[0];
    f.title = text[1];
    f.x_label = strstr(text[0], "position") ? "position (bytes from the start)"
                                            : "context length (bytes)";
    f.y_label = text[2];
    f.width = 760;
    f.height = 460;
    f.log_x = strstr(text[0], "position") == NULL;
    if (strstr(text[0], "needle")) {
        f.y_min = -2;
        f.y_max = 102;
    }
    f.series = l->series;
    f.n_series = l->n;
    f.marks = &mark;
    f.n_marks = 1;
    return lct_page_figure(h, r, &f, text[3], text[4], 0);
}

static const char *const zero_shot[5] = {
    "extension", "Loss beyond the trained length, zero-shot",
    "loss (bits/byte)",
    "Loss on the same targets by context length, a line for each method.",
    "Loss on the same targets by what the model is given, with 95 % intervals. "
    "Crop is the same at every length. On this corpus, with the models named "
    "above."
};
static const char *const after[5] = {
    "extension-tuned", "Loss beyond the trained length, fine-tuned",
    "loss (bits/byte)",
    "Loss on the same targets by context length after a short fine-tune.",
    "The same after a short fine-tune for four times the trained length."
};
static const char *const by_position[5] = {
    "extension-position", "Loss by position, zero-shot", "loss (bits/byte)",
    "Loss by position in the longest texts, a line for each method.",
    "Mean loss of the longest texts, by position in buckets."
};
static const char *const needles[5] = {
    "extension-needle", "Needles found, zero-shot", "needles found (per cent)",
    "Share of needles found by length of the text, a line for each method.",
    "Needles found, of all depths."
};
static const char *const needles_after[5] = {
    "extension-needle-tuned", "Needles found, fine-tuned",
    "needles found (per cent)",
    "Share of needles found by length of the text, a line for each method.",
    "Needles found, of all depths."
};

static locant_status figures(struct lct_html *h, const struct lct_results *r,
                             struct lines *l)
{
    if (factors_of(r) == 0)
        return LOCANT_OK;
    add_rows(l, r, "methods", false);
    LCT_TRY(put(h, r, l, zero_shot));
    l->n = 0;
    add_rows(l, r, "tuned", false);
    LCT_TRY(put(h, r, l, after));
    l->n = 0;
    add_positions(l, r);
    LCT_TRY(put(h, r, l, by_position));
    l->n = 0;
    add_rows(l, r, "methods", true);
    LCT_TRY(put(h, r, l, needles));
    l->n = 0;
    add_rows(l, r, "tuned", true);
    return put(h, r, l, needles_after);
}

locant_status lct_page_extension_figures(struct lct_html *h,
                                         const struct lct_results *r)
{
    struct lines *l = locant_alloc(sizeof *l);
    locant_status status;

    if (l == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for figures");
    status = figures(h, r, l);
    locant_release(l);
    return status;
}

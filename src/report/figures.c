/* figures.c - the fixed properties of each figure, from figures.def */
#include "figures.h"

/* clang-format off */
const struct lct_figure_row lct_figures[LCT_FIGURES] = {
#define LCT_FIGURE(id, name, of, title, title_zh, kind, width, height, flags, \
                   x_label, y_label, origin)                                  \
    { { name, of, title, title_zh }, LOCANT_FIGURE_##kind, width, height,     \
      flags, MSG_##x_label, MSG_##y_label, MSG_##id##_TITLE, MSG_##id##_ALT,  \
      MSG_##id##_CAPTION, origin },
#include "figures.def"
#undef LCT_FIGURE
};
/* clang-format on */

const locant_figure_info *locant_figure_at(int i)
{
    return i >= 0 && i < LCT_FIGURES ? &lct_figures[i].info : NULL;
}

void lct_figures_lines(locant_figure *f, const locant_series *series, size_t n)
{
    f->series = series;
    f->n_series = n;
}

void lct_figures_map(locant_figure *f, const double *cells, int64_t rows,
                     int64_t cols)
{
    f->cells = cells;
    f->rows = rows;
    f->cols = cols;
}

locant_series lct_figures_line(enum lct_message label, int64_t n,
                               const double *x, const double *y, int color)
{
    return (locant_series){ LCT_LABEL(label), .n = (size_t)n, .x = x, .y = y,
                            .color = color };
}

void lct_figures_label(locant_series *line, const struct lct_label *label)
{
    line->label = label->en;
    line->label_zh = label->zh;
}

void lct_figures_marks(locant_figure *f, const locant_mark *marks, size_t n)
{
    f->marks = marks;
    f->n_marks = n;
}

void lct_figures_title(locant_figure *f, enum lct_message title)
{
    f->title = lct_messages_text(title, LCT_EN);
    f->title_zh = lct_messages_text(title, LCT_ZH);
}

void lct_figures_title_filled(locant_figure *f, const struct lct_label *title)
{
    f->title = title->en;
    f->title_zh = title->zh;
}

locant_figure lct_figures_begin(enum lct_figure_id id)
{
    const struct lct_figure_row *row = &lct_figures[id];
    locant_figure f = LOCANT_FIGURE_INIT;

    f.name = row->info.name;
    f.kind = row->kind;
    f.width = row->width;
    f.height = row->height;
    f.log_x = (row->flags & LCT_LOG_X) != 0;
    f.diverging = (row->flags & LCT_DIVERGING) != 0;
    f.numbers = (row->flags & LCT_CELL_NUMBERS) != 0;
    lct_figures_title(&f, row->title);
    f.x_label = lct_messages_text(row->x_label, LCT_EN);
    f.x_label_zh = lct_messages_text(row->x_label, LCT_ZH);
    f.y_label = lct_messages_text(row->y_label, LCT_EN);
    f.y_label_zh = lct_messages_text(row->y_label, LCT_ZH);
    return f;
}

/* canvas.c - drawing operations that all kinds of document share */
#include "figure.h"

void lct_text_draw(struct lct_canvas *c, double x, double y, const char *text,
                   const struct lct_text *style)
{
    if (text && *text)
        c->ops->text(c->to, x, y, text, style);
}

/* The width of the wider language, because the page shows either. */
double lct_text_width(struct lct_canvas *c, const char *text,
                      const struct lct_text *style)
{
    double width = c->ops->text_width(c->to, text, style);
    double other = style->zh ? c->ops->text_width(c->to, style->zh, style) : 0;

    return other > width ? other : width;
}

void lct_series(struct lct_canvas *c, int i)
{
    if (c->ops->series)
        c->ops->series(c->to, i);
}

void lct_segment(struct lct_canvas *c, double x0, double y0, double x1,
                 double y1)
{
    c->ops->move(c->to, x0, y0);
    c->ops->line(c->to, x1, y1);
}

void lct_line(struct lct_canvas *c, double x0, double y0, double x1, double y1,
              const struct lct_pen *pen)
{
    lct_segment(c, x0, y0, x1, y1);
    c->ops->stroke(c->to, pen);
}

void lct_outline(struct lct_canvas *c, const struct lct_box *box)
{
    double right = box->x + box->width, bottom = box->y + box->height;

    c->ops->move(c->to, box->x, box->y);
    c->ops->line(c->to, right, box->y);
    c->ops->line(c->to, right, bottom);
    c->ops->line(c->to, box->x, bottom);
    c->ops->close(c->to);
}

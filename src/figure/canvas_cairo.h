/* canvas_cairo.h - documents of outlines: SVG, PNG, PDF, by cairo and pango */
#ifndef LCT_FIGURE_CAIRO_H
#define LCT_FIGURE_CAIRO_H
#include "figure.h"
#include <pango/pangocairo.h>

struct lct_cairo {
    cairo_t *cr;
    PangoLayout *layout;
};

/* For a canvas whose 'to' is a struct lct_cairo. */
extern const struct lct_ops lct_cairo_ops;
#endif

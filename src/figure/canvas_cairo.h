/* canvas_cairo.h - the canvas of SVG, PNG and PDF, by cairo and pango */
#ifndef LCT_FIGURE_CAIRO_H
#define LCT_FIGURE_CAIRO_H
#include "drawing.h"
#include "figure.h"

struct lct_cairo {
    const struct lct_drawing *lib;
    cairo_t *cr;
    PangoLayout *layout;
    bool failed;    /* there was no memory for a text */
    bool no_glyphs; /* a text has characters that no font has */
};

/* For a canvas whose 'to' points to a struct lct_cairo. */
extern const struct lct_ops lct_cairo_ops;
#endif

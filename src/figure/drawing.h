/* drawing.h - cairo and pango, loaded when the first figure is drawn */
#ifndef LCT_DRAWING_H
#define LCT_DRAWING_H
#include "../core/error.h"
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <pango/pangocairo.h>

/* A pointer to each function, under the function's name. */
struct lct_drawing {
#define LCT_DRAWING(name) __typeof__(name) *name;
#include "drawing.def"
#undef LCT_DRAWING
};

/* Errors: IO if this machine lacks the libraries, NOMEM. */
locant_status lct_drawing_load(const struct lct_drawing **out, const char *fn);
#endif

/* drawing.c - loads cairo and pango when the first figure is drawn */
#include "drawing.h"
#include "../files/shared.h"

static struct lct_drawing drawing;

static const struct lct_symbol symbols[] = {
#define LCT_DRAWING(name) { #name, offsetof(struct lct_drawing, name) },
#include "drawing.def"
#undef LCT_DRAWING
};

/* pangocairo is linked to cairo, pango and GLib, so it loads them, too. */
static struct lct_shared library = { "drawings need pango and cairo",
                                     { "libpangocairo-1.0.so.0" },
                                     symbols,
                                     sizeof symbols / sizeof symbols[0],
                                     &drawing,
                                     0 };

locant_status lct_drawing_load(const struct lct_drawing **out, const char *fn)
{
    LCT_TRY(lct_shared_load(&library, fn));
    *out = &drawing;
    return LOCANT_OK;
}

/* kinds.c - draws a figure of any kind */
#include "figure.h"

locant_status lct_figure_draw(struct lct_canvas *c, const locant_figure *f)
{
    double top = lct_title_draw(c, f);

    switch (f->kind) {
    case LOCANT_FIGURE_CURVES: return lct_draw_curves(c, f, top);
    case LOCANT_FIGURE_HEATMAP: return lct_draw_heatmap(c, f, top);
    case LOCANT_FIGURE_PANELS: return lct_draw_panels(c, f, top);
    case LOCANT_FIGURE_BARS:
    case LOCANT_FIGURE_STRIPS:
    case LOCANT_FIGURE_POINTS: return lct_draw_rows(c, f, top);
    }
    return LOCANT_OK;
}

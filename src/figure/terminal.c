/* terminal.c - figures as text, drawn by terminal_plot.c and terminal_rows.c */
#include "terminal.h"

static void put_title(struct lct_screen *s, const char *title)
{
    if (!title || !*title)
        return;
    lct_screen_raw(s, lct_screen_pick(s, "", "\x1b[1m"));
    lct_screen_text(s, title, s->columns, 0);
    lct_screen_raw(s, lct_screen_pick(s, "\n", "\x1b[0m\n"));
}

/* Below each other; the scale, which all share, once. */
static locant_status draw_panels(struct lct_screen *s, const locant_figure *f)
{
    const struct lct_scale m = lct_scale_of(f);

    for (size_t i = 0; i < f->n_panels; i++) {
        locant_figure panel = lct_panel(f, i, &m);

        panel.x_label = panel.x_label ? panel.x_label : f->x_label;
        panel.y_label = panel.y_label ? panel.y_label : f->y_label;
        put_title(s, panel.title);
        LCT_TRY(lct_terminal_cells(s, &panel, &m));
        lct_terminal_pooled(s, &panel);
        locant_release(s->pixels);
        s->pixels = NULL;
    }
    lct_terminal_scale(s, &m);
    lct_screen_raw(s, "\n");
    return LOCANT_OK;
}

static locant_status draw(struct lct_screen *s, const locant_figure *f)
{
    put_title(s, f->title);
    switch (f->kind) {
    case LOCANT_FIGURE_CURVES: return lct_terminal_curves(s, f);
    case LOCANT_FIGURE_HEATMAP: return lct_terminal_map(s, f);
    case LOCANT_FIGURE_PANELS: return draw_panels(s, f);
    case LOCANT_FIGURE_BARS:
    case LOCANT_FIGURE_STRIPS:
    case LOCANT_FIGURE_POINTS: lct_terminal_rows(s, f);
    }
    return LOCANT_OK;
}

locant_status locant_figure_terminal(char **out, size_t *size,
                                     const locant_figure *figure, int columns,
                                     locant_terminal colors)
{
    static const char fn[] = "locant_figure_terminal";
    struct lct_html h = { .data = NULL };
    const bool plain = colors == LOCANT_TERMINAL_PLAIN;
    struct lct_screen s = { .h = &h,
                            .colors = plain ? LOCANT_TERMINAL_ASCII : colors,
                            .utf8 = plain,
                            .columns = columns };
    locant_status status;

    LCT_NOT_NULL(fn, out);
    LCT_NOT_NULL(fn, size);
    if (columns < 40 || columns > 1000)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %d columns, expected 40 to 1000", fn, columns);
    if ((int)colors < 0 || colors > LOCANT_TERMINAL_PLAIN)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: colors is %d, expected 0 to 4", fn,
                           (int)colors);
    LCT_TRY(lct_figure_check(fn, figure));
    s.per_line = s.colors == LOCANT_TERMINAL_ASCII ? 1 : 2;
    status = draw(&s, figure);
    locant_release(s.pixels);
    return lct_html_finish(out, size, &h, status);
}

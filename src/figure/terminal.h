/* terminal.h - what the kinds share when they are drawn as text */
#ifndef LCT_TERMINAL_H
#define LCT_TERMINAL_H
#include "data.h"

/*
 * Pixels: 0 is empty; with colours 1 << 24 | rgb, or LCT_PLAIN for the
 * reader's own; without, the character itself.
 */
enum { LCT_COLORED = 1 << 24, LCT_PLAIN = 1 << 25 };

struct lct_screen {
    struct lct_html *h;
    locant_terminal colors;
    int columns;
    int width, height;   /* of the picture, in pixels */
    int per_line;        /* pixels one above the other in a line: 2, or 1 */
    uint32_t *pixels;    /* [height, width] */
    uint32_t fg, bg;     /* the present colours of the terminal */
};

/* Text of the file's, not ours: no control characters; at most 'most' columns
   (0: any), padded to 'least'.  Returns the columns it took. */
int lct_screen_text(struct lct_screen *s, const char *text, int most,
                    int least);
int lct_screen_width(const struct lct_screen *s, const char *text);
void lct_screen_raw(struct lct_screen *s, const char *text);
void lct_screen_spaces(struct lct_screen *s, int n);
/* Characters in the colour of series i of the figure. */
void lct_screen_colored(struct lct_screen *s, int color, const char *text);
/* One line of text: pixels of it, without what is empty at its end. */
void lct_screen_line(struct lct_screen *s, int line);
void lct_screen_reset(struct lct_screen *s);
/* What stands for a colour where there are none. */
char lct_screen_glyph(int color);
uint32_t lct_screen_color(const struct lct_screen *s, int color);

locant_status lct_terminal_map(struct lct_screen *s, const locant_figure *f);
locant_status lct_terminal_curves(struct lct_screen *s, const locant_figure *f);
void lct_terminal_rows(struct lct_screen *s, const locant_figure *f);
#endif

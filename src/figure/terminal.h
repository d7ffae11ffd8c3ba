/* terminal.h - functions that all kinds share when drawn as text */
#ifndef LCT_TERMINAL_H
#define LCT_TERMINAL_H
#include "data.h"

/*
 * A pixel is 0 if empty.  With colours it is LCT_COLORED | 0xRRGGBB, or
 * LCT_PLAIN for the terminal's default; without colours it is the character
 * itself.
 */
enum { LCT_COLORED = 1 << 24, LCT_PLAIN = 1 << 25 };

struct lct_screen {
    struct lct_html *h;
    locant_terminal colors; /* PLAIN is kept as ASCII and utf8 */
    bool utf8;              /* texts of a terminal without colours */
    int columns;            /* of the terminal */
    int width, height;      /* of the picture, in pixels */
    int per_line;           /* pixels per line of text, vertically: 2 or 1 */
    uint32_t *pixels;       /* [height, width] */
    uint32_t fg, bg;        /* colours last set on the terminal */
};

/* Print text that may hold anything: control characters are replaced.  It takes
   at most 'most' columns (0: any) and is padded to 'least'.  Returns its
   columns. */
int lct_screen_text(struct lct_screen *s, const char *text, int most,
                    int least);
int lct_screen_width(const struct lct_screen *s, const char *text);
void lct_screen_raw(struct lct_screen *s, const char *text);
void lct_screen_spaces(struct lct_screen *s, int n);
/* Print 'text' in palette colour 'color'. */
void lct_screen_colored(struct lct_screen *s, int color, const char *text);
/* Print one line of pixels without the empty ones at its end. */
void lct_screen_line(struct lct_screen *s, int line);
/* The pixel of palette colour 'color'; without colours, a letter for it. */
uint32_t lct_screen_color(const struct lct_screen *s, int color);
/* 'ascii' for a terminal without colours, else 'other'. */
const char *lct_screen_pick(const struct lct_screen *s, const char *ascii,
                            const char *other);

/* A map with its axes, whose colours are those of the scale; the scale; a note
   if cells are pooled, and the end of the line; and all of that. */
locant_status lct_terminal_cells(struct lct_screen *s, const locant_figure *f,
                                 const struct lct_scale *map);
void lct_terminal_scale(struct lct_screen *s, const struct lct_scale *map);
void lct_terminal_pooled(struct lct_screen *s, const locant_figure *f);
locant_status lct_terminal_map(struct lct_screen *s, const locant_figure *f);
locant_status lct_terminal_curves(struct lct_screen *s, const locant_figure *f);
void lct_terminal_rows(struct lct_screen *s, const locant_figure *f);
#endif

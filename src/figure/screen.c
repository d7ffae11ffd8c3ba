/*
 * screen.c - colours, text and pixels of a terminal.
 *
 * With colours, one character holds two pixels: an upper half block in the
 * colour of the upper one, on the colour of the lower one.  Without colours a
 * character is one pixel.
 */
#include "../files/utf8.h"
#include "columns.h"
#include "terminal.h"

/* ------------------------------------------------------------------ colours */

/* Squared distance of two colours 0xRRGGBB. */
static int distance(uint32_t a, uint32_t b)
{
    int sum = 0;

    for (int shift = 0; shift < 24; shift += 8) {
        int d = (int)(a >> shift & 255) - (int)(b >> shift & 255);
        sum += d * d;
    }
    return sum;
}

/* The nearest of 256 colours: a 6 x 6 x 6 cube and 24 greys. */
static int nearest_256(uint32_t rgb)
{
    static const int level[6] = { 0, 95, 135, 175, 215, 255 };
    int best = 16, least = 1 << 30;

    for (int i = 16; i < 256; i++) {
        int cube = i - 16, grey = 8 + 10 * (i - 232);
        uint32_t c =
            i < 232 ? (uint32_t)(level[cube / 36] << 16 |
                                 level[cube / 6 % 6] << 8 | level[cube % 6])
                    : (uint32_t)(grey << 16 | grey << 8 | grey);
        if (distance(c, rgb) < least) {
            least = distance(c, rgb);
            best = i;
        }
    }
    return best;
}

/* The nearest of xterm's sixteen colours; other terminals differ slightly. */
static int nearest_16(uint32_t rgb)
{
    static const uint32_t known[16] = {
        0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
        0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
        0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
    };
    int best = 0;

    for (int i = 1; i < 16; i++)
        if (distance(known[i], rgb) < distance(known[best], rgb))
            best = i;
    return best;
}

/* Parameters of the terminal's control sequence that sets a colour; one more
   sets the default. */
enum layer { FOREGROUND = 38, BACKGROUND = 48 };

static void set_color(struct lct_screen *s, uint32_t color, enum layer layer)
{
    uint32_t *now = layer == BACKGROUND ? &s->bg : &s->fg;
    int code = (int)layer, n;
    uint32_t rgb = color & 0xffffff;

    if (*now == color)
        return;
    *now = color;
    if (!(color & LCT_COLORED)) {
        lct_html_format(s->h, "\x1b[%dm", code + 1);
    } else if (s->colors == LOCANT_TERMINAL_24) {
        lct_html_format(s->h, "\x1b[%d;2;%u;%u;%um", code, rgb >> 16,
                        rgb >> 8 & 255, rgb & 255);
    } else if (s->colors == LOCANT_TERMINAL_256) {
        lct_html_format(s->h, "\x1b[%d;5;%dm", code, nearest_256(rgb));
    } else {
        n = nearest_16(rgb);
        lct_html_format(s->h, "\x1b[%dm", (n < 8 ? n : 60 + n - 8) + code - 8);
    }
}

static void reset(struct lct_screen *s)
{
    if (s->fg || s->bg)
        lct_html_raw(s->h, "\x1b[0m");
    s->fg = s->bg = 0;
}

uint32_t lct_screen_color(const struct lct_screen *s, int color)
{
    if (s->colors == LOCANT_TERMINAL_ASCII)
        return (uint32_t) "*+xo#@%&s."[color % LCT_COLORS];
    if (color == 6) /* near black, perhaps invisible on the background */
        return LCT_PLAIN;
    return LCT_COLORED | lct_rgb(lct_palette(color));
}

/* --------------------------------------------------------------------- text */

const char *lct_screen_pick(const struct lct_screen *s, const char *ascii,
                            const char *other)
{
    return s->colors == LOCANT_TERMINAL_ASCII ? ascii : other;
}

void lct_screen_raw(struct lct_screen *s, const char *text)
{
    lct_html_raw(s->h, text);
}

void lct_screen_spaces(struct lct_screen *s, int n)
{
    while (n-- > 0)
        lct_html_raw(s->h, " ");
}

void lct_screen_colored(struct lct_screen *s, int color, const char *text)
{
    if (s->colors != LOCANT_TERMINAL_ASCII)
        set_color(s, lct_screen_color(s, color), FOREGROUND);
    lct_html_raw(s->h, text);
    reset(s);
}

/* One character as it is shown: its bytes, and the columns they take. */
struct shown {
    const char *bytes;
    size_t size;
    int columns;
};

static struct shown next(const struct lct_screen *s, const char **text)
{
    bool ascii = s->colors == LOCANT_TERMINAL_ASCII && !s->utf8;
    const char *from = *text;
    int32_t c = lct_utf8_next(text);
    int columns = lct_columns(c);

    if (ascii && c == 0x2423) /* the sign for a space */
        return (struct shown){ "_", 1, 1 };
    if (ascii && (columns < 0 || c > 126))
        return (struct shown){ "?", 1, 1 };
    if (columns < 0)
        return (struct shown){ "\xef\xbf\xbd", 3, 1 };
    return (struct shown){ from, (size_t)(*text - from), columns };
}

int lct_screen_width(const struct lct_screen *s, const char *text)
{
    int width = 0;

    while (*text)
        width += next(s, &text).columns;
    return width;
}

int lct_screen_text(struct lct_screen *s, const char *text, int most, int least)
{
    bool cut = most > 0 && lct_screen_width(s, text) > most;
    int width = 0;

    while (*text) {
        struct shown now = next(s, &text);
        if (cut && width + now.columns > most - 1)
            break;
        lct_html_append(s->h, now.bytes, now.size);
        width += now.columns;
    }
    if (cut)
        lct_screen_raw(s, lct_screen_pick(s, "~", "\xe2\x80\xa6"));
    width += cut;
    lct_screen_spaces(s, least - width);
    return width > least ? width : least;
}

/* ------------------------------------------------------------------- pixels */

/* Two pixels as one character: full, lower or upper half block. */
static void put_pair(struct lct_screen *s, uint32_t upper, uint32_t lower)
{
    if (!upper && !lower) {
        set_color(s, 0, BACKGROUND);
        lct_html_raw(s->h, " ");
    } else if (upper == lower) {
        set_color(s, upper, FOREGROUND);
        lct_html_raw(s->h, "\xe2\x96\x88");
    } else if (!upper || (lower == LCT_PLAIN && upper != LCT_PLAIN)) {
        set_color(s, lower, FOREGROUND);
        set_color(s, upper, BACKGROUND);
        lct_html_raw(s->h, "\xe2\x96\x84");
    } else {
        set_color(s, upper, FOREGROUND);
        set_color(s, lower, BACKGROUND);
        lct_html_raw(s->h, "\xe2\x96\x80");
    }
}

static uint32_t pixel(const struct lct_screen *s, int x, int y)
{
    return y < s->height ? s->pixels[(size_t)y * (size_t)s->width + (size_t)x]
                         : 0;
}

void lct_screen_line(struct lct_screen *s, int line)
{
    int y = line * s->per_line, end = s->width;

    while (end > 0 && !pixel(s, end - 1, y) &&
           (s->per_line == 1 || !pixel(s, end - 1, y + 1)))
        end--;
    for (int x = 0; x < end; x++) {
        if (s->per_line == 2) {
            put_pair(s, pixel(s, x, y), pixel(s, x, y + 1));
        } else {
            char c[2] = { (char)pixel(s, x, y), '\0' };
            lct_html_raw(s->h, c[0] ? c : " ");
        }
    }
    reset(s);
}

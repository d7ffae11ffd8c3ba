/*
 * palette.c - colours that colour-blind readers can distinguish.
 *
 * The categories are the eight colours of Okabe and Ito 2008 ("Color Universal
 * Design") with changes.  A violet replaces the yellow, which is too pale on
 * white.  Sky blue, orange and purple are darker, for a contrast of 3 on cards
 * (white) and on the page around them.  A brown is added, and a grey for
 * references.  Dark pages have lighter colours of the same hues.  Maps are
 * straight lines in OKLCh (Ottosson 2020), where equal steps of lightness look
 * equal.
 */
#include "figure.h"
#include <math.h>

static const unsigned char categories[LCT_COLORS][3] = {
    { 0, 114, 178 },  { 213, 94, 0 },    { 0, 158, 115 }, { 194, 104, 154 },
    { 42, 147, 207 }, { 190, 128, 0 },   { 34, 34, 34 },  { 106, 61, 154 },
    { 140, 86, 40 },  { 140, 140, 140 },
};

static const unsigned char dark[LCT_COLORS][3] = {
    { 78, 163, 230 },  { 255, 128, 64 },  { 38, 196, 148 },  { 228, 150, 194 },
    { 138, 214, 255 }, { 240, 184, 60 },  { 236, 236, 236 }, { 184, 152, 232 },
    { 201, 150, 104 }, { 150, 150, 150 },
};

static const double dashes[LCT_DASHES][4] = {
    { 0 }, { 5, 3.5 }, { 2, 2.5 }, { 7, 2.5, 1.5, 2.5 }, { 11, 4 },
};
static const int n_dashes[LCT_DASHES] = { 0, 2, 2, 4, 2 };

const double *lct_dash(int *n, int dash)
{
    *n = n_dashes[(unsigned)dash % LCT_DASHES];
    return dashes[(unsigned)dash % LCT_DASHES];
}

static struct lct_color from_bytes(const unsigned char *c)
{
    return (struct lct_color){ c[0] / 255.0, c[1] / 255.0, c[2] / 255.0 };
}

struct lct_color lct_palette(int i)
{
    return from_bytes(categories[(unsigned)i % LCT_COLORS]);
}

struct lct_color lct_palette_dark(int i)
{
    return from_bytes(dark[(unsigned)i % LCT_COLORS]);
}

uint32_t lct_rgb(struct lct_color c)
{
    return (uint32_t)lrint(c.r * 255) << 16 | (uint32_t)lrint(c.g * 255) << 8 |
           (uint32_t)lrint(c.b * 255);
}

int lct_series_color(const locant_figure *f, size_t i)
{
    int own = f->series[i].color;

    return own >= 0 ? own : (int)(i % LCT_GREY);
}

/* Linear light to sRGB, clipped to [0, 1]. */
static double encode(double linear)
{
    if (linear <= 0)
        return 0;
    if (linear >= 1)
        return 1;
    if (linear <= 0.0031308)
        return 12.92 * linear;
    return 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

/* OKLCh (hue in degrees) to sRGB, with the published inverse matrices. */
static struct lct_color oklch(double lightness, double chroma, double hue)
{
    double angle = hue * 3.14159265358979323846 / 180;
    double a = chroma * cos(angle), b = chroma * sin(angle);
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;

    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return (struct lct_color){
        encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
        encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
        encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s),
    };
}

static double clamp(double t, double low, double high)
{
    return t < low ? low : t > high ? high : t;
}

struct lct_color lct_sequential(double t, bool on_dark)
{
    t = clamp(t, 0, 1);
    if (on_dark)
        return oklch(0.27 + 0.68 * t, 0.03 + 0.34 * t * (1 - t) + 0.06 * t,
                     280 - 175 * t);
    return oklch(0.98 - 0.70 * t, 0.03 + 0.30 * t * (1 - t) + 0.05 * t,
                 105 + 175 * t);
}

struct lct_color lct_diverging(double t, bool on_dark)
{
    double size = fabs(clamp(t, -1, 1));
    double hue = t < 0 ? 253 : 29;

    if (on_dark)
        return oklch(0.25 + 0.53 * size, 0.24 * size - 0.11 * size * size, hue);
    return oklch(0.975 - 0.545 * size, 0.24 * size - 0.085 * size * size, hue);
}

struct lct_color lct_shade_color(bool diverging, int shade, int shades,
                                 bool on_dark)
{
    double t = (double)shade / (shades - 1);

    return diverging ? lct_diverging(2 * t - 1, on_dark)
                     : lct_sequential(t, on_dark);
}

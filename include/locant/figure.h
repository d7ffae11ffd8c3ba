/*
 * figure.h - figures: heat maps, curves, dots, drawn as a file, as part of a
 * page or in a terminal, or written as numbers.
 */
#ifndef LOCANT_FIGURE_H
#define LOCANT_FIGURE_H

#include "encoding.h"
#include "lab.h"

LOCANT_BEGIN_DECLS

typedef enum locant_figure_kind {
    LOCANT_FIGURE_CURVES  = 0, /* series */
    LOCANT_FIGURE_HEATMAP = 1, /* cells */
    LOCANT_FIGURE_BARS    = 2, /* first value of each series, by label */
    LOCANT_FIGURE_STRIPS  = 3, /* every value of each series as a dot, by
                                  label; e.g. one dot per seed */
    LOCANT_FIGURE_POINTS  = 4, /* values with their intervals, by label */
    LOCANT_FIGURE_PANELS  = 5  /* heat maps beside each other, all on one colour
                                  scale with one colour bar */
} locant_figure_kind;

/*
 * One line of a figure.  x and y hold n values; NAN leaves a gap.  BARS reads
 * only the first value, STRIPS and POINTS all; none of them reads x.
 */
typedef struct locant_series {
    const char   *label;      /* UTF-8; NULL: not in the legend */
    size_t        n;
    const double *x, *y;
    const double *low, *high; /* NULL, or a band around y */
    int           dashed;     /* 0 solid, 1 dashed, 2 dotted, 3 dash-dotted,
                                 4 long dashes */
    int           marks;      /* a dot on each point */
    int           color;      /* 0 .. 9 of the palette; -1: by order */
    const char   *label_zh;   /* for a page in two languages; or NULL */
} locant_series;

/* A vertical line with a label, e.g. the trained length. */
typedef struct locant_mark {
    double      x;
    const char *label, *label_zh;
} locant_mark;

typedef struct locant_figure {
    size_t             struct_size;
    locant_figure_kind kind;
    const char        *title, *x_label, *y_label; /* UTF-8 or NULL */
    int                log_x;      /* CURVES: base 2 ticks */
    int                width, height; /* in points; 0: 640 x 400 */

    const locant_series *series;   /* all kinds but HEATMAP */
    size_t               n_series;
    const locant_mark   *marks;    /* CURVES, STRIPS, POINTS */
    size_t               n_marks;

    const double *cells;           /* HEATMAP: [rows, cols] */
    int64_t       rows, cols;
    int           diverging;       /* colours centred on 0 */
    double        x_first, x_step; /* labels of columns; step 0: index */
    double        y_first, y_step;
    double        y_min, y_max;    /* CURVES, and the colours of a HEATMAP, of
                                      both signs up to the larger magnitude if
                                      it is diverging; both 0: from the data */
    int           numbers;         /* HEATMAP: 1: write the values into the
                                      cells if there are at most 16 per side,
                                      with two decimals; 3: with three */

    const char   *title_zh, *x_label_zh, *y_label_zh; /* or NULL */
    const char   *name;            /* see locant_figure_at(); or NULL */
    const char *const *row_names;  /* HEATMAP: labels [rows], or NULL */
    const char *const *col_names;  /* HEATMAP: labels [cols], or NULL */
    int           chinese;         /* 1: the texts are Chinese; so is a note of
                                      pooled cells that a drawing adds */

    /*
     * PANELS: heat maps [n_panels], 1 to 64, in rows of panel_cols (0: about as
     * many as rows).  Each has its title, labels, names and numbers; the scale
     * and the sizes of the whole figure hold for all.  Labels of the whole
     * figure stand once, below and left of all panels.
     */
    const struct locant_figure *panels;
    size_t                      n_panels;
    int                         panel_cols;
} locant_figure;

#define LOCANT_FIGURE_INIT { .struct_size = sizeof(locant_figure) }

/*
 * Draw into a file; the ending .svg, .png or .pdf selects the format.  Only
 * this function and locant_figure_svg() load pango and cairo.
 * Errors: NULL, PARAM (ending, sizes, log of a value <= 0), IO (also if pango
 * or cairo is not installed), UNSUPPORTED (Chinese, but no font has it), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_write(const locant_figure *figure, const char *path);

/* Draw as an SVG document in memory of locant_alloc(), zero-terminated. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_svg(char **out, size_t *size, const locant_figure *figure);

/*
 * The same for inclusion in an HTML page: an <svg> whose text is text, whose
 * colours come from classes of locant_figure_css(), so that the reader's theme
 * applies; it has no ids, styles, scripts or links.  Heat maps of more than 128
 * cells per side are reduced by max-magnitude pooling and labelled so.
 *
 * alt   text for screen readers; NULL: the title
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_inline(char **out, size_t *size, const locant_figure *figure,
                     const char *alt);

/* The style sheet of the inline figures of a page: light, dark, print. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_css(char **out, size_t *size);

/* ----------------------------------------------------------------- terminal */

typedef enum locant_terminal {
    LOCANT_TERMINAL_ASCII = 0, /* plain characters, no colours */
    LOCANT_TERMINAL_16    = 1, /* half-blocks in the terminal's own colours */
    LOCANT_TERMINAL_256   = 2,
    LOCANT_TERMINAL_24    = 3, /* 24-bit colours */
    LOCANT_TERMINAL_PLAIN = 4  /* as ASCII, but texts in UTF-8 as they are */
} locant_terminal;

/*
 * Draw as lines of text of at most 'columns' (40 to 1000) columns.
 * A control character in a label is shown as U+FFFD, or '?' in ASCII.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_terminal(char **out, size_t *size, const locant_figure *figure,
                       int columns, locant_terminal colors);

/* ------------------------------------------------------------------ numbers */

/*
 * The whole figure as one JSON object: kind, name, titles, and series with x,
 * y, low, high, or cells row by row with first value and step of both axes.
 * Numbers read back to the same bits; null stands for values that are not
 * finite.  PANELS has a list of such objects, one for each panel.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_json(char **out, size_t *size, const locant_figure *figure);

/*
 * CSV (RFC 4180, but lines end with LF), one value per line: series, x, y, low,
 * high; or row, column, value; or, of PANELS, title of the panel, row and
 * column (counted from 0), their names, value.  Numbers as above; NAN is an
 * empty field.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_csv(char **out, size_t *size, const locant_figure *figure);

/* --------------------------------------------------------- figures by name */

/* A figure that the page draws, or one of an encoding before any training. */
typedef struct locant_figure_info {
    const char *name;             /* "wavelengths" */
    const char *of;               /* what it shows.  "input", "rotate", "score",
                                     "content": an encoding with that door;
                                     "hook": one that chooses positions, masks
                                     keys or scales scores; "any": every
                                     encoding; "runs": runs; "report": the long
                                     job of a report that a run belongs to */
    const char *title, *title_zh;
} locant_figure_info;

/* In the order of the page; NULL past the end. */
LOCANT_API const locant_figure_info *locant_figure_at(int i);

/*
 * The Chinese for an English text of the library: of an encoding its title,
 * keys, parameters and pitfalls, of a task what it is.  NULL if there is none:
 * formulas, names and citations are the same in both languages.
 */
LOCANT_API const char *locant_chinese(const char *english);

/* What to show.  LOCANT_FIGURE_VIEW_INIT has the values of the page. */
typedef struct locant_figure_view {
    size_t  struct_size;
    int64_t length;   /* positions shown, fewer in figures that would take too
                         much memory or room; 0: as on the page */
    int64_t position; /* the selected one, counted from 1; 0: as on the page */
    int64_t head;     /* counted from 0; -1: all, where a figure shows several,
                         else the first */
    int64_t trained;  /* trained length; 0: 128, or that of the runs */
    int64_t width, heads; /* of the model; 0: 64 and 4, or those of the runs */
    double  factor;   /* of the scalings of RoPE; 0: 4 */
    uint64_t seed;    /* of random queries and keys; 0: 1 */
    const char *encoding; /* "surface": which one; NULL: all, one by one */
    int     chinese;  /* 1: alternative text and caption in Chinese */

    /*
     * "attention": the bytes that a model reads; NULL: random queries and keys.
     * At most 512 tokens, of the vocabulary of a run or else bytes, and as many
     * as the encoding is defined for.  The model is that of the run; of an
     * encoding it is untrained, of 3 layers, with initial values from 'seed'.
     * The figure is PANELS, one for each layer and head.
     */
    const char *text;
    size_t  text_size;
    int64_t layer;    /* counted from 0, of a text; -1: all */
} locant_figure_view;

#define LOCANT_FIGURE_VIEW_INIT \
    { .struct_size = sizeof(locant_figure_view), .head = -1, .layer = -1 }

/*
 * Called with a figure, which is valid during the call; 'alt' and 'caption'
 * describe it.  A status other than OK stops and is returned to the caller.
 */
typedef locant_status (*locant_figure_taker)(const locant_figure *figure,
                                             const char *alt,
                                             const char *caption,
                                             void *context);

/*
 * The figure 'name' of an encoding with its initial parameters.  If layers
 * differ, there may be several: 'take' is called for each.
 * Errors: NULL, PARAM (no such figure; not of this encoding), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_of_encoding(const char *name, const locant_encoding *e,
                          const locant_figure_view *view,
                          locant_figure_taker take, void *context);

/*
 * The figure 'name' of finished runs: of all of them if it shows runs, else of
 * the encoding of the first with its trained parameters.  "training",
 * "gradient" and "gradient-own" also accept unfinished runs.
 * Errors: as above, PARAM also if the runs have different models.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_of_runs(const char *name, locant_store *store,
                      const int64_t *runs, size_t n,
                      const locant_figure_view *view, locant_figure_taker take,
                      void *context);

LOCANT_END_DECLS
#endif /* LOCANT_FIGURE_H */

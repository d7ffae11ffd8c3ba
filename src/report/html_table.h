/*
 * html_table.h - tables of the page as data.  A row is an object in the
 * document of numbers ("rows.3"); a column gives the path of its cells in that
 * object.
 */
#ifndef LCT_HTML_TABLE_H
#define LCT_HTML_TABLE_H
#include "../files/html.h"
#include "../measure/numbers.h"
#include "messages.h"

enum lct_html_table_cell {
    LCT_CELL_NUMBER, /* with 'decimals' decimals */
    LCT_CELL_SIGNED, /* a difference, with its sign */
    LCT_CELL_COUNT,
    LCT_CELL_INTERVAL,    /* path.mean, and below it path.low, path.high */
    LCT_CELL_CHANGE,      /* an interval of differences, with signs */
    LCT_CELL_HALF,        /* a mean; half of its interval is at 'other' */
    LCT_CELL_HALF_CHANGE, /* the same for a difference, with its sign */
    LCT_CELL_TEST,        /* path.mean, path.half, path.corrected if tested */
    LCT_CELL_SHARE,       /* path.share and its interval, in per cent */
    LCT_CELL_CODE,        /* a string, as code */
    LCT_CELL_TEXT,        /* a string, translated */
    LCT_CELL_SHOWN        /* true: "yes", false: "not shown", null: a dash */
};

struct lct_column {
    enum lct_message heading; /* may contain a number of the document */
    /*
     * The path of a list: each number from index 'first' on makes a column.
     * The number follows 'heading' in the column's head and replaces * in
     * paths; its index replaces #.  A path of one number makes one column.
     */
    const char *each;
    int first;
    const int *only, n_only; /* indices into the list; NULL: all */
    const char *of;          /* key of the number if list items are objects */
    const char *path;        /* path in the row */
    const char *other;       /* path of the interval; NULL: 'path' */
    enum lct_html_table_cell cell;
    int decimals;
    double scale;        /* factor of the number; 0 means 1 */
    const char *missing; /* text for no value; NULL: "undefined" */
    const char *where;   /* 'missing' applies only if this has a value */
};

struct lct_html_table {
    enum lct_message label, caption;
    const char *kind; /* CSS class, or NULL */
    enum lct_message row_heading;
    const struct lct_column *columns;
    int n;
};
/* A heading whose cells the table's own code writes. */
/* clang-format off */
#define LCT_HEADING(message) { .heading = message }
/* clang-format on */
#define LCT_COLUMNS(list) list, sizeof(list) / sizeof((list)[0])

/* From <table> to the end of the head; 'text' has the values of the caption. */
void lct_html_table_open(struct lct_html *h, const struct lct_results *r,
                         const struct lct_html_table *t,
                         const char *const *text);
/* A single cell of a row. */
void lct_html_table_cell(struct lct_html *h, const struct lct_results *r,
                         const struct lct_column *c, const char *row);
/* The cells of a row after its head, and the end of the row. */
void lct_html_table_cells(struct lct_html *h, const struct lct_results *r,
                          const struct lct_html_table *t, const char *row);
void lct_html_table_close(struct lct_html *h);

/* <tr> and the head of group i: its spec and the colour of its curve. */
void lct_html_table_group(struct lct_html *h, const struct lct_results *r,
                          size_t i);
/* <tr> and a head: 'text' translated and, unless they are NULL, 'spec' and
   'source' below it. */
void lct_html_table_head(struct lct_html *h, const char *text, const char *spec,
                         const char *source);

/* A whole table with a row for each group, whose numbers are at "rows.i" of
   group i; 'order' permutes the groups, NULL keeps their order. */
void lct_html_table_groups(struct lct_html *h, const struct lct_results *r,
                           const struct lct_html_table *t, const size_t *order);

/* For tables with other rows, the parts before them: the start up to <thead>,
   its <tr>, one heading of it, and its end with the start of <tbody>. */
void lct_html_table_begin(struct lct_html *h, enum lct_message label,
                          const char *kind);
void lct_html_table_columns(struct lct_html *h);
void lct_html_table_heading(struct lct_html *h, enum lct_message heading);
void lct_html_table_rows(struct lct_html *h);
#endif

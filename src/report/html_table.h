/*
 * html_table.h - tables of the page as data.  A row is an object of the
 * document of numbers ("rows.3"), a column says where in it its cells are.
 */
#ifndef LCT_HTML_TABLE_H
#define LCT_HTML_TABLE_H
#include "../files/html.h"
#include "../measure/claims.h"
#include "../measure/gates.h"
#include "../measure/numbers.h"
#include "messages.h"

enum lct_html_table_cell {
    LCT_CELL_NUMBER,      /* with that many decimals */
    LCT_CELL_SIGNED,      /* a difference, with its sign */
    LCT_CELL_COUNT,
    LCT_CELL_INTERVAL,    /* path.mean, and below it path.low, path.high */
    LCT_CELL_CHANGE,      /* the same with its sign */
    LCT_CELL_HALF,        /* a mean, and at 'other' half of its interval */
    LCT_CELL_HALF_CHANGE, /* the same with its sign */
    LCT_CELL_TEST,        /* path.mean, path.half, path.corrected if tested */
    LCT_CELL_SHARE,       /* path.share with its interval, in per cent */
    LCT_CELL_CODE,        /* a text, as code */
    LCT_CELL_TEXT         /* a text, translated */
};

struct lct_column {
    enum lct_message heading; /* which may have a number of the document */
    /*
     * A list of the document: a column for each of its numbers from 'first' on.
     * The number is the heading, after 'heading', and stands for * in paths,
     * its index for #.  A path of one number: no list, but the same *.
     */
    const char *each;
    int first;
    const int *only, n_only; /* indices into the list; NULL: all */
    const char *of;          /* its number, where the list is of objects */
    const char *path;        /* below the row */
    const char *other;       /* whose interval it is; NULL: its own */
    enum lct_html_table_cell cell;
    int decimals;
    double scale;            /* 0: 1 */
    const char *missing;     /* markup where nothing lies; NULL: "undefined" */
    const char *where;       /* 'missing' only where this is there; or NULL */
};

struct lct_html_table {
    enum lct_message label, caption;
    const char *kind;          /* class; or NULL */
    enum lct_message row_heading;
    const struct lct_column *columns;
    int n;
};
/* A column without cells of its own: its table writes them. */
#define LCT_HEADING(message) { .heading = message }
#define LCT_COLUMNS(list) list, sizeof(list) / sizeof((list)[0])

/* From <table> to the end of the head; 'text' is of the caption. */
void lct_html_table_open(struct lct_html *h, const struct lct_results *r,
                    const struct lct_html_table *t, const char *const *text);
/* One cell of a row. */
void lct_html_table_cell(struct lct_html *h, const struct lct_results *r,
                    const struct lct_column *c, const char *row);
/* The cells of a row whose head was written, and its end. */
void lct_html_table_cells(struct lct_html *h, const struct lct_results *r,
                     const struct lct_html_table *t, const char *row);
void lct_html_table_close(struct lct_html *h);

/* <tr> and the head of group i: its spec, with its colour in the curves. */
void lct_html_table_group(struct lct_html *h, const struct lct_results *r,
                          size_t i);
/* <tr> and a head that is a translated text, and below it a spec and a source;
   NULL where there is none. */
void lct_html_table_head(struct lct_html *h, const char *text, const char *spec,
                    const char *source);

/* A whole table with a row "rows.i" of each group, in that order; NULL: as
   they come. */
void lct_html_table_groups(struct lct_html *h, const struct lct_results *r,
                      const struct lct_html_table *t, const size_t *order);

/* Parts of tables that are no rows of numbers: <table> to <thead><tr>, a
   heading, <tbody>. */
void lct_html_table_begin(struct lct_html *h, enum lct_message label,
                     const char *kind);
void lct_html_table_columns(struct lct_html *h);
void lct_html_table_heading(struct lct_html *h, enum lct_message heading);
void lct_html_table_rows(struct lct_html *h);
#endif

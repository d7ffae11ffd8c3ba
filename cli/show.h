/* show.h - what locant show prints and draws of one encoding. */
#ifndef LOCANT_SHOW_H
#define LOCANT_SHOW_H

#include "cli.h"

enum { SHOW_COLUMNS = 8, SHOW_ROWS = 8, SHOW_BLOCKS = 6 };

/* Values that the library computes, and how to get them again. */
struct show_block {
    char what[400];    /* what they are, and of which inputs */
    char command[800]; /* that writes them */
    int  rows, columns;
    int  whole;        /* integers */
    char label[SHOW_ROWS][32];
    double value[SHOW_ROWS][SHOW_COLUMNS];
};

/*
 * Fill in blocks for each door; *n of them.  An operation that refuses small
 * inputs makes a block without rows, which says why.
 */
int  show_checks(struct show_block *out, int *n, const locant_encoding *e);
/* "1.234568", "0" without a sign. */
void show_number(char *out, size_t size, double x, int whole);

/* One page of the catalogue on stdout. */
int  show_markdown(const locant_encoding *e);

/* A picture of what the encoding does, into a file. */
int  show_picture(const struct cli *cli, const locant_encoding *e,
                  const char *path);

/* ----------------------------------------------------------- show_attend.c */

/* One head of softmax attention; v is the identity where 'rows' is too. */
struct show_attention {
    int64_t tokens, dim; /* as many queries as keys */
    int64_t stride;      /* of positions */
    int     layer;
    int     random;      /* q, k: of seed 0; otherwise sines */
    int     no_values;   /* v is zero: what the encoding adds to values alone */
};

/*
 * out [tokens, dim] = attention of every token over those up to it, with v[j]
 * the j-th unit vector: weights, where the encoding adds nothing to values.
 */
int show_attend(double *out, const struct cli_encoding *c,
                const struct show_attention *how);
/* The weights alone, whatever the encoding adds to values. */
int show_weights(double *out, const struct cli_encoding *c,
                 const struct show_attention *how);
/*
 * The fewest channels of a head that the encoding takes for sequences of
 * 'length', from 'least' on and at most SHOW_MOST_DIM; 'least' if it takes none
 * of those tried.
 */
enum { SHOW_MOST_DIM = 512 };
int show_dim(int64_t *dim, const locant_encoding *e, int layer, int64_t length,
             int64_t least);
/*
 * The encoding for sequences of 'length', with parameters drawn by seed 0.
 * Where all of them start at 0, and would show nothing, *filled is 1 and they
 * hold 0, 0.01, 0.02, .. or, 'random', numbers of [-1, 1).
 */
int show_open(struct cli_encoding *c, int *filled, const locant_encoding *e,
              int64_t length, const locant_sizes *sizes, int random);
/* Positions far enough apart for the encoding to act. */
int64_t show_stride(const locant_encoding *e);

#endif

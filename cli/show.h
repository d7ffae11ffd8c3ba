/* show.h - what locant show prints and draws of one encoding. */
#ifndef LOCANT_SHOW_H
#define LOCANT_SHOW_H

#include "cli.h"

enum { SHOW_COLUMNS = 8, SHOW_ROWS = 8, SHOW_BLOCKS = 6 };

/* Values that the library computes, and how to get them again. */
struct show_block {
    char what[400];    /* what they are, and of which inputs */
    char command[800]; /* the command that writes them */
    int  rows, columns;
    int  whole;        /* integers */
    char label[SHOW_ROWS][32];
    double value[SHOW_ROWS][SHOW_COLUMNS];
};

/*
 * Fill in a block for each door, *n in all.  An operation that refuses small
 * inputs gives a block without rows that says why.
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

/* One head of softmax attention, with rows of the identity as values. */
struct show_attention {
    int64_t tokens, dim; /* as many queries as keys */
    int64_t stride;      /* of positions */
    int     layer;
    int     random;      /* q, k are random of seed 0; otherwise sines */
    int     no_values;   /* v is zero: only what the encoding adds to it */
};

/*
 * out [tokens, dim] = attention of every token over those up to it, v[j] being
 * the j-th unit vector: the weights, if the encoding adds nothing to values.
 */
int show_attend(double *out, const struct cli_encoding *c,
                const struct show_attention *how);
/* The weights, whatever the encoding adds to values. */
int show_weights(double *out, const struct cli_encoding *c,
                 const struct show_attention *how);
/*
 * The smallest size of a head, from 'least' to SHOW_MOST_DIM, that the encoding
 * accepts for sequences of 'length'; 'least' if it accepts none.
 */
enum { SHOW_MOST_DIM = 512 };
int show_dim(int64_t *dim, const locant_encoding *e, int layer, int64_t length,
             int64_t least);
/*
 * Open the encoding for sequences of 'length', with parameters of seed 0.  If
 * all of them start at 0, which would show nothing, *filled is 1, and they are
 * 0, 0.01, 0.02, .., or with 'random' numbers of [-1, 1).
 */
int show_open(struct cli_encoding *c, int *filled, const locant_encoding *e,
              int64_t length, const locant_sizes *sizes, int random);
/* Positions far enough apart for the encoding to act. */
int64_t show_stride(const locant_encoding *e);

#endif

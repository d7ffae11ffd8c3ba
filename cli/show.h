/* show.h - what 'locant show' prints and draws about an encoding. */
#ifndef LOCANT_SHOW_H
#define LOCANT_SHOW_H

#include "cli.h"

enum { SHOW_COLUMNS = 8, SHOW_ROWS = 8, SHOW_BLOCKS = 6 };

/* Values that the library computes, and the command that repeats them. */
struct show_block {
    char what[400];    /* what they are, and of which inputs */
    char command[800]; /* the command that writes them */
    int rows, columns;
    int whole; /* integers */
    char label[SHOW_ROWS][32];
    double value[SHOW_ROWS][SHOW_COLUMNS];
};

/*
 * Fill in a block for each door; *n is their number.  If an operation refuses
 * small inputs, its block has no rows and says why.
 */
int show_checks(struct show_block *out, int *n, const locant_encoding *e);
/* Prints "1.234568"; 0 without a sign. */
void show_number(char *out, size_t size, double x, int whole);

/* Print one page of the catalogue. */
int show_markdown(const locant_encoding *e);

/* Write a picture of what the encoding does to a file. */
int show_picture(const struct cli *cli, const locant_encoding *e,
                 const char *path);

/* ----------------------------------------------------------- show_attend.c */

/* One head of softmax attention; values are rows of the identity. */
struct show_attention {
    int64_t tokens, dim; /* tokens: number of queries and of keys */
    int64_t stride;      /* distance of neighbouring positions */
    int layer;
    int random;    /* q, k: random with seed 0, else sines */
    int no_values; /* v = 0: shows only what the encoding adds */
};

/*
 * out [tokens, dim] = causal attention, where v[j] is the j-th unit vector.
 * These are the weights if the encoding adds nothing to values.
 */
int show_attend(double *out, const struct cli_encoding *c,
                const struct show_attention *how);
/* The weights, even if the encoding adds to values. */
int show_weights(double *out, const struct cli_encoding *c,
                 const struct show_attention *how);
/*
 * The smallest head size, from 'least' to SHOW_MOST_DIM, that the encoding
 * accepts for sequences of 'length'; 'least' if it accepts none.
 */
enum { SHOW_MOST_DIM = 512 };
int show_dim(int64_t *dim, const locant_encoding *e, int layer, int64_t length,
             int64_t least);
/*
 * Open the encoding for sequences of 'length', with parameters of seed 0.  If
 * all parameters start at 0, which shows nothing, *filled is set to 1 and they
 * become 0, 0.01, 0.02, .., or random numbers in [-1, 1) if 'random'.
 */
int show_open(struct cli_encoding *c, int *filled, const locant_encoding *e,
              int64_t length, const locant_sizes *sizes, int random);
/* A distance of positions that is large enough to show an effect. */
int64_t show_stride(const locant_encoding *e);

#endif

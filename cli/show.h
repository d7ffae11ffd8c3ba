/* show.h - what 'locant show' prints and draws about an encoding. */
#ifndef LOCANT_SHOW_H
#define LOCANT_SHOW_H

#include "cli.h"

enum { SHOW_COLUMNS = 8, SHOW_ROWS = 8, SHOW_BLOCKS = 6 };

/* Values that the library computes, and the command that repeats them.  Texts
   are as cli_text(). */
struct show_block {
    const char *what;    /* what they are, and of which inputs */
    const char *command; /* the command that writes them, or NULL */
    int rows, columns;
    int whole; /* integers */
    const char *label[SHOW_ROWS];
    double value[SHOW_ROWS][SHOW_COLUMNS];
};

/*
 * Fill in a block for each door; *n is their number.  If an operation refuses
 * small inputs, its block has no rows and says why.
 */
int show_checks(struct show_block *out, int *n, const locant_encoding *e);
/* Prints the rows of a block, each after 'indent'. */
void show_rows(const struct show_block *b, const char *indent);

/* The parameters of an encoding. */
json_t *show_params_json(const locant_encoding *e, int with_doc);

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
 * *out [tokens, dim] = causal attention, where v[j] is the j-th unit vector.
 * These are the weights if the encoding adds nothing to values.
 */
int show_attend(double **out, const struct cli_encoding *c,
                const struct show_attention *how);
/* The weights, even if the encoding adds to values. */
int show_weights(double **out, const struct cli_encoding *c,
                 const struct show_attention *how);
/*
 * Rotate a vector of D channels by each of n positions: 1, 2, .. D if 'rising',
 * else ones.  *out is [1, n, width]; *s is the library's status.
 */
int show_rotate(locant_status *s, locant_tensor *out,
                const struct cli_encoding *c, int64_t D,
                const locant_tensor *positions, int rising, int flags);
/* Positions 0, step, 2 step, ..: F64 if the encoding takes real ones, else
   I64. */
int show_positions(locant_tensor *out, const locant_encoding *e, int64_t n,
                   double step);
/* The positions of n tokens in training, by the seed of the batch. */
int show_training_positions(locant_status *s, locant_tensor *out,
                            const locant_encoding *e, int64_t n, int seed);
/*
 * The smallest head size, from 'least' to 512, that the encoding accepts for
 * sequences of 'length'; 'least' if it accepts none.
 */
int show_dim(int64_t *dim, const locant_encoding *e, int layer, int64_t length,
             int64_t least);
/* Head sizes to try, from 8 to 512; ends with 0. */
extern const int64_t show_dims[];
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

/* show.h - what 'locant show' prints and draws about an encoding. */
#ifndef LOCANT_SHOW_H
#define LOCANT_SHOW_H

#include "cli.h"
#include "params.h"

enum { SHOW_COLUMNS = 8, SHOW_ROWS = 8, SHOW_BLOCKS = 6 };

/* Check values: what the library computes, and the command that repeats it.
   Texts live as long as those of cli_text(). */
struct show_block {
    const char *what;    /* what the values are, and of which inputs */
    const char *command; /* the command that writes them, or NULL */
    int rows, columns;
    int whole; /* the values are integers */
    const char *label[SHOW_ROWS];
    double value[SHOW_ROWS][SHOW_COLUMNS];
};

/*
 * Fill in out[SHOW_BLOCKS], a block for each door; *n is their number.  If an
 * operation refuses small inputs, its block has no rows and says why.
 */
int show_checks(struct show_block *out, int *n, const locant_encoding *e);
/* Print the rows of a block, each after 'indent'. */
void show_rows(const struct show_block *b, const char *indent);

enum show_doc { SHOW_NO_DOC, SHOW_DOC };
/* The parameters of an encoding, with or without their documentation. */
json_t *show_params_json(const locant_encoding *e, enum show_doc doc);

/* Says which layers, of a number that the spec leaves open 24, use which
 * encoding: calls 'line' for each encoding; nothing if all are alike. */
typedef void show_layers_line(int first, const char *text);
void show_layers(const locant_encoding *e, show_layers_line *line);
/* The specs of all these layers. */
json_t *show_layers_json(const locant_encoding *e);

/* Print one page of the catalogue. */
int show_markdown(const locant_encoding *e);

/* Draw what the encoding does, and report the file. */
int show_picture(const struct cli *cli, const locant_encoding *e,
                 const char *path);

/* ----------------------------------------------------------- show_attend.c */

/* An input of attention with one head; values are rows of the identity. */
struct show_attention {
    int64_t tokens, dim; /* tokens: number of queries and of keys */
    int64_t stride;      /* distance of neighbouring positions */
    int layer;
    int random;    /* q, k and x are random with seed 0, else sines */
    int no_values; /* v = 0: shows only what the encoding adds */
};

/*
 * *out [tokens, dim] = causal attention.  Since v[j] is the j-th unit vector,
 * these are the weights, unless the encoding adds to values.
 */
int show_attend(double **out, const struct cli_encoding *c,
                const struct show_attention *how);
/* The weights, even if the encoding adds to values. */
int show_weights(double **out, const struct cli_encoding *c,
                 const struct show_attention *how);
enum show_vector { SHOW_ONES, SHOW_COUNTING }; /* 1, 1, ..; 1, 2, .. */
/*
 * Rotate a vector of D channels by each of n positions.  *out is [1, n, width];
 * *s is the library's status.
 */
int show_rotate(locant_status *s, locant_tensor *out,
                const struct cli_encoding *c, int64_t D,
                const locant_tensor *positions, enum show_vector vector,
                int flags);
/* Positions 0, step, 2 step, .. as F64; for an encoding without real positions
   0, 1, 2, .. as I64. */
int show_positions(locant_tensor *out, const locant_encoding *e, int64_t n,
                   double step);
/* The positions of n tokens in training, for the seed of a batch. */
int show_training_positions(locant_status *s, locant_tensor *out,
                            const locant_encoding *e, int64_t n, int seed);
/*
 * *dim = the smallest of show_dims[], at least 'least', with which attention
 * accepts the encoding for sequences of 'length'; 'least' if there is none.
 */
int show_dim(int64_t *dim, const locant_encoding *e, int layer, int64_t length,
             int64_t least);
/* Head sizes to try, from 8 to 512; ends with 0. */
extern const int64_t show_dims[];
/* Sizes of a layer with one head. */
locant_sizes show_one_head(int64_t dim);
/* 0, 0.01, 0.02, ..; or random numbers in [-1, 1). */
enum show_fill { SHOW_STEPS, SHOW_RANDOM };
/*
 * Open the encoding for sequences of 'length', with parameters of seed 0.  If
 * all parameters start at 0, which shows nothing, they are filled with other
 * numbers and *filled becomes 1.
 */
int show_open(struct cli_encoding *c, int *filled, const locant_encoding *e,
              int64_t length, const locant_sizes *sizes, enum show_fill fill);
/* A distance of neighbouring positions that shows what the encoding does. */
int64_t show_stride(const locant_encoding *e);

#endif

/*
 * nn.h - the layers of a Transformer other than attention, forward and
 * backward.
 *
 * Arrays are dense and row-major.  A call runs on its caller's thread; callers
 * may divide rows among threads.  Gradients of parameters are added to;
 * gradients of activations are written unless the comment says otherwise.
 * Nothing here fails or allocates: the model has checked all sizes.
 */
#ifndef LCT_NN_H
#define LCT_NN_H
#include "nn_kernels.h"
#include "norm.h"

/* Sizes of y = x W: x [rows, in], W [in, out], y [rows, out]. */
struct lct_linear {
    int64_t rows, in, out;
};

/* Pack W [in, out] into panels, and W^T into 'transposed' unless it is NULL;
   each has the size of W. */
void lct_linear_pack(real *panels, real *transposed, const real *w, int64_t in,
                     int64_t out);
void lct_linear_forward(real *y, const real *x, const real *panels,
                        const struct lct_linear *s);
/* y [n, n] = x [n, k] W [k, n] if that is symmetric: elements above the
   diagonal are computed, the others copied. */
void lct_linear_symmetric(real *y, const real *x, const real *panels, int64_t n,
                          int64_t k);
void lct_linear_backward_input(real *dx, const real *dy, const real *transposed,
                               const struct lct_linear *s, bool add);
/* Add to one tile of dW, of 0 .. lct_linear_tiles() - 1. */
void lct_linear_backward_weight(real *dw, const real *dy, const real *x,
                                const struct lct_linear *s, int64_t tile);
int64_t lct_linear_tiles(int64_t in, int64_t out);

/* The elements of a tile of dW: rows i .. i + rows - 1, columns j .. */
enum { LCT_LINEAR_TILE = 128 }; /* most rows and columns */
struct lct_linear_tile {
    int64_t i, j, rows, cols;
};
struct lct_linear_tile lct_linear_tile(int64_t in, int64_t out, int64_t tile);
/* out [rows, cols] = a tile: with the same bits as added to 0. */
void lct_linear_backward_tile(real *out, const real *dy, const real *x,
                              const struct lct_linear *s,
                              const struct lct_linear_tile *tile);

/* stat [rows, 2] = mean and 1/deviation of each row */
void lct_norm_forward(real *y, real *stat, const real *x, const real *w,
                      int64_t rows, int64_t width, enum lct_norm kind);

struct lct_norm_saved {
    const real *x, *stat;
    int64_t rows, width;
    enum lct_norm kind;
};
/* Writes sum [width], what these rows add to dw; residual may be NULL. */
void lct_norm_backward(real *dx, const real *residual, double *sum,
                       const real *dy, const real *w,
                       const struct lct_norm_saved *saved);
/* dw [width] += sums [blocks, width], block by block; overwrites sums[0]. */
void lct_norm_backward_weight(real *dw, double *sums, int64_t blocks,
                              int64_t width);

void lct_gelu_forward(real *y, const real *x, size_t n);
void lct_gelu_backward(real *dy, const real *x, size_t n);

/* A list, for each token, of the rows with that token. */
struct lct_embedding_scratch {
    int32_t *first; /* [vocab] */
    int32_t *next;  /* [rows] */
    double *sum;    /* [width] */
};
void lct_embedding_forward(real *x, const real *table, const int32_t *tokens,
                           int64_t rows, int64_t width);
void lct_embedding_backward(real *dtable, const real *dx, const int32_t *tokens,
                            int64_t rows, int64_t vocab, int64_t width,
                            const struct lct_embedding_scratch *scratch);
/* Its two parts.  Fill the lists of rows, in ascending order. */
void lct_embedding_list(const struct lct_embedding_scratch *lists,
                        const int32_t *tokens, int64_t rows, int64_t vocab);
/* Add to drow [width] the rows of a list from row i on that are below 'end';
   returns the next row of the list, or -1. */
int32_t lct_embedding_add(real *drow, const real *dx, int32_t i, int64_t end,
                          int64_t width,
                          const struct lct_embedding_scratch *lists);

/* x [batch, length, width] += factor * table [length, width] */
void lct_positions_forward(real *x, const real *table, real factor,
                           int64_t batch, int64_t length, int64_t width);
void lct_positions_backward(real *dtable, const real *dx, real factor,
                            int64_t batch, int64_t length, int64_t width,
                            double *scratch);

/* stat [rows, 2] = largest logit and sum of exponentials of each scored row; a
   row with a negative target is not scored */
void lct_loss_forward(real *loss, real *stat, const real *logits,
                      const int32_t *targets, int64_t rows, int64_t vocab);
void lct_loss_backward(real *logits, const real *stat, const int32_t *targets,
                       int64_t rows, int64_t vocab, real factor);
#endif

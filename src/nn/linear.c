/*
 * linear.c - y = x W and its two gradients.
 *
 * Nothing here starts threads: callers divide the rows, or the tiles of dW.
 * Tiles have a fixed size, so bits do not depend on the number of threads.
 *
 * Products read W from packed panels of some columns: rows of W that are a
 * power of 2 apart would compete for a few sets of the first-level cache.  For
 * dW, which sums over many rows, dy is packed some rows at a time.
 */
#include "nn.h"

static int64_t at_most(int64_t n, int64_t limit)
{
    return n < limit ? n : limit;
}

/* c [m, n] = a b, or c += a b if 'add', with b in panels */
static void multiply(struct lct_nn_product p)
{
    const struct lct_nn_kernels *nn = lct_nn();
    const size_t n = p.n;
    const real *panels = p.b;
    real *c = p.c;

    for (size_t j = 0; j < n; j += p.n) {
        p.n = p.b_row = nn->panel(n - j);
        p.b = panels + j * p.k;
        p.c = c + j;
        nn->product(&p);
    }
}

/* Pack x [k, n], whose rows are 'row' apart, into panels. */
static void pack(real *panels, const real *x, int64_t row, int64_t k, int64_t n)
{
    const struct lct_nn_kernels *nn = lct_nn();

    for (int64_t j = 0, width; j < n; j += width) {
        width = (int64_t)nn->panel((size_t)(n - j));
        for (int64_t p = 0; p < k; p++, panels += width) {
            const real *from = x + p * row + j;

            for (int64_t c = 0; c < width; c++)
                panels[c] = from[c];
        }
    }
}

void lct_linear_pack(real *panels, real *transposed, const real *w, int64_t in,
                     int64_t out)
{
    const struct lct_nn_kernels *nn = lct_nn();

    pack(panels, w, out, in, out);
    for (int64_t i0 = 0, width; transposed != NULL && i0 < in; i0 += width) {
        width = (int64_t)nn->panel((size_t)(in - i0));
        for (int64_t j = 0; j < out; j++)
            for (int64_t i = 0; i < width; i++)
                transposed[i0 * out + j * width + i] = w[(i0 + i) * out + j];
    }
}

/*
 * y [rows, out] = x [rows, in] W [in, out].
 *
 * Saved for backward: x.
 */
void lct_linear_forward(real *y, const real *x, const real *panels,
                        const struct lct_linear *s)
{
    multiply((struct lct_nn_product){ .c = y,
                                      .c_row = (size_t)s->out,
                                      .a = x,
                                      .a_row = (size_t)s->in,
                                      .b = panels,
                                      .m = (size_t)s->rows,
                                      .n = (size_t)s->out,
                                      .k = (size_t)s->in });
}

/* forward: y = x W;  dx [rows, in] = dy [rows, out] W^T, or += if 'add' */
void lct_linear_backward_input(real *dx, const real *dy, const real *transposed,
                               const struct lct_linear *s, bool add)
{
    multiply((struct lct_nn_product){ .c = dx,
                                      .c_row = (size_t)s->in,
                                      .a = dy,
                                      .a_row = (size_t)s->out,
                                      .b = transposed,
                                      .m = (size_t)s->rows,
                                      .n = (size_t)s->in,
                                      .k = (size_t)s->out,
                                      .add = add });
}

void lct_linear_symmetric(real *y, const real *x, const real *panels, int64_t n,
                          int64_t k)
{
    const struct lct_nn_kernels *nn = lct_nn();

    for (int64_t j = 0, width; j < n; j += width) {
        width = (int64_t)nn->panel((size_t)(n - j));
        nn->product(&(struct lct_nn_product){ .c = y + j,
                                              .c_row = (size_t)n,
                                              .a = x,
                                              .a_row = (size_t)k,
                                              .b = panels + j * k,
                                              .b_row = (size_t)width,
                                              .m = (size_t)(j + width),
                                              .n = (size_t)width,
                                              .k = (size_t)k });
        for (int64_t i = j; i < j + width; i++)
            for (int64_t l = 0; l < i; l++)
                y[i * n + l] = y[l * n + i];
    }
}

/* --------------------------------------------------------------- weights */

/* A task computes TILE x TILE elements of dW from all rows. */
enum { TILE = LCT_LINEAR_TILE };

static int64_t tiles_along(int64_t n)
{
    return (n + TILE - 1) / TILE;
}

int64_t lct_linear_tiles(int64_t in, int64_t out)
{
    return tiles_along(in) * tiles_along(out);
}

struct lct_linear_tile lct_linear_tile(int64_t in, int64_t out, int64_t tile)
{
    const int64_t i = tile / tiles_along(out) * TILE;
    const int64_t j = tile % tiles_along(out) * TILE;

    return (struct lct_linear_tile){ i, j, at_most(in - i, TILE),
                                     at_most(out - j, TILE) };
}

/* A tile at c, whose rows are c_row apart, or what is added to it. */
static void weight_tile(real *c, int64_t c_row, const real *dy, const real *x,
                        const struct lct_linear *s,
                        const struct lct_linear_tile *t, bool add)
{
    lct_nn()->transposed_product(
        &(struct lct_nn_product){ .c = c,
                                  .c_row = (size_t)c_row,
                                  .a = x + t->i,
                                  .a_row = (size_t)s->in,
                                  .b = dy + t->j,
                                  .b_row = (size_t)s->out,
                                  .m = (size_t)t->rows,
                                  .n = (size_t)t->cols,
                                  .k = (size_t)s->rows,
                                  .add = add });
}

/* forward: y = x W;  dW [in, out] += x^T [in, rows] dy [rows, out] */
void lct_linear_backward_weight(real *dw, const real *dy, const real *x,
                                const struct lct_linear *s, int64_t tile)
{
    const struct lct_linear_tile t = lct_linear_tile(s->in, s->out, tile);

    weight_tile(dw + t.i * s->out + t.j, s->out, dy, x, s, &t, true);
}

void lct_linear_backward_tile(real *out, const real *dy, const real *x,
                              const struct lct_linear *s,
                              const struct lct_linear_tile *tile)
{
    weight_tile(out, tile->cols, dy, x, s, tile, false);
}

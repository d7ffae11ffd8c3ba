/*
 * dense.h - a dense bias and a dense mask of any broadcast shape, dtype and
 * strides, and the same as whole arrays in double.
 */
#ifndef DENSE_H
#define DENSE_H
#include "draw.h"

struct dense {
    int64_t size[4]; /* B, H, T, S */
    locant_tensor bias, visible, dbias;
    size_t bytes[3]; /* of their memory, guarded */
    void *memory[3];
    double *full; /* [B, H, T, S]: bias */
    char *shown;  /* [B, H, T, S]: visible */
    double *want; /* [B, H, T, S]: gradient of 'full' */
    double *sum;  /* as 'dbias': wanted of it */
};

/* Dimension n of the bias has size 1 if bit n of 'ones' is set. */
void dense_bias(struct dense *d, const int64_t size[4], locant_dtype dtype,
                unsigned ones);
void dense_visible(struct dense *d, const int64_t size[4], unsigned ones);
void dense_free(struct dense *d);

/* sum = 'want', summed over the sizes of 1. */
void dense_sum(struct dense *d);

/* The part of a tensor with sizes of 1 that belongs to a part of the call. */
locant_tensor dense_part(const locant_tensor *x, int n, int64_t from,
                         int64_t to);
#endif

/*
 * resize.h - a learned table of positions resampled to another length or grid.
 *
 * Every function here is a linear map over rows, out = W table, where W depends
 * on sizes and options only.  Row x of the n rows of out is interpolated
 * between the m rows of the table around the source coordinate
 *
 *   half pixel      s = (x + 1/2) m / (n + offset) - 1/2
 *   align corners   s = x (m - 1) / (n - 1);  0 if n = 1.  First row maps to
 *                   first row, last to last.
 *
 *   linear   W[x, j] = K(s - j), K(u) = 1 - |u| for |u| < 1
 *   cubic    Keys' kernel with constant a = -0.75:
 *              K(u) = (a+2)|u|^3 - (a+3)|u|^2 + 1           for |u| <= 1
 *                     a|u|^3 - 5a|u|^2 + 8a|u| - 4a         for 1 < |u| < 2
 *   antialias  (half pixel only) with stretch = max(1, m / (n + offset)):
 *              W[x, j] = K((s - j) / stretch), divided by the sum over j; cubic
 *              with a = -0.5.  Pillow and PyTorch's antialias=True do this.
 *
 * Beyond its ends the table continues with copies of its first and last row;
 * with antialias it ends.  A row of weight 0 is not read, so a NaN in it does
 * not spread.  Equal sizes (in 2-D: equal grids) are copied whatever the
 * options, as in all the codes named below.
 *
 * Sources: Keys 1981, "Cubic convolution interpolation for digital image
 * processing", IEEE Trans. ASSP 29(6), whose eq. (15) is a = -1/2; PyTorch
 * aten/src/ATen/native/UpSample.h and cpu/UpSampleKernel.cpp (the coordinates,
 * a = -0.75, antialias); Pillow src/libImaging/Resample.c (antialias).
 */
#ifndef LOCANT_RESIZE_H
#define LOCANT_RESIZE_H

#include "core.h"

LOCANT_BEGIN_DECLS

typedef enum locant_resize_kind {
    LOCANT_RESIZE_LINEAR = 0, /* in 2-D: bilinear */
    LOCANT_RESIZE_CUBIC  = 1  /* in 2-D: bicubic */
} locant_resize_kind;

typedef struct locant_resize {
    size_t  struct_size;   /* sizeof(locant_resize) */
    locant_resize_kind kind;
    int     align_corners; /* 0 | 1; not with antialias or offset */
    int     antialias;     /* 0 | 1 */
    double  offset;        /* 0 .. 1, added to each new size in s */
    int64_t prefix;        /* first rows (class tokens), which are copied */

    /* 2-D only: grids of rows x columns, without the prefix. */
    int64_t from_rows, from_columns; /* of table; 0, 0: square */
    int64_t rows, columns;           /* of out; 0, 0: square */
} locant_resize;

/* Linear, half pixel, no prefix, square grids. */
#define LOCANT_RESIZE_INIT { .struct_size = sizeof(locant_resize) }

/* How published image models resample their table for another image size. */
typedef enum locant_resize_form {
    /* linear, align corners.  google-research/vision_transformer,
     * vit_jax/checkpoint.py: scipy.ndimage.zoom(order=1). */
    LOCANT_RESIZE_VIT        = 0,
    /* cubic.  transformers, models/vit, deit, vit_mae:
     * interpolate_pos_encoding; Swin's bias tables for another window. */
    LOCANT_RESIZE_HF         = 1,
    /* cubic, antialias.  timm, layers/pos_embed.py:resample_abs_pos_embed. */
    LOCANT_RESIZE_TIMM       = 2,
    /* cubic, offset 0.1.  facebookresearch/dinov2,
     * models/vision_transformer.py:interpolate_pos_encoding calls with
     * scale_factor = (w + 0.1) / M, which moves every sample. */
    LOCANT_RESIZE_DINOV2     = 3,
    /* cubic, antialias, no offset: DINOv2's models with registers. */
    LOCANT_RESIZE_DINOV2_REG = 4,
    /* linear, align corners.  transformers, models/qwen3_vl:
     * fast_pos_embed_interpolate, coordinates linspace(0, M - 1, h).  The
     * model reorders rows into blocks of merged patches afterwards. */
    LOCANT_RESIZE_QWEN3VL    = 5
} locant_resize_form;

/*
 * Set kind, align_corners, antialias and offset of 'how' to those of a form;
 * the other members stay unchanged.  Errors: NULL, PARAM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_resize_set_form(locant_resize *how, locant_resize_form form);

/* "vit", "hf", "timm", "dinov2", "dinov2-reg", "qwen3vl"; NULL past the end. */
LOCANT_API const char *locant_resize_form_name(locant_resize_form form);

/*
 * out[x] = sum_j W[x, j] table[j] over the rows after the prefix.
 *
 * out     F32 or F64 [prefix + n, D]   written
 * table   F32 or F64 [prefix + m, D]   m >= 1 unless n = 0
 * how     the 2-D members are not read
 *
 * Weights and sums are in double, rounded once; the same bits for any number
 * of threads and on every instruction set.  Saved for backward: nothing.
 * To keep other rows unchanged (BEiT's last three), pass a view without them.
 *
 * Errors: NULL, SHAPE, DTYPE, LAYOUT, PARAM (kind, switches, offset, prefix),
 *         ALIAS, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_resize_1d(locant_tensor *out, const locant_tensor *table,
                 const locant_resize *how);

/*
 * dtable[j] += sum_x W[x, j] dout[x]; rows p of the prefix += dout[p].
 *
 * dtable  F32 or F64 [prefix + m, D]   added to; each sum is rounded once
 * dout    F32 or F64 [prefix + n, D]
 *
 * Errors: as locant_resize_1d().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_resize_1d_backward(locant_tensor *dtable, const locant_tensor *dout,
                          const locant_resize *how);

/*
 * The same along both axes of a grid stored row-major: W is the Kronecker
 * product of the W of rows and the W of columns.
 *
 * out     F32 or F64 [prefix + rows * columns, D]             written
 * table   F32 or F64 [prefix + from_rows * from_columns, D]
 *
 * Errors: as locant_resize_1d(), and SHAPE if a grid does not have as many
 *         cells as the tensor has rows after the prefix, or if it is left out
 *         and that number is not a square.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_resize_2d(locant_tensor *out, const locant_tensor *table,
                 const locant_resize *how);

/* The gradient of locant_resize_2d(), as locant_resize_1d_backward(). */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_resize_2d_backward(locant_tensor *dtable, const locant_tensor *dout,
                          const locant_resize *how);

LOCANT_END_DECLS
#endif /* LOCANT_RESIZE_H */

/* rotate.h - rotate rows by a schedule, for the public calls and attention */
#ifndef LCT_ROTATE_H
#define LCT_ROTATE_H
#include "../angle/schedule.h"
#include "../kernel/kernels.h"
#include "encoding.h"

/*
 * out = x rotated by the angles whose cosines and sines a table [rows, pairs]
 * holds; sign -1: by the inverse.  Channels before s->first and from s->first +
 * 2 * pairs on are not touched.  out == x is allowed if their strides are
 * equal.  lct_rotate_row_f64() does the same to one row in place.
 */
struct lct_rotated_rows {
    float *out;
    const float *x;
    int64_t out_row, x_row; /* floats from row to row */
    int64_t rows;
    const float *cosines, *sines;
    float sign;
};
void lct_rotate_tile(const struct lct_rotated_rows *r,
                     const struct lct_schedule *s, const struct lct_kernels *k);
/* As the kernel rope, in the bands of s; r->pairs is s->pairs. */
void lct_rotate_bands(const struct lct_rope *r, const struct lct_schedule *s,
                      const struct lct_kernels *k);
void lct_rotate_row_f64(double *row, const struct lct_schedule *s,
                        struct lct_table by, double sign);

/*
 * Cosines and sines [n, pairs] of n positions of an encoding with schedule s:
 * at coords [n, axes] if not NULL, else at pos [n], which positions.coordinates
 * converts if there are several axes.
 */
void lct_rotate_angles(struct lct_table out, const struct lct_schedule *s,
                       const locant_encoding *e, const int64_t *pos,
                       const double *coords, size_t n);

/* The two channels of pair c. */
void lct_rotate_channels(int64_t out[2], const struct lct_schedule *s,
                         int64_t c);

/* Cosine and sine of f at a point of one axis. */
void lct_rotate_angle(double *cos_out, double *sin_out, struct lct_phase f,
                      const struct lct_point *at);

/* Whose parameters, of as many heads as there are of keys, a head uses. */
static inline int64_t lct_rotate_kv_head(const struct lct_call *c,
                                         enum lct_role role, int64_t head)
{
    return role == LCT_KEY ? head : head / (c->heads / c->kv_heads);
}

/* -------------------------------------------------- inside the public calls */

/* The checked arguments of a call of this door. */
struct lct_rotate_call {
    const char *fn;
    const locant_encoding *e; /* the part that rotates */
    int first_param;          /* index of its first parameter */
    int axes;
    const int64_t *pos;   /* [tokens]; NULL: 'coords' */
    const double *coords; /* [tokens, axes] */
    size_t tokens;
    bool by_row;    /* each row of x's outermost index has its own positions:
                       'tokens' counts those of all rows */
    int64_t length; /* 1 + the longest position, at least 1 */
};

/* Open a call: find the part that rotates, check the positions, which errors
 * call 'name'. */
locant_status lct_rotate_open(struct lct_rotate_call *c, const char *fn,
                              const locant_encoding *e, const char *name,
                              const locant_tensor *positions, int64_t tokens);

/* Refuse heads with an odd number of channels to rotate. */
locant_status lct_rotate_check_pairs(const char *fn, int64_t channels);

/* Refuse flags other than LOCANT_ROTATE_INVERSE and _KEY. */
locant_status lct_rotate_check_flags(const char *fn, int flags);

/*
 * Replace *s by a copy with 1 / its magnitude, for the inverse: the caller
 * negates the angles.  On failure *s does not change.
 */
locant_status lct_rotate_invert(const struct lct_schedule **s, const char *fn);

/* After lct_blocks_check(): out has x's shape, but 'width' channels; if these
 * differ from x's, it must not overlap x. */
locant_status lct_rotate_check_width(const char *fn, const char *name,
                                     const locant_tensor *out,
                                     const locant_tensor *x, int64_t width);

/*
 * How to rotate tensors.  'angles' writes cosines and sines [n, pairs] of
 * tokens first .. first + n - 1; doubles for tensors of F64, else floats.  It
 * is called in any order and from any thread.
 */
struct lct_rotation {
    const struct lct_schedule *s;
    void (*angles)(struct lct_table out, const void *context, size_t first,
                   size_t n);
    const void *context;
    float sign; /* -1: the inverse */
    int outer;  /* see blocks.h */
};

/* The usual context of 'angles', which then is lct_places_angles(). */
struct lct_places {
    const struct lct_schedule *s;
    const struct lct_schedule *const *by; /* of each token; NULL: s */
    const locant_encoding *e;
    const int64_t *pos;
    const double *coords;
};
void lct_places_angles(struct lct_table out, const void *places, size_t first,
                       size_t n);

/* Rotate x[i] into out[i], i < n; see lct_blocks_run(). */
locant_status lct_rotate_rows(const char *fn, size_t n,
                              locant_tensor *const *out,
                              const locant_tensor *const *x,
                              const struct lct_rotation *r);

/*
 * The same for maps that are no plain rotation.  Everything is checked before
 * anything is written.
 */
struct lct_map_call {
    const char *name; /* of 'out' in error messages */
    locant_tensor *out;
    const locant_tensor *x;
    int flags;
};
locant_status lct_rotate_map(const struct lct_map_call *calls, size_t n,
                             const struct lct_rotate_call *c,
                             const locant_tensor *params);
locant_status lct_rotate_map_backward(locant_tensor *dx, locant_tensor *dparams,
                                      const locant_tensor *dout,
                                      const locant_tensor *x,
                                      const struct lct_rotate_call *c,
                                      const locant_tensor *params, int flags);
#endif

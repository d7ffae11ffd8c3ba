/*
 * oracle.h - references for encodings, one element at a time, from the papers.
 *
 * An oracle here is written in complex arithmetic and forward only.  Checks get
 * every derivative from it by the complex step, f'(x) = Im f(x + i h) / h with
 * h = 1e-30, which is exact to rounding.  So functions must be analytic between
 * their kinks: take absolute values, maxima, floors and comparisons of the real
 * part and choose the branch by it (see oracle_abs).
 *
 * Squire, Trapp: Using Complex Variables to Estimate Derivatives of Real
 * Functions.  SIAM Review 40(1), 1998.
 *
 * Nothing shares code with the library.
 */
#ifndef ORACLE_ORACLE_H
#define ORACLE_ORACLE_H

#include "locant.h"
#include <complex.h>

typedef double complex cx;

enum { ORACLE_PARAMS = 16 };

/* One problem.  Arrays are dense; NULL: the encoding does not read it. */
struct oracle_call {
    const char *spec;
    int64_t B, H, G, T, S, D; /* G key heads, D channels of a head */
    int64_t Dv, v_row;        /* channels of a value; distance of rows of v */
    int64_t W;                /* width of the model */
    const cx *q;              /* [B, H, T, D] */
    const cx *k, *v;          /* [B, G, S, D], [B, G, S, Dv]; v may be k */
    const cx *x;              /* [B, S, W]: input of the layer */
    const int64_t *q_pos;     /* [B, T] */
    const int64_t *k_pos;     /* [B, S] */
    const double *q_coords;   /* [B, T, axes] or NULL */
    const double *k_coords;
    int axes;
    int causal;
    double scale;
    const cx *param[ORACLE_PARAMS]; /* in the library's order, dense */
    int layer;
    /* Options of the call; 0 or NULL if not given. */
    int64_t window;
    double softcap;
    const cx *sinks; /* [H] */
};

/* A spec to try; the first of an oracle is the plain name, if that is valid. */
struct oracle_spec {
    const char *text;
    int64_t low, high; /* positions to draw; high 0: -100 .. 100 */
    int64_t D;         /* channels of a head; 0: any */
    int64_t step;      /* divides D and W; 0: D_step, W_step */
};

/*
 * One encoding.  A NULL function stands for what 'none' does.  The oracle reads
 * the meaning of the spec with oracle_number() and oracle_word(), and is asked
 * about visible pairs only.
 */
struct oracle {
    const char *name; /* of the registry's row */

    const struct oracle_spec *specs; /* ended by one without text */
    int64_t D_step, W_step; /* D and W must be multiples of these; 0: any */

    /* Parameter k: the range of values to try; NULL: -1 .. 1. */
    void (*range)(double *low, double *high, const char *spec, int k);

    /* Input door: channel d of P[pos]; pos can be real. */
    cx (*entry)(const struct oracle_call *call, double pos, int64_t d);

    /*
     * Rotate door: channel d of the query (key = 0) or key (key = 1) x [D]
     * after rotation, for head h (of queries, of keys) at token t of batch row
     * b.  'rotated_width' is the number of channels; NULL: D.
     */
    cx (*rotated)(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d);
    int64_t (*rotated_width)(const struct oracle_call *call);

    /* Factor of every product of a query and a key; NULL: 1. */
    double (*factor)(const char *spec);

    /* Score door: b(h, i, j). */
    cx (*bias)(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j);

    /* Any door: the whole score before softmax, -INFINITY if hidden.  NULL:
     * scale factor <rotated q, rotated k> + bias. */
    cx (*score)(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j);

    /* Weights by stick-breaking instead of a softmax; the rest goes to the
     * query's own key unless the spec says rest=drop. */
    int stick_breaking;

    /* Channel d of the vector that weight a[i,j] multiplies; NULL: v[j]. */
    cx (*value)(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j, int64_t d);

    /* A bound of the sum of magnitudes of the terms of a score's derivative by
     * parameter k.  NULL: the terms do not cancel. */
    double (*parts)(const struct oracle_call *call, int k);

    /* The magnitudes of the terms of a score's imaginary part, where these can
     * cancel; NULL: they do not. */
    double (*terms)(const struct oracle_call *call, int64_t b, int64_t h,
                    int64_t i, int64_t j);

    /* The library rotates by a table of float32 cosines; 0: its results are
     * held to double. */
    int float_table;
    /* Input and rotate door: real coordinates are accepted. */
    int real;
    /* Score door: up to this position the bias takes few enough operations to
     * be exact in double; 0: test positions of the specs only. */
    int64_t far;
    /* The width of x is that of all heads together. */
    int x_by_head;
    /* Needs as many key heads as query heads. */
    int as_many_kv_heads;
    /* Maps that may shrink a query take it to a key: errors of gradients are
     * those of the whole query. */
    int shrinks_queries;
    /* Bit k: parameter k holds integers. */
    unsigned integers;
};

/* All oracles, ended by NULL; and that of a registry row, or NULL. */
extern const struct oracle *const oracle_all[];
const struct oracle *oracle_of(const char *name);

/* Set *call to spec i of o, raise its D and W to sizes that the spec accepts,
 * and set the range of positions to draw.  0: there is no spec i. */
int oracle_choose(struct oracle_call *call, int64_t *low, int64_t *high,
                  const struct oracle *o, int i);

/* The number that a key has in a spec "f(a=2,b=x)", or the fallback. */
double oracle_number(const char *spec, const char *key, double fallback);
/* Does the key have this word?  The fallback if the spec lacks the key. */
int oracle_word(const char *spec, const char *key, const char *word,
                int fallback);
/* Numbers of a list "a:b:c"; returns how many there are, at most 'size'. */
int oracle_numbers(double *out, int size, const char *spec, const char *key);

/* Coordinate 'axis' of query (key = 0) or key t of row b where the caller gave
 * coordinates; otherwise 'fallback'. */
double oracle_coord(const struct oracle_call *call, int key, int64_t b,
                    int64_t t, int axis, double fallback);
/* Position of query (key = 0) or key t of row b. */
int64_t oracle_position(const struct oracle_call *call, int key, int64_t b,
                        int64_t t);
/* 1 + the largest position of row b, or of all rows with length=call. */
int64_t oracle_length(const struct oracle_call *call, int64_t b);

/* |z| of a real number carried in z: z or -z by the sign of its real part. */
static inline cx oracle_abs(cx z)
{
    return creal(z) < 0 ? -z : z;
}

/* Do the mask and window of the call let query i see key j of row b? */
int oracle_visible(const struct oracle_call *call, int64_t b, int64_t i,
                   int64_t j);
/* scale factor <q, k> (rotated), without bias. */
cx oracle_product(const struct oracle_call *call, const struct oracle *o,
                  int64_t b, int64_t h, int64_t i, int64_t j);
cx oracle_score(const struct oracle_call *call, const struct oracle *o,
                int64_t b, int64_t h, int64_t i, int64_t j);
#endif

/*
 * encoding.h - every positional encoding, by one string.
 *
 * A spec names an encoding everywhere (C, command line, Python, database,
 * legends):
 *
 *     spec   = name | name "(" [ key "=" value { "," key "=" value } ] ")"
 *     value  = number | word | spec
 *     name, key, word = letter { letter | digit | "_" | "-" | "." }
 *
 * for example "none", "rope(base=500000,pairing=half)".  Blanks are allowed
 * between tokens.  A switch is the word yes or no.  The canonical form leaves
 * out blanks and keys at their defaults, in the registry's order; parsing it
 * gives the same encoding again.
 *
 * An encoding enters a Transformer through doors:
 *
 *   input    x[t] += P[pos[t]], once before layer 0     locant_encoding_table()
 *   rotate   q and k turned by pos x frequency         locant_encoding_rotate()
 *   score    s[h,i,j] += b(h, pos_i, pos_j)             locant_encoding_bias()
 *   content  s[h,i,j] += f(q_i, k_j, pos_i, pos_j)
 */
#ifndef LOCANT_ENCODING_H
#define LOCANT_ENCODING_H

#include "core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct locant_encoding locant_encoding;

enum { /* bits of 'doors' */
    LOCANT_DOOR_INPUT   = 1,
    LOCANT_DOOR_ROTATE  = 2,
    LOCANT_DOOR_SCORE   = 4,
    LOCANT_DOOR_CONTENT = 8
};

enum { /* bits of 'traits': each is a property the tests hold it to */
    LOCANT_TRAIT_RELATIVE  = 1,  /* scores depend on position differences */
    LOCANT_TRAIT_ISOMETRIC = 2,  /* keeps the length of every vector */
    LOCANT_TRAIT_LEARNED   = 4,  /* has parameters */
    LOCANT_TRAIT_WALL      = 8,  /* defined only for positions of its table */
    LOCANT_TRAIT_MONOTONE  = 16  /* bias never grows with past distance */
};

/* ---------------------------------------------------------------- registry */

/* One key of a spec. */
typedef struct locant_key_info {
    const char *name;
    const char *kind;     /* "number", "integer", "word", "switch", "spec" */
    const char *fallback; /* default as written in a spec; "" if derived */
    const char *range;    /* "> 0", "half | interleaved", .. */
    const char *doc;
} locant_key_info;

/* One row of the registry. */
typedef struct locant_encoding_info {
    const char *name;
    const char *title;
    const char *formula; /* plain text */
    const char *source;  /* paper, arXiv id and version, equation */
    const char *used_by; /* models */
    const char *traps;   /* what implementations get wrong; "" if nothing */
    unsigned    doors;
    unsigned    traits;
} locant_encoding_info;

/* Rows of the registry, in alphabetical order; NULL past the end. */
LOCANT_API const locant_encoding_info *locant_encoding_at(int i);

/*
 * Key i of the encoding 'name'.  Writes *out and returns 1; returns 0 when
 * there is no such encoding or key.  The strings live until the calling
 * thread's next call.
 */
LOCANT_API int
locant_encoding_key(locant_key_info *out, const char *name, int i);

/* ------------------------------------------------------------------- specs */

/*
 * Make an encoding from its spec.  An immutable value: any number of threads
 * may use it.
 *
 * Errors: NULL, NOMEM, PARAM: the sentence names the byte of a syntax error, or
 * the unknown name or key with the nearest known one and the list, or the value
 * and its range.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_create(locant_encoding **out, const char *spec);

/*
 * The same encoding trained on sequences of 'length' tokens: a key "length"
 * that was left out becomes 'length'; everything else is copied.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_resolve(locant_encoding **out, const locant_encoding *e,
                        int64_t length);

LOCANT_API void locant_encoding_free(locant_encoding *e);

/* The canonical spec; lives as long as 'e'. */
LOCANT_API const char *locant_encoding_spec(const locant_encoding *e);

/* Its row of the registry. */
LOCANT_API const locant_encoding_info *
locant_encoding_info_of(const locant_encoding *e);

/* -------------------------------------------------------------- parameters */

/* One learned parameter. */
typedef struct locant_param_info {
    const char *name;                   /* "table" */
    const char *dims;                   /* "[buckets, heads]" */
    const char *doc;
    int         rank;
    int64_t     shape[LOCANT_MAX_RANK]; /* for the sizes asked about */
    double      rate;                   /* learning rate relative to that of
                                           weight matrices: parameters that are
                                           logits move in units of 1, weights
                                           in units of width^(-1/2) */
} locant_param_info;

/*
 * Learned parameter i for a model of 'heads' heads and width 'dim' (0 where
 * unknown; a size that depends on it is then 0).  Returns 1, or 0 past the end.
 */
LOCANT_API int
locant_encoding_param(locant_param_info *out, const locant_encoding *e, int i,
                      int64_t heads, int64_t dim);

/*
 * Write the initial value of parameter i, drawn from 'seed'.
 * out    F32 or F64, dense, of the parameter's shape.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (i).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_param_init(locant_tensor *out, const locant_encoding *e, int i,
                           uint64_t seed);

/*
 * Move every entry of parameter i to the nearest allowed value, in place; to be
 * called after each step of an optimiser.
 * Errors: as locant_encoding_param_init().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_param_project(locant_tensor *param, const locant_encoding *e,
                              int i);

/* -------------------------------------------------------------- input door */

/*
 * out[n,:] = P[positions[n],:], to be added to the embeddings.
 *
 * out        F32 or F64 [N, D]   written; last stride 1
 * positions  I64 [N]
 * params     learned parameters in order, F32 or F64; NULL if none
 *
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, ALIAS, PARAM (position beyond a learned
 * table: the sentence names it), UNSUPPORTED (not of this door).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_table(locant_tensor *out, const locant_encoding *e,
                      const locant_tensor *positions,
                      const locant_tensor *params);

/*
 * dparams (array, dtype of each parameter) += the gradient, given dout [N, D].
 * Repeated positions add up.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_table_backward(locant_tensor *dparams,
                               const locant_tensor *dout,
                               const locant_encoding *e,
                               const locant_tensor *positions,
                               const locant_tensor *params);

/* ------------------------------------------------------------- rotate door */

/*
 * Turn queries or keys.  Pair c of the rotated channels, (a, b), at position p:
 *
 *     a' = a cos(p f_c) - b sin(p f_c)
 *     b' = a sin(p f_c) + b cos(p f_c)
 *
 *     HALF         [a0 a1 .. b0 b1 ..]   pair c = channels (c, c + dim/2)
 *     INTERLEAVED  [a0 b0 a1 b1 ..]      pair c = channels (2c, 2c + 1)
 *
 * out        F32, F16, BF16 or F64 [.., T, D]   written; may alias x
 * x          dtype and shape of out             rank >= 2, last stride 1
 * positions  I64 [T], or F64 [T] for fractional positions
 * inverse    nonzero: turn by -p f_c
 *
 * Computed in float32 (double for F64) from a table exact to float32.  Same
 * bits on every instruction set.
 * Errors: NULL, DTYPE, SHAPE (odd channels), LAYOUT, ALIAS, PARAM, UNSUPPORTED.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotate(locant_tensor *out, const locant_tensor *x,
                       const locant_encoding *e, const locant_tensor *positions,
                       int inverse);

/*
 * Gradient with respect to x: dx = R^T dout, which is the inverse turn.  Writes
 * dx; may alias dout.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotate_backward(locant_tensor *dx, const locant_tensor *dout,
                                const locant_encoding *e,
                                const locant_tensor *positions);

/* -------------------------------------------------------------- score door */

/*
 * out[h,i,j] = b(h, q_pos[i], k_pos[j]).  Whether key j is visible is the
 * mask's business, not this function's: every entry is finite where the
 * parameters are finite and in their range.
 *
 * out      F32 or F64 [H, T, S]   written; last stride 1
 * q_pos    I64 [T]
 * k_pos    I64 [S]
 * params   learned parameters in order, F32 or F64; NULL if none
 *
 * Formed in double, rounded once.  An encoding without any door (none) gives 0.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, ALIAS, NOMEM, UNSUPPORTED.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_bias(locant_tensor *out, const locant_encoding *e,
                     const locant_tensor *q_pos, const locant_tensor *k_pos,
                     const locant_tensor *params);

/* dparams (array, dtype of each parameter) += the gradient, given dout. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_bias_backward(locant_tensor *dparams, const locant_tensor *dout,
                              const locant_encoding *e,
                              const locant_tensor *q_pos,
                              const locant_tensor *k_pos,
                              const locant_tensor *params);

#ifdef __cplusplus
}
#endif
#endif /* LOCANT_ENCODING_H */

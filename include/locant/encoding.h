/*
 * encoding.h - every positional encoding, by one string.
 *
 * A spec names an encoding everywhere (C, command line, Python, database,
 * legends):
 *
 *     spec   = part { "+" part }
 *     part   = name | name "(" [ key "=" value { "," key "=" value } ] ")"
 *     value  = number { ":" number } | word | spec
 *     name, key, word = letter { letter | digit | "_" | "-" | "." }
 *
 * for example "none", "rope(base=500000,pairing=half)",
 * "randomized(length=2048)+alibi".  Blanks are allowed
 * between tokens.  A switch is the word yes or no.  The canonical form leaves
 * out blanks and keys at their defaults, in the registry's order; parsing it
 * gives the same encoding again.
 *
 * An encoding enters a Transformer through doors:
 *
 *   input    x[t] += P[pos[t]], once before layer 0     locant_encoding_add()
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
    LOCANT_TRAIT_LIMIT     = 8,  /* defined for positions of its table only */
    LOCANT_TRAIT_MONOTONE  = 16, /* bias never grows with past distance */
    LOCANT_TRAIT_LENGTH    = 32, /* depends on the longest position of the
                                    document (length=call: of the call): parts
                                    of a run differ from the run */
    LOCANT_TRAIT_READS_X   = 64, /* reads the input of its layer */
    LOCANT_TRAIT_REAL      = 128, /* its positions are real numbers */
    LOCANT_TRAIT_CAUSAL    = 256 /* defined for keys up to the query only */
};

/* ---------------------------------------------------------------- registry */

/* One key of a spec. */
typedef struct locant_key_info {
    const char *name;
    const char *kind;     /* "number", "integer", "word", "switch", "spec",
                             "list" */
    const char *fallback; /* default as written in a spec; "" if derived */
    const char *range;    /* "> 0", "half | interleaved", .. */
    const char *doc;
} locant_key_info;

/* One spelling of an encoding that has a name of its own. */
typedef struct locant_variant {
    const char *spec;
    const char *title;
    const char *used_by;
} locant_variant;

/* One row of the registry. */
typedef struct locant_encoding_info {
    const char *name;
    const char *title;
    const char *formula; /* plain text */
    const char *source;  /* paper, arXiv id and version, equation */
    const char *used_by; /* models */
    const char *pitfalls; /* what implementations get wrong; "" if nothing */
    unsigned    doors;
    unsigned    traits;
    const char *gradient;           /* plain text; "" if there is none */
    const locant_variant *variants; /* ended by a NULL spec; NULL if none */
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

/* Its row of the registry; of a sum, that of its first part. */
LOCANT_API const locant_encoding_info *
locant_encoding_info_of(const locant_encoding *e);

/* Its doors and traits, which may depend on keys; a sum has those of its parts
 * (RELATIVE, ISOMETRIC, MONOTONE only where all have them). */
LOCANT_API unsigned locant_encoding_doors(const locant_encoding *e);
LOCANT_API unsigned locant_encoding_traits(const locant_encoding *e);

/* Coordinates of one position: 1, or 2 and 3 for grids and video. */
LOCANT_API int locant_encoding_axes(const locant_encoding *e);

/*
 * What layer 'layer' of a model uses: 'e' itself, or one of the encodings that
 * layers(..) holds.  *first_param is the index among e's parameters of its
 * first one.  Lives as long as 'e'.
 */
LOCANT_API const locant_encoding *
locant_encoding_layer(int *first_param, const locant_encoding *e,
                      int64_t layer);

/*
 * How many positions it is defined at, from 0 on: INT64_MAX without a limit,
 * 0 while a length that was left out is unknown.
 */
LOCANT_API int64_t locant_encoding_reach(const locant_encoding *e);

/* Does it choose positions itself, so that locant_encoding_ids() is to be
 * asked for each batch? */
LOCANT_API int locant_encoding_places(const locant_encoding *e);

/*
 * Positions of tokens that follow each other from 0: 0 .. T-1, but where the
 * encoding draws them at random or spreads them out.
 *
 * out       I64 [B, T], or F64 [B, T] with the trait REAL
 * seed      of this batch; rows differ
 * training  nonzero: as in training, at random
 *
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (T is longer than the encoding
 * can place, pose in training its length).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_ids(locant_tensor *out, const locant_encoding *e,
                    uint64_t seed, int training);

/* -------------------------------------------------------------- parameters */

/* The sizes parameters depend on; 0: unknown. */
typedef struct locant_sizes {
    int64_t width;    /* of the model */
    int64_t heads;    /* of queries */
    int64_t kv_heads; /* of keys; 0: as many as of queries */
    int64_t head_dim; /* channels of a head */
} locant_sizes;

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
                                           in units of width^(-1/2); 0: data
                                           of the task, not learned */
    int         per_layer;              /* each layer of a model has its own */
    unsigned    doors;                  /* of the part it belongs to */
} locant_param_info;

/*
 * Learned parameter i for a model of these sizes (NULL: all unknown; a size
 * that depends on an unknown one is 0).  The parameters of a sum are those of
 * its parts in order, named "part.name".  Returns 1, or 0 past the end.  The
 * strings live until the calling thread's next call.
 */
LOCANT_API int
locant_encoding_param(locant_param_info *out, const locant_encoding *e, int i,
                      const locant_sizes *sizes);

/*
 * Write the initial value of parameter i, drawn from 'seed'.
 * out    F32 or F64, dense, of the parameter's shape.
 * All parameters of one layer take one seed: some are drawn together.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (i), NOMEM.
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
 * positions  I64 [N]; F64 [N] or [N, axes] for real ones, where the encoding
 *            is defined there
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
 * out[..,t,:] = x[..,t,:] + P[positions[t],:]: the rows added to embeddings.
 *
 * out        F32, F16, BF16 or F64 [.., T, D]   written; may alias x
 * x          dtype and shape of out             rank >= 2, last stride 1
 * positions  I64 [T]; F64 [T] or [T, axes] for real ones, where the encoding
 *            is defined there
 * params     learned parameters in order, F32 or F64; NULL if none
 *
 * A row is rounded to float32, added in float32 and rounded to the dtype; with
 * F64 all is in double.  Same bits on every instruction set and for any number
 * of threads.  Gradients: dx is dout; locant_encoding_table_backward().
 * Errors: as locant_encoding_table(), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_add(locant_tensor *out, const locant_tensor *x,
                    const locant_encoding *e, const locant_tensor *positions,
                    const locant_tensor *params);

/*
 * dparams (array, dtype of each parameter) += the gradient, given dout [N, D].
 * Repeated positions add up: gradients are added in the dtype of dparams, one
 * row after the other, so that in F32 each row is rounded once.
 *
 * Errors: as locant_encoding_table(); ALIAS also where an array of dparams
 * overlaps another one or anything that is read.
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
 * positions  I64 [T]; F64 [T] or [T, axes] for real coordinates, in the order
 *            (y, x), (t, y, x) or, of mrope, (t, h, w), as the angles take
 *            them: after whatever scaling a form does to grid indices
 * params     learned parameters in order, F32 or F64; NULL if none
 * flags      LOCANT_ROTATE_* or 0
 *
 * A factor on whole scores (yarn's score=yes) is no rotation: here it does
 * nothing, and who forms scores from the outputs multiplies them by it.
 *
 * To an encoding with the trait LENGTH all T tokens are one document, whose
 * longest position counts; see locant_encoding_rotate_ragged() for others.
 * Encodings with parameters of each head take x [.., H, T, D].  Some widen rows
 * (pope to 2D channels): then out is wider than x and must not alias it.
 *
 * Plain rotations are computed in float32 from a table exact to float32; of
 * F64 in double from one in double, whose cosines and sines are within 2^-51 of
 * those of the frequencies (but the float32 recipes, angles=hf and ggml, stay
 * what they are).  They have the same bits on every instruction set; other maps
 * of this door in double, rounded once.
 * Errors: NULL, DTYPE, SHAPE (odd channels), LAYOUT, ALIAS, PARAM, UNSUPPORTED
 * (not of this door; no inverse), NOMEM.
 */
enum {
    LOCANT_ROTATE_INVERSE = 1, /* undo it: turn by -p f_c */
    LOCANT_ROTATE_KEY     = 2  /* x are keys; matters to xpos and pope */
};

/* Channels of a turned row of head_dim channels: head_dim, but of pope 2 D. */
LOCANT_API int64_t locant_encoding_rotated_width(const locant_encoding *e,
                                                 int64_t head_dim);

LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotate(locant_tensor *out, const locant_tensor *x,
                       const locant_encoding *e, const locant_tensor *positions,
                       const locant_tensor *params, int flags);

/*
 * Turn the queries and the keys of one layer in one call: the angles are made
 * once.  As locant_encoding_rotate() of q with 'flags', and of k with flags |
 * LOCANT_ROTATE_KEY, bit for bit.
 *
 * q_out, k_out  F32, F16, BF16 or F64 [.., T, D]   written; may alias q and k,
 *               each its own
 * q, k          dtype and shape of q_out and k_out; same T and D, while heads,
 *               strides and dtype may differ
 * positions     of all tokens of both, as in locant_encoding_rotate()
 * flags         LOCANT_ROTATE_INVERSE or 0
 *
 * Errors: as locant_encoding_rotate(); nothing is written then.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotate_qk(locant_tensor *q_out, locant_tensor *k_out,
                          const locant_tensor *q, const locant_tensor *k,
                          const locant_encoding *e,
                          const locant_tensor *positions,
                          const locant_tensor *params, int flags);

/*
 * Gradients: writes dx (for a plain rotation R^T dout, the inverse turn, which
 * may alias dout) and adds to dparams (array; NULL: not wanted).  x is read
 * only where the map is no plain rotation; it may be NULL there.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotate_backward(locant_tensor *dx, locant_tensor *dparams,
                                const locant_tensor *dout,
                                const locant_tensor *x,
                                const locant_encoding *e,
                                const locant_tensor *positions,
                                const locant_tensor *params, int flags);

/*
 * A rotation of rows that are not alike: those of a ragged batch, documents
 * packed in a row, parts of a longer run.
 *
 * positions  I64 [T], or [B, T] for rows of x [B, .., T, D]
 * limits     I64 [B] or [B, T]: 1 + the longest position, at least 1, of what
 *            each row, or each token, is a part of; last stride 1.  NULL: of
 *            the positions of each row.  An encoding with the trait LENGTH
 *            turns each token by its limit, so that it has the bits it has
 *            alone; with length=call the largest of all counts
 * params     learned parameters in order, F32 or F64; NULL if none
 * flags      LOCANT_ROTATE_* or 0
 *
 * B is 1 where x is [T, D].
 */
typedef struct locant_rotation {
    size_t                 struct_size; /* sizeof(locant_rotation) */
    const locant_encoding *encoding;
    const locant_tensor   *positions, *limits;
    const locant_tensor   *params;
    int                    flags;
} locant_rotation;

#define LOCANT_ROTATION_INIT { .struct_size = sizeof(locant_rotation) }

/*
 * As locant_encoding_rotate() and its gradient at those positions and limits.
 * Errors: as those functions, PARAM (a limit below 1: the sentence names it).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotate_ragged(locant_tensor *out, const locant_tensor *x,
                              const locant_rotation *rotation);
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rotate_ragged_backward(locant_tensor *dx,
                                       locant_tensor *dparams,
                                       const locant_tensor *dout,
                                       const locant_tensor *x,
                                       const locant_rotation *rotation);

/*
 * Move keys that were rotated by 'from' at from_positions to where 'to' would
 * have put them at to_positions, in one turn by p_to f_to - p_from f_from:
 * shift, divide, other base, other scaling.  Both must be plain rotations of
 * the same channels; where their magnitudes differ the ratio is applied.
 *
 * out             F32, F16, BF16 or F64 [.., T, D]   written; may alias x, so
 *                 that a cache is moved where it lies
 * x               dtype and shape of out             rank >= 2, last stride 1
 * from_positions, I64 [T]; F64 [T] or [T, axes]: as in
 * to_positions    locant_encoding_rotate()
 *
 * Errors: as locant_encoding_rotate(), PARAM (other channels or pairing;
 * integers beyond 2^53 where frequencies differ).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_rerotate(locant_tensor *out, const locant_tensor *x,
                         const locant_encoding *from,
                         const locant_tensor *from_positions,
                         const locant_encoding *to,
                         const locant_tensor *to_positions);

/*
 * out[i,j] = the cosine of the angle between positions i and j.  Of the input
 * door: between rows of the table.  Of the rotate door: between vectors of
 * 'dim' ones turned by each position, which for a plain rotation is the mean
 * of cos((positions[i] - positions[j]) f_c) over the pairs.  A row of zeros is
 * like nothing, itself included: 0.
 *
 * out        F32 [N, N]   written; last stride 1
 * positions  I64 [N]; F64 [N] or [N, axes], as the door takes them
 * dim        channels, at least 1
 * params     learned parameters in order, F32 or F64; NULL if none
 *
 * Rows and sums are in double, rounded once.
 * Errors: as locant_encoding_table() and locant_encoding_rotate().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_similarity(locant_tensor *out, const locant_encoding *e,
                           const locant_tensor *positions, int64_t dim,
                           const locant_tensor *params);

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
 * H is both 'heads' and 'kv_heads' here, and the scale of scores is 1.  Formed
 * in double, rounded once.  An encoding without any door (none) gives 0.
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

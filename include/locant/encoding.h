/*
 * encoding.h - every positional encoding, named by one string.
 *
 * A spec names an encoding everywhere: in C, Python, the command, the database:
 *
 *     spec   = part { "+" part }
 *     part   = name | name "(" [ key "=" value { "," key "=" value } ] ")"
 *     value  = number { ":" number } | word | spec
 *     name, key, word = letter { letter | digit | "_" | "-" | "." }
 *
 * for example "none", "rope(base=500000,pairing=half)",
 * "randomized(length=2048)+alibi".  Blanks are allowed between tokens.  A
 * switch is the word yes or no.  The map of layers(..) and the keys of
 * formula(..) are expressions: docs/encodings/layers.md, docs/guide/formula.
 * The canonical form has its keys in the order of the registry, without blanks
 * and without keys at their defaults; parsing it gives the same encoding again.
 * Parts of a sum go through different doors; only biases of the score door add.
 *
 * An encoding enters a Transformer through one or more doors:
 *
 *   input    x[t] += P[pos[t]], once before layer 0     locant_encoding_add()
 *   rotate   q and k rotated by pos x frequency        rotate.h
 *   score    s[h,i,j] += b(h, pos_i, pos_j)             locant_encoding_bias()
 *   content  s[h,i,j] += f(q_i, k_j, pos_i, pos_j)      within attention only
 */
#ifndef LOCANT_ENCODING_H
#define LOCANT_ENCODING_H

#include "core.h"

LOCANT_BEGIN_DECLS

typedef struct locant_encoding locant_encoding;

enum { /* bits of 'doors' */
    LOCANT_DOOR_INPUT   = 1,
    LOCANT_DOOR_ROTATE  = 2,
    LOCANT_DOOR_SCORE   = 4,
    LOCANT_DOOR_CONTENT = 8
};

enum { /* bits of 'traits': properties, each verified by the tests */
    LOCANT_TRAIT_RELATIVE  = 1,  /* scores depend on position differences */
    LOCANT_TRAIT_ISOMETRIC = 2,  /* keeps the length of every vector */
    LOCANT_TRAIT_LEARNED   = 4,  /* has parameters */
    LOCANT_TRAIT_LIMIT     = 8,  /* defined only for positions of its table */
    LOCANT_TRAIT_MONOTONE  = 16, /* bias never grows with the distance to past
                                    keys */
    LOCANT_TRAIT_LENGTH    = 32, /* depends on the longest position of the
                                    document (length=call: of the call), so a
                                    prefix gives other results than the whole */
    LOCANT_TRAIT_READS_X   = 64, /* reads the input of its layer */
    LOCANT_TRAIT_REAL      = 128, /* its positions are real numbers */
    LOCANT_TRAIT_CAUSAL    = 256 /* defined for keys up to the query only */
};

/* ---------------------------------------------------------------- registry */

/* One key of a spec. */
typedef struct locant_key_info {
    const char *name;
    const char *kind;     /* "number", "integer", "word", "switch", "spec",
                             "list", "expression" */
    const char *fallback; /* default as written in a spec; "" if derived */
    const char *range;    /* "> 0", "half | interleaved", .. */
    const char *doc;
} locant_key_info;

/* A spec of an encoding that is known under a name of its own. */
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
 * Key i of the encoding 'name'.  Writes *out and returns 1; returns 0 if there
 * is no such encoding or key.  The strings live until the next call on the same
 * thread.
 */
LOCANT_API int
locant_encoding_key(locant_key_info *out, const char *name, int i);

/* ------------------------------------------------------------------- specs */

/*
 * Create an encoding from its spec.  It is immutable: any number of threads may
 * use it.
 *
 * Errors: NULL, NOMEM, PARAM: the message names the byte of a syntax error, or
 * the unknown name or key with the nearest known one and the list, or the value
 * and its range.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_create(locant_encoding **out, const char *spec);

/*
 * The same encoding for training on sequences of 'length' positions: a key
 * "length" that was left out becomes 'length'; everything else is copied.
 * Errors: NULL, PARAM, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_resolve(locant_encoding **out, const locant_encoding *e,
                        int64_t length);

LOCANT_API void locant_encoding_free(locant_encoding *e);

/* The canonical spec; lives as long as 'e'. */
LOCANT_API const char *locant_encoding_spec(const locant_encoding *e);

/* The registry row of 'e'; for a sum, that of its first part. */
LOCANT_API const locant_encoding_info *
locant_encoding_info_of(const locant_encoding *e);

/* The doors and traits of 'e'; they may depend on keys.  A sum has those of its
 * parts, but RELATIVE, ISOMETRIC and MONOTONE only if all parts have them. */
LOCANT_API unsigned locant_encoding_doors(const locant_encoding *e);
LOCANT_API unsigned locant_encoding_traits(const locant_encoding *e);

/* Number of coordinates of a position: 1, or 2 and 3 for grids and video. */
LOCANT_API int locant_encoding_axes(const locant_encoding *e);

/*
 * The encoding of layer 'layer' of a model: 'e' itself, or one of those that
 * layers(..) holds.  *first_param is the index, among e's parameters, of the
 * first parameter of the result.  Lives as long as 'e'.  Layers may differ in
 * number and width of heads: ask the result for parameters of such sizes.
 *
 * last(..) of a map counts back from 'count', the layers of the model; 0: as
 * locant_encoding_layer_count() says.  Without any it stands for no layer.
 */
LOCANT_API const locant_encoding *
locant_encoding_layer(int *first_param, const locant_encoding *e,
                      int64_t layer);
LOCANT_API const locant_encoding *
locant_encoding_layer_of(int *first_param, const locant_encoding *e,
                         int64_t layer, int64_t count);

/* The number of layers of the models that 'e' is for, by its list(..) or its
 * key count; 0: any number. */
LOCANT_API int64_t locant_encoding_layer_count(const locant_encoding *e);

/*
 * The length limit n of 'e', which is defined at positions 0 .. n - 1.
 * INT64_MAX if there is no limit, 0 if the limit is a length that the spec
 * leaves out.
 */
LOCANT_API int64_t locant_encoding_length_limit(const locant_encoding *e);

/* 1 if 'e' chooses positions itself, so that locant_encoding_ids() must be
 * called for each batch; else 0. */
LOCANT_API int locant_encoding_chooses_positions(const locant_encoding *e);

/*
 * Write the positions of T tokens in a row: 0 .. T-1, unless the encoding draws
 * them at random or spreads them out.
 *
 * out       I64 [B, T], or F64 [B, T] with the trait REAL   written
 * seed      of this batch; each row draws its own
 * training  nonzero: random, as in training; 0: fixed, as in evaluation
 *
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (T is larger than the range of
 * positions or, for pose in training, than the length it trains on).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_ids(locant_tensor *out, const locant_encoding *e,
                    uint64_t seed, int training);

/* -------------------------------------------------------------- parameters */

/* The sizes that parameters depend on; 0: unknown. */
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
                                           weight matrices: logits change in
                                           units of 1, weights in units of
                                           width^(-1/2); 0: not learned, data
                                           of the task or frozen */
    int         per_layer;              /* 1: one for each layer of a model */
    unsigned    doors;                  /* of the part it belongs to */
} locant_param_info;

/*
 * Learned parameter i for a model of these sizes (NULL: all unknown; a size
 * that depends on an unknown one is 0).  The parameters of a sum are those of
 * its parts in order, named "part.name".  Returns 1, or 0 past the end.  The
 * strings live until the next call on the same thread.
 */
LOCANT_API int
locant_encoding_param(locant_param_info *out, const locant_encoding *e, int i,
                      const locant_sizes *sizes);

/*
 * Write the initial value of parameter i, drawn from 'seed'.
 * out    F32 or F64, dense, of the parameter's shape   written
 * Give all parameters of one layer the same seed: some are drawn together.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (i), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_param_init(locant_tensor *out, const locant_encoding *e, int i,
                           uint64_t seed);

/*
 * Set every entry of parameter i to the nearest allowed value, in place.  Call
 * it after each step of an optimiser.
 * Errors: as locant_encoding_param_init().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_param_project(locant_tensor *param, const locant_encoding *e,
                              int i);

/*
 * Below, 'params' are the learned parameters in order, each F32 or F64; NULL if
 * there are none.  'dparams' are their gradients, of the same dtypes and order.
 */

/* -------------------------------------------------------------- input door */

/*
 * out[n,:] = P[positions[n],:], to be added to the embeddings.
 *
 * out        F32 or F64 [N, D]   written; last stride 1
 * positions  I64 [N]; F64 [N] or [N, axes] if the encoding is defined at real
 *            positions
 *
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, ALIAS, PARAM (position beyond a learned
 * table: the message names it), UNSUPPORTED (not of this door).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_table(locant_tensor *out, const locant_encoding *e,
                      const locant_tensor *positions,
                      const locant_tensor *params);

/*
 * out[..,t,:] = x[..,t,:] + P[positions[t],:]
 *
 * out        F32, F16, BF16 or F64 [.., T, D]   written; may alias x
 * x          dtype and shape of out             rank >= 2, last stride 1
 * positions  [T], as in locant_encoding_table()
 *
 * A row of P is rounded to float32, added in float32, and the sum is rounded to
 * the dtype; with F64 all is in double.  Same bits on every instruction set and
 * for any number of threads.  Gradients: dx is dout; dparams is that of
 * locant_encoding_table_backward().
 * Errors: as locant_encoding_table(), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_add(locant_tensor *out, const locant_tensor *x,
                    const locant_encoding *e, const locant_tensor *positions,
                    const locant_tensor *params);

/*
 * Adds the gradients to dparams, given dout [N, D].  Rows of one position add
 * up in order, in the dtype of dparams.
 *
 * Errors: as locant_encoding_table(); ALIAS also if a tensor of dparams
 * overlaps another one or an input.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_table_backward(locant_tensor *dparams,
                               const locant_tensor *dout,
                               const locant_encoding *e,
                               const locant_tensor *positions,
                               const locant_tensor *params);

/* -------------------------------------------------------------- similarity */

/*
 * out[i,j] = cosine similarity of positions i and j.  Input door: of rows of
 * the table.  Rotate door: of vectors of 'dim' ones rotated by each position;
 * for a plain rotation that is the mean of cos((positions[i] - positions[j])
 * f_c) over the pairs.  It is 0 where a row is all zeros, also with itself.
 *
 * out        F32 [N, N]   written; last stride 1
 * positions  I64 [N]; F64 [N] or [N, axes], as the door takes them
 * dim        channels, at least 1
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
 * out[h,i,j] = b(h, q_pos[i], k_pos[j]), of a sum all its biases.  No mask is
 * applied: entries are finite if parameters are finite and in their range.
 *
 * out      F32 or F64 [H, T, S]   written; last stride 1
 * q_pos    I64 [T]
 * k_pos    I64 [S]
 *
 * H is both 'heads' and 'kv_heads' here, and the scale of scores is 1.
 * Computed in double and rounded once.  An encoding without doors (none) gives
 * 0.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, ALIAS, NOMEM, UNSUPPORTED.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_bias(locant_tensor *out, const locant_encoding *e,
                     const locant_tensor *q_pos, const locant_tensor *k_pos,
                     const locant_tensor *params);

/*
 * Adds the gradients to dparams, given dout F32 or F64 [H, T, S].
 * Errors: as locant_encoding_bias().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_encoding_bias_backward(locant_tensor *dparams, const locant_tensor *dout,
                              const locant_encoding *e,
                              const locant_tensor *q_pos,
                              const locant_tensor *k_pos,
                              const locant_tensor *params);

LOCANT_END_DECLS
#endif /* LOCANT_ENCODING_H */

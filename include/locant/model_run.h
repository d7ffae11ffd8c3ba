/*
 * model_run.h - run a real checkpoint: logits, losses, continuations, probes
 *
 * MODEL is a folder with config.json and safetensors, a config.json or
 * params.json alone where no weights are needed, or a .gguf.
 */
#ifndef LOCANT_MODEL_RUN_H
#define LOCANT_MODEL_RUN_H

#include "core.h"
#include "group.h"

LOCANT_BEGIN_DECLS

/* A checkpoint whose weights are mapped, ready to run. */
typedef struct locant_model locant_model;

/*
 * Open a folder with config.json and safetensors, or a .gguf, to compute with
 * 'dtype':
 *
 *   F32   in float; matrices are read as the file stores them
 *   F64   everything in double, angles, norms and softmax included
 *   BF16  as F32, with matrices and what they multiply rounded to bfloat16
 *
 * The weights stay in the file, which is mapped: opening reads headers and what
 * is small, norms and biases.
 * Errors: NULL, DTYPE, IO, FORMAT (the message names file and tensor or key,
 * what was found and what was expected), UNSUPPORTED, NOMEM.  *out is NULL
 * after a failure.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_open(locant_model **out, const char *path, locant_dtype dtype);
LOCANT_API void locant_model_close(locant_model *model);

/*
 * The same with positions that its file does not have, to try an extension:
 * 'with' changes the rotated layers without a window,
 *
 *   pi(..), linear(..), ntk(..), dynamic(..), yarn(..), longrope(..),
 *   llama3(..), proportional(..), mixed-radix(..)
 *       the scaling of their rope; 'original' is the trained length unless
 *       given, longrope without lists takes those of 'locant model extend'
 *   rope(..)             their rope
 *   selfextend(..), rerope(..), streaming(..)
 *       instead of a rope of whole heads, with its base and pairing
 *   window(size=N)       beside it
 *
 * NULL: nothing.
 * Errors: as locant_model_open(); PARAM (none of these, or wrong keys),
 * UNSUPPORTED (no layer that it could change).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_open_with(locant_model **out, const char *path, locant_dtype dtype,
                       const char *with);

/* What a model is like. */
typedef struct locant_model_info {
    const char *model_type; /* of config.json */
    int64_t     layers;
    int64_t     width; /* of the states that LOCANT_MODEL_HIDDEN gives */
    int64_t     vocab;
} locant_model_info;

LOCANT_API locant_model_info locant_model_info_of(const locant_model *model);

/*
 * The tokens of a batch; a member that the model does not take is NULL.
 *
 * ids        I64 [B, T]   each below the size of the vocabulary
 * mask       I64 [B, T], or NULL: 0 marks padding, which nothing sees, on
 *            either side
 * positions  I64 [B, T], or [A, B, T] for models of A axes; NULL: counted as
 *            the model does.  A query sees the keys before it in the row,
 *            whatever their positions
 * types      I64 [B, T], or NULL: all 0; of models that know types of tokens
 * decoder_ids  of encoder-decoders, which read 'ids' with the encoder; T of
 *            their results is S
 * pixels     of models of images, instead of ids: prepared as the model wants
 *            them.  Of models of texts with images (Qwen2-VL, 2.5-VL, 3-VL)
 *            beside ids: [N, C, H, W], N images of one size; or [P, F], the
 *            patches of images of any sizes, as the processors of transformers
 *            give them (pixel_values): F = C * frames * p * p numbers of a
 *            patch, patches that become one token side by side
 * grid       of [P, F]: the frames, rows and columns of patches of each image,
 *            P in all (image_grid_thw); rows and columns are multiples of
 *            spatial_merge_size.  Of [N, C, H, W] it says nothing new
 *
 * Images go to the tokens image_token_id of ids, in their order, frames *
 * rows * columns / spatial_merge_size^2 each, side by side in a row unless
 * positions are given.  Positions are those of transformers 5: an image after
 * id s has ids (s + frame, s + row, s + column) of merged patches, and what
 * follows s + max(rows, columns).  A video is an image of several frames.
 * All are dense.
 *
 * group      NULL, or processes that call the same function with the same
 *            input, of a model that each has opened alike; see
 *            locant_model_logits() and locant_model_losses().
 *            locant_model_shape() does not read it; other functions run in one
 *            process, and refuse a group of several ranks
 */
typedef struct locant_model_input {
    size_t               struct_size; /* sizeof(locant_model_input) */
    const locant_tensor *ids, *mask, *positions;
    const locant_tensor *types;       /* I64 [B, T] */
    const locant_tensor *decoder_ids; /* I64 [B, S] */
    const locant_tensor *pixels;      /* F32 [B, C, H, W], or [P, F] */
    const locant_tensor *grid;        /* I64 [N, 3] */
    const locant_group  *group;
} locant_model_input;

#define LOCANT_MODEL_INPUT_INIT { .struct_size = sizeof(locant_model_input) }

enum { /* flags */
    LOCANT_MODEL_HIDDEN = 1 /* the states after the final norm, which OPT-350m
                               projects to its embeddings, not logits */
};

/*
 * The shape of what locant_model_logits() writes, and its rank: [B, T,
 * vocabulary], [B, T, width] of states, or [B, classes] of images.
 * Errors: as locant_model_logits().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_shape(int64_t shape[3], int *rank, const locant_model *model,
                   const locant_model_input *input, int flags);

/*
 * Logits of every token, or its states.
 *
 * out      F32, or F64 of a model opened so, of that shape   written
 * seconds  NULL, or F64 [layers + 2]: time that each layer took, the input with
 *          an encoder or images, and the head   written
 *
 * A row has the same bits whatever the other rows are, unless the longest of
 * them rotates all (dynamic NTK, LongRoPE), and for any number of threads.
 * Accuracy relative to the largest logit: below 3e-5 in float for
 * models of some tens of layers, 1e-9 in double.  Rows of padding are
 * undefined.
 *
 * With input->group the ranks share the work out, and 'out' of rank 0 gets the
 * bits of one process; other ranks may give NULL.  If the batch has at least as
 * many rows as there are ranks, each has some rows.  Otherwise, and where rows
 * depend on each other or have images, each has some tokens of every row: it
 * computes all that goes token by token, and its queries attend to all keys,
 * which are gathered in every layer.  Layers with a state, encoders and towers
 * of images within texts are then computed by every rank whole.  Ranks compare
 * their builds, inputs and models first (of tensors names, shapes and first
 * bytes).  A failure of one rank is that of all.  Times are those of this rank.
 *
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (an id beyond the vocabulary; a
 * position beyond the table; an input that the model does not take; a grid that
 * is no whole number of tokens, or not those of ids; ranks that were called
 * with other things; fewer images than ranks), NOMEM; those of the group.
 * Source of the images: Qwen2-VL arXiv:2409.12191v2, Qwen2.5-VL
 * arXiv:2502.13923v1, Qwen3-VL arXiv:2511.21631v1; transformers 5.23,
 * models/qwen2_vl, qwen2_5_vl, qwen3_vl, qwen3_vl_moe.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_logits(locant_tensor *out, locant_tensor *seconds,
                    const locant_model *model, const locant_model_input *input,
                    int flags);

/*
 * What a causal model loses on each token but the first, in nats:
 * out[b,t] = -ln p(ids[b,t+1] | ids[b,0..t]).
 *
 * out  F64 [B, T - 1], dense   written; NAN where the mask hides that token or
 *      the one before it
 *
 * Logits are computed some at a time, and not kept.  With input->group the
 * ranks share the work out as in locant_model_logits(), and every rank gets all
 * losses, with the bits of one process.
 * Errors: as locant_model_logits(); UNSUPPORTED (a model that sees what comes
 * after the query).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_losses(locant_tensor *out, const locant_model *model,
                    const locant_model_input *input);

/* Called when token 'done', counted from 1, of 'total' new ones of every row
   has been chosen: ids [B].  Not 0: stop, and pad what is left. */
typedef int (*locant_token_fn)(const int64_t *ids, int64_t done, int64_t total,
                               void *context);

/*
 * What the heads of a model attend to in texts, and which frequencies their
 * queries and keys use, as JSON (docs/guide/models/probe.md has the schema): of
 * each head the mean weight by distance, of the first, the own, the previous
 * and the next token, entropy, mean distance and class; of each rotated pair of
 * channels its wavelength, its turns in T positions, and the mean over tokens
 * of the norms |q| and |k|.
 *
 * layer, head  counted from 0; -1: all
 * *size        the length without the final zero, and may be NULL
 *
 * Encoders and decoders of texts; of an encoder-decoder the decoder, and what
 * it attends to in the encoder.  Layers with linear attention have no weights,
 * and are left out.  Attention weights are computed in tiles: no array has
 * T x T numbers.  Release *out with locant_release(); it is NULL after a
 * failure.
 * Source: as docs/PROBES.md.
 * Errors: as locant_model_logits(); PARAM (layer, head, or a layer with linear
 * attention), SHAPE (less than two tokens), UNSUPPORTED (a model of images).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_probe(char **out, size_t *size, const locant_model *model,
                   const locant_model_input *input, int64_t layer,
                   int64_t head);

/* How to continue a text. */
typedef struct locant_generation {
    size_t   struct_size; /* sizeof(locant_generation) */
    int64_t  top_k;       /* draw from the k most likely tokens; 0: from all */
    double   top_p;       /* from the fewest that have this probability
                             together, 0 < p <= 1 */
    double   temperature; /* logits are divided by it; 0: no draw, the most
                             likely token */
    uint64_t seed;        /* of the draws; row b has a stream of its own */
    int      ignore_end;  /* 1: go on after the end token */
    locant_token_fn each; /* or NULL */
    void    *context;     /* of 'each' */
} locant_generation;

#define LOCANT_GENERATION_INIT \
    { .struct_size = sizeof(locant_generation), .top_p = 1.0 }

/*
 * The shape of what locant_model_generate() continues: [B, T] of the ids, or of
 * an encoder-decoder those of its decoder, which begins with the start token
 * of the configuration, T = 1, if there are none.
 * Errors: as locant_model_generate().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_prompt(int64_t shape[2], const locant_model *model,
                    const locant_model_input *input);

/*
 * Continue each row.  Keys and values are cached, so a token costs one reading
 * of the weights; logits have the bits of a call for the whole text.
 *
 * out  I64 [B, T + N], dense   written: the ids, then N new ones; after an end
 *      token padding.  T is that of locant_model_prompt()
 * g    NULL: the most likely tokens
 *
 * Errors: as locant_model_logits(); PARAM (a value of g); UNSUPPORTED (the
 * model does not continue texts).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_generate(locant_tensor *out, const locant_model *model,
                      const locant_model_input *input,
                      const locant_generation *g);

LOCANT_END_DECLS
#endif /* LOCANT_MODEL_RUN_H */

/*
 * positions.h - position ids of padded, packed, image and video inputs, and
 * methods that change ids: randomized ids, PoSE, StreamingLLM, SelfExtend, ..
 *
 * Functions of other headers use ids as they are given; most wrong results of
 * real models come from wrong ids.  These functions write I64, last stride 1,
 * B rows of S or T tokens, unless their comment says otherwise.  All arithmetic
 * is checked: an id that does not fit in 64 bits is an error.
 */
#ifndef LOCANT_POSITIONS_H
#define LOCANT_POSITIONS_H

#include "core.h"

LOCANT_BEGIN_DECLS

/* ----------------------------------------------------------------- padding */

/*
 * out[b,s] = first + (number of ones in mask[b,0..s]) - 1   where mask is 1,
 *            pad                                            where it is 0.
 *
 *     first            pad
 *     0                1            Transformers 4 in generation
 *     0                0            Transformers 5
 *     2                1            OPT: rows of its table (length + 2 rows)
 *     0                -1           OPT: positions without the offset of 2
 *     padding_idx + 1  padding_idx  RoBERTa, XLM-R, M2M100: rows of the table
 *
 * A chunk that follows n cached tokens, padding not counted, starts at
 * first + n.
 *
 * out    I64 [B, S]          written
 * mask   I32 or I64 [B, S]   0 or 1
 *
 * Source: transformers 4.57 and 5, generation/utils.py, models/opt.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, ALIAS, PARAM (a mask that is neither 0
 * nor 1: the message names it; first + S does not fit).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_from_mask(locant_tensor *out, const locant_tensor *mask,
                           int64_t first, int64_t pad);

/*
 * The same with mask = (token != pad_token).  fairseq numbers tokens in this
 * way, with first = pad_token + 1 and pad = pad_token.
 *
 * tokens   I32 or I64 [B, S]
 *
 * Source: fairseq, utils.make_positions(); transformers, models/roberta.
 * Errors: as locant_positions_from_mask().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_from_tokens(locant_tensor *out, const locant_tensor *tokens,
                             int64_t pad_token, int64_t first, int64_t pad);

/* ----------------------------------------------------------------- packing */

/*
 * Documents of given lengths, one after another in a row of T tokens.  If token
 * t is number s, from 0, of document d, positions[t] = s and documents[t] = d.
 * Tokens after the last document are padding: position 0, document -1.
 *
 * positions  I64 [T]          written; NULL: not wanted
 * documents  I64 [T]          written; NULL: not wanted
 * lengths    I32 or I64 [n]   at least 0; their sum is at most T
 *
 * Packing needs more than restarted positions: queries must not see keys of
 * other documents (q_docs, k_docs of locant_attention).
 * Errors: NULL (also when neither is wanted), DTYPE, SHAPE, LAYOUT, ALIAS,
 * PARAM (a negative length, a sum above T).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_from_lengths(locant_tensor *positions,
                              locant_tensor *documents,
                              const locant_tensor *lengths);

/*
 * The same from the starts of documents: document d is tokens offsets[d] ..
 * offsets[d+1] - 1 ("cu_seqlens").
 *
 * offsets   I32 or I64 [n + 1]   first 0, non-decreasing, last at most T
 *
 * Errors: as locant_positions_from_lengths().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_from_offsets(locant_tensor *positions,
                              locant_tensor *documents,
                              const locant_tensor *offsets);

/*
 * Documents as Transformers infers them from ids: a new one starts wherever an
 * id is not that of its left neighbour plus 1.
 *
 *     documents[b,t] = number of s in 1..t with p[b,s] - p[b,s-1] != 1
 *     *packed        = 1 if any row has more than one document, else 0
 *
 * documents   I64 [B, T]   written; NULL: not wanted
 * positions   I64 [B, T]
 *
 * By this rule left padding, M-RoPE, randomized and PoSE ids look packed, and
 * each padding token of locant_positions_from_lengths() is a document.
 * Source: transformers 4.53 and later, masking_utils.py,
 * find_packed_sequence_indices().
 * Errors: NULL (packed, positions), DTYPE, SHAPE, LAYOUT, ALIAS.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_packing(locant_tensor *documents, int *packed,
                         const locant_tensor *positions);

/* ------------------------------------------------------------------- grids */

typedef enum locant_grid_kind {
    LOCANT_GRID_INTEGER    = 0, /* i */
    LOCANT_GRID_CENTRES    = 1, /* (2i + 1 - n) / n: centres in [-1, 1] */
    LOCANT_GRID_PRETRAINED = 2, /* i * pretrained / n */
    LOCANT_GRID_LONGER     = 3, /* (2i + 1) / m - 1 of rows and columns, m the
                                   longer of them: DINOv3, normalize=max */
    LOCANT_GRID_SHORTER    = 4  /* the same with the shorter: normalize=min */
} locant_grid_kind;

/* Patches of an image, or of the frames of a video. */
typedef struct locant_grid {
    size_t  struct_size;
    locant_grid_kind kind;
    int64_t frames, rows, cols; /* each at least 1; an image has 1 frame */
    int64_t merge;              /* side of the blocks in which patches come;
                                   1: row by row.  Divides rows and cols */
    int64_t prefix;             /* tokens before the patches: class and
                                   registers; at least 0 */
    double  pretrained[3];      /* PRETRAINED: t, h, w; each above 0 */
} locant_grid;

#define LOCANT_GRID_INIT                                                     \
    { .struct_size = sizeof(locant_grid), .frames = 1, .rows = 1, .cols = 1, \
      .merge = 1, .pretrained = { 1, 1, 1 } }

/*
 * Coordinates of each patch, each axis by 'kind' with n the size of that axis:
 *
 *     out[prefix + patch, :] = (t, h, w)     if out has 3 columns
 *                              (h, w)        if it has 2: the same for every
 *                                            frame
 *
 * Frames are outermost, then rows, then columns; with merge m, blocks of m x m
 * patches row by row, and patches row by row inside a block (Qwen-VL: m = 2).
 * Prefix tokens have coordinates 0, at which a rotation is the identity.
 * Encodings of the input door would add the row of position 0 to them: pass
 * those only the patches.
 *
 * out   F64 [prefix + frames * rows * cols, 2 or 3]   written
 *
 * Each coordinate is rounded once (PRETRAINED: twice, unless i * pretrained is
 * exact).
 * Source: INTEGER Qwen2-VL (arXiv:2409.12191v2) and others; CENTRES DINOv3
 * (arXiv:2508.10104v1), transformers models/dinov3_vit; PRETRAINED EVA-02
 * (arXiv:2303.11331v2), baaivision/EVA rope.py.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_from_grid(locant_tensor *out, const locant_grid *grid);

/* ------------------------------------------------------------------ M-RoPE */

typedef enum locant_segment_kind {
    LOCANT_SEGMENT_TEXT   = 0, /* 'tokens' tokens, t = h = w */
    LOCANT_SEGMENT_IMAGE  = 1, /* rows x cols tokens */
    LOCANT_SEGMENT_VIDEO  = 2, /* frames x rows x cols, frame f at
                                  floor(f * interval): Qwen2-VL (1), Qwen2.5-VL
                                  (locant_mrope_interval) */
    LOCANT_SEGMENT_FRAMES = 3, /* each frame: 'before' tokens of text (its
                                  timestamp), an image, 'after' tokens of text:
                                  Qwen3-VL */
    LOCANT_SEGMENT_AUDIO  = 4, /* 'tokens' tokens of audio */
    LOCANT_SEGMENT_CLIP   = 5  /* a video and 'tokens' tokens of its audio, in
                                  turns; 'before' tokens start both, 'after' end
                                  both.  As AUDIO, only of multimodal.h */
} locant_segment_kind;

/* A part of a sequence.  Sizes are of the merged grid, in tokens. */
typedef struct locant_segment {
    locant_segment_kind kind;
    int64_t tokens;             /* TEXT; at least 0 */
    int64_t frames, rows, cols; /* at least 1 where they apply */
    double  interval;           /* VIDEO; finite, at least 0 */
    int64_t before, after;      /* FRAMES; at least 0 */
} locant_segment;

/* The first id after an image or a video that started at s. */
typedef enum locant_mrope_next {
    LOCANT_MROPE_MAX  = 0, /* largest id so far + 1: the paper, Transformers <=
                              4.57 */
    LOCANT_MROPE_GRID = 1  /* s + max(rows, cols): Transformers 5.  A video
                              longer than that shares ids with what follows */
} locant_mrope_next;

/* *tokens = the number of tokens in the segments.  Errors: NULL, PARAM. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_mrope_tokens(int64_t *tokens, const locant_segment *segments, size_t n);

/*
 * The three ids (t, h, w) of every token.  With s the id a segment starts at:
 *
 *     text    (s + i, s + i, s + i)
 *     image   (s, s + row, s + col)                    row by row
 *     video   (s + floor(frame * interval), s + row, s + col)
 *
 *     *delta = largest id + 1 - N; later token m of the sequence has m + delta
 *              on all three axes
 *
 * A fractional interval is multiplied in float32, as Transformers 5 does; a
 * whole one exactly.
 *
 * out     I64 [N, 3]   written; N from locant_mrope_tokens()
 * delta   written; NULL: not wanted
 *
 * Leave padding out of the segments: HF gives it the id 1 and does not count
 * it.
 * Source: Wang et al. 2024, arXiv:2409.12191v2, section 2.1; transformers,
 * models/qwen2_vl, qwen2_5_vl, qwen3_vl, get_rope_index().
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (a size outside its range: the
 * message names the segment; ids that do not fit).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_from_segments(locant_tensor *out, int64_t *delta,
                               const locant_segment *segments, size_t n,
                               locant_mrope_next next);

/*
 * Interval of Qwen2.5-VL: tokens_per_second * seconds, rounded to float32, with
 * 'seconds' the time between two frames.  Transformers <= 4.57 truncates the
 * seconds first: pass floor(seconds) to follow it; frames less than a second
 * apart then share one id.  Source: transformers 5.23 and 4.57,
 * models/qwen2_5_vl.
 * Errors: NULL, PARAM (negative, not finite, a product that does not fit).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_mrope_interval(double *interval, int64_t tokens_per_second,
                      double seconds);

/* ------------------------------------------------------- randomized ids */

/*
 * Each row: T distinct ids of 0 .. range - 1 in increasing order, every such
 * set equally likely.  Rows are drawn in order from 'random', which advances;
 * to share ids across a batch, draw one row.  Memory O(T).
 *
 * out     I64 [B, T]   written
 * range   at least T
 *
 * Source: Ruoss et al. 2023, arXiv:2305.16843v1, section 3; drawn by Floyd's
 * method (Bentley and Floyd 1987, CACM 30(9)).
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (range), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_randomized(locant_tensor *out, int64_t range,
                            locant_random *random);

/*
 * Evenly spaced ids, for evaluation: out[b,t] = floor(t (range - 1) / (T - 1)),
 * from 0 to range - 1; 0 if T is 1.  They are distinct, since range >= T.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (range; T above 2^31).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_spaced(locant_tensor *out, int64_t range);

/*
 * PoSE: each row is cut into chunks, and chunk c is shifted by a skip u_c:
 *
 *     out[b,t] = t + u_c,  u_0 = 0,  u_c uniform in u_(c-1) .. range - T
 *
 * Two chunks are cut as by the authors: the first has 1 .. (T + 1) / 2 tokens.
 * More are cut at distinct places, all choices equally likely.
 *
 * out      I64 [B, T]   written
 * chunks   1 .. T; the paper uses 2
 * range    the target length, at least T
 *
 * Source: Zhu et al. 2023, arXiv:2309.10400v3, section 3.2; dwzhu-pku/PoSE,
 * src/train_pose.py, 43b43b3.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (chunks, range), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_pose(locant_tensor *out, int64_t chunks, int64_t range,
                      locant_random *random);

/* Steps, shifts and scales are at most 1e30. */
typedef struct locant_cape {
    size_t struct_size;
    double step;         /* between neighbours; above 0 */
    double global_shift; /* of a row; at least 0 */
    double local_shift;  /* of a token, in steps; at least 0 */
    double max_scale;    /* of a row; at least 1 */
    int    centred;      /* subtract the mean of each row */
} locant_cape;

#define LOCANT_CAPE_INIT                                           \
    { .struct_size = sizeof(locant_cape), .step = 1, .max_scale = 1, \
      .centred = 1 }

/*
 * CAPE: out[b,t] = (x_t + D_b + e_bt) l_b with x_t = step t (minus its mean if
 * centred), D uniform in +-global_shift, e in +-local_shift * step, ln l in
 * +-ln max_scale.  Without 'random', as in evaluation, out[b,t] = x_t.
 *
 * out      F64 [B, T]   written
 * random   NULL: no augmentation; else one D, T times e and one l are drawn
 *          for each row, in that order
 *
 * Source: Likhomanenko et al. 2021, arXiv:2106.03143v3; gcambara/cape, cape.py.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_cape(locant_tensor *out, const locant_cape *cape,
                      locant_random *random);

/* ------------------------------------------------- caches, groups, windows */

/* *kept = how many of 'seen' tokens StreamingLLM keeps: min(seen, sinks +
 * recent).  Errors: as locant_positions_streaming(). */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_streaming_kept(int64_t *kept, int64_t seen, int64_t sinks,
                      int64_t recent);

/*
 * StreamingLLM: of tokens 0 .. seen - 1, the first 'sinks' and the last
 * 'recent' (including the newest, the query) stay in the cache.  Keys are
 * cached before rotation; the position of a key is its index in the cache.
 *
 * tokens      I64 [K]   written: true position of cache entry c, increasing;
 *                       K from locant_streaming_kept()
 * positions   I64 [K]   written: c; the query has K - 1; NULL: not wanted
 *
 * Source: Xiao et al. 2023, arXiv:2309.17453v4, section 3.2.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, ALIAS, PARAM (seen or sinks below 0,
 * recent below 1).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_streaming(locant_tensor *tokens, locant_tensor *positions,
                           int64_t seen, int64_t sinks, int64_t recent);

/*
 * SelfExtend: positions for its grouped attention.
 *
 *     q_out = floor(p / group) + window - floor(window / group)
 *     k_out = floor(p / group)
 *
 * q_out, k_out   I64 [B, T]   written; either may be NULL
 * positions      I64 [B, T]   p
 * group, window  at least 1
 *
 * Make the window a multiple of the group: one prefill path of the authors does
 * not round down the quotient.
 * Source: Jin et al. 2024, arXiv:2401.01325v3; datamllab/LongLM, 715c1e3.
 * Errors: NULL (also when neither is wanted), DTYPE, SHAPE, LAYOUT, ALIAS,
 * PARAM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_selfextend(locant_tensor *q_out, locant_tensor *k_out,
                            const locant_tensor *positions, int64_t group,
                            int64_t window);

typedef enum locant_longlora_form {
    LOCANT_LONGLORA_ROLL = 0, /* the paper: tokens are rolled by half a group,
                                 so the first half group joins the last */
    LOCANT_LONGLORA_CUT  = 1  /* the flash-attention code: half groups at both
                                 ends */
} locant_longlora_form;

/*
 * LongLoRA's shifted sparse attention: a query sees the keys of its own group.
 *
 *     groups[0,t] = floor(t / group)                     heads 0 .. H/2 - 1
 *     groups[1,t] = floor(((t - group/2) mod T) / group) other heads, ROLL
 *                   floor((t + group/2) / group)         other heads, CUT
 *
 * Positions do not change.  With ROLL the last group holds the last group/2
 * tokens and then the first.  The authors' eager code masks by index in the
 * group, so the first tokens see the last; a causal mask by position prevents
 * that.
 *
 * groups   I64 [2, T]   written
 * group    even, at least 2; divides T.  The paper takes T / 4
 *
 * Source: Chen et al. 2023, arXiv:2309.12307v3, section 3.2;
 * dvlab-research/LongLoRA, llama_attn_replace.py, 03ac8a5.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_longlora(locant_tensor *groups, int64_t group,
                          locant_longlora_form form);

/* ---------------------------------------------------- effective distances */

typedef enum locant_distance_kind {
    LOCANT_DISTANCE_REROPE     = 0, /* n if n < w, else w */
    LOCANT_DISTANCE_LEAKY      = 1, /* n if n < w, else w + (n - w) / factor */
    LOCANT_DISTANCE_SELFEXTEND = 2, /* n if n < w, else floor(p_i / group) -
                                       floor(p_j / group) + w -
                                       floor(w / group) */
    LOCANT_DISTANCE_STREAMING  = 3  /* n if n < w; else c_i - p_j for a sink,
                                       p_j < sinks, with c_i = min(p_i, sinks +
                                       w - 1); infinite for a key that is not
                                       in the cache, p_j > p_i included */
} locant_distance_kind;

/* A kind reads 'window' and the members whose comment names it. */
typedef struct locant_distance_form {
    locant_distance_kind kind;
    int64_t window; /* w, at least 1; STREAMING: the recent tokens */
    int64_t group;  /* SELFEXTEND: at least 1 */
    double  factor; /* LEAKY: at least 1, finite */
    int64_t sinks;  /* STREAMING: at least 0 */
} locant_distance_form;

/*
 * *out = the distance that a query at p_i uses for a key at p_j, where n = p_i
 * - p_j; n itself for keys after the query (except STREAMING).  Exact below
 * 2^53; LEAKY is rounded twice.
 * Source: ReRoPE bojone/rerope (Su 2023); SelfExtend arXiv:2401.01325v3;
 * StreamingLLM arXiv:2309.17453v4.
 * Errors: NULL, PARAM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_distance(double *out, const locant_distance_form *form, int64_t p_i,
                int64_t p_j);

/*
 * The same for all pairs.
 * out     F32 or F64 [T, S]   written; last stride 1
 * q_pos   I64 [T]
 * k_pos   I64 [S]
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, ALIAS, PARAM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_distances(locant_tensor *out, const locant_distance_form *form,
                 const locant_tensor *q_pos, const locant_tensor *k_pos);

/* ------------------------------------------------------------- temperature */

typedef enum locant_temperature_kind {
    LOCANT_TEMPERATURE_LLAMA4    = 0, /* 1 + scale ln(1 + floor((p + 1) / L)) */
    LOCANT_TEMPERATURE_MINISTRAL = 1, /* 1 + scale ln(1 + floor(p / L)) */
    LOCANT_TEMPERATURE_LOGN      = 2, /* max(1, ln(p + 1) / ln L): Qwen 1,
                                         ReRoPE, SelfExtend; L at least 2 */
    LOCANT_TEMPERATURE_INKLING   = 3  /* 1 + scale ln(max(1, (p + 1) / L)) */
} locant_temperature_kind;

typedef struct locant_temperature_form {
    locant_temperature_kind kind;
    double  scale;  /* -1e30 to 1e30; 0.1 in Llama 4 and Ministral; LOGN: not
                       read */
    int64_t length; /* L, at least 1: floor_scale 8192 (Llama 4), the original
                       length (Ministral), the trained length (LOGN) */
} locant_temperature_form;

/*
 * *out = the factor by which the query at 'position' is multiplied, in double.
 * Source: transformers 5, models/llama4, ministral3, inkling; LOGN: Qwen 1's
 * modeling_qwen.py (length p + 1 > L), bojone/rerope.
 * Errors: NULL, PARAM (also a position below 0).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_temperature(double *out, const locant_temperature_form *form,
                   int64_t position);

/*
 * The same for each of T positions.
 * out         F32 or F64 [T]   written; last stride 1
 * positions   I64 [T]
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, ALIAS, PARAM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_temperatures(locant_tensor *out, const locant_temperature_form *form,
                    const locant_tensor *positions);

LOCANT_END_DECLS
#endif /* LOCANT_POSITIONS_H */

/*
 * multimodal.h - ids of text, images, video and audio in one sequence, as
 * models number them; what training does to coordinates of patches, and their
 * gradient.
 *
 * positions.h has the ids of Qwen2-VL and 2.5.  Here is what the others do: the
 * tokens of a sequence in order, several ids (lanes) for each, from its
 * segments.  F64 ids are the coordinates that the rotate door takes.
 */
#ifndef LOCANT_MULTIMODAL_H
#define LOCANT_MULTIMODAL_H

#include "encoding.h"
#include "positions.h"

LOCANT_BEGIN_DECLS

/*
 * With s the id at which a segment starts, after all before it:
 *
 *     QWEN3_VL    lanes (t, h, w); TEXT, IMAGE, FRAMES
 *                 text s + i on all lanes; image (s, s + row, s + col); frames
 *                 as text and images in turn.  Next: largest id + 1
 *     TM          (t, h, w); TEXT, IMAGE, AUDIO, VIDEO, CLIP.  Qwen2.5-Omni
 *                 audio s + i on all lanes; video (s + floor(frame * interval *
 *                 rate), s + row, s + col) with 'interval' the seconds between
 *                 frames, multiplied in float32 in that order; a clip 'before'
 *                 tokens of one id, then from the next id on its video and its
 *                 audio, both from the same s, in turns: those of the first
 *                 chunk * rate ids of both, the video first, then those of the
 *                 next; then 'after' tokens of one id.  Next: largest id + 1
 *     XD          (position, width, height, image); TEXT, IMAGE.  HunYuan-VL
 *                 all lanes the index of the token; of an image of rows x (cols
 *                 + 1) tokens, the last of a row its end, (index, column, row,
 *                 number of the image from first_image on), which restart at 0
 *     VIDEO       (t, h, w); TEXT, IMAGE, VIDEO.  VideoRoPE, HoPE
 *                 text s + i; a frame t = s + delta * frame, h = t + row -
 *                 floor((rows - 1) / 2), w = t + col - floor((cols - 1) / 2).
 *                 Next: the last t + 1
 *     FLUX        (0, row, col); TEXT (0, 0, 0), IMAGE
 *     FLUX2       (t, h, w, l); TEXT (0, 0, 0, i), IMAGE (10 k, row, col, 0):
 *                 k = 0 is made, later ones are references
 *     QWEN_IMAGE  (frame, row, col); TEXT, IMAGE, VIDEO
 *                 image k: (k + frame, row - ceil(rows / 2), col - ceil(cols /
 *                 2)); text m + i on all lanes, m the largest floor(rows / 2)
 *                 or floor(cols / 2) of all images
 *
 * Source: QWEN3_VL arXiv:2511.21631v1, transformers models/qwen3_vl; TM
 * arXiv:2503.20215v1, models/qwen2_5_omni; XD models/hunyuan_vl; VIDEO
 * arXiv:2502.05173v3, Wiselnn570/VideoRoPE, and arXiv:2505.20444v2; FLUX
 * black-forest-labs/flux; FLUX2, QWEN_IMAGE huggingface/diffusers.
 */
typedef enum locant_ids_scheme {
    LOCANT_IDS_QWEN3_VL   = 0,
    LOCANT_IDS_TM         = 1,
    LOCANT_IDS_XD         = 2,
    LOCANT_IDS_VIDEO      = 3,
    LOCANT_IDS_FLUX       = 4,
    LOCANT_IDS_FLUX2      = 5,
    LOCANT_IDS_QWEN_IMAGE = 6
} locant_ids_scheme;

/* A scheme reads the members whose comment names it. */
typedef struct locant_ids {
    size_t  struct_size;
    locant_ids_scheme scheme;
    double  delta;       /* VIDEO: ids from frame to frame; at least 0.  2 in
                            the authors' evaluation; HoPE draws it */
    double  rate;        /* TM: ids per second; above 0 */
    double  chunk;       /* TM: seconds in a turn; above 0 */
    int64_t first_image; /* XD: images in earlier rows of the batch, which count
                            on there; at least 0 */
} locant_ids;

#define LOCANT_IDS_INIT                                                  \
    { .struct_size = sizeof(locant_ids), .delta = 2, .rate = 25, .chunk = 2 }

/* *tokens, *lanes = the shape of the ids.  Errors: NULL, PARAM. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_ids_shape(int64_t *tokens, int64_t *lanes, const locant_ids *ids,
                 const locant_segment *segments, size_t n);

/*
 * The ids of all tokens.
 *
 * out    I64 or F64 [tokens, lanes]   written; I64 only if ids are whole: of
 *                                     VIDEO if delta is
 * delta  written; NULL: not wanted.  Token m that follows the sequence, from
 *        its number of tokens on, has the id m + delta on all lanes; 0 of FLUX,
 *        FLUX2 and QWEN_IMAGE, which nothing follows
 *
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (a size outside its range, a kind
 * of segment that the scheme does not have: the message names the segment; ids
 * beyond 2^53; I64 for a delta that is not whole).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_multimodal(locant_tensor *out, double *delta,
                            const locant_ids *ids,
                            const locant_segment *segments, size_t n);

/*
 * *tokens = the audio tokens of Qwen2.5-Omni for 'frames' of a mel spectrogram:
 * floor((floor((frames - 1) / 2) + 1 - 2) / 2) + 1.
 * Errors: NULL, PARAM (fewer than 3 frames, which make no token).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_tm_audio_tokens(int64_t *tokens, int64_t frames);

/* Each is 0 or, of the factors, 1 if it is not wanted; at most 1e30. */
typedef struct locant_augment {
    size_t struct_size;
    double shift;   /* largest shift of an axis; at least 0 */
    double jitter;  /* largest factor of an axis; at least 1 */
    double rescale; /* largest factor of all axes; at least 1 */
    int64_t prefix; /* first rows that stay: class token, registers */
} locant_augment;

#define LOCANT_AUGMENT_INIT \
    { .struct_size = sizeof(locant_augment), .jitter = 1, .rescale = 1 }

/*
 * DINOv3's augmentation in training, in place, the same for all patches:
 *
 *     x_a <- (x_a + s_a) j_a r,   s_a uniform in +-shift, ln j_a in +-ln
 *                                 jitter, ln r in +-ln rescale
 *
 * coords   F64 [N, axes]   at most 6 axes; rows from 'prefix' on are changed.
 *                          Of locant_positions_from_grid()
 * random   advances: shifts of all axes are drawn, then factors of all axes,
 *          then r; what is not wanted is not drawn.  One draw for a forward
 *          pass, for all layers
 *
 * Source: DINOv3, arXiv:2508.10104v1; facebookresearch/dinov3,
 * layers/rope_position_encoding.py.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_positions_augment(locant_tensor *coords, const locant_augment *augment,
                         locant_random *random);

/*
 * The gradient of coordinates, where they are learned or computed: for pair c
 * of x with the channels a and b, rotated by sum_k p_k f_kc,
 *
 *     dcoords_k += sum over heads and pairs of f_kc (dx_b x_a - dx_a x_b)
 *
 * where dx is the gradient of the rows x before the rotation, as
 * locant_encoding_rotate_backward() writes it, or locant_attention_backward()
 * for queries and keys: call this for q and dq, and for k and dk.
 *
 * dcoords  F64 [T, axes] or, for x [B, .., T, D], [B, T, axes]; of one axis
 *          also [T]   added to: heads in order, then the rows that share them.
 *          For x [B, H, T, D] also [B, H, T, axes], where each head has its own
 * dx, x    F32, F16, BF16 or F64 [.., T, D], of one shape and dtype; last
 *          stride 1
 * flags    as of the rotation
 *
 * Summed in double.  Errors: NULL, DTYPE, SHAPE, LAYOUT, ALIAS, NOMEM,
 * UNSUPPORTED (not a plain rotation; frequencies that depend on the length).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_coordinates_backward(locant_tensor *dcoords, const locant_tensor *dx,
                            const locant_tensor *x, const locant_encoding *e,
                            int flags);

LOCANT_END_DECLS
#endif /* LOCANT_MULTIMODAL_H */

/* model_input.h - the arguments of locant_model_logits(), checked */
#ifndef LCT_MODEL_INPUT_H
#define LCT_MODEL_INPUT_H
#include "locant/models.h"
#include "net_sight.h"

/* Does the model read with one stack and write with another? */
bool lct_model_input_pair(const struct lct_net *n);

/* Arrays of tokens, dense; 'stride' is T. */
struct lct_model_input {
    int64_t B, T;
    const int64_t *ids, *mask, *positions;
    const int64_t *types; /* NULL: all 0 */
    int64_t axis;         /* B T, or 0 if all axes have the same positions */
    const float *pixels;  /* [B, channels, height, width]; T counts tokens */
    int64_t height, width;
    struct lct_net_images images; /* within the texts; pixels NULL: none */
    const int64_t *seen;          /* which token of them one is, or -1; NULL */
    int64_t *next; /* [3, B]: positions of a next token, if they are not those
                      that count on; or NULL */
    struct lct_net_tokens source; /* of an encoder-decoder, whose decoder has
                                     the tokens above; T = 0: none */
};

/*
 * Check an array: its dtype, its rank, its sizes (-1: any), no gaps.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT.
 */
locant_status lct_model_input_array(const char *fn, const char *name,
                                    const locant_tensor *t, locant_dtype dtype,
                                    int rank, const int64_t *shape);

/* ids of a decoder may be absent if it 'writes': T is 0 then.  Errors: as
   locant_model_logits(). */
locant_status lct_model_input_check(struct lct_model_input *out, const char *fn,
                                    const struct lct_net *n,
                                    const locant_model_input *in, bool writes);

/* Rows b .. b + B - 1.  Not of texts with images. */
struct lct_model_input lct_model_input_rows(const struct lct_model_input *in,
                                            const struct lct_net *n, int64_t b,
                                            int64_t B);

/* Tokens t .. t + T - 1 of each row. */
struct lct_net_tokens lct_model_input_part(const struct lct_model_input *in,
                                           int64_t t, int64_t T);
#endif

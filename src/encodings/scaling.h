/*
 * scaling.h - rescalings of rotary frequencies: the values of rope's key
 * "scaling".
 *
 * Each is an encoding of a family of its own, with these hooks:
 *   keys, check         as in any encoding
 *   traits              LENGTH, and ISOMETRIC if cos and sin are not multiplied
 *   schedule.create     *out enters with the plain frequencies of its base (in
 *                       an emulated mode also with those of the recipe), and
 *                       leaves rescaled; on failure the caller frees it
 *   schedule.length, .by_call   as in any encoding
 *   schedule.emulated   is there a recipe for its keys?
 *   scale.of_scores     as in any encoding
 */
#ifndef LCT_SCALING_H
#define LCT_SCALING_H
#include "../angle/schedule.h"
#include "encoding.h"

/* All rescalings, ended by NULL; the first is 'none'. */
extern const struct lct_encoding *const lct_scalings[];
extern const struct lct_encoding lct_scaling_none;

/* The largest factor of a context. */
#define LCT_SCALING_MOST 16777216 /* 2^24 */

/* The hook 'schedule.create' of what leaves frequencies as they are. */
locant_status lct_scaling_keep(struct lct_schedule **out,
                               const struct lct_schedule_use *u);

/* Fail if a key without a default was left out. */
locant_status lct_scaling_needs(const locant_encoding *e, int key);

/* The hook 'emulated' of scalings for which ggml has no recipe. */
bool lct_scaling_not_ggml(const locant_encoding *e, int mode);

/*
 * The key "length" of scalings that depend on the longest position, and the
 * hook 'by_call', which reads it.
 */
extern const char *const lct_scaling_lengths[];
/* clang-format off */
#define LCT_SCALING_LENGTH                                                   \
    { .name = "length", .kind = LCT_WORD, .def = 0,                          \
      .words = lct_scaling_lengths,                                           \
      .doc = "the longest position is that of: document, each document by " \
             "itself; call, all rows of a call, as in transformers" }
/* clang-format on */
bool lct_scaling_by_call(const locant_encoding *e);

/* What a scaling multiplies scores by. */
double lct_scaling_score(const locant_encoding *scaling);

/*
 * Exact frequencies base^(-2c/dim), dim = 2 * pairs, rescaled by a scaling that
 * does not depend on a length.  On failure *out is NULL.
 */
locant_status lct_scaling_schedule(struct lct_schedule **out,
                                   const locant_encoding *scaling, double base,
                                   const char *fn, int64_t pairs,
                                   int64_t head_dim);

/* The trait ISOMETRIC if 'isometric', else 0. */
unsigned lct_scaling_isometric(bool isometric);

/* slow + (fast - slow) share, for 0 <= slow <= fast. */
struct lct_phase lct_scaling_mix(struct lct_phase slow, struct lct_phase fast,
                                 struct lct_phase share);
#endif

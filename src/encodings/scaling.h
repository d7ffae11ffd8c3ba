/*
 * scaling.h - rescalings of rotary frequencies, the words after rope's scaling=
 *
 * Each is a row of a family of its own, with these members:
 *   keys, check       as of any encoding
 *   traits            ISOMETRIC where cos and sin are not multiplied, LENGTH
 *   schedule          *out comes in with the plain frequencies of its base (in
 *                     an emulated mode with that recipe's, too) and leaves
 *                     rescaled; a refusal leaves it to the caller
 *   schedule_length   as of any encoding, and by_call where there is one
 *   score             as of any encoding
 *   emulated          whether there is a recipe for its keys
 */
#ifndef LCT_SCALING_H
#define LCT_SCALING_H
#include "../angle/schedule.h"
#include "encoding.h"

/* All of them, ended by NULL; the first is 'none'. */
extern const struct lct_encoding *const lct_scalings[];

/* The range of a stretch of the context. */
#define LCT_SCALING_MOST 16777216 /* 2^24 */

/* Refuse a value whose key must be given and is not. */
locant_status lct_scaling_needs(const locant_encoding *e, int key);

/* For 'emulated': ggml has no recipe. */
bool lct_scaling_not_ggml(const locant_encoding *e, int mode);

/*
 * The key of those that depend on a longest position, and their 'by_call' that
 * reads it.
 */
extern const char *const lct_scaling_counts[];
#define LCT_SCALING_LENGTH                                                   \
    { .name = "length", .kind = LCT_WORD, .def = 0,                          \
      .words = lct_scaling_counts,                                           \
      .doc = "whose longest position counts: document, of each one of a row " \
             "alone; call, of all rows together, as transformers does" }
bool lct_scaling_by_call(const locant_encoding *e);

/* Traits of a scaling, and what it multiplies scores by. */
unsigned lct_scaling_traits(const locant_encoding *scaling);
double lct_scaling_score(const locant_encoding *scaling);

/*
 * Exact frequencies base^(-2c/dim), dim = 2 * pairs, rescaled by one that no
 * length changes.  On failure *out is NULL.
 */
locant_status lct_scaling_schedule(struct lct_schedule **out,
                                   const locant_encoding *scaling, double base,
                                   const char *fn, int64_t pairs,
                                   int64_t head_dim);

/* ISOMETRIC or nothing. */
unsigned lct_scaling_isometric(bool isometric);

/* slow + (fast - slow) share, for 0 <= slow <= fast. */
struct lct_turn lct_scaling_mix(struct lct_turn slow, struct lct_turn fast,
                                struct lct_turn share);
#endif

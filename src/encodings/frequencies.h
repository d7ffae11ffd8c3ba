/*
 * frequencies.h - the list of rotary frequencies of rope: the rule that makes
 * it, and what is cut from it.
 *
 * Each choice is an encoding of a small family with the hooks of a scaling
 * (scaling.h): schedule.create edits the list in *out, schedule.emulated tells
 * whether float32 recipes have it.
 */
#ifndef LCT_FREQUENCIES_H
#define LCT_FREQUENCIES_H
#include "encoding.h"

/* Values of rope's keys "freqs", "cut" and "taper", each ended by NULL; the
 * first is the default. */
extern const struct lct_encoding *const lct_frequency_rules[];
extern const struct lct_encoding *const lct_frequency_cuts[];
extern const struct lct_encoding *const lct_frequency_tapers[];

/* How many of the frequencies base^(-c / pairs) turn once or more in so many
 * positions, at most 2^30. */
int64_t lct_frequencies_within(double base, int64_t pairs, int64_t length);

/* Set the frequencies of pairs from n on to 0, in every mode but ggml's. */
void lct_frequencies_keep(struct lct_schedule *s, int64_t n);
#endif

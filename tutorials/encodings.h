/* encodings.h - calls of the public API that most rows need, on tensors. */
#ifndef LOCANT_TUTORIALS_ENCODINGS_H
#define LOCANT_TUTORIALS_ENCODINGS_H

#include "locant.h"

/* RoPE as in tutorials that rotate neighbouring channels. */
#define ROPE_PAIRS "rope(pairing=interleaved)"

const locant_encoding *encoding(const char *spec);
const locant_encoding_info *info(const char *spec);
/* Names of the encoding's doors, joined by commas. */
const char *doors(const char *spec);
int has_trait(const char *spec, unsigned trait);

/* How many numbers are learned: in one parameter, and in all parameters of the
   encoding for 'width' and 'heads'. */
long long numbers_in(const locant_param_info *p);
long long learned_numbers(const char *spec, int64_t width, int64_t heads);
/* The parameters at their initial values; NULL if there are none. */
locant_tensor *initial_params(const char *spec, int64_t width, int64_t heads);

/* Rows first .. first + n - 1 of the encoding's table, [n, width]. */
locant_tensor table_rows(const char *spec, int64_t first, int64_t n,
                         int64_t width, const locant_tensor *params);
/* Rows of the sinusoidal table, and one entry of it by the formula. */
locant_tensor sinusoidal(int64_t first, int64_t n, int64_t width);
double sinusoid(int64_t position, int64_t channel, int64_t width);
/* 2 pi base^(2c/width): positions in a full rotation of pair c. */
double wavelength(double base, int64_t c, int64_t width);
/* Rows x of the sinusoidal table, moved k positions by rotation. */
locant_tensor moved(locant_tensor x, double k);

/* Rows 'at' of a learned table P [length, width]. */
locant_tensor looked_up(locant_tensor P, locant_tensor at);
/* The error message for a position that the table does not have. */
const char *lookup_refusal(locant_tensor P, int64_t position);
/* The gradient of P if the row looked up at at[i] has the gradient up[i]. */
locant_tensor lookup_gradient(locant_tensor P, locant_tensor up,
                              locant_tensor at);

/* b(h, i, j) for queries and keys 0 .. T - 1, [heads, T, T]. */
locant_tensor bias(const char *spec, int64_t heads, int64_t T);
/* b(h, .) for a query and keys at distance[n] before it, [heads, n]. */
locant_tensor bias_at(const char *spec, int64_t heads, locant_tensor distance,
                      const locant_tensor *params);
/* By how much each head of ALiBi lowers the score per step, [heads]. */
locant_tensor alibi_slopes(int64_t heads);
/* The bucket of T5 that each distance falls into. */
locant_tensor t5_buckets(locant_tensor distance);

/* x [.., T, D] rotated by positions first .. first + T - 1. */
locant_tensor rotated(const char *spec, locant_tensor x, int64_t first);
/* The cosine and sine of each angle of RoPE, F32 [positions, pairs, 2]. */
locant_tensor rope_angles(int64_t n, int64_t pairs);

#endif /* LOCANT_TUTORIALS_ENCODINGS_H */

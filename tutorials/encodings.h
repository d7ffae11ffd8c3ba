/* encodings.h - calls of the public API that most rows need, on tensors. */
#ifndef LOCANT_TUTORIALS_ENCODINGS_H
#define LOCANT_TUTORIALS_ENCODINGS_H

#include "locant.h"

/* RoPE as in tutorials that rotate neighbouring channels. */
#define ROPE_PAIRS "rope(pairing=interleaved)"

const locant_encoding *encoding(const char *spec);
const locant_encoding_info *info(const char *spec);
/* "input, score": where the encoding enters; "none" if nowhere. */
const char *doors(const char *spec);
/* 'trait' is one of LOCANT_TRAIT_*. */
int has_trait(const char *spec, unsigned trait);

/* The size of a learned parameter, and of all parameters together. */
long long numbers_in(const locant_param_info *p);
long long learned_numbers(const char *spec, int64_t width, int64_t heads);
/* The parameters at their initial values; NULL if there are none. */
locant_tensor *initial_params(const char *spec, int64_t width, int64_t heads);

/* Rows first .. first + n - 1 of the encoding's table, [n, width]. */
locant_tensor table_rows(const char *spec, int64_t first, int64_t n,
                         int64_t width, const locant_tensor *params);
/* Such rows of the sinusoidal table; one entry of it, by the formula. */
locant_tensor sinusoidal(int64_t first, int64_t n, int64_t width);
double sinusoid(int64_t position, int64_t channel, int64_t width);
/* 2 pi base^(2c/width): positions in a full rotation of pair c. */
double wavelength(double base, int64_t c, int64_t width);
/* Rows x of the sinusoidal table, moved by k positions: each pair (sin, cos) of
   an angle becomes that of the angle + k 10000^(-2c/width). */
locant_tensor moved(locant_tensor x, double k);

/* Rows at[n] (I64) of a learned table P [length, width], [n, width]. */
locant_tensor looked_up(locant_tensor P, locant_tensor at);
/* The error message for a position that the table does not have. */
const char *lookup_refusal(locant_tensor P, int64_t position);
/* The gradient of P if the row looked up at at[i] has the gradient up[i]. */
locant_tensor lookup_gradient(locant_tensor P, locant_tensor up,
                              locant_tensor at);

/* b(h, i, j) for queries at q_pos[T] and keys at k_pos[S], [heads, T, S]. */
locant_tensor bias_between(const char *spec, int64_t heads, locant_tensor q_pos,
                           locant_tensor k_pos, const locant_tensor *params);
/* b(h, i, j) for queries and keys 0 .. T - 1, [heads, T, T]. */
locant_tensor bias(const char *spec, int64_t heads, int64_t T);
/* b(h, .) for a query and keys at distance[n] before it, [heads, n]. */
locant_tensor bias_at(const char *spec, int64_t heads, locant_tensor distance,
                      const locant_tensor *params);
/* By how much each head of ALiBi lowers the score per step, [heads]. */
locant_tensor alibi_slopes(int64_t heads);
/* The bucket of T5 that each distance falls into. */
locant_tensor t5_buckets(locant_tensor distance);

/* x [.., T, D] rotated by positions first .. first + T - 1, dtype of x. */
locant_tensor rotated(const char *spec, locant_tensor x, int64_t first);
/* RoPE's cosines and sines at positions 0 .. n - 1, F32 [n, pairs, 2]. */
locant_tensor rope_angles(int64_t n, int64_t pairs);

#endif /* LOCANT_TUTORIALS_ENCODINGS_H */

/* encodings.h - calls of the public API that most rows need, on arrays. */
#ifndef LOCANT_TUTORIALS_ENCODINGS_H
#define LOCANT_TUTORIALS_ENCODINGS_H

#include "locant.h"

/* RoPE as in tutorials that rotate neighbouring channels. */
#define ROPE_PAIRS "rope(pairing=interleaved)"

const locant_encoding *encoding(const char *spec);
const locant_encoding_info *info(const char *spec);
/* Names of the encoding's doors, joined by commas. */
const char *doors(const char *spec);

/* Number of learned parameters in a model of 'width' and 'heads'. */
long long learned_numbers(const char *spec, int64_t width, int64_t heads);
/* The parameters at their initial values; NULL if there are none. */
locant_tensor *initial_params(const char *spec, int64_t width, int64_t heads);

/* Rows first .. first + n - 1 of the table, [n, width]. */
locant_tensor table_rows(const char *spec, int64_t first, int64_t n,
                         int64_t width, const locant_tensor *params);
/* The error message for row 'position' of a table that is too short. */
const char *table_refusal(const char *spec, int64_t position,
                          const locant_tensor *params);
/* The gradient of a learned table P if row at[i] gets the gradient up[i]. */
locant_tensor table_gradient(const char *spec, locant_tensor P,
                             locant_tensor up, locant_tensor at);
/* b(h, i, j) for queries 0 .. T - 1 and keys 0 .. S - 1, [heads, T, S]. */
locant_tensor bias(const char *spec, int64_t heads, int64_t T, int64_t S,
                   const locant_tensor *params);
/* b(h, .) for a query and keys at distance[n] before it, [heads, n]. */
locant_tensor bias_at(const char *spec, int64_t heads, const double *distance,
                      int64_t n, const locant_tensor *params);
/* By how much each head of ALiBi lowers the score per step, [heads]. */
const double *alibi_slopes(int heads);
/* x [.., T, D] rotated by positions first .. first + T - 1. */
locant_tensor rotated(const char *spec, locant_tensor x, int64_t first);

/* 2 pi base^(2c/width): positions in a full rotation of pair c. */
double wavelength(double base, int64_t c, int64_t width);
/* Entry [position][channel] of the sinusoidal table, from its formula. */
double sinusoid(int64_t position, int64_t channel, int64_t width);
/* Rows x [n, width] of the sinusoidal table, moved k positions by rotation. */
locant_tensor shifted(const double *x, double k, int64_t n, int64_t width);

#endif /* LOCANT_TUTORIALS_ENCODINGS_H */

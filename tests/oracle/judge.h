/*
 * judge.h - compare one encoding of the library with its oracle: every choice
 * of its spec, random and extreme positions, every dtype, guard pages,
 * read-only inputs, strided views, forward and backward.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "oracle.h"

/* Number of random cases: 'usual', or LOCANT_CASES. */
int judge_cases(int usual);

locant_encoding *judge_create(const char *spec);

/* A guarded int64 array [n]: extremes first (0, 1, 255, .., 2^31 - 1), then
 * random in [low, high]. */
locant_tensor judge_positions(int64_t n, int64_t low, int64_t high);

void judge_table(const struct oracle *o);
void judge_table_backward(const struct oracle *o);
void judge_rotate(const struct oracle *o);
void judge_rotate_backward(const struct oracle *o);
void judge_bias(const struct oracle *o);
void judge_bias_backward(const struct oracle *o);
/* Doors the encoding does not have answer UNSUPPORTED and write nothing. */
void judge_closed_doors(const struct oracle *o);
/* Doors, traits, number, names, shapes and ranges of the parameters. */
void judge_row(const struct oracle *o);

/* One number of storage type 'dtype' in double, and a random one written. */
double judge_load(const locant_tensor *t, int64_t at);
void   judge_fill(locant_tensor *t, size_t n);
#endif

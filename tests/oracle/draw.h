/*
 * draw.h - random specs of the oracles, with parameters in their range, for
 * tests of what the library promises of every encoding.
 */
#ifndef DRAW_H
#define DRAW_H

#include "../testing.h"
#include "oracle/case.h"

struct drawn {
    const struct oracle *o;
    const char *spec;
    locant_encoding *e;
    unsigned doors, traits;
    int axes;
    int64_t D, W;      /* channels of a head, width of the model: accepted */
    int64_t low, high; /* positions it is defined at */
    int params;
    locant_tensor param[ORACLE_PARAMS], grad[ORACLE_PARAMS];
};

/* Spec i of o for about D channels and width W; 0 past the last. */
int draw_spec(struct drawn *d, const struct oracle *o, int i, int64_t D,
              int64_t W);
/* A random one of them. */
void draw_any(struct drawn *d, const struct oracle *o, int64_t D, int64_t W);

/* Random parameters, and gradients of 0. */
void draw_params(struct drawn *d, locant_dtype dtype,
                 const locant_sizes *sizes);
/* The array for the library; NULL if there are none. */
const locant_tensor *draw_params_in(const struct drawn *d);
void draw_free(struct drawn *d);
#endif

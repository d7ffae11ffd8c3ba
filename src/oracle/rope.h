/* rope.h - frequencies of a scaled RoPE. */
#ifndef ORACLE_ROPE_H
#define ORACLE_ROPE_H

#include "pairs.h"

struct oracle_scaling {
    int64_t dim, length; /* rotated channels; 1 + longest position */
    double frequency;    /* of pair c */
    double magnitude;    /* of every cosine and sine */
};

/* Writes frequency and magnitude of pair c by the spec's "scaling". */
void oracle_rope_scaling(struct oracle_scaling *s, const char *spec, int64_t c);

/* The factor on the whole score. */
double oracle_rope_score(const char *spec);
#endif

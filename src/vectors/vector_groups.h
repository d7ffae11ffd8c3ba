/*
 * vector_groups.h - what the golden files hold: groups, each of one convention
 *
 * A case is a quantity of a group in one type; its name is
 * "<group>/<type>/<quantity>", as "rope/half/yarn-4-32768/f32/q".
 */
#ifndef LCT_VECTOR_GROUPS_H
#define LCT_VECTOR_GROUPS_H
#include "../core/error.h"
#include <stdbool.h>

enum { LCT_VECTOR_VERSION = 1 }; /* of names, inputs and values */

/* Positions of queries and keys: 0, 1, .. if 'at' is NULL; or n rows of
   coordinates. */
struct lct_vector_positions {
    const char *name; /* of the tensor: "input/positions/far" */
    int64_t n;
    const int64_t *at;
    int axes;
    const double *coords; /* [n, axes], NULL if there are none */
};

enum lct_vector_kind {
    LCT_VECTOR_ANGLES,      /* cosines and sines of a rope */
    LCT_VECTOR_ROPE,        /* rotation by exact angles */
    LCT_VECTOR_ROTATE,      /* other rotations, from the oracle */
    LCT_VECTOR_SINUSOIDAL,  /* rows of a table, by exact angles */
    LCT_VECTOR_TABLE,       /* the same from the oracle */
    LCT_VECTOR_BIAS,        /* biases without parameters */
    LCT_VECTOR_SLOPES,      /* of ALiBi */
    LCT_VECTOR_BUCKETS,     /* biases from a table of buckets */
    LCT_VECTOR_TEMPERATURE, /* factor on queries */
    LCT_VECTOR_KINDS
};

enum { LCT_VECTOR_DIM = 64 }; /* channels of every row */

struct lct_vector_group {
    char name[80];   /* "rope/half/yarn-4-32768" */
    char spec[1200]; /* what locant computes it with */
    enum lct_vector_kind kind;
    int64_t rotated; /* channels of ANGLES and ROPE */
    int64_t heads;   /* of biases */
    const struct lct_vector_positions *queries, *keys;
    bool causal; /* keys after the query do not count */
    bool narrow; /* numbers fit float16 */
};

/* Group i in the order of the files; 0 past the end. */
bool lct_vector_groups_at(struct lct_vector_group *out, size_t i);

/* Position i of the set; its first coordinate if it has some. */
int64_t lct_vector_groups_position(const struct lct_vector_positions *p,
                                   int64_t i);
#endif

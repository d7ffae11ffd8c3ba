/*
 * buckets.h - logarithmic buckets of distances, which T5 and WavLM share.
 *
 * Half of the buckets of a direction hold one distance each, the others grow
 * logarithmically up to 'distance', from where on all are in the last.
 */
#ifndef LCT_BUCKETS_H
#define LCT_BUCKETS_H
#include "encoding.h"

struct lct_buckets {
    int side;        /* buckets of one direction */
    int single;      /* those of them that hold one distance each */
    bool both;       /* the second half is for keys after the query */
    int64_t first[]; /* [side - single]: smallest distance of each log bucket */
};

/* What a spec says; 'both': buckets for keys after the query too. */
struct lct_buckets_spec {
    double buckets, distance;
    bool both;
};

/* Refuse numbers that make no buckets. */
locant_status lct_buckets_check(const locant_encoding *e,
                                const struct lct_buckets_spec *spec);

/* e->state = the buckets. */
locant_status lct_buckets_prepare(locant_encoding *e,
                                  const struct lct_buckets_spec *spec);

/* The bucket of a pair; 'state' is that of its encoding. */
int64_t lct_buckets_find(const void *state, int64_t q_pos, int64_t k_pos);
#endif

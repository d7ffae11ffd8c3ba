/* pairs.h - rotating pairs of channels. */
#ifndef ORACLE_PAIRS_H
#define ORACLE_PAIRS_H

#include "oracle.h"
#include <math.h>

/* The place of a channel among 'dim' rotated ones: pair c, first or second,
 * and the other channel of the pair. */
struct oracle_pair {
    int64_t c, mate;
    int second;
};

static inline struct oracle_pair oracle_pair_of(int64_t d, int64_t dim,
                                                int interleaved)
{
    struct oracle_pair p;

    p.second = interleaved ? d % 2 == 1 : d >= dim / 2;
    p.c = interleaved ? d / 2 : d % (dim / 2);
    p.mate = interleaved ? d + (p.second ? -1 : 1)
                         : d + (p.second ? -dim / 2 : dim / 2);
    return p;
}

/* Channel d of the pair rotated by the angle of this cosine and sine. */
static inline cx oracle_rotate_pair(const cx *x, int64_t d,
                                    struct oracle_pair p, cx cosine, cx sine)
{
    return p.second ? x[p.mate] * sine + x[d] * cosine
                    : x[d] * cosine - x[p.mate] * sine;
}
#endif

/*
 * bits.h - attention compared to the bit: outputs as bytes, one after another.
 */
#ifndef BITS_H
#define BITS_H

#include "attend.h"

/* Several tiles of 64, ragged; the sizes of attend_sizes() end here. */
enum { MANY_TOKENS = TEST_SANITIZED ? 65 : 130 };

struct bytes {
    char *data;
    size_t size;
};

void append(struct bytes *all, const locant_tensor *t);
int same(const struct bytes *a, const struct bytes *b);

/* NaN everywhere: what is not written again is seen. */
void forget(const locant_tensor *t);
void forget_all(const struct attend *t);

/* Every output of forward and backward; free() .data. */
struct bytes run(struct attend *t);

/* What 'outputs' (as run) gives is the same for 1, 2, 3 and 7 threads. */
void threads_agree_on(struct attend *t,
                      struct bytes (*outputs)(struct attend *t));

/* A random problem for every choice of each encoding; fn judges it. */
void each_encoding(locant_dtype dtype, int64_t most,
                   void (*fn)(struct attend *t));
#endif

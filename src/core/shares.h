/* shares.h - what each rank of a group has of things that are shared out */
#ifndef LCT_SHARES_H
#define LCT_SHARES_H
#include <stdint.h>

/* Up to so many ranks send to each other directly; more take turns, or pass on
   what they have round a ring. */
enum { LCT_SHARES_DIRECT = 32 };

/* Rank r of P has [n r/P, n (r+1)/P) of n things: the first one of a rank, and
   the end of those of the rank before it. */
static inline int64_t lct_share_begin(int64_t n, int rank, int size)
{
    return n * rank / size;
}
#endif

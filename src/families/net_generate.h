/* net_generate.h - choose the next token from logits */
#ifndef LCT_NET_GENERATE_H
#define LCT_NET_GENERATE_H
#include "net.h"

struct lct_net_choice {
    int64_t top_k;      /* 0: all */
    double top_p;       /* 1: all */
    double temperature; /* 0: the most likely one */
};

enum { LCT_NET_CANDIDATE = 16 }; /* bytes of room for each token */

/* The next token of logits [vocab]; ties: the lower id. */
int64_t lct_net_generate_next(const void *logits, const struct lct_net *n,
                              const struct lct_net_choice *choice,
                              locant_random *random, void *room);
#endif

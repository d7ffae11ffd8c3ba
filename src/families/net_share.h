/*
 * net_share.h - the tokens of a step that the ranks of a group share out
 *
 * Rank r computes tokens begin[r] .. begin[r + 1] - 1 of every row of a step.
 * All that goes token by token needs these alone; keys and values, and the
 * states that a convolution or a layer with a state reads, are gathered in the
 * order of tokens, so that every sum is that of one process.
 *
 * A rank that fails goes on exchanging, of numbers that mean nothing, until all
 * ranks agree at the end of the step: one that left alone would leave the
 * others waiting.
 */
#ifndef LCT_NET_SHARE_H
#define LCT_NET_SHARE_H
#include "../group/group.h"
#include "net_room.h"

/* Begin with zeros. */
struct lct_net_share {
    const locant_group *group; /* 'watched' */
    struct lct_watched_group watched;
    int64_t begin[LCT_GROUP_RANKS + 1];
    char *numbers;                     /* of all ranks, one after the other */
    size_t bytes[LCT_GROUP_RANKS + 1]; /* where those of each rank begin */
    int64_t *slots;                    /* [capacity]: 0, 1, 2 .. */
    int exchanges;                     /* of this layer, so far */
    struct lct_held held;
};

/* For a group of two ranks or more. */
void lct_net_share_begin(struct lct_net_share *s, const locant_group *group);

/* Memory for steps of at most 'most' tokens in B rows of a text, 'capacity' in
   all, of the room of its run.  Errors: NOMEM. */
locant_status lct_net_share_reserve(struct lct_net_share *s,
                                    struct lct_net_room *room, int64_t B,
                                    int64_t capacity, int64_t most);

/* Share tokens 0 .. T - 1 of a step out, which follow 'from' others, so that
   each rank has as much to compute. */
void lct_net_share_cut(struct lct_net_share *s, const struct lct_net *n,
                       int64_t from, int64_t T);

/* The most tokens that this rank has in a step of such a run. */
int64_t lct_net_share_most(struct lct_net_share *s, const struct lct_net *n,
                           int64_t capacity, int64_t most);

/* The tokens of rank r; where its part of 'numbers' begins. */
int64_t lct_net_share_tokens(const struct lct_net_share *s, int r);
void *lct_net_share_part(const struct lct_net_share *s, int r);

/* Each rank has bytes_each bytes for each of its tokens of each of B rows: it
   says where, and puts them there; then all ranks get all. */
void *lct_net_share_place(struct lct_net_share *s, int64_t B,
                          size_t bytes_each);
locant_status lct_net_share_gather(struct lct_net_share *s);

/* all [B, T, width] = x [B, own tokens, width] of every rank */
locant_status lct_net_share_rows(void *all, const void *x,
                                 struct lct_net_share *s,
                                 const struct lct_net_math *math, int64_t B,
                                 int64_t width);

/* Exchange what a layer exchanges and has not, without having computed it. */
locant_status lct_net_share_skip(struct lct_net_share *s,
                                 const struct lct_net *n, int64_t i, int64_t B);

/* The failure of the first rank that holds one becomes that of all. */
locant_status lct_net_share_agree(struct lct_net_share *s);
#endif

/*
 * group.h - gather, broadcast and common failure, made of a group's exchange.
 *
 * Every rank calls the same function with the same sizes. Without a group
 * (NULL), or in one of a single rank, these functions do nothing.
 */
#ifndef LCT_GROUP_H
#define LCT_GROUP_H
#include "../core/error.h"
#include "locant/group.h"
#include <stdbool.h>

enum {
    LCT_GROUP_RANKS = 256,   /* the most ranks: leaves are at most as many */
    LCT_GROUP_DIRECT = 32,   /* up to so many ranks send to each other directly,
                              more take turns, or pass on what they have round
                              a ring */
    LCT_GROUP_MESSAGE = 512, /* bytes of an error message */
    LCT_GROUP_STATUS = 4     /* bytes of a status among news */
};

/* Rank r of P has [n r/P, n (r+1)/P) of n things: the first one of a rank, and
   the end of those of the rank before it. */
static inline int64_t lct_group_share(int64_t n, int rank, int size)
{
    return n * rank / size;
}

/* Refuse a group that cannot work, in the name of function 'fn'; NULL is
   fine. */
locant_status lct_group_check(const char *fn, const locant_group *g);

/* The number of ranks, and of this one: 1 and 0 without a group. */
int lct_group_size(const locant_group *g);
int lct_group_rank(const locant_group *g);

/* A group of the same ranks whose failed exchanges are noticed. */
struct lct_watched_group {
    locant_group group;
    const locant_group *callers;
    bool broken; /* an exchange has failed */
};

/* Watch g with *w, which stays in place.  Returns the group to call, NULL if
   there is one rank. */
const locant_group *lct_group_watch(struct lct_watched_group *w,
                                    const locant_group *g);

/* Copy the 'bytes' at 'data' of rank 0 to 'data' of every rank, down a binary
   tree: rank r sends to 2 r + 1 and 2 r + 2. */
locant_status lct_group_broadcast(void *data, size_t bytes,
                                  const locant_group *g);

/* The same from another rank than 0, which hands the bytes to rank 0. */
locant_status lct_group_broadcast_from(void *data, size_t bytes, int from,
                                       const locant_group *g);

/* Rank r has the bytes begin[r] .. begin[r + 1] - 1 of 'data'; afterwards every
   rank has all. 'begin' [size + 1] increases. */
locant_status lct_group_gather(void *data, const size_t *begin,
                               const locant_group *g);

/* Pieces that this rank lists for an exchange; without arrays they are only
   counted. */
struct lct_group_list {
    locant_piece *send, *receive;
    size_t sends, receives;
};

/* Append what goes to rank 'to' and comes from rank 'from'. */
typedef void (*lct_group_round)(struct lct_group_list *list, int to, int from,
                                void *context);

/* List the pieces of all rounds: in round i every rank serves the rank i after
   it. */
void lct_group_list_rounds(struct lct_group_list *list, lct_group_round round,
                           void *context, const locant_group *g);

/* Exchange the pieces of all rounds: at once or, if there are many ranks, round
   by round.  The arrays have room for all of them; the list ends empty. */
locant_status lct_group_exchange_rounds(struct lct_group_list *list,
                                        lct_group_round round, void *context,
                                        const locant_group *g);

/*
 * A gather whose parts, the news of each rank, begin with its status: this one
 * writes the first LCT_GROUP_STATUS bytes of its part. All ranks return the
 * first status that is not OK, with the message that its rank has as
 * locant_last_error(). A number that is no status is FORMAT. Without a group:
 * 'status'.
 */
locant_status lct_group_tell(void *news, const size_t *begin,
                             locant_status status, const locant_group *g);

/* The same without other news. */
locant_status lct_group_agree(locant_status status, const locant_group *g);

/* The first failure of this rank, which others do not know yet; begins with
   zeros. */
struct lct_held {
    locant_status status;
    char message[LCT_GROUP_MESSAGE];
};

/* Keep 'status' with locant_last_error(), if it is the first failure. */
void lct_group_hold(struct lct_held *h, locant_status status);

/* Fail so again; OK if there is no failure. */
locant_status lct_group_held(const struct lct_held *h);
#endif

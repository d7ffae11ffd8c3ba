/*
 * net_room.h - memory that the steps of a run take and give back, as a stack
 *
 * A function takes what it needs and, at its end, gives back all from a mark
 * on.  The first steps of a run allocate; later ones find what these needed.
 * Memory that nobody gave back before is zeros.
 */
#ifndef LCT_NET_ROOM_H
#define LCT_NET_ROOM_H
#include "net.h"

/* Begin with zeros. */
struct lct_net_room {
    const struct lct_net *n;
    void *tiles; /* of products, for each of 'slots' tasks (net_linear.c) */
    int slots;
    struct lct_net_chunk *chunk; /* the last in use; NULL: none */
    size_t used;                 /* bytes */
    bool failed;
};

/* Numbers of the model [a, b]; or of 'item' bytes each.  NULL if there is no
   memory, and ever after, so that of several the last one tells. */
void *lct_net_take(struct lct_net_room *r, int64_t a, int64_t b);
void *lct_net_take_items(struct lct_net_room *r, int64_t a, int64_t b,
                         size_t item);
/* Give back what was taken since r->used was 'mark'. */
void lct_net_give_back(struct lct_net_room *r, size_t mark);
void lct_net_room_end(struct lct_net_room *r);
#endif

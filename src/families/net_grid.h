/*
 * net_grid.h - the patches of a clip, in the order in which a tower takes them
 *
 * Groups of merge x merge patches stand side by side, since they become one
 * token of a text.  Groups go in reading order; with windows by window, in
 * reading order within each, so that attention skips the other windows
 * (Qwen2.5-VL: arXiv:2502.13923v1, section 2.1.1).
 */
#ifndef LCT_NET_GRID_H
#define LCT_NET_GRID_H
#include "net_run.h"

struct lct_net_grid {
    int64_t frames, rows, columns; /* of patches */
    int64_t merge;
    int64_t groups;   /* of a frame */
    int64_t *group;   /* [groups]: which one, in reading order, has a place */
    int64_t *windows; /* [frames, rows columns]: of the patch in a place; NULL:
                         no layer has windows */
};

/* size: frames, rows and columns, which are multiples of the merged side.
   Arrays are of the room.  Errors: NOMEM. */
locant_status lct_net_grid_begin(struct lct_net_grid *g,
                                 struct lct_net_room *room,
                                 const struct lct_net_stack *s,
                                 const int64_t size[3]);

/* Row and column of the patch in a place; returns its place in the file. */
int64_t lct_net_grid_patch(int64_t *y, int64_t *x, const struct lct_net_grid *g,
                           int64_t place);
#endif

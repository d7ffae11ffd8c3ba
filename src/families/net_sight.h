/* net_sight.h - the tower of a model for images within texts (Qwen-VL) */
#ifndef LCT_NET_SIGHT_H
#define LCT_NET_SIGHT_H
#include "net_run.h"

/* n->sight, if the family has a tower and the files have its tensors; it is a
   model of its own that shares them with n.  Errors: FORMAT, NOMEM. */
locant_status lct_net_sight_bind(struct lct_net *n, const char *path);

/* Images [n, channels, height, width]; or with a height of 0 patches [.., a
   patch] of all, one after the other, in groups of those that are merged. */
struct lct_net_images {
    int64_t n;
    const int64_t *grid; /* [n, 3]: frames, rows, columns of patches; NULL: by
                            height and width */
    const float *pixels;
    int64_t height, width;
};

/* Frames, rows and columns of patches of image i; returns its tokens. */
int64_t lct_net_sight_size(int64_t size[3], const struct lct_net *n,
                           const struct lct_net_images *images, int64_t i);

/* Run the tower over all images, whose sizes are right.  Begin with zeros; free
   it whatever is returned.  Errors: as lct_net_run_step(). */
locant_status lct_net_sight_read(struct lct_net_seen *s,
                                 const struct lct_net *n,
                                 const struct lct_net_images *images);
void lct_net_sight_free(struct lct_net_seen *s);
#endif

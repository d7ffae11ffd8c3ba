/*
 * ids_walk.h - a walk over the segments of locant/multimodal.h, in O(1) for
 * each: a check finds the number of tokens; when they are written, the same
 * walk says where each segment starts.
 */
#ifndef LCT_POSITIONS_IDS_WALK_H
#define LCT_POSITIONS_IDS_WALK_H
#include "locant/multimodal.h"
#include <stdbool.h>

/* The state between two segments. */
struct lct_ids_walk {
    int64_t tokens; /* so far */
    double next;    /* first id of the next segment */
    int64_t images; /* so far */
    double half;    /* QWEN_IMAGE: the largest half side so far */
};

/* Check the arguments and walk past all n segments, from w of zeros. */
locant_status lct_ids_walk_all(struct lct_ids_walk *w, const char *who,
                               const locant_ids *ids,
                               const locant_segment *segments, size_t n);

/* Move past a checked segment; false if its ids are too large. */
bool lct_ids_advance(struct lct_ids_walk *w, const locant_ids *ids,
                     const locant_segment *s);

int lct_ids_lanes(const locant_ids *ids);

/* Of an image or a video: an image has one. */
int64_t lct_ids_frames(const locant_segment *s);

/* TM: ids from the start of a video to frame f, in the order of Transformers */
double lct_ids_tm_frame(const locant_ids *ids, const locant_segment *s,
                        int64_t f);

/* TM: one past the largest id of a video that starts at 0 */
double lct_ids_tm_video(const locant_ids *ids, const locant_segment *s);
#endif

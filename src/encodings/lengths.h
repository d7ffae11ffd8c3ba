/*
 * lengths.h - the schedules of one call whose documents are not equally long.
 *
 * Each document is rotated by the schedule of its own length, as if it were
 * alone; documents of the same length share one.
 */
#ifndef LCT_LENGTHS_H
#define LCT_LENGTHS_H
#include "../angle/schedule.h"
#include "encoding.h"

struct lct_lengths {
    const locant_encoding *e; /* not a sum */
    int64_t head_dim;
    size_t n, room;
    const struct lct_schedule **of;
};

/* Do frequencies depend on the length of each document, not of the call? */
bool lct_lengths_matter(const locant_encoding *e);

/* Make the schedule of documents of that length, unless it exists. */
locant_status lct_lengths_add(struct lct_lengths *l, const char *fn,
                              int64_t length);

/* The schedule of documents of that length; NULL if it was not made. */
const struct lct_schedule *lct_lengths_find(const struct lct_lengths *l,
                                            int64_t length);

/* Release all schedules. */
void lct_lengths_done(struct lct_lengths *l);
#endif

/* merge_checkpoint.h - the checkpoint of a run that goes to another store */
#ifndef LCT_MERGE_CHECKPOINT_H
#define LCT_MERGE_CHECKPOINT_H
#include "../files/map.h"
#include "store.h"

/* The run as one store has it. */
struct lct_merge_side {
    int64_t id; /* 0: it has not */
    int64_t step, steps;
    bool done;
    struct lct_map checkpoint; /* of the source; no bytes: it has none */
};

/* Map the checkpoint of a run, if there is one; lct_map_close() ends that. */
locant_status lct_merge_checkpoint_map(struct lct_merge_side *run,
                                       const locant_store *s);

/* Refuse with FORMAT a mapped checkpoint that is of another run than 'key', or
   of a run that is done and not of its last step. */
locant_status lct_merge_checkpoint_check(const struct lct_merge_side *run,
                                         const char *key,
                                         const locant_store *s);

/* Write the mapped file, if there is one, durably as the checkpoint of run 'id'
   of s. */
locant_status lct_merge_checkpoint_write(const locant_store *s, int64_t id,
                                         const struct lct_map *file);

/* Has run 'id' a checkpoint? */
bool lct_merge_checkpoint_exists(const locant_store *s, int64_t id);
#endif

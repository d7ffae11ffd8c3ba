/*
 * stick.h - stick-breaking weights (doors.h) in the tiled engine.
 *
 * Forward takes tiles of keys from the newest to the oldest and carries the
 * rest of each row, 1 minus the sum of its weights; where all rests of a tile
 * of queries are 0, older keys are skipped.  Backward first does the same
 * without values to find the rest at each tile of keys, then takes these tiles
 * from the oldest to the newest and carries the sum of p g.
 */
#ifndef LCT_ATTENTION_STICK_H
#define LCT_ATTENTION_STICK_H
#include "backward.h"
#include "tables.h"

/* ln of the least rest that is distinct from 0: 2^-126. */
#define LCT_STICK_LEAST (-87.33654475055310)

/*
 * Can tiles do it?  Keys must be in the order of their positions in memory,
 * documents in that of their numbers.  Otherwise the reference does it.
 */
bool lct_stick_has_tiles(const struct lct_plan *p);

void lct_stick_layout(struct lct_tables *tables, const struct lct_plan *p,
                      struct lct_arena *arena);
/* Find the key at the position of each query. */
void lct_stick_fill(const struct lct_plan *p);
void lct_stick_layout_scratch(struct lct_scratch *s, const struct lct_plan *p,
                              struct lct_arena *arena);

/* lse of a row: ln rest, at least LCT_STICK_LEAST. */
double lct_stick_lse(double rest);

void lct_stick_forward(const struct lct_plan *p, const locant_tensor *out,
                       const locant_tensor *lse);

/* Backward of one tile of queries, loaded by lct_backward_load_queries().
 * 'finish' adds the gradients of scores in s->ds to all that they depend on. */
void lct_stick_backward(
    const struct lct_backward *job, struct lct_tile *t, struct lct_scratch *s,
    void (*finish)(const struct lct_backward *job, const struct lct_tile *t,
                   struct lct_scratch *s, const struct lct_loaded *l));
#endif

/* pool.h - parallel loops inside the library; see locant_parallel_for() */
#ifndef LCT_POOL_H
#define LCT_POOL_H
#include "locant/core.h"
#include <stdbool.h>

/* Does this thread run a task?  If so, a nested call runs serially. */
bool lct_inside_task(void);

/* Threads that a call from here uses, for the size of scratch: 1 inside a task,
 * else locant_threads(). */
int lct_slots(void);

/* locant_parallel_for() with at most 'slots' slots, the number that scratch was
 * allocated for, even if locant_set_threads() was called since. */
void lct_parallel_for(size_t tasks, int slots, locant_task body, void *context);

/*
 * Begin and end the cancellable part of a public call; see locant_set_poll().
 * Within it the poll may cancel the call: parallel loops then start no more
 * tasks, and skipped tasks write nothing.  So begin it only after all arrays of
 * indices are filled.  'end' returns whether the call was cancelled.
 */
void lct_pool_begin_cancellable(void);
bool lct_pool_end_cancellable(void);

/* Has the call been cancelled?  Long tasks ask, to end early. */
bool lct_pool_cancelled(void);
#endif

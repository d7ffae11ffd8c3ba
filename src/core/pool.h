/* pool.h - how many threads the process may run; see locant_parallel_for() */
#ifndef LCT_POOL_H
#define LCT_POOL_H
#include "locant/core.h"
#include <stdbool.h>

/* Is this thread inside a task?  A nested call then runs serially. */
bool lct_inside_task(void);

/*
 * Threads a call from here would really use: 1 inside a task, else
 * locant_threads().  Scratch is sized by it.
 */
int lct_slots(void);
/*
 * locant_parallel_for() for a body whose scratch has 'slots' places: uses no
 * more of them, whatever locant_set_threads() has become since they were made.
 */
void lct_parallel_for(size_t tasks, int slots, locant_task body,
                      void *context);

/*
 * Begin and end the cancellable part of a public call; see locant_set_poll().
 * Within it the poll of this thread may cancel the call: parallel loops then
 * start no more tasks, and skipped tasks write nothing.  Begin it only after
 * all arrays of indices are filled.  The end returns whether the call was
 * cancelled.
 */
void lct_cancellable_begin(void);
bool lct_cancellable_end(void);

/* For long tasks: has their call been cancelled? */
bool lct_cancelled(void);
#endif

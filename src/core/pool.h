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
 * From lct_watch() on the poll of this thread's call may stop it: loops then
 * begin no more tasks.  To be called when all that holds indices is filled in,
 * since what a task that is left out should have written is not written.
 * lct_watched() ends that, and tells whether the call was stopped.
 */
void lct_watch(void);
bool lct_watched(void);

/* For long tasks: is the call they belong to being stopped? */
bool lct_stopping(void);
#endif

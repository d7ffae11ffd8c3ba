/* notice.h - one sentence to whoever follows the progress of a job. */
#ifndef LCT_NOTICE_H
#define LCT_NOTICE_H
#include <locant/lab.h>

/*
 * It tells of no step.  What the callback answers is ignored: it is asked again
 * as soon as work begins.  progress may be NULL.
 */
void lct_notice(const char *phase, const char *sentence,
                locant_progress_fn progress, void *context);
#endif

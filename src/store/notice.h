/* notice.h - a message to the callback that follows the progress of a job */
#ifndef LCT_NOTICE_H
#define LCT_NOTICE_H
#include <locant/lab.h>

/*
 * The call reports no step. The return value of the callback is ignored: it can
 * stop the job at the first step. progress may be NULL.
 */
void lct_notice(const char *phase, const char *message,
                locant_progress_fn progress, void *context);
#endif

/* notice.h - sends a message to the progress callback of a job */
#ifndef LCT_NOTICE_H
#define LCT_NOTICE_H
#include <locant/lab.h>

/* Call 'progress' (may be NULL) with a message and no step. Its return value is
   ignored: it can stop the job at the next step. */
void lct_notice(const char *phase, const char *message,
                locant_progress_fn progress, void *context);
#endif

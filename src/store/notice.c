/* notice.c - see notice.h */
#include "notice.h"
#include <math.h>

void lct_notice(const char *phase, const char *message,
                locant_progress_fn progress, void *context)
{
    const locant_progress p = {
        .phase = phase, .loss = NAN, .rate = NAN, .left = NAN, .notice = message
    };

    if (progress != NULL)
        (void)progress(&p, context);
}

/* error.h - pass a failure to the caller; see locant_fail() */
#ifndef LCT_ERROR_H
#define LCT_ERROR_H
#include "locant/core.h"

/* Return a failing status; its message is already recorded. */
#define LCT_TRY(call)                             \
    do {                                          \
        locant_status status_ = (call);           \
        if (status_ != LOCANT_OK) return status_; \
    } while (0)

#endif

/* error.h - how internal code passes a failure upward; see locant_fail() */
#ifndef LCT_ERROR_H
#define LCT_ERROR_H
#include "locant/core.h"

/* Pass a callee's failure upward; its sentence is already recorded. */
#define LCT_TRY(call)                             \
    do {                                          \
        locant_status status_ = (call);           \
        if (status_ != LOCANT_OK) return status_; \
    } while (0)

#endif

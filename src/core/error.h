/* error.h - return early on a failure; see locant_fail() */
#ifndef LCT_ERROR_H
#define LCT_ERROR_H
#include "locant/core.h"

/* If the call fails, return its status; the message is already recorded. */
/* clang-format off */
#define LCT_TRY(call)                             \
    do {                                          \
        locant_status status_ = (call);           \
        if (status_ != LOCANT_OK) return status_; \
    } while (0)
/* clang-format on */

/* Fail if 'pointer' is NULL; 'fn' is the name of the public function. */
#define LCT_NOT_NULL(fn, pointer)                                              \
    LCT_TRY((pointer) != NULL ? LOCANT_OK                                      \
                              : locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", \
                                            fn, #pointer))

#endif

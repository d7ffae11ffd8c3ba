/* error.h - pass a failure to the caller; see locant_fail() */
#ifndef LCT_ERROR_H
#define LCT_ERROR_H
#include "locant/core.h"

/* Return a failing status; its message is already recorded. */
/* clang-format off */
#define LCT_TRY(call)                             \
    do {                                          \
        locant_status status_ = (call);           \
        if (status_ != LOCANT_OK) return status_; \
    } while (0)
/* clang-format on */

/* Refuse a pointer that is NULL, by its name; 'fn' is the public function. */
#define LCT_NOT_NULL(fn, pointer)                                              \
    LCT_TRY((pointer) != NULL ? LOCANT_OK                                      \
                              : locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", \
                                            fn, #pointer))

#endif

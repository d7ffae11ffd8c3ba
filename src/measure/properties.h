/* properties.h - gate g1: the properties an encoding declares */
#ifndef LCT_PROPERTIES_H
#define LCT_PROPERTIES_H
#include "../core/error.h"
#include <stdbool.h>

/* Gate g1: does an encoding have the properties it declares?  The message
   says which one it lacks. */
locant_status lct_check_properties(bool *held, char message[256],
                                   const char *spec, int64_t heads,
                                   int64_t width);
#endif

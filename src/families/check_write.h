/* check_write.h - a configuration as a file, laid out as transformers does */
#ifndef LCT_CHECK_WRITE_H
#define LCT_CHECK_WRITE_H
#include "../core/error.h"
#include <jansson.h>

/* Replace 'path' by the JSON text of 'root', keys in their order, two blanks
   to a level, numbers as short as they read back.  Errors: IO, NOMEM. */
locant_status lct_check_write(const char *path, const json_t *root);
#endif

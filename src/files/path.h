/* path.h - paths in sentences */
#ifndef LCT_PATH_H
#define LCT_PATH_H
#include <string.h>

/* The end of a path: the rest of the sentence must have room, too. */
static inline const char *lct_path_tail(const char *path)
{
    size_t n = strlen(path);

    return n > 200 ? path + n - 200 : path;
}
#endif

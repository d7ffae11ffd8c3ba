/* path.h - paths in messages */
#ifndef LCT_PATH_H
#define LCT_PATH_H
#include <string.h>

/* The last 200 bytes of a path, so that a message has room for its rest. */
static inline const char *lct_path_tail(const char *path)
{
    size_t n = strlen(path);

    return n > 200 ? path + n - 200 : path;
}
#endif

/* path.h - paths in messages */
#ifndef LCT_PATH_H
#define LCT_PATH_H
#include <string.h>

/* The end of a long path, which leaves room for the rest of a message. */
static inline const char *lct_path_tail(const char *path)
{
    size_t n = strlen(path);

    return n > 200 ? path + n - 200 : path;
}
#endif

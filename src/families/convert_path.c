/* convert_path.c - see convert_path.h */
#define _GNU_SOURCE
#include "convert_path.h"
#include "locant/core.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

char *lct_convert_path(const char *folder, const char *name)
{
    const size_t n = strlen(folder) + strlen(name) + 2;
    char *path = locant_alloc(n);

    if (path != NULL)
        snprintf(path, n, "%s/%s", folder, name);
    return path;
}

bool lct_convert_path_is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool lct_convert_path_has(const char *folder, const char *name)
{
    char path[4096];
    struct stat st;
    const int n = snprintf(path, sizeof path, "%s/%s", folder, name);

    return n > 0 && n < (int)sizeof path && stat(path, &st) == 0;
}

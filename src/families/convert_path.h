/* convert_path.h - names in folders */
#ifndef LCT_CONVERT_PATH_H
#define LCT_CONVERT_PATH_H
#include <stdbool.h>

/* A name in the folder 'folder', to be released; NULL without memory. */
char *lct_convert_path(const char *folder, const char *name);

bool lct_convert_path_is_folder(const char *path);
/* Is there such a name in the folder? */
bool lct_convert_path_has(const char *folder, const char *name);
#endif

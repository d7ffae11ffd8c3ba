/* weights_find.h - which file of a folder has the weights */
#ifndef LCT_WEIGHTS_FIND_H
#define LCT_WEIGHTS_FIND_H
#include "../core/error.h"

enum lct_weights_kind {
    LCT_WEIGHTS_SINGLE, /* a safetensors file */
    LCT_WEIGHTS_INDEX,
    LCT_WEIGHTS_GGUF
};

/*
 * *out = the file to open, in memory of locant_alloc(), and its kind: 'path'
 * itself, or a file of that folder.  Errors: IO, FORMAT, NOMEM.
 */
locant_status lct_weights_find_file(char **out, enum lct_weights_kind *kind,
                                    const char *path);
#endif

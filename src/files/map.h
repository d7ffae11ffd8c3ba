/*
 * map.h - a file mapped into memory, so that only what is read is loaded
 *
 * Whoever makes the file shorter meanwhile stops the process (SIGBUS), as with
 * any program that maps its weights.
 */
#ifndef LCT_MAP_H
#define LCT_MAP_H
#include "../core/error.h"

struct lct_map {
    const unsigned char *bytes; /* NULL if the file is empty */
    size_t size;
};

/* Map a regular file.  Errors: IO, NOMEM; *out is empty after a failure. */
locant_status lct_map_open(struct lct_map *out, const char *path);
void lct_map_close(struct lct_map *m);
#endif

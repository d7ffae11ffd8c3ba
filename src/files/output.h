/*
 * output.h - a new folder that appears whole or not at all
 *
 * Files are written into a temporary folder beside it, which is renamed at the
 * end; a failure leaves nothing behind.
 */
#ifndef LCT_OUTPUT_H
#define LCT_OUTPUT_H
#include "../core/error.h"

struct lct_output {
    char *target, *temporary; /* paths of the folder */
    char *file;               /* path of the file that is open, or was last */
    int fd;                   /* -1: none is open */
    unsigned char *buffer;
    size_t used;      /* bytes of the buffer */
    uint64_t written; /* bytes of the file so far */
};

/*
 * Begin a folder.  Errors: IO (the target is there and is no empty folder),
 * NOMEM.  Abort it after a failure of this or a later call.
 */
locant_status lct_output_begin(struct lct_output *o, const char *folder);

/* Begin a file of the folder; the one before is finished. */
locant_status lct_output_file(struct lct_output *o, const char *name);
locant_status lct_output_write(struct lct_output *o, const void *data,
                               size_t n);
/* A file that is a copy of another one. */
locant_status lct_output_copy(struct lct_output *o, const char *name,
                              const char *from);

/* Finish the last file without ending the folder: it can be read. */
locant_status lct_output_flush(struct lct_output *o);

/* Put everything on the disk and rename the folder; releases memory. */
locant_status lct_output_commit(struct lct_output *o);
/* Remove what was written; nothing if the folder was committed. */
void lct_output_abort(struct lct_output *o);
#endif

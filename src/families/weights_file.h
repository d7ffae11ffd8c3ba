/* weights_file.h - one safetensors file of a checkpoint, mapped */
#ifndef LCT_WEIGHTS_FILE_H
#define LCT_WEIGHTS_FILE_H
#include "../files/map.h"
#include "../files/tensors.h"
#include "weights.h"

struct lct_weights_file {
    char *path;
    const char *name; /* the last part of the path */
    struct lct_map map;
    const unsigned char *bytes; /* of the map, or of the caller */
    locant_tensors *header;
};

/* Open folder/name, or name alone if folder has no bytes.  Close it also after
   a failure. */
locant_status lct_weights_file_open(struct lct_weights_file *out,
                                    const char *folder, size_t folder_bytes,
                                    const char *name);
locant_status lct_weights_file_parse(struct lct_weights_file *out,
                                     const void *bytes, size_t size,
                                     const char *name);
void lct_weights_file_close(struct lct_weights_file *f);

/* Tensor i in the order of names, i < f->header->n. */
struct lct_weight lct_weights_file_tensor(const struct lct_weights_file *f,
                                          size_t i);
#endif

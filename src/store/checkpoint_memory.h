/* checkpoint_memory.h - the memory of layers in a checkpoint */
#ifndef LCT_CHECKPOINT_MEMORY_H
#define LCT_CHECKPOINT_MEMORY_H
#include "checkpoint.h"
#include "locant/files.h"

enum { LCT_CHECKPOINT_MEMORY_NAME = 40 }; /* bytes of a tensor's name */

/* The number of layers that have memory: all or none. */
int64_t lct_checkpoint_memory_layers(const struct lct_model *model,
                                     const struct lct_checkpoint *c);

/* List the memory of these layers; names[l] receives the name of layer l's. */
void lct_checkpoint_memory_list(locant_named_tensor *list,
                                struct lct_model *model,
                                const struct lct_checkpoint *c,
                                char (*names)[LCT_CHECKPOINT_MEMORY_NAME]);

/* Continue the hash with the memory in the file.  Returns what is wrong with
   that, or NULL. */
const char *lct_checkpoint_memory_hash(uint64_t *hash,
                                       const locant_tensors *file,
                                       const struct lct_model *model);

/* Copy the memory from the file to where it belongs.  Returns what is wrong
   with it, before anything is copied, or NULL. */
const char *lct_checkpoint_memory_read(struct lct_model *model,
                                       const struct lct_checkpoint *c,
                                       const locant_tensors *file);
#endif

/* checkpoint.h - parameters and moments of a run, in a file */
#ifndef LCT_CHECKPOINT_H
#define LCT_CHECKPOINT_H
#include "../model/model.h"

/*
 * Memory of a model's layers that is not in the model, because other ranks have
 * some of its rows: data [layers, size.rows, size.tokens, width].
 */
struct lct_checkpoint_memory {
    struct lct_memory_size size;
    int64_t rows; /* most rows that data has room for */
    real *data;
};

/* What a checkpoint holds besides the parameters and memory of the model. */
struct lct_checkpoint {
    const char *key; /* identity of the run; compared on reading */
    int64_t step;
    double seconds;    /* of training until 'step' */
    uint64_t checksum; /* of every batch until 'step' */
    real *m, *v;       /* [size of the model] moments of AdamW, or in m the
                          momentum of Muon. NULL on reading: neither moments
                          nor memory are read */
    struct lct_checkpoint_memory *memory; /* NULL: that of the model */
};

/*
 * Write durably: on return the new checkpoint is on the disk; before that the
 * old one is.
 */
locant_status lct_checkpoint_write(const char *path, struct lct_model *model,
                                   const struct lct_checkpoint *c);

/*
 * Read into the model and *c. A file that is truncated, changed or of another
 * run is refused with FORMAT; then neither is changed.
 */
locant_status lct_checkpoint_read(struct lct_checkpoint *c,
                                  struct lct_model *model, const char *path);
#endif

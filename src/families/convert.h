/* convert.h - a conversion under way, which the files convert_*.c share */
#ifndef LCT_CONVERT_H
#define LCT_CONVERT_H
#include "../files/output.h"
#include "convert_parts.h"
#include "locant/models.h"

struct lct_convert {
    const locant_convert_options *options;
    const char *model;        /* path */
    char *folder;             /* of its files */
    struct lct_config config; /* of the model, or of that of an adapter */
    struct lct_position_plan plan;
    const struct lct_tower *tower; /* that rotates */
    struct lct_weights *weights;
    struct lct_convert_parts parts;
    struct lct_output output;
    bool adapter;
    bool gguf_in, gguf_out;
    bool from, to; /* interleaved? */
};

/* A name in the folder 'folder', to be released; NULL without memory. */
char *lct_convert_path(const char *folder, const char *name);

/* Write the safetensors files of a model that is read from such files, and
   their index. */
locant_status lct_convert_write(struct lct_convert *c);

/* Write the rows of a tensor in their new order. */
locant_status lct_convert_write_rows(struct lct_convert *c,
                                     const struct lct_weight *w);

/* Copy the small files beside the weights, config.json with what it says of
   the pairing. */
locant_status lct_convert_write_others(struct lct_convert *c);
#endif

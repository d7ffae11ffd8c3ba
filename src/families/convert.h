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
    const struct lct_tower *tower; /* that rotates, or the first */
    struct lct_weights *weights;
    struct lct_convert_parts parts;
    struct lct_output output;
    bool adapter;
    bool gguf_in, gguf_out;
    bool rotates;  /* else it has no pairing, and 'from' is 'to' */
    bool from, to; /* interleaved? */
    const char *tokenizer, *pre; /* of a GGUF: see locant_conversion */
    int64_t lost;                /* tensors without a place in the output */
};

/* Write the safetensors files of a model that is read from such files, and
   their index. */
locant_status lct_convert_write(struct lct_convert *c);

/* Copy the small files beside the weights, config.json with what it says of
   the pairing. */
locant_status lct_convert_write_others(struct lct_convert *c);
#endif

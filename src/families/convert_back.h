/* convert_back.h - a model of GGUF as safetensors with config.json */
#ifndef LCT_CONVERT_BACK_H
#define LCT_CONVERT_BACK_H
#include "convert.h"
#include "convert_gguf_names.h"

/* The family of the tensors of a GGUF file; NULL: it is not written as
   safetensors. */
const struct lct_convert_gguf_family *
lct_convert_back_family(const struct lct_convert *c);

/* Write model.safetensors and config.json.  Errors: FORMAT, UNSUPPORTED (a
   tensor or a rotation that config.json cannot say), NOMEM. */
locant_status lct_convert_back(struct lct_convert *c);
/* config.json alone. */
locant_status lct_convert_back_config(struct lct_convert *c);
#endif

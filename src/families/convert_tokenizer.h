/*
 * convert_tokenizer.h - the tokenizer of a folder as keys of a GGUF file
 */
#ifndef LCT_CONVERT_TOKENIZER_H
#define LCT_CONVERT_TOKENIZER_H
#include "../files/gguf_write.h"
#include "convert.h"

/*
 * Put the keys of the tokenizer.json, tokenizer_config.json and
 * chat_template.jinja beside the model, of 'rows' embeddings, and special
 * tokens of its configuration that these do not say; without a tokenizer.json
 * those alone.  c->tokenizer and c->pre say what was found.  Errors: as
 * lct_tokenizer_parse(), IO.
 */
locant_status lct_convert_tokenizer(struct lct_gguf_write *w,
                                    struct lct_convert *c, int64_t rows);
#endif

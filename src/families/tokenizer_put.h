/* tokenizer_put.h - a tokenizer as keys of a GGUF file */
#ifndef LCT_TOKENIZER_PUT_H
#define LCT_TOKENIZER_PUT_H
#include "../files/gguf_write.h"
#include "tokenizer.h"

/* Put all of them but the ids of special tokens. */
void lct_tokenizer_put(struct lct_gguf_write *w, const struct lct_tokenizer *t);
#endif

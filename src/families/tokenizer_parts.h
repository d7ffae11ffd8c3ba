/*
 * tokenizer_parts.h - what stands around the vocabulary of a tokenizer.json:
 * its normalizer, its splitter, its template, and its special tokens
 */
#ifndef LCT_TOKENIZER_PARTS_H
#define LCT_TOKENIZER_PARTS_H
#include "tokenizer.h"

/* Is it BPE of bytes, or of SentencePiece? */
bool lct_tokenizer_parts_has_bytes(const struct lct_tokenizer *t);
bool lct_tokenizer_parts_has_pieces(const struct lct_tokenizer *t);

/* Fail with UNSUPPORTED unless tokens within words begin with 'prefix' and
   those that end them have no suffix. */
locant_status lct_tokenizer_parts_prefix(const struct lct_tokenizer *t,
                                         const char *prefix, const char *name);

/* Fill t->special; messages name the files.  Errors: FORMAT (an unknown token,
   an id beyond t->n). */
locant_status lct_tokenizer_parts_specials(struct lct_tokenizer *t,
                                           const char *name,
                                           const char *settings);

/* Fill pre, add_bos to no_extra_spaces, and charsmap.  Errors: FORMAT (a
   charsmap that is no base64), NOMEM. */
locant_status lct_tokenizer_parts_read(struct lct_tokenizer *t,
                                       const char *name);
#endif

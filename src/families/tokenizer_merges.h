/* tokenizer_merges.h - the merges of BPE, and the scores that stand for them */
#ifndef LCT_TOKENIZER_MERGES_H
#define LCT_TOKENIZER_MERGES_H
#include "tokenizer.h"

/*
 * Read the merges of BPE, whose parts and results must be tokens; other kinds
 * have none.  PIECES: score each token with -i, i its first merge, those of no
 * merge with minus the number of merges.  llama.cpp has no merges of
 * SentencePiece: it joins the two neighbours whose token has the largest score,
 * the one that is merged first.  Errors: FORMAT, UNSUPPORTED (a space within a
 * part), NOMEM.
 */
locant_status lct_tokenizer_merges_read(struct lct_tokenizer *t,
                                        const char *name);
#endif

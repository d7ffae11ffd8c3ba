/*
 * tokens.h - a corpus as the tokens of a vocabulary.
 *
 * A corpus keeps each vocabulary that was trained on it, and itself encoded by
 * it, until it is freed: the runs of a report share both. Any thread may ask.
 */
#ifndef LCT_TOKENS_H
#define LCT_TOKENS_H
#include "corpus.h"
#include "vocabulary.h"

/*
 * The vocabulary of 'size' tokens that is trained on the training part; NULL
 * for size 0, bytes. It lives as long as the corpus.
 * Errors: those of lct_vocabulary_check() and lct_vocabulary_train().
 */
locant_status lct_tokens_vocabulary(const struct lct_vocabulary **out,
                                    const locant_corpus *corpus, int64_t size);

/*
 * The three parts of the corpus in tokens of that vocabulary, which need not be
 * one of its own; those in bytes if it is NULL. They live as long as the
 * corpus. Errors: NOMEM.
 */
locant_status lct_tokens_of(const struct lct_split **parts,
                            const locant_corpus *corpus,
                            const struct lct_vocabulary *v);

/* Bytes of n tokens from token 'first' on. */
size_t lct_tokens_bytes(const struct lct_split *s, size_t first, size_t n);

/* The last file that begins at token 'at' or before. */
size_t lct_tokens_file(const struct lct_split *s, size_t at);
/* Where token 'at' begins in the part in bytes; its size for at == s->size. */
size_t lct_tokens_offset(const struct lct_split *s, size_t at);

/* The part in bytes. */
static inline const struct lct_split *
lct_tokens_in_bytes(const struct lct_split *s)
{
    return s->ids ? s->of : s;
}

void lct_tokens_free(struct lct_tokens *list);
#endif

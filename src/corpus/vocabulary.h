/*
 * vocabulary.h - byte-pair encoding of bytes (Sennrich, Haddow and Birch 2016,
 * arXiv:1508.07909v5, algorithm 1).
 *
 * Tokens 0 .. 255 are the bytes. Token 256 + r is what merge r makes of two
 * neighbours. A text is encoded by merge 0 wherever it applies, from left to
 * right, then by merge 1, and so on.
 *
 * Byte 0 is never merged: it stands before each document of a corpus, so no
 * token reaches over the end of one, and documents begin where tokens do.
 * Everything else may merge, also across words and lines: indentation and line
 * ends are much of a source text.
 */
#ifndef LCT_VOCABULARY_H
#define LCT_VOCABULARY_H
#include "../core/error.h"
#include <stdbool.h>

enum {
    LCT_VOCAB = 256,                /* tokens that are single bytes */
    LCT_VOCABULARY_MOST = 4096,     /* tokens of a vocabulary */
    LCT_VOCABULARY_HASH = 16 + 1,   /* of its name, with the final zero */
    LCT_VOCABULARY_TEXT = 16 << 20, /* bytes that merges are chosen on */
    LCT_TOKEN_BYTES = 64 << 10,     /* of the longest token */
};

struct lct_vocabulary {
    int size;                              /* 257 .. LCT_VOCABULARY_MOST */
    uint16_t pair[LCT_VOCABULARY_MOST][2]; /* what made token t >= 256 */
    uint32_t bytes[LCT_VOCABULARY_MOST];   /* that token t stands for */
    char hash[LCT_VOCABULARY_HASH];        /* of the merges, hexadecimal */
};

/* Fail with PARAM, in the name of 'fn', unless the size of a vocabulary is 0
   (bytes) or 257 .. LCT_VOCABULARY_MOST. */
locant_status lct_vocabulary_check(const char *fn, int64_t size);

/*
 * Choose size - 256 merges, each the pair of neighbours that the text has most
 * often after the merges before it (three equal tokens are two pairs); of pairs
 * with the same count, the one whose left token, then whose right token, has
 * the smaller id. A pair that stands for more than LCT_TOKEN_BYTES bytes is
 * passed over. Only the first LCT_VOCABULARY_TEXT bytes count. The same bytes
 * give the same merges everywhere. Release *out with locant_release().
 * Errors: PARAM if no pair is left that occurs twice, NOMEM.
 */
locant_status lct_vocabulary_train(struct lct_vocabulary **out,
                                   const uint8_t *text, size_t n, int size);

/* Encode text [n] to ids, with room for n of them; *n_ids is their number. */
locant_status lct_vocabulary_encode(uint16_t *ids, size_t *n_ids,
                                    const struct lct_vocabulary *v,
                                    const uint8_t *text, size_t n);

/* The bytes of a token, of which there are v->bytes[id]. */
void lct_vocabulary_decode(uint8_t *out, const struct lct_vocabulary *v,
                           int id);

/*
 * The merges as text, six hexadecimal digits each; to be released. And back:
 * the text may come from a stranger. FORMAT, in the name of 'name', unless
 * lct_vocabulary_print() can have written it.
 */
locant_status lct_vocabulary_print(char **out, const struct lct_vocabulary *v);
locant_status lct_vocabulary_parse(struct lct_vocabulary **out,
                                   const char *text, const char *name);

/* --------------------------------------------------- of vocabulary*.c alone */

/* Append the merge of a and b. False if v is full, if one of them is no token
   or is byte 0, or if the token would be longer than LCT_TOKEN_BYTES. */
bool lct_vocabulary_add(struct lct_vocabulary *v, int a, int b);
/* A vocabulary of the single bytes, without hash; NULL without memory. */
struct lct_vocabulary *lct_vocabulary_begin(void);
/* Set the hash. */
locant_status lct_vocabulary_end(struct lct_vocabulary *v);
#endif

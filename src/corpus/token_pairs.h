/*
 * token_pairs.h - a text as tokens, and for each pair of tokens the list of
 * places where they are neighbours.
 *
 * To merge a pair at one place takes constant time: the token before it, the
 * one after it and the pairs with both are found without a search.
 */
#ifndef LCT_TOKEN_PAIRS_H
#define LCT_TOKEN_PAIRS_H
#include "vocabulary.h"

struct lct_token_pairs {
    const struct lct_vocabulary *v;
    size_t n;              /* bytes of text, below 2^32 - 1 */
    uint16_t *id;          /* [n] at the first and the last byte of its token */
    uint32_t *next, *prev; /* [n] places of the same pair, at its first byte */
    size_t side;           /* of the two tables */
    uint32_t *first;       /* [side, side] first place of a pair */
    uint32_t *count;       /* [side, side] number of places */
};

/* Make every byte of the text a token. Ids of tokens stay below 'side'. Free
   it, also after a failure. */
locant_status lct_token_pairs_create(struct lct_token_pairs *p,
                                     const struct lct_vocabulary *v,
                                     const uint8_t *text, size_t n, int side);
void lct_token_pairs_free(struct lct_token_pairs *p);

/* Merge the pair of token 'id' of the vocabulary, from left to right. */
void lct_token_pairs_merge(struct lct_token_pairs *p, int id);

/* Write the tokens; returns their number. */
size_t lct_token_pairs_write(uint16_t *ids, const struct lct_token_pairs *p);
#endif

/* formula_tokens.h - arrays of tokens that a formula reads */
#ifndef LCT_FORMULA_TOKENS_H
#define LCT_FORMULA_TOKENS_H
#include "content.h"
#include "formula_evaluate.h"

/* The hook content.token_numbers of the row. */
extern const struct lct_token_angles lct_formula_tokens_hooks;

/*
 * The numbers of n keys from key j on, and of the query, whose own key is
 * 'own'; 'scatter' adds their gradients to those of the document.
 */
void lct_formula_tokens_gather(struct lct_formula_tokens *out,
                               const struct lct_content *c, int64_t head,
                               int64_t own, int64_t j, size_t n);
void lct_formula_tokens_scatter(double *dnumbers,
                                const struct lct_formula_tokens *d,
                                const struct lct_content *c, int64_t head,
                                int64_t own, int64_t j, size_t n);
#endif

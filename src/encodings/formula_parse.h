/* formula_parse.h - the text of an expression to nodes of a formula */
#ifndef LCT_FORMULA_PARSE_H
#define LCT_FORMULA_PARSE_H
#include "formula_words.h"

/*
 * Parse the text from r->at to its end:
 *
 *     sum    = prod { ("+" | "-") prod }
 *     prod   = unary { ("*" | "/") unary }
 *     unary  = "-" unary | power
 *     power  = atom [ "^" unary ]
 *     atom   = number | name | name "." ("q" | "k")
 *            | name "(" sum { "," sum } ")" | "(" sum ")"
 *     test   = sum ("<" | "<=" | ">" | ">=" | "==") sum    first in if(..)
 *
 * '*root' is the node of the whole.  Declarations that it reads are marked as
 * used.  Names are looked up in f unless 'any_name' is set: then each is 0.
 */
locant_status lct_formula_parse(int *root, struct lct_formula *f,
                                struct lct_reader *r, bool any_name);

/* Is this a word of the language, which no declaration may have as its name? */
bool lct_formula_parse_is_reserved(const char *text, size_t n);
#endif

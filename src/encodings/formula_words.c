/* formula_words.c - words and numbers of formula(..), and errors by column */
#include "formula_words.h"
#include "../core/quote.h"
#include <math.h>
#include <string.h>

static bool is_letter_of_word(char c)
{
    return lct_is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

struct lct_token lct_formula_words_read(struct lct_reader *r)
{
    struct lct_token t = { 0, 0 };
    bool letter = lct_is_letter(lct_read_peek(r));

    t.at = r->at;
    while (letter && r->at < r->size && is_letter_of_word(r->text[r->at]))
        r->at++;
    t.n = r->at - t.at;
    return t;
}

locant_status lct_formula_words_expected(struct lct_reader *r,
                                         const char *wanted)
{
    struct lct_token t = lct_read_value(r);
    char found[LCT_QUOTE_BYTES];

    if (t.n == 0)
        return LCT_FORMULA_REFUSE(
            r, t.at, "the spec ends at byte %zu, %s expected", t.at, wanted);
    return LCT_FORMULA_REFUSE(r, t.at, "%s expected, '%s' found", wanted,
                              lct_quote(found, r->text + t.at, t.n));
}

locant_status lct_formula_words_char(struct lct_reader *r, char c)
{
    const char wanted[] = { '\'', c, '\'', 0 };

    return lct_read_accept(r, c) ? LOCANT_OK
                                 : lct_formula_words_expected(r, wanted);
}

locant_status lct_formula_words_number(double *out, struct lct_reader *r)
{
    size_t at;
    struct lct_token t;

    lct_read_peek(r);
    at = r->at;
    t = lct_read_value(r);
    if (lct_number_parse(out, r->text + t.at, t.n) && isfinite(*out))
        return LOCANT_OK;
    r->at = at;
    return lct_formula_words_expected(r, "a number");
}

bool lct_formula_words_are(const struct lct_reader *r, struct lct_token t,
                           const char *word)
{
    return strlen(word) == t.n && memcmp(r->text + t.at, word, t.n) == 0;
}

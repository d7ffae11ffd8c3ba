/* spec.h - read and write specs, numbers and lists of names */
#ifndef LCT_SPEC_H
#define LCT_SPEC_H
#include "../core/suggest.h"
#include "encoding.h"

enum { LCT_NUMBER_BYTES = 32, LCT_SPEC_DEPTH = 8, LCT_SPEC_BYTES = 4096 };

/*
 * Make an encoding from spec text, looking its name up in 'family'; its doors
 * are not known yet.  On failure *out is NULL.
 */
locant_status lct_spec_parse(locant_encoding **out, const char *fn,
                             const char *text,
                             const struct lct_encoding *const *family);

/* Text written so far; bytes are counted even when 'out' is full. */
struct lct_writer {
    char *out;
    size_t size, used;
};

void lct_spec_put(struct lct_writer *w, const char *text);

/*
 * Write the canonical form; returns bytes needed, as snprintf() does.  Nested
 * encodings must have their own 'spec'.
 */
size_t lct_spec_print(char *out, size_t size, const locant_encoding *e);

/*
 * Read a decimal number: sign, digits, fraction and exponent; only one digit is
 * required.  False if the text is anything else (hexadecimal, nan, inf).
 * Rounded correctly in every locale; a number that is too large becomes
 * infinity.
 */
bool lct_number_parse(double *out, const char *text, size_t n);

/*
 * Write the fewest digits that read back as the finite 'value'; returns their
 * number.  The same text in every locale.
 */
size_t lct_number_print(char out[LCT_NUMBER_BYTES], double value);

const char *lct_family_name(const void *family, size_t i);
const char *lct_key_name(const void *keys, size_t i);
const char *lct_word_name(const void *words, size_t i);

/* What a key accepts: "> 0", "1 .. 64", "half | interleaved", "yes | no". */
void lct_key_range(char *out, size_t size, const struct lct_key *key);
#endif

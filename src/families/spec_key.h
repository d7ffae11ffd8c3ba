/* spec_key.h - parts of canonical specs, as text */
#ifndef LCT_SPEC_KEY_H
#define LCT_SPEC_KEY_H
#include <stdbool.h>
#include <stddef.h>

/* Bytes up to the comma, bracket or plus that ends a value or a term. */
size_t lct_spec_key_length(const char *value);

/* The term of a sum that is a rope or an mrope: its bytes, 0 if none is. */
size_t lct_spec_key_rope(const char **term, const char *spec);

/* The value of a key of that term: its bytes, 0 if it is absent. */
size_t lct_spec_key_value(const char **value, const char *spec,
                          const char *key);

enum { LCT_SPEC_PARTS = 8, LCT_SPEC_TEXT = 8192 };

/* A spec split at its plus signs. */
struct lct_spec_parts {
    char text[LCT_SPEC_TEXT];
    const char *part[LCT_SPEC_PARTS];
    int n;
};
void lct_spec_split(struct lct_spec_parts *out, const char *spec);
/* The part that is this encoding; NULL if there is none. */
const char *lct_spec_part(const struct lct_spec_parts *p, const char *name);
/* Copy the value of a key of 'part', nested ones included; false: absent. */
bool lct_spec_value(char *out, size_t size, const char *part, const char *key);
/* The same as a number; 'fallback' if it is absent, or 'part' is NULL. */
double lct_spec_number(const char *part, const char *key, double fallback);
#endif

/* spec_key.h - parts of canonical specs, as text */
#ifndef LCT_SPEC_KEY_H
#define LCT_SPEC_KEY_H
#include <stddef.h>

/* Bytes up to the comma, bracket or plus that ends a value or a term. */
size_t lct_spec_key_length(const char *value);

/* The term of a sum that is a rope or an mrope: its bytes, 0 if none is. */
size_t lct_spec_key_rope(const char **term, const char *spec);

/* The value of a key of that term: its bytes, 0 if it is absent. */
size_t lct_spec_key_value(const char **value, const char *spec,
                          const char *key);
#endif

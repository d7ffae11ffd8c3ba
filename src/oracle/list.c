/* list.c - all oracles, one for each row of the registry: a row without one
 * does not link. */
#include "oracle.h"

#define LCT_ENCODING(name) extern const struct oracle name##_oracle;
#include "encodings/encodings.def"
#undef LCT_ENCODING

#define LCT_ENCODING(name) &name##_oracle,
const struct oracle *const oracle_all[] = {
#include "encodings/encodings.def"
    NULL
};
#undef LCT_ENCODING
